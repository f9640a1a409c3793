"""The INT4 lab: its figures against their definitions, truths that hold for every set-up, its screens and its words."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from servelab.errors import SpecError
from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR
from servelab.labs.int4_layers import LAB, planner
from servelab.labs.int4_layers import run as run_lab
from servelab.labs.int4_layers.settings import MODEL_NAMES, Settings
from servelab.labs.play import Wish, play
from servelab.probe.block import LAYERS, made_layers
from servelab.probe.rounding import BITS, GRANULARITIES
from servelab.specs.fields import as_json

SETTINGS = st.builds(
    Settings,
    bits=st.sampled_from(BITS),
    granularity=st.sampled_from(list(GRANULARITIES)),
    grid=st.sampled_from(["symmetric", "asymmetric"]),
    scale_bits=st.sampled_from([8, 16, 32]),
    scaling=st.sampled_from(["plain", "activation-aware"]),
    kept_layers=st.integers(0, 3),
    activation_strength=st.floats(1, 100),
    weight_strength=st.floats(1, 16),
    outlier_fraction=st.floats(0, 0.05),
    model=st.sampled_from(list(MODEL_NAMES)),
    card=st.sampled_from(list(PRICES_USD_PER_HOUR)),
    batch=st.integers(1, 256),
)


def tiles(seed=0, **changes):
    return run_lab(dataclasses.replace(Settings(), **changes), (), seed).tiles


def test_the_same_bits_break_one_layer_and_hardly_touch_another():
    """What docs/labs-int4.md tells."""
    answer = play(LAB, LAB.setup({}), Wish(charts=["layers"]))
    errors = dict(zip(answer.charts["layers"].categories, answer.charts["layers"].series["now"], strict=True))
    assert max(errors, key=errors.get) == "down"
    assert min(errors, key=errors.get) == "o"
    assert errors["down"] > 4 * errors["o"]
    assert answer.headline.startswith("The output of down is off by 75.3 %, that of o by 18.1 %")
    assert answer.tiles["output_error"] == pytest.approx(0.386, abs=0.0005)
    assert answer.tiles["bits_per_weight"] == 4 + 16 / 512


@given(SETTINGS, st.integers(0, 3))
@settings(max_examples=25)
def test_figures_of_a_block_are_those_of_its_layers(asked, seed):
    answer = play(LAB, LAB.setup(dataclasses.asdict(asked), (), seed), Wish(charts=["layers"]))
    now, plain = (answer.charts["layers"].series[name] for name in ("now", "plain"))
    assert sum(error == 0 for error in now) == asked.kept_layers
    assert answer.tiles["output_error"] == pytest.approx(math.sqrt(sum(e**2 for e in now) / 7), rel=1e-12)
    assert answer.tiles["worst_error"] == max(now)
    assert answer.charts["layers"].current == int(np.argmax(now))
    if asked.scaling == "plain":
        rounded = [index for index, error in enumerate(now) if error]
        assert [now[index] for index in rounded] == [plain[index] for index in rounded]
        assert sorted(plain, reverse=True)[: asked.kept_layers] == [plain[i] for i in _kept(plain, now)]
    assert 0 <= answer.tiles["zeroed_fraction"] <= 1


def _kept(plain, now):
    return sorted((index for index, error in enumerate(now) if error == 0), key=lambda index: -plain[index])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scaling", ["plain", "activation-aware"])
def test_smaller_groups_never_raise_the_error(seed, scaling):
    errors = [tiles(seed, granularity=name, scaling=scaling)["output_error"] for name in GRANULARITIES]
    assert errors == sorted(errors, reverse=True)
    sizes = [tiles(seed, granularity=name, scaling=scaling)["bits_per_weight"] for name in GRANULARITIES]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("seed", range(5))
def test_more_bits_scaling_and_fewer_outliers_each_help(seed):
    for changes in ({"granularity": "group-128"}, {"grid": "asymmetric", "granularity": "group-64"}):
        errors = [tiles(seed, bits=bits, **changes)["output_error"] for bits in BITS]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] < 0.1 * errors[0]
        assert tiles(seed, scaling="activation-aware", **changes)["worst_error"] < tiles(seed, **changes)["worst_error"]
    calm = tiles(seed, weight_strength=1.0)
    assert calm["worst_error"] < 0.25 * tiles(seed)["worst_error"]
    assert tiles(seed, weight_strength=1.0, activation_strength=1.0)["worst_error"] < 0.2


@given(SETTINGS)
@settings(max_examples=25)
def test_bytes_and_times_are_the_planners_for_those_bits(asked):
    found = tiles(**dataclasses.asdict(asked))
    model = sl.Model.load(asked.model)
    outside = model.table_parameters + model.head_parameters
    size = (model.parameters - outside) * found["bits_per_weight"] / 8 + outside * 2
    assert found["weights_bytes"] == pytest.approx(size, rel=1e-12)
    card = dataclasses.replace(sl.Accelerator.load(asked.card), price_usd_per_hour=PRICES_USD_PER_HOUR[asked.card])
    held = dataclasses.replace(model, checkpoint_bytes=size, embedding_format="bf16")
    estimate = sl.estimate(sl.Deployment(held, card), sl.Workload(1024, 256, batch=asked.batch))
    assert found["total_bytes"] == pytest.approx(estimate.memory.total_bytes, rel=1e-12)
    assert found["largest_batch"] == estimate.would_fit.batch
    if not estimate.fits:
        assert found["tpot_s"] is found["cost_usd_per_million_output_tokens"] is None
    else:
        assert found["tpot_s"] == pytest.approx(estimate.tpot_s, rel=1e-9)
        cost = estimate.cost_usd_per_million_output_tokens
        assert found["cost_usd_per_million_output_tokens"] == pytest.approx(cost, rel=1e-9)
        assert estimate.tpot_s >= estimate.decode.floor_s / 255 * (1 - 1e-9)


def test_the_shares_of_the_layers_are_those_of_the_shape():
    """Llama 3.1 8B: 4,096 wide, 32 and 8 heads of 128, inner width 14,336; norms are spread over all."""
    shares = dict(zip(LAYERS, planner.shares("llama-3.1-8b"), strict=True))
    block = 2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336
    assert shares["q"] == shares["o"] == pytest.approx(4096**2 / block, rel=1e-3)
    assert shares["k"] == shares["v"] == pytest.approx(4096 * 1024 / block, rel=1e-3)
    assert shares["down"] == pytest.approx(4096 * 14336 / block, rel=1e-3)
    for model in MODEL_NAMES:
        assert sum(planner.shares(model)) == pytest.approx(1, rel=1e-12)
        assert min(planner.shares(model)) > 0
        assert planner.with_bits(model, 16).checkpoint_bytes == pytest.approx(2 * sl.Model.load(model).parameters)


@given(SETTINGS)
@settings(max_examples=25)
def test_a_model_that_does_not_fit_is_refused_and_each_way_out_helps(asked):
    setup = LAB.setup(dataclasses.asdict(asked))
    answer = play(LAB, setup, Wish(charts=[]))
    assert (answer.refusal is None) == (answer.tiles["tpot_s"] is not None)
    if answer.refusal is None:
        return
    assert answer.tiles["output_error"] is not None
    for remedy in answer.refusal.remedies:
        mended = LAB.setup(dataclasses.asdict(asked) | dict(remedy.settings))
        assert play(LAB, mended, Wish(charts=[])).refusal is None, remedy.label


def test_the_refusal_says_how_much_is_missing():
    answer = play(LAB, LAB.setup({"model": "llama-3.1-70b"}), Wish(charts=[]))
    assert answer.refusal.kind == "nothing-fits"
    assert "21.1 GB more than the card has" in answer.refusal.reason
    assert [remedy.label for remedy in answer.refusal.remedies] == ["Take the L40S, 48 GB", "Take Qwen2.5 14B"]


@pytest.mark.parametrize(
    ("before", "after", "tile", "words"),
    [
        ({"granularity": "group-32"}, {}, "worst_error", "512 weights share a grid instead of 32"),
        ({"granularity": "group-32"}, {}, "zeroed_fraction", "what is below half of one is zero"),
        ({}, {"granularity": "group-32"}, "bits_per_weight", "16 bits for 32 weights: 0.5 bits each instead of 0.0312"),
        ({}, {"bits": 3}, "output_error", "8 values instead of 16"),
        ({}, {"bits": 8}, "bits_per_weight", "8 bits instead of 4"),
        ({}, {"bits": 8}, "tpot_s", "Every step reads all the weights"),
        ({}, {"scaling": "activation-aware"}, "weight_error", "Scaling trades"),
        ({"scaling": "activation-aware"}, {}, "worst_error", "multiplied by those activations"),
        ({}, {"kept_layers": 1}, "weights_bytes", "26.9 % of a block's weights are kept in 16 bits"),
        ({"kept_layers": 1}, {}, "output_error", "no longer kept"),
        ({"weight_strength": 2.0}, {}, "worst_error", "Outlying weights stretch"),
        ({}, {"outlier_fraction": 0.05}, "output_error", "More channels are outliers"),
        ({}, {"batch": 64}, "tpot_s", "instead of"),
        ({}, {"batch": 64}, "total_bytes", "The KV cache of 64 requests"),
        ({}, {"batch": 1}, "cost_usd_per_million_output_tokens", "A step is for 1 instead of 8 requests"),
        ({"card": "h100-sxm-80gb"}, {"card": "l40s"}, "tpot_s", "864 GB/s instead of 3.35 TB/s"),
        ({}, {"card": "h200-sxm-141gb"}, "cost_usd_per_million_output_tokens", "$3.6 an hour instead of $0.5"),
        ({}, {"model": "qwen2.5-14b"}, "weights_bytes", "more weights"),
        ({"grid": "asymmetric"}, {}, "output_error", "Without a zero point"),
        ({"card": "l40s"}, {}, "largest_batch", "24.0 GB instead of 48.0 GB"),
    ],
)
def test_what_became_worse_has_a_reason(before, after, tile, words):
    change = play(LAB, LAB.setup(after), Wish(charts=[], before=LAB.setup(before))).changes.tiles[tile]
    assert change.verdict == "worse"
    assert words in change.why


@given(SETTINGS, SETTINGS, st.integers(0, 2), st.integers(0, 2))
@settings(max_examples=15)
def test_any_two_set_ups_compare(one, other, seed, another):
    before, after = (
        LAB.setup(dataclasses.asdict(asked), (), drawn) for asked, drawn in ((one, seed), (other, another))
    )
    answer = play(LAB, after, Wish(before=before))
    assert set(answer.changes.tiles) == set(answer.tiles) == {tile.id for tile in LAB.tiles}
    assert json.loads(as_json(answer))
    for change in answer.changes.tiles.values():
        assert change.why is None or change.verdict == "worse"
        assert "nan" not in change.words + (change.why or "")


def test_the_marks_of_the_charts_lead_to_their_figures():
    asked = {"bits": 4, "granularity": "group-64", "scaling": "activation-aware", "kept_layers": 1}
    answer = play(LAB, LAB.setup(asked))
    for name, figure in (("granularity", None), ("frontier", "bits_per_weight")):
        for cloud in answer.charts[name].series.values():
            for changes, x, y in list(zip(cloud.changes, cloud.x, cloud.y, strict=True))[::4]:
                found = play(LAB, LAB.setup(asked | dict(changes)), Wish(charts=[])).tiles
                assert (found["output_error"], found[figure] if figure else x) == (y, x)
        here = answer.charts[name].series["activation-aware"]
        assert here.y[here.current] == answer.tiles["output_error"]
        assert answer.charts[name].series["plain"].current is None
    points = answer.charts["frontier"]
    marks = [mark for cloud in points.series.values() for mark in zip(cloud.x, cloud.y, strict=True)]
    for (bits, error), (x, y) in itertools.product(points.frontier, marks):
        assert not (x <= bits and y < error)


def test_the_histogram_is_the_worst_layers_and_its_marks_are_grid_values():
    answer = play(LAB, LAB.setup({"granularity": "group-32", "grid": "asymmetric"}), Wish(charts=["weights", "layers"]))
    drawn, worst = answer.charts["weights"], made_layers_worst(answer)
    within = np.abs(worst.weights) <= 6
    assert sum(drawn.series["before"][:-1]) == pytest.approx(float(within.mean()), abs=1e-4)
    places = [mark.x for mark in drawn.marks]
    assert 0 in places
    np.testing.assert_allclose(np.diff(places), places[-1] - places[-2], rtol=1e-9)
    assert 12 <= len(places) <= 16
    assert len(play(LAB, LAB.setup({}), Wish(charts=["weights"])).charts["weights"].marks) < 5


def made_layers_worst(answer):
    from servelab.probe.block import World

    world = World(0, answer.settings["activation_strength"], answer.settings["weight_strength"], 0.01)
    return made_layers(world)[answer.charts["layers"].current]


def test_loud_channels_come_first_and_lose_their_error_by_scaling():
    answer = play(LAB, LAB.setup({"scaling": "activation-aware", "kept_layers": 0}), Wish(charts=["channels"]))
    drawn = answer.charts["channels"]
    loud = slice(0, 6)
    assert sum(drawn.series["now"][loud]) < 0.5 * sum(drawn.series["plain"][loud])
    assert list(drawn.x) == list(range(1, 513))


def test_bits_buy_less_the_larger_the_batch():
    drawn = play(LAB, LAB.setup({"card": "h100-sxm-80gb"}), Wish(charts=["batches"])).charts["batches"]
    gains = [a / b for a, b in zip(drawn.series["published"], drawn.series["now"], strict=True) if a and b]
    assert gains[0] > 2.5
    assert gains[-1] < 1.3
    assert all(later <= earlier * (1 + 1e-9) for earlier, later in itertools.pairwise(gains))


def test_every_figure_shows_the_values_of_its_formula():
    answer = play(LAB, LAB.setup({"kept_layers": 1, "grid": "asymmetric", "card": "l40s"}), Wish(charts=[]))
    assert set(answer.terms) == set(answer.tiles)
    terms = {tile: {term.name: term.value for term in found} for tile, found in answer.terms.items()}
    errors = terms["output_error"].values()
    assert answer.tiles["output_error"] == pytest.approx(math.sqrt(sum(e**2 for e in errors) / 7), rel=1e-12)
    of = terms["bits_per_weight"]
    rounded = of["bits"] + (of["scale"] + of["zero point"]) / of["weights that share them"]
    assert answer.tiles["bits_per_weight"] == pytest.approx((1 - of["kept"]) * rounded + of["kept"] * 16, rel=1e-12)
    of = terms["weights_bytes"]
    size = of["block weights"] * of["bits per weight"] / 8 + of["embeddings + head"] * 2
    assert answer.tiles["weights_bytes"] == pytest.approx(size, rel=1e-12)
    assert answer.tiles["total_bytes"] == pytest.approx(sum(terms["total_bytes"].values()), rel=1e-12)
    of = terms["tpot_s"]
    parts = of["linear layers"] + of["attention"] + of["overhead"]
    assert answer.tiles["tpot_s"] == pytest.approx(parts, rel=1e-9)
    of = terms["cost_usd_per_million_output_tokens"]
    cost = of["price per hour"] / 3600 / of["output tokens per second"] * 1e6
    assert answer.tiles["cost_usd_per_million_output_tokens"] == pytest.approx(cost, rel=1e-9)


def test_the_same_seed_gives_the_same_bits_and_another_seed_others():
    first, again = (as_json(play(lab, lab.setup({"bits": 3}, (), 2))) for lab in (LAB, dataclasses.replace(LAB)))
    assert first == again
    assert first != as_json(play(LAB, LAB.setup({"bits": 3}, (), 3)))


def test_settings_are_checked_when_made():
    for bad in ({"bits": 5}, {"granularity": "group-16"}, {"kept_layers": 4}, {"activation_strength": 0.5}):
        with pytest.raises(SpecError):
            Settings(**bad)


def test_every_word_is_there():
    assert all(tile.words and tile.formula and tile.source for tile in LAB.tiles)
    assert all(card.help for card in LAB.control_cards())
    assert all(chart.words for chart in LAB.charts)
    roles = [page.role for page in LAB.pages]
    assert roles == ["how-to-play", "assumes", "cannot-tell", "explanation", "references"]
    figures = {block.chart for page in LAB.pages for block in page.blocks if block.kind == "figure"}
    assert figures == {chart.id for chart in LAB.charts}
    references = " ".join(block.text for block in LAB.pages[-1].blocks)
    for who in ("Lin", "Dettmers", "Massive Activations", "SmoothQuant", "GPTQ", "Heo", "QuaRot", "Bennett"):
        assert who in references


@pytest.mark.parametrize(
    ("mission", "tried"),
    [
        (
            "thirty-two-billion",
            {
                (): 0,
                (("scaling", "activation-aware"),): 0,
                (("scaling", "activation-aware"), ("granularity", "per-channel"), ("grid", "asymmetric")): 1,
                (("scaling", "activation-aware"), ("granularity", "group-128")): 2,
                (("scaling", "activation-aware"), ("granularity", "group-128"), ("grid", "asymmetric")): 3,
            },
        ),
        (
            "one-layer",
            {
                (("grid", "asymmetric"),): 0,
                (("kept_layers", 2),): 1,
                (("kept_layers", 1),): 2,
                (("kept_layers", 1), ("grid", "asymmetric")): 3,
                (("kept_layers", 3),): 0,
            },
        ),
        (
            "slower-than-before",
            {
                (): 0,
                (("batch", 1),): 0,
                (("batch", 11),): 1,
                (("batch", 26),): 2,
                (("granularity", "group-32"),): 0,
                (("batch", 26), ("granularity", "group-32")): 3,
            },
        ),
    ],
)
def test_answers_to_the_missions(mission, tried):
    begun = dataclasses.asdict(LAB.opening(mission).settings)
    for changes, stars in tried.items():
        graded = play(LAB, LAB.setup(begun | dict(changes)), Wish(charts=[], mission=mission)).mission
        assert graded.earned == stars, changes


@pytest.mark.parametrize("mission", LAB.missions, ids=[mission.id for mission in LAB.missions])
def test_the_reveal_tells_the_figures_of_the_solution(mission):
    begun = dataclasses.asdict(LAB.opening(mission.id).settings)
    setup = LAB.setup(begun | dict(mission.solution), mission.events, mission.seed)
    graded = play(LAB, setup, Wish(charts=[], mission=mission.id)).mission
    told = {
        "thirty-two-billion": ("At 4.16 bits", "fills 23.8 GB", "is off by 12.4 %"),
        "one-layer": ("1 of seven layers", "7.26 instead of 4.03 bits", "from 75.3 % to 27.0 %"),
        "no-samples": ("32 instead of 256 weights", "by 22.0 % instead of 67.0 %", "4.38 bits"),
        "slower-than-before": (
            "With 24 instead of 64 requests",
            "12.2 ms instead of 24.6 ms",
            "8.33 % instead of 10.2 %",
        ),
    }[mission.id]
    assert all(words in graded.reveal for words in told), graded.reveal

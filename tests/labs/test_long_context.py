"""The long-context lab: its figures against their definitions, truths of every set-up, its screens and its words."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from servelab.errors import SpecError
from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR
from servelab.labs.long_context import LAB
from servelab.labs.long_context import run as run_lab
from servelab.labs.long_context.settings import MODEL_NAMES, Settings
from servelab.labs.play import Wish, play
from servelab.probe.rope import METHODS
from servelab.specs.fields import as_json
from tests.oracles import rope as oracle

SETTINGS = st.builds(
    Settings,
    method=st.sampled_from(METHODS),
    target_tokens=st.integers(1024, 262_144),
    headroom=st.floats(0.5, 8),
    yarn_alpha=st.floats(0, 16),
    yarn_beta=st.floats(1, 128),
    trained_tokens=st.sampled_from([2048, 4096, 8192, 32_768]),
    base=st.floats(1e3, 1e7),
    head_dim=st.sampled_from([64, 96, 128, 256]),
    model=st.sampled_from(list(MODEL_NAMES)),
    card=st.sampled_from(list(PRICES_USD_PER_HOUR)),
    kv_cache=st.sampled_from(["bf16", "fp8"]),
    batch=st.integers(1, 64),
)


def tiles(**changes):
    return run_lab(dataclasses.replace(Settings(), **changes), (), 0).tiles


def angles(asked):
    """θ and θ′ by the slow formulas."""
    factor = max(1.0, asked.headroom * asked.target_tokens / asked.trained_tokens)
    width, base = asked.head_dim, asked.base
    ways = {
        "none": lambda: oracle.angles(width, base),
        "interpolation": lambda: oracle.interpolated(width, base, factor),
        "ntk-aware": lambda: oracle.ntk_aware(width, base, factor),
        "yarn": lambda: oracle.yarn(width, base, asked.trained_tokens, factor, asked.yarn_alpha, asked.yarn_beta),
    }
    return oracle.angles(width, base), ways[asked.method]()


@given(SETTINGS)
@settings(max_examples=40)
def test_figures_of_positions_are_those_of_the_formulas(asked):
    if asked.method == "yarn" and asked.yarn_beta <= asked.yarn_alpha:
        asked = dataclasses.replace(asked, yarn_beta=asked.yarn_alpha + 1)
    found = run_lab(asked, (), 0).tiles
    trained, now = angles(asked)
    beyond = [
        asked.target_tokens * fresh / (asked.trained_tokens * old)
        for old, fresh in zip(trained, now, strict=True)
        if asked.trained_tokens * old < 2 * math.pi
    ]
    new = [ratio for ratio in beyond if ratio > 1 + 1e-9]
    assert found["unseen_fraction"] == pytest.approx(len(new) / len(trained), abs=1e-12)
    assert found["overreach"] == pytest.approx(max(new, default=1), rel=1e-9)

    def apart(theta):
        return math.sqrt(sum(2 - 2 * math.cos(one) for one in theta))

    assert found["resolution"] == pytest.approx(apart(now) / apart(trained), rel=1e-6)

    def score(theta, m):
        return sum(math.cos(m * one) for one in theta) / len(theta)

    moved = [(score(now, m) - score(trained, m)) ** 2 for m in range(1, 65)]
    assert found["nearby_change"] == pytest.approx(math.sqrt(sum(moved) / 64), abs=1e-9)


@given(SETTINGS)
@settings(max_examples=40)
def test_bytes_and_times_are_the_planners(asked):
    found = run_lab(asked, (), 0).tiles
    card = dataclasses.replace(sl.Accelerator.load(asked.card), price_usd_per_hour=PRICES_USD_PER_HOUR[asked.card])
    workload = sl.Workload(asked.target_tokens - 256, 256, batch=asked.batch)
    estimate = sl.estimate(sl.Deployment(asked.model, card, kv_cache=asked.kv_cache), workload)
    model, size = sl.Model.load(asked.model), 2 if asked.kv_cache == "bf16" else 1
    token = 2 * model.layers * model.kv_heads * model.head_dim * size
    assert found["kv_cache_bytes"] == token * asked.target_tokens * asked.batch
    assert found["total_bytes"] == estimate.memory.total_bytes
    assert found["largest_batch"] == estimate.would_fit.batch
    assert (found["ttft_s"], found["tpot_s"]) == (estimate.ttft_s, estimate.tpot_s)
    assert found["cost_usd_per_million_output_tokens"] == estimate.cost_usd_per_million_output_tokens


@given(SETTINGS, st.sampled_from(METHODS))
@settings(max_examples=30)
def test_no_method_moves_a_byte_or_a_second(asked, method):
    one, other = (run_lab(settings, (), 0).tiles for settings in (asked, dataclasses.replace(asked, method=method)))
    for name in ("kv_cache_bytes", "total_bytes", "largest_batch", "ttft_s", "tpot_s"):
        assert one[name] == other[name]


def test_the_methods_trade_what_is_new_for_what_is_near():
    """What docs/labs-long-context.md tells."""
    found = {method: tiles(method=method) for method in METHODS}
    rows = {
        "none": (18, 8.0, 1.0, 0.0),
        "interpolation": (0, 1.0, 0.128, 0.233),
        "ntk-aware": (17, 1.753, 0.9155, 0.0857),
        "yarn": (0, 1.0, 0.9995, 0.0425),
    }
    for method, (new, beyond, resolution, nearby) in rows.items():
        figures = found[method]
        assert figures["unseen_fraction"] * 64 == new
        assert figures["overreach"] == pytest.approx(beyond, abs=5e-4)
        assert figures["resolution"] == pytest.approx(resolution, abs=5e-4)
        assert figures["nearby_change"] == pytest.approx(nearby, abs=5e-4)
    assert (found["none"]["tpot_s"], tiles(target_tokens=4096)["tpot_s"]) == pytest.approx((0.0189, 0.00964), rel=5e-3)
    assert tiles(method="ntk-aware", headroom=2.2)["unseen_fraction"] == 0


@pytest.mark.parametrize("method", METHODS)
def test_within_the_trained_length_nothing_is_stretched(method):
    answer = play(LAB, LAB.setup({"method": method, "target_tokens": 4096}), Wish(charts=[]))
    assert (answer.tiles["unseen_fraction"], answer.tiles["resolution"]) == (0, pytest.approx(1, rel=1e-12))
    assert answer.tiles["nearby_change"] == pytest.approx(0, abs=1e-12)
    assert "nothing to stretch" in answer.remarks[0]


def test_remarks_say_what_is_set_up_strangely():
    for changes, words in (
        ({"method": "interpolation", "headroom": 0.6}, "less than target / trained"),
        ({"method": "yarn", "yarn_alpha": 8.0, "yarn_beta": 4.0}, "a step at α"),
        ({"method": "ntk-aware"}, "leaves some pairs a little beyond"),
    ):
        assert any(words in one for one in play(LAB, LAB.setup(changes), Wish(charts=[])).remarks)


@given(SETTINGS)
@settings(max_examples=30)
def test_a_context_that_does_not_fit_is_refused_and_each_way_out_helps(asked):
    answer = play(LAB, LAB.setup(dataclasses.asdict(asked)), Wish(charts=[]))
    assert (answer.refusal is None) == (answer.tiles["tpot_s"] is not None)
    if answer.refusal is None:
        return
    assert answer.refusal.kind == "nothing-fits"
    for remedy in answer.refusal.remedies:
        mended = LAB.setup(dataclasses.asdict(asked) | dict(remedy.settings))
        assert play(LAB, mended, Wish(charts=[])).refusal is None, remedy.label


def test_the_refusal_says_how_much_is_missing():
    refusal = play(LAB, LAB.setup({"card": "rtx-4090"}), Wish(charts=[])).refusal
    assert "17.2 GB, beside 13.5 GB of weights" in refusal.reason
    assert "10.8 GB more than the card has" in refusal.reason
    assert [remedy.label for remedy in refusal.remedies] == [
        "Take the L40S, 48 GB",
        "A context of 14,478 tokens",
        "Take Qwen2.5 7B",
    ]


@pytest.mark.parametrize(
    ("before", "after", "tile", "words"),
    [
        ({"method": "yarn"}, {}, "unseen_fraction", "18 of 64 pairs do not go round within 4,096 tokens"),
        ({"method": "yarn"}, {"method": "ntk-aware"}, "unseen_fraction", "17 of them still go beyond"),
        (
            {"method": "yarn"},
            {"method": "yarn", "yarn_alpha": 0.0},
            "overreach",
            "Those that go round more than 0 times are partly left alone",
        ),
        (
            {"method": "interpolation"},
            {"method": "interpolation", "headroom": 0.5},
            "unseen_fraction",
            "stretched 4 times, and the target is 8 times",
        ),
        ({}, {"method": "interpolation"}, "resolution", "neighbours are 8 times nearer"),
        ({}, {"method": "ntk-aware"}, "nearby_change", "by up to 8 times"),
        ({}, {"method": "yarn"}, "nearby_change", "43 of 64 pairs are slowed"),
        (
            {"method": "yarn", "yarn_beta": 4.0},
            {"method": "yarn"},
            "nearby_change",
            "Pairs of up to 32 turns are slowed now, not only those of 4",
        ),
        ({"kv_cache": "fp8"}, {}, "kv_cache_bytes", "A token keeps 524 kB instead of 262 kB"),
        ({}, {"target_tokens": 65_536}, "kv_cache_bytes", "65,536 tokens are kept of every request"),
        ({}, {"target_tokens": 65_536}, "ttft_s", "the square of its length"),
        ({}, {"target_tokens": 65_536}, "tpot_s", "Every step reads the whole cache, 34.4 GB instead of 17.2 GB"),
        ({}, {"target_tokens": 65_536}, "cost_usd_per_million_output_tokens", "a longer prompt"),
        ({}, {"batch": 3}, "total_bytes", "The KV cache takes 51.5 GB instead of 17.2 GB"),
        ({}, {"card": "a100-sxm-40gb"}, "largest_batch", "The card has 40.0 GB instead of 80.0 GB"),
        ({}, {"card": "l40s"}, "tpot_s", "The card reads at 864 GB/s"),
        ({"card": "a100-sxm-40gb"}, {}, "cost_usd_per_million_output_tokens", "$1.6 an hour instead of $1.2"),
    ],
)
def test_what_became_worse_has_a_reason(before, after, tile, words):
    change = play(LAB, LAB.setup(after), Wish(charts=[], before=LAB.setup(before))).changes.tiles[tile]
    assert change.verdict == "worse"
    assert words in change.why


@given(SETTINGS, SETTINGS)
@settings(max_examples=20)
def test_any_two_set_ups_compare(one, other):
    before, after = (LAB.setup(dataclasses.asdict(asked)) for asked in (one, other))
    answer = play(LAB, after, Wish(before=before))
    assert set(answer.changes.tiles) == set(answer.tiles) == {tile.id for tile in LAB.tiles}
    assert json.loads(as_json(answer))
    for change in answer.changes.tiles.values():
        assert change.why is None or change.verdict == "worse"
        assert "nan" not in change.words + (change.why or "")


def test_the_charts_are_the_formulas():
    answer = play(LAB, LAB.setup({"method": "yarn"}))
    trained, now = angles(Settings(method="yarn"))
    pairs = answer.charts["pairs"]
    np.testing.assert_allclose(pairs.series["trained"], [4096 * one / (2 * math.pi) for one in trained], rtol=1e-9)
    np.testing.assert_allclose(pairs.series["now"], [32_768 * one / (2 * math.pi) for one in now], rtol=1e-9)
    shares = answer.charts["frequencies"].series
    assert set(shares["none"]) == {1.0}
    np.testing.assert_allclose(shares["interpolation"], 1 / 8)
    np.testing.assert_allclose(shares["yarn"], [a / b for a, b in zip(now, trained, strict=True)], rtol=1e-9)
    distances = answer.charts["attention"].x
    assert (distances[0], distances[-1]) == (1, 32_768)
    assert [mark.label for mark in answer.charts["attention"].marks] == ["trained length"]
    marks = answer.charts["cost"].marks
    assert [(mark.x, mark.label) for mark in marks] == [(4096, "trained length"), (32_768, "target")]


def test_marks_and_bars_are_figures_of_their_set_ups():
    answer = play(LAB, LAB.setup({"method": "ntk-aware", "card": "a100-sxm-40gb"}))
    for method, cloud in answer.charts["methods"].series.items():
        found = tiles(card="a100-sxm-40gb", method=method)
        assert ([found["nearby_change"]], [found["unseen_fraction"]]) == (cloud.x, cloud.y)
        assert cloud.changes == [{"method": method}]
        assert cloud.current == (0 if method == "ntk-aware" else None)
    bars = answer.charts["memory"]
    assert sum(parts[1] for parts in bars.series.values()) == pytest.approx(answer.tiles["total_bytes"])
    assert bars.categories == ["4,096 tokens", "32,768 tokens"]
    curve = answer.charts["cost"]
    times = [time for time in curve.series["bf16"] if time is not None]
    assert times == sorted(times)
    assert all(b is None or a <= b for a, b in zip(curve.series["fp8"], curve.series["bf16"], strict=True))
    at_target = curve.series["bf16"][curve.x.index(32_768)]
    assert at_target == pytest.approx(answer.tiles["tpot_s"], rel=1e-9)


def test_every_figure_shows_the_values_of_its_formula():
    answer = play(LAB, LAB.setup({"method": "ntk-aware", "kv_cache": "fp8", "batch": 2}), Wish(charts=[]))
    assert set(answer.terms) == set(answer.tiles)
    terms = {tile: {term.name: term.value for term in found} for tile, found in answer.terms.items()}
    of = terms["unseen_fraction"]
    assert answer.tiles["unseen_fraction"] == of["new"] / of["pairs"]
    of = terms["resolution"]
    assert answer.tiles["resolution"] == pytest.approx(of["now"] / of["trained"], rel=1e-12)
    of = terms["overreach"]
    assert answer.tiles["overreach"] == pytest.approx(of["L′"] * of["θ′"] / (of["L"] * of["θ"]), rel=1e-9)
    of = terms["kv_cache_bytes"]
    kept = 2 * of["layers"] * of["KV heads"] * of["head width"] * of["bytes per value"] * of["context"] * of["batch"]
    assert answer.tiles["kv_cache_bytes"] == kept
    assert answer.tiles["total_bytes"] == pytest.approx(sum(terms["total_bytes"].values()), rel=1e-12)
    for tile in ("ttft_s", "tpot_s"):
        parts = sum(value for name, value in terms[tile].items() if name != "at the trained length")
        assert answer.tiles[tile] == pytest.approx(parts, rel=1e-9)
    of = terms["cost_usd_per_million_output_tokens"]
    cost = of["price per hour"] / 3600 / of["output tokens per second"] * 1e6
    assert answer.tiles["cost_usd_per_million_output_tokens"] == pytest.approx(cost, rel=1e-9)


@pytest.mark.parametrize(
    ("mission", "changes", "stars"),
    [
        ("thirty-two-thousand", {"method": "yarn"}, 0),
        ("thirty-two-thousand", {"model": "qwen2.5-7b"}, 0),
        ("thirty-two-thousand", {"model": "qwen2.5-7b", "method": "interpolation"}, 1),
        ("thirty-two-thousand", {"model": "llama-3.1-8b", "kv_cache": "fp8", "method": "yarn"}, 2),
        ("thirty-two-thousand", {"model": "qwen2.5-7b", "kv_cache": "fp8", "method": "yarn"}, 3),
        ("wrong-ramp", {"headroom": 8.0}, 0),
        ("wrong-ramp", {"method": "interpolation"}, 0),
        ("wrong-ramp", {"method": "ntk-aware"}, 0),
        ("wrong-ramp", {"method": "ntk-aware", "headroom": 4.0}, 1),
        ("wrong-ramp", {"method": "ntk-aware", "headroom": 2.8}, 2),
        ("wrong-ramp", {"method": "ntk-aware", "headroom": 2.0}, 3),
    ],
)
def test_answers_to_the_missions(mission, changes, stars):
    begun = dataclasses.asdict(LAB.opening(mission).settings)
    assert play(LAB, LAB.setup(begun | changes), Wish(charts=[], mission=mission)).mission.earned == stars


@pytest.mark.parametrize(
    ("mission", "told"),
    [
        ("thirty-two-thousand", ("28.7 kB instead of 524 kB", "18 of 64 pairs", "at 99.9 % of their distance")),
        ("wrong-ramp", ("α = 0 turns", "factor of 15.2 where the target takes 8")),
    ],
)
def test_the_reveal_tells_the_figures_of_the_solution(mission, told):
    setup = LAB.setup(dataclasses.asdict(LAB.opening(mission).settings) | dict(LAB.mission(mission).solution))
    graded = play(LAB, setup, Wish(charts=[], mission=mission)).mission
    assert graded.earned == 3
    assert all(words in graded.reveal for words in told), graded.reveal


def test_the_same_set_up_gives_the_same_bits_whatever_the_seed():
    first, again = (as_json(play(lab, lab.setup({"method": "yarn"}))) for lab in (LAB, dataclasses.replace(LAB)))
    assert first == again
    other = json.loads(as_json(play(LAB, LAB.setup({"method": "yarn"}, (), 5))))
    assert json.loads(first) | {"seed": 5} == other


def test_settings_are_checked_when_made():
    for bad in ({"target_tokens": 512}, {"trained_tokens": 4000}, {"method": "ntk"}, {"head_dim": 80}, {"base": 10.0}):
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
    references = " ".join(block.url for block in LAB.pages[-1].blocks)
    for paper in ("2104.09864", "2306.15595", "2309.00071"):
        assert paper in references

"""The deployment lab: its runs are the library's, its waits are the planner's, its screens and words are there."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from servelab.labs.deploy import LAB, charts, world
from servelab.labs.deploy import run as run_lab
from servelab.labs.deploy.settings import CARDS, KV_BITS, MODELS, POLICIES, STEP_TIMES, WEIGHT_BITS, Settings
from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR
from servelab.labs.play import Wish, play
from servelab.specs.fields import as_json

SETTINGS = st.builds(
    Settings,
    size=st.sampled_from(list(MODELS)),
    card=st.sampled_from(list(PRICES_USD_PER_HOUR)),
    cards=st.sampled_from(CARDS),
    step_times=st.sampled_from(list(STEP_TIMES)),
    weights=st.sampled_from(list(WEIGHT_BITS)),
    kv_cache=st.sampled_from(list(KV_BITS)),
    policy=st.sampled_from(POLICIES),
    chunk_tokens=st.integers(64, 8192),
    at_once=st.integers(1, 512),
    requests_per_s=st.floats(0.1, 1.5),
    prompt_tokens=st.integers(128, 4096),
    output_tokens=st.integers(16, 256),
)
HAPPENING = st.lists(st.sampled_from(["long-prompts", "burst"]), unique=True).map(tuple)


@given(SETTINGS, HAPPENING)
@settings(max_examples=15)
def test_a_run_is_what_the_library_says_of_the_same_deployment(asked, events):
    played = world.play(asked, events, 3)
    system = sl.Deployment(
        MODELS[asked.size],
        asked.card,
        tensor_parallel=asked.cards,
        weights=asked.weights,
        kv_cache=asked.kv_cache,
        compute="fp8" if asked.weights == "fp8" and "a100" not in asked.card else None,
        profile={"textbook": "textbook", "calibrated": "auto"}[asked.step_times],
    )
    rules = sl.Scheduler(
        policy=asked.policy,
        max_num_seqs=asked.at_once,
        max_prefill_tokens_per_step=asked.chunk_tokens if asked.policy == "chunked" else None,
    )
    if played.traffic is None:
        return
    if played.run is None:
        with pytest.raises(sl.SpecError, match="no room for a cache"):
            sl.simulate(system, played.traffic, rules)
        return
    expected = sl.simulate(system, played.traffic, rules).summary
    for name, value in played.run.summary.items():
        if value is not None:  # no targets, no price
            assert value == pytest.approx(expected[name], rel=1e-9, nan_ok=True)


@given(SETTINGS, st.integers(1, 64))
@settings(max_examples=25)
def test_what_a_pass_waits_for_is_what_the_planner_says(asked, batch):
    """The one decode pass of an answer of two tokens."""
    system = dataclasses.replace(world.deployment(asked), reserve_bytes=0)
    answer = sl.estimate(system, sl.Workload(prompt_tokens=16, output_tokens=2, batch=batch))
    if not answer.fits:
        return
    waits = world.decode_pass(world.step_costs(system), batch, 17)
    phase = answer.decode
    assert waits.total_s == pytest.approx(phase.time_s, rel=1e-9)
    assert max(waits.arithmetic_s, waits.weights_s) == pytest.approx(phase.linear.time_s, rel=1e-9)
    assert waits.cache_s == pytest.approx(phase.attention.time_s, rel=1e-9)


@given(SETTINGS, SETTINGS, HAPPENING, HAPPENING)
@settings(max_examples=40)
def test_a_change_leaves_all_other_draws_as_they_were(one, other, events, others):
    base = world.traffic(one, events, 1)
    for field in dataclasses.fields(one):
        new = world.traffic(dataclasses.replace(one, **{field.name: getattr(other, field.name)}), events, 1)
        if base is None or new is None:
            continue
        count = min(len(base), len(new))
        if field.name != "requests_per_s":
            np.testing.assert_array_equal(base.arrival_s, new.arrival_s)
        if field.name != "prompt_tokens":
            np.testing.assert_array_equal(base.prompt_tokens[:count], new.prompt_tokens[:count])
        if field.name != "output_tokens":
            np.testing.assert_array_equal(base.output_tokens[:count], new.output_tokens[:count])
    happened = world.traffic(one, others, 1)
    if base is not None and happened is not None:
        count = min(len(base), len(happened))
        np.testing.assert_array_equal(base.output_tokens[:count], happened.output_tokens[:count])


def test_long_prompts_are_every_eighth_and_twelve_times_as_long():
    usual, long = (world.traffic(Settings(), events, 0).prompt_tokens for events in ((), ("long-prompts",)))
    index = np.arange(len(usual))
    np.testing.assert_array_equal(long, np.where(index % 8 == 7, 12 * usual, usual))


@given(SETTINGS)
@settings(max_examples=30)
def test_the_room_is_what_weights_and_workspace_leave(asked):
    model, card = sl.Model.load(MODELS[asked.size]), sl.Accelerator.load(asked.card)
    weight = {"bf16": 2, "fp8": 1, "int4": 0.5 * 1.05}[asked.weights]
    value = {"bf16": 2, "fp8": 1}[asked.kv_cache]
    token = 2 * model.layers * model.kv_heads * model.head_dim * value
    workspace = 8 * 8192 * model.hidden * 2 / asked.cards
    room = card.memory_bytes - 2e9 - model.parameters * weight / asked.cards - workspace
    blocks = max(0, math.floor(room * asked.cards / (16 * token)))
    assert world.capacity_tokens(asked) == pytest.approx(16 * blocks, abs=16)


def test_fewer_bits_never_leave_less_room_and_are_told_as_they_are():
    for name, bits in (("weights", WEIGHT_BITS), ("kv_cache", KV_BITS)):
        tile = {"weights": "weight_bits", "kv_cache": "kv_bits"}[name]
        results = [run_lab(Settings(**{name: one}, requests_per_s=1), (), 0).tiles for one in bits]
        assert [tiles[tile] for tiles in results] == list(bits.values())
        capacities = [tiles["capacity_tokens"] for tiles in results]
        assert capacities == sorted(capacities)


def test_int4_makes_the_big_batch_slower_and_fp8_does_not():
    """What the mission and its explanation say: the freed memory lets more run at once, and a token takes longer."""
    asked = {"at_once": 512, "requests_per_s": 8.0, "prompt_tokens": 512, "output_tokens": 512}
    bf16, int4, fp8 = (run_lab(Settings(weights=name, **asked), (), 0) for name in ("bf16", "int4", "fp8"))
    assert int4.facts["batch"] > 1.3 * bf16.facts["batch"]
    assert int4.tiles["tpot_p99_s"] > 1.2 * bf16.tiles["tpot_p99_s"]
    assert int4.facts["pass_arithmetic_s"] > int4.facts["pass_weights_s"]
    assert fp8.tiles["tpot_p99_s"] < 0.6 * bf16.tiles["tpot_p99_s"]
    told = [(lab.tiles["capacity_tokens"], round(lab.facts["batch"])) for lab in (bf16, int4, fp8)]
    assert told == [(224_320, 126), (314_688, 182), (285_584, 110)]  # docs/missions.md tells these
    assert [f"{lab.tiles['tpot_p99_s']:.3f}" for lab in (bf16, int4, fp8)] == ["0.116", "0.149", "0.066"]
    assert (f"{int4.facts['pass_arithmetic_s']:.4f}", f"{int4.facts['pass_weights_s']:.4f}") == ("0.0161", "0.0062")
    few = asked | {"requests_per_s": 0.5}
    assert (
        run_lab(Settings(weights="int4", **few), (), 0).tiles["tpot_p50_s"]
        < 0.5 * run_lab(Settings(weights="bf16", **few), (), 0).tiles["tpot_p50_s"]
    )


def test_fp8_weights_are_multiplied_so_only_where_the_card_can():
    for card, format_ in (("h100-sxm-80gb", "fp8"), ("l40s", "fp8"), ("a100-sxm-80gb", "bf16")):
        asked = Settings(card=card, weights="fp8", requests_per_s=1)
        assert world.deployment(asked).compute_format == format_
        remarks = " ".join(run_lab(asked, (), 0).remarks)
        assert ("does not multiply in FP8" in remarks) == (format_ == "bf16")


def test_where_nothing_fits_it_says_what_would_help():
    answer = play(LAB, LAB.setup({"size": "70b"}))
    assert answer.refusal.kind == "nothing-fits"
    assert "141 GB" in answer.refusal.reason
    assert answer.tiles["ttft_p50_s"] is None
    assert answer.tiles["price_usd_per_hour"] == 1.0
    assert answer.charts["cache"] is answer.charts["timeline"] is None
    assert answer.charts["capacity"].series["capacity"][0] == 0
    assert answer.refusal.remedies
    for remedy in answer.refusal.remedies:
        helped = play(LAB, LAB.setup({"size": "70b", **remedy.settings}), Wish(charts=[]))
        assert helped.refusal is None
        assert helped.tiles["rejections"] == 0


def test_what_is_longer_than_the_cache_is_turned_away():
    answer = play(
        LAB, LAB.setup({"card": "rtx-4090", "prompt_tokens": 32_768, "requests_per_s": 0.5}, ["long-prompts"])
    )
    assert answer.tiles["rejections"] > 0
    assert any("turned away" in remark for remark in answer.remarks)


@pytest.mark.parametrize(
    ("before", "after", "tile", "words"),
    [
        ({"chunk_tokens": 512}, {"policy": "continuous"}, "itl_p99_s", "prompts of others"),
        ({"weights": "int4"}, {"weights": "bf16"}, "capacity_tokens", "The weights take 16.1 GB instead of 4.22 GB"),
        ({"kv_cache": "fp8"}, {}, "capacity_tokens", "A token keeps 131 kB instead of 65.5 kB"),
        ({}, {"cards": 8}, "cost_usd_per_million_output_tokens", "$8 an hour instead of $1"),
        ({}, {"requests_per_s": 7.5}, "ttft_p99_s", "wait"),
        ({"requests_per_s": 2}, {"requests_per_s": 5}, "tpot_p50_s", "instead of"),
    ],
)
def test_what_became_worse_has_a_reason(before, after, tile, words):
    change = play(LAB, LAB.setup(after), Wish(charts=[], before=LAB.setup(before))).changes.tiles[tile]
    assert change.verdict == "worse"
    assert words in change.why


def test_the_same_seed_gives_the_same_bits():
    first, again, other = (
        as_json(play(lab, lab.setup({"requests_per_s": 2}, ["burst"], seed)))
        for lab, seed in ((LAB, 2), (dataclasses.replace(LAB), 2), (LAB, 3))
    )
    assert first == again != other


def test_every_figure_shows_the_values_of_its_formula():
    answer = play(LAB, LAB.setup({"requests_per_s": 3, "cards": 2}), Wish(charts=[]))
    terms = {tile: {term.name: term.value for term in found} for tile, found in answer.terms.items()}
    cost = terms["cost_usd_per_million_output_tokens"]
    found = cost["cards"] * cost["price per hour"] * cost["makespan"] / 3600 / cost["output tokens"] * 1e6
    assert answer.tiles["cost_usd_per_million_output_tokens"] == pytest.approx(found, rel=1e-12)
    assert answer.tiles["output_tokens_per_s"] == pytest.approx(cost["output tokens"] / cost["makespan"], rel=1e-12)
    run = world.play(Settings(requests_per_s=3, cards=2), (), 0).run
    assert sum(terms["tpot_p50_s"].values()) == pytest.approx(run.summary["itl_mean_s"], rel=0.01)
    assert sum(terms["ttft_p50_s"].values()) == pytest.approx(run.summary["ttft_mean_s"], rel=1e-9)


def test_bars_lead_where_they_are():
    answer = play(LAB, LAB.setup({"weights": "fp8", "requests_per_s": 1}), Wish(charts=["capacity", "pass"]))
    bars, lines = answer.charts["capacity"], answer.charts["pass"]
    assert bars.categories[bars.current] == "FP8"
    for change, tokens in zip(bars.changes, bars.series["capacity"], strict=True):
        assert world.capacity_tokens(Settings(**change)) == tokens
    assert len(lines.x) == len(lines.series["whole"])
    assert all(low <= high for low, high in zip(lines.series["cache"], lines.series["whole"], strict=True))


@pytest.mark.parametrize(
    ("changes", "end", "told"),
    [
        ({}, 64, True),  # 27 requests, and arithmetic crosses at 265
        ({"weights": "int4"}, 32, True),  # 10, at 70
        ({"weights": "int4", "at_once": 512, "requests_per_s": 8.0, "prompt_tokens": 512}, 128, False),
        ({"at_once": 512, "requests_per_s": 8.0, "prompt_tokens": 512, "output_tokens": 512}, 512, False),
        ({"size": "70b"}, 512, False),  # nothing fits, so nothing ran
    ],
)
def test_the_chart_of_a_pass_goes_as_far_as_this_run_needs(changes, end, told):
    setup = LAB.setup(changes)
    answer, played = play(LAB, setup, Wish(charts=["pass"])), world.play(setup.settings, (), 0)
    lines, cross = answer.charts["pass"], charts.crossing(played)
    assert lines.x[0] == 1
    assert lines.x[-1] == end
    assert list(lines.x) == sorted(set(lines.x))
    assert all(2 * mark.x <= end or end == 512 for mark in lines.marks)
    arithmetic, weights = (
        [getattr(world.decode_pass(played.costs, count, 0.0), name) for count in (cross - 1, cross)]
        for name in ("arithmetic_s", "weights_s")
    )
    assert arithmetic[0] < weights[0]
    assert arithmetic[1] >= weights[1]
    assert (cross in lines.x) is (cross <= end)
    assert any("Arithmetic crosses the weights at" in remark for remark in answer.remarks) is told


def test_every_word_is_there():
    assert all(tile.words and tile.formula and tile.source for tile in LAB.tiles)
    assert all(card.help for card in LAB.control_cards())
    assert all(chart.words for chart in LAB.charts)
    roles = [page.role for page in LAB.pages]
    assert roles == ["how-to-play", "assumes", "cannot-tell", "explanation", "references"]

"""Calibrated step times in the deployment lab: only times differ, and the run says how sure they are."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from servelab.cost.interval import calibration_of
from servelab.labs.deploy import LAB, world
from servelab.labs.deploy import run as run_lab
from servelab.labs.deploy.evidence import evidence
from servelab.labs.deploy.settings import STEP_TIMES, Settings
from servelab.labs.deploy.why import why
from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR
from servelab.labs.lab import EVIDENCE
from servelab.labs.play import Wish, play
from servelab.labs.result import LabResult, Outcome, Setup
from servelab.sim.run import simulate
from servelab.specs.profile import Profile
from tests.labs.test_deploy import SETTINGS

each_kind = pytest.mark.parametrize("kind", STEP_TIMES)
#: Figures of memory and money that no step time changes.
STILL = ("capacity_tokens", "weights_bytes", "price_usd_per_hour", "weight_bits", "kv_bits")


@given(SETTINGS, st.integers(1, 64), st.integers(1, 4000))
@settings(max_examples=30)
def test_a_pass_of_decodes_takes_what_it_takes_in_the_engine(asked, batch, prompt):
    """Answers of two tokens: the second of all of them is written in one pass of decodes."""
    costs = world.step_costs(world.deployment(asked))
    rules = sl.Scheduler(policy="continuous", max_num_batched_tokens=None, max_num_seqs=None)
    run = simulate(costs, sl.Traffic([0.0] * batch, [prompt] * batch, [2] * batch), rules, 10**6)
    took = world.decode_pass(costs, batch, prompt + 1).total_s
    assert run.requests["tpot_s"] == pytest.approx([took] * batch, rel=1e-9)


def other(asked):
    kind = next(kind for kind in STEP_TIMES if kind != asked.step_times)
    return dataclasses.replace(asked, step_times=kind)


@given(SETTINGS)
@settings(max_examples=8)
def test_step_times_change_no_memory_no_format_and_no_draw(asked):
    one, two = (world.play(each, (), 2) for each in (asked, other(asked)))
    assert one.blocks == two.blocks
    assert one.deployment.compute_format == two.deployment.compute_format
    results = [run_lab(each, (), 2) for each in (asked, other(asked))]
    for tile in STILL:
        assert results[0].tiles[tile] == results[1].tiles[tile]
    if one.run is not None:
        assert one.costs != two.costs
        for column in ("arrival_s", "prompt_tokens", "output_tokens", "rejected"):
            assert list(one.run.requests[column]) == list(two.run.requests[column])


@pytest.mark.parametrize("card", PRICES_USD_PER_HOUR)
def test_a_run_says_how_sure_its_step_times_are_and_by_what(card):
    assert run_lab(Settings(card=card, requests_per_s=0.2), (), 0).evidence is None
    asked = Settings(card=card, step_times="calibrated", requests_per_s=0.2)
    told = run_lab(asked, (), 0).evidence
    found = calibration_of(world.deployment(asked))
    assert (found.engine, found.accelerator) == ("vllm", card)
    assert told.label.startswith(f"Step times {found.status}")
    assert told.label.endswith(f" · ±\u00a0{100 * found.half_width:.0f}\u00a0%")
    assert f"{found.rows} measurements of {found.models} models" in told.words
    assert ("was not measured" in told.words) == ("from RTX 4090" in told.label) == (found.carried_from is not None)


def played_with(profile):
    played = world.play(Settings(step_times="calibrated", requests_per_s=0.2), (), 0)
    return dataclasses.replace(played, deployment=dataclasses.replace(played.deployment, profile=profile))


def test_what_nobody_measured_is_called_so():
    unknown = Profile(
        id="general",
        engine="vllm",
        accelerator="l40s",
        compute_utilization={"bf16": 0.5},
        bandwidth_utilization={"bf16": 0.5},
        spread={"tpot_s": (0.4, 2.6)},
    )
    told = evidence(played_with(unknown))
    assert told.label == "Step times uncalibrated · up to 2.6× off"
    assert told.words.startswith("Nothing was measured that is near vLLM on the L40S:")
    silent = dataclasses.replace(unknown, spread={}, rows=5, models=1, carried_from="h100-pcie-80gb")
    told = evidence(played_with(silent))
    assert told.label == f"Step times carried over from {sl.Accelerator.load('h100-pcie-80gb').name}"
    assert "80 %" not in told.words


def test_the_answer_tells_it_and_the_lab_stays_analytical():
    answers = [play(LAB, LAB.setup({"step_times": kind, "requests_per_s": 1}), Wish(charts=[])) for kind in STEP_TIMES]
    assert [answer.evidence is None for answer in answers] == [True, False]
    assert LAB.evidence in EVIDENCE
    assert LAB.evidence == "analytical"


@each_kind
def test_the_parts_of_a_pass_make_the_whole(kind):
    """Of the chart, and in the sentence above it."""
    asked = {"step_times": kind, "card": "rtx-4090", "cards": 8, "requests_per_s": 4}
    answer = play(LAB, LAB.setup(asked), Wish(charts=["pass"]))
    lines = answer.charts["pass"].series
    for arithmetic, weights, cache, rest, whole in zip(
        *(lines[name] for name in ("arithmetic", "weights", "cache", "rest", "whole")), strict=True
    ):
        assert max(arithmetic, weights) + cache + rest == pytest.approx(whole, rel=1e-9)
    assert "for exchange between cards and all else." in answer.headline
    figures = [
        float(number) * {"ms": 1, "µs": 1e-3}[unit] for number, unit in re.findall(r"([\d.]+) (ms|µs)", answer.headline)
    ]
    assert figures[0] == pytest.approx(sum(figures[1:]), rel=0.02)


def test_what_is_left_of_a_pass_is_told_where_it_counts():
    quiet, loud = (
        run_lab(Settings(card="h100-sxm-80gb", step_times=kind, requests_per_s=2), (), 0).headline
        for kind in STEP_TIMES
    )
    assert "all else" not in quiet
    assert "for all else." in loud
    assert "between cards" not in loud


def test_attention_that_computes_is_not_said_to_read():
    """As vLLM was measured on the A100, a cache of half the bytes takes as long."""
    asked = Settings(card="a100-sxm-80gb", step_times="calibrated", requests_per_s=2)
    told, half = (run_lab(each, (), 0) for each in (asked, dataclasses.replace(asked, kv_cache="fp8")))
    for result in (told, half):
        assert "for attention over their cache" in result.headline
        assert any("but no pass shorter" in remark for remark in result.remarks)
    assert half.facts["pass_cache_s"] == pytest.approx(told.facts["pass_cache_s"], rel=0.05)
    read = run_lab(dataclasses.replace(asked, step_times="textbook"), (), 0)
    assert "to read their cache" in read.headline
    assert not any("fewer bytes" in remark for remark in read.remarks)


def test_slower_passes_are_put_down_to_what_counts():
    """As measured, the host takes milliseconds a pass; arithmetic that hides behind the weights is no reason."""
    base = {"card": "h100-sxm-80gb", "requests_per_s": 2}
    wish = Wish(charts=[], before=LAB.setup(base))
    change = play(LAB, LAB.setup({**base, "step_times": "calibrated"}), wish).changes
    assert change.summary == "Step times Textbook → Calibrated"
    assert change.tiles["tpot_p50_s"].verdict == "worse"
    assert "all else (the host, exchange between cards) takes" in change.tiles["tpot_p50_s"].why


def reason(**parts):
    """Why a token takes longer where the parts of a pass became these, from 1 ms of arithmetic and 10 ms of weights."""
    old = {f"pass_{name}_s": 0.0 for name in ("arithmetic", "weights", "cache", "rest")} | {
        "pass_arithmetic_s": 0.001,
        "pass_weights_s": 0.01,
        **dict.fromkeys(("pass_s", "decode_s", "stall_s", "recompute_s", "queue_s", "own_prefill_s"), 0.01),
        **dict.fromkeys(("decodes", "preemptions", "makespan_s", "price_usd_per_hour"), 1.0),
        **dict.fromkeys(("kv_bytes_per_token", "weights_bytes"), 1.0),
    }
    new = old | {f"pass_{name}_s": value for name, value in parts.items()} | {"decode_s": 0.02}
    before, after = (Outcome(Setup(Settings()), LabResult({}, facts=facts)) for facts in (old, new))
    return why(before, after)["tpot_p50_s"]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"arithmetic": 0.009, "rest": 0.002},
            "all else (the host, exchange between cards) takes 2.00 ms instead of 0 s.",
        ),
        (
            {"arithmetic": 0.009, "cache": 0.003, "rest": 0.002},
            "attention over the cache takes 3.00 ms instead of 0 s.",
        ),
        ({"arithmetic": 0.009, "weights": 0.012}, "reading the weights takes 12.0 ms instead of 10.0 ms."),
        ({"arithmetic": 0.016}, "its arithmetic takes 16.0 ms instead of 10.0 ms for reading the weights."),
    ],
)
def test_of_what_goes_on_at_once_the_longer_is_the_reason(parts, words):
    assert reason(**parts) == f"A pass takes longer, and {words}"


def test_every_mission_is_of_the_textbook():
    """What it asks, and what it tells, is of the same step times as ever."""
    for mission in LAB.missions:
        assert "step_times" in mission.fixed
        assert LAB.opening(mission.id).settings.step_times == "textbook"
        with pytest.raises(sl.SpecError, match="this mission keeps it at textbook"):
            play(
                LAB,
                LAB.setup({**mission.settings, "step_times": "calibrated"}, mission.events),
                Wish(mission=mission.id),
            )


def explained(**about):
    """The lines of the one figure of the explanation that has these settings, by series and x, and its settings."""
    page = next(page for page in LAB.pages if page.role == "explanation")
    (block,) = [one for one in page.blocks if one.chart == "pass" and about.items() <= one.settings.items()]
    return dict(block.settings), drawn(block.settings)


def drawn(settings):
    lines = play(LAB, LAB.setup(settings), Wish(charts=["pass"])).charts["pass"]
    return {name: dict(zip(lines.x, values, strict=True)) for name, values in lines.series.items()}


def test_all_else_counts_on_the_fastest_card_as_the_explanation_says():
    """What the text says of its figure, and of the textbook beside it."""
    asked, lines = explained(step_times="calibrated")
    rest, weights = lines["rest"], lines["weights"]
    assert rest[1] == pytest.approx(weights[1] / 2, rel=0.1)
    longer = [count for count in rest if rest[count] > weights[count]]
    assert 80 < min(longer) < 120
    textbook = drawn({**asked, "step_times": "textbook"})["rest"]
    assert list(textbook.values()) == pytest.approx([1e-4] * len(textbook))


def test_the_figures_of_formats_show_what_their_captions_say():
    """All end where the others do, so that curves can be compared; where arithmetic crosses is in the picture."""
    asked, int4 = explained(weights="int4")
    _, fp8 = explained(weights="fp8")
    _, cache = explained(kv_cache="fp8")
    bf16 = drawn({name: value for name, value in asked.items() if name != "weights"})
    ends = {max(lines["whole"]) for lines in (bf16, int4, fp8, cache)}
    assert ends == {512}

    def crossed(lines):
        return min(count for count in lines["whole"] if lines["arithmetic"][count] >= lines["weights"][count])

    assert 200 < crossed(bf16) < 400
    assert crossed(int4) < crossed(bf16) / 3
    assert int4["weights"][1] < bf16["weights"][1] / 3
    for name in ("weights", "arithmetic"):
        assert fp8[name][512] < 0.6 * bf16[name][512]
    slopes = [(lines["cache"][512] - lines["cache"][1]) / 511 for lines in (bf16, cache)]
    assert slopes[1] < 0.6 * slopes[0]

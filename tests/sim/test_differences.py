"""What differs in words: every number of a sentence is one of the runs', and only what was counted is claimed."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import servelab as sl
from servelab.sim.differences import differences, names_of
from servelab.units import show

DEPLOYMENT = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?(?: (?:ns|µs|ms|s|tokens/s)\b| %)?")
PARTS = ("wait_slots_s", "wait_blocks_s", "wait_order_s", "prefill_s")


def runs_of(schedulers, **traffic):
    given = {"requests": 120, "prompt": sl.Lengths.uniform(50, 900), "output": sl.Lengths.exponential(60)} | traffic
    load = sl.Traffic.of(sl.Arrivals(**given))
    targets = {"ttft_target_s": 0.2, "tpot_target_s": 0.02}
    return [sl.simulate(DEPLOYMENT, load, scheduler, **targets) for scheduler in schedulers]


def percents(share):
    return {f"{share:.0%}".replace("%", " %"), f"{share:.1%}".replace("%", " %")}


def told_by(run):
    """Every number that a sentence may give of a run, worked out here from its tables."""
    requests, summary, timeline = run.requests, run.summary, run.timeline
    if summary["ttft_mean_s"] is None:
        return {f"{summary['rejections']:,}"}
    texts = {show(value, "s") for name, value in summary.items() if name.endswith("_s") and value is not None}
    texts |= {show(summary["output_tokens_per_s"], "tokens/s"), show(summary["batch_mean"], "")}
    texts |= {f"{summary[name]:,}" for name in ("preemptions", "rejections")}
    served = ~requests["rejected"]
    parts = {name: requests[name][served] for name in PARTS}
    texts |= {show(float(part.mean()), "s") for part in parts.values()}
    texts.add(show(float(np.maximum(requests["ttft_s"][served] - sum(parts.values()), 0).mean()), "s"))
    texts.add(show(float(requests["recompute_s"][served].mean()), "s"))
    held_up = timeline["prefill_tokens"][timeline["decoding"] > 0]
    texts.add(f"{int(max(held_up, default=0)):,}")
    stalled, decoding = requests["stall_s"][served].sum(), requests["decode_s"][served].sum()
    texts |= percents(stalled / (stalled + decoding) if stalled + decoding else 0)
    texts |= percents(summary["slo_attainment"])
    for name in ("wait_slots_s", "wait_blocks_s"):
        texts |= percents(requests[name][served].sum() / summary["makespan_s"])
    texts.add(show(float(requests["arrival_s"][-1] - requests["arrival_s"][0]), "s"))
    return texts


def check(runs):
    allowed = {f"{runs[0].requests.rows:,}"}.union(*map(told_by, runs))
    told = differences(runs)
    for one in told:
        text = one.text
        assert text.endswith(".")
        for name in set(names_of([run.scheduler for run in runs])):
            text = text.replace(name, "").replace(name.capitalize(), "").replace(name[0].upper() + name[1:], "")
        unknown = [number for number in NUMBER.findall(text) if number not in allowed]
        assert not unknown, (one.text, unknown)
        assert set(one.runs) <= set(range(len(runs)))
    return told


SCHEDULERS = st.builds(
    sl.Scheduler,
    policy=st.sampled_from(["static", "continuous", "chunked"]),
    admission=st.sampled_from(["paged", "reserve"]),
    max_num_seqs=st.sampled_from([2, 8, 64]),
    max_num_batched_tokens=st.sampled_from([64, 512, 8192]),
    kv_blocks=st.sampled_from([60, 90, 300, 20_000]),
)


@settings(max_examples=30)
@given(st.lists(SCHEDULERS, min_size=1, max_size=4), st.sampled_from([0.5, 5.0, 50.0]), st.integers(0, 5))
def test_every_number_of_a_sentence_is_one_of_the_runs(schedulers, rate, seed):
    check(runs_of(schedulers, requests_per_s=rate, seed=seed))


def by_figure(runs):
    return {one.figure: one for one in check(runs)}


POLICIES = [sl.Scheduler(policy=policy) for policy in ("static", "continuous", "chunked")]


def test_the_tail_of_the_gaps_is_told_with_its_reason_and_its_price():
    chunked = sl.Scheduler(policy="chunked", max_prefill_tokens_per_step=256)
    schedulers = [sl.Scheduler(policy="continuous"), chunked, sl.Scheduler(policy="static")]
    runs = runs_of(schedulers, requests_per_s=6.0, prompt=sl.Lengths.uniform(2_000, 6_000))
    told = by_figure(runs)["itl_p99_s"]
    assert told.runs == (1, 0)
    assert "(static " in told.text
    assert told.text.startswith("Chunked keeps the p99 gap between tokens at ")
    assert "in one pass and stalls decoding requests" in told.text
    assert "the mean TTFT of chunked is" in told.text


def test_static_batching_waits_for_a_slot():
    told = by_figure(runs_of(POLICIES, requests_per_s=20.0))["ttft_mean_s"]
    assert told.runs[1] == 0
    assert "with static" in told.text
    assert "waiting for its turn, behind a head of the queue that waits for a free slot" in told.text
    assert re.search(r"\((chunked|continuous) ", told.text)


def test_where_arrivals_set_the_pace_it_is_said():
    calm = runs_of(POLICIES[1:], requests_per_s=1.0)
    assert "the arrivals set it" in by_figure(calm)["output_tokens_per_s"].text
    storm = runs_of(POLICIES[1:], requests_per_s=500.0)
    assert "arrivals" not in str(by_figure(storm).get("output_tokens_per_s"))


def test_preemptions_and_rejections_are_counted():
    tight = [sl.Scheduler(kv_blocks=120), sl.Scheduler(kv_blocks=120, admission="reserve")]
    told = by_figure(runs_of(tight, requests_per_s=20.0, output=100))
    assert told["preemptions"].runs == (0, 1)
    assert "Chunked (admission paged) runs out of blocks and preempts" in told["preemptions"].text
    assert "chunked (admission reserve) never does" in told["preemptions"].text
    none = by_figure(runs_of([sl.Scheduler(kv_blocks=1)] * 2, requests_per_s=20.0))
    assert list(none) == ["rejections"]
    assert none["rejections"].text.startswith("120 of 120 requests need more blocks")
    some = by_figure(runs_of([sl.Scheduler(kv_blocks=blocks) for blocks in (30, 60)], requests_per_s=20.0))
    assert re.search(r"rejected: chunked \(kv_blocks 30\) \d+, chunked \(kv_blocks 60\) \d+\.", some["rejections"].text)


def test_alike_runs_and_one_alone_have_little_to_tell():
    assert differences(runs_of(POLICIES[:1], requests_per_s=5.0)) == []
    twice = by_figure(runs_of([POLICIES[2]] * 2, requests_per_s=5.0))
    assert set(twice) <= {"slo_attainment", "output_tokens_per_s"}
    assert "whatever the scheduler" in twice["slo_attainment"].text


@pytest.mark.parametrize(
    ("schedulers", "names"),
    [
        (POLICIES, ["static", "continuous", "chunked"]),
        (
            [sl.Scheduler(max_num_seqs=64), sl.Scheduler(max_num_seqs=None), sl.Scheduler(policy="static")],
            ["chunked (max_num_seqs 64)", "chunked (max_num_seqs none)", "static"],
        ),
        ([sl.Scheduler()] * 2, ["chunked", "chunked"]),
        (
            [sl.Scheduler(), dataclasses.replace(sl.Scheduler(), admission="reserve", block_size=1)],
            ["chunked (admission paged, block_size 16)", "chunked (admission reserve, block_size 1)"],
        ),
    ],
)
def test_schedulers_are_named_by_what_sets_them_apart(schedulers, names):
    assert names_of(schedulers) == names

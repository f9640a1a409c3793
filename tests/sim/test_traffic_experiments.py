"""Predict, run, understand: what an experiment with traffic claims is what the engine answers."""

from __future__ import annotations

import dataclasses
import functools
import json
from pathlib import Path

import pytest

import servelab as sl
from servelab.specs.presets import PRESETS

WORDS = Path(__file__).parents[2] / "web" / "src" / "words" / "traffic-experiments.json"
EXPERIMENTS = {experiment["id"]: experiment for experiment in json.loads(WORDS.read_text(encoding="utf-8"))}
LIMITS = {"hardly": 1.05, "little": 1.25, "clearly": 1.75, "twice": 2.5, "more": float("inf")}
BY_ID = {preset.id: preset for preset in PRESETS}


def run(preset, *changes):
    """The preset with some fields of traffic, scheduler and deployment changed, one set after the other."""
    traffic, scheduler, deployment = preset.traffic, preset.scheduler, sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    for change in changes:
        assert set(change) <= {"traffic", "scheduler", "deployment"}
        traffic = dataclasses.replace(traffic, **change.get("traffic", {}))
        scheduler = dataclasses.replace(scheduler, **change.get("scheduler", {}))
        deployment = dataclasses.replace(deployment, **change.get("deployment", {}))
    targets = {"ttft_target_s": preset.ttft_target_s, "tpot_target_s": preset.tpot_target_s}
    return sl.simulate(deployment, sl.Traffic.of(traffic), scheduler, **targets)


@functools.cache
def both(name):
    experiment = EXPERIMENTS[name]
    preset = BY_ID[experiment["preset"]]
    return run(preset, experiment["from"]), run(preset, experiment["from"], experiment["values"])


def ratio(name, figure):
    before, after = both(name)
    return after.summary[figure] / before.summary[figure]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_an_experiment_claims_is_what_the_engine_answers(name):
    experiment = EXPERIMENTS[name]
    found = ratio(name, experiment["figure"])
    size = next(size for size, limit in LIMITS.items() if max(found, 1 / found) < limit)
    direction = "stays" if size == "hardly" else "falls" if found < 1 else "rises"
    assert (direction, size) == (experiment["direction"], experiment["size"])
    margin = min(abs(max(found, 1 / found) / limit - 1) for limit in LIMITS.values() if limit < float("inf"))
    assert margin > 0.005, "too close to a border to be fair"


def test_every_experiment_says_all_that_is_needed():
    keys = ("id", "title", "change", "preset", "from", "values", "figure", "direction", "size", "lesson")
    assert len(EXPERIMENTS) == len(json.loads(WORDS.read_text(encoding="utf-8"))) >= 4
    for experiment in EXPERIMENTS.values():
        assert tuple(experiment) == keys
        assert experiment["values"]


def test_the_numbers_in_the_lessons():
    continuous, chunked = both("chunks-itl")
    plain = continuous.timeline["prefill_tokens"] == 0
    step_s = continuous.timeline["decode_s"][plain].sum() / (continuous.steps - (~plain).sum())
    prompt_s = sl.estimate(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), sl.Workload(10_000, 1)).ttft_s
    assert 24 < prompt_s / step_s < 100
    assert 2 < chunked.summary["itl_p99_s"] / step_s < 4
    static, joined = both("static-continuous")
    first, last = (static.requests["queue_s"][part].mean() for part in (slice(250), slice(-250, None)))
    assert last > 5 * first
    assert joined.summary["queue_p99_s"] < 0.1
    _, busy = both("quarter-more")
    assert busy.timeline["running"].max() == busy.scheduler.max_num_seqs
    assert 2.5 < ratio("quarter-more", "ttft_p99_s") < 3.5
    plenty, enough = both("half-memory-to-spare")
    assert 0.7 < plenty.summary["kv_occupancy_peak"] < 0.8
    assert enough.summary["kv_occupancy_peak"] > 0.99
    _, short = both("half-memory-needed")
    assert round(short.summary["batch_mean"]) == 6
    assert short.requests["wait_blocks_s"].sum() > 0.4 * short.summary["makespan_s"]
    reserve, paged = both("paged")
    assert 1.2 < paged.summary["batch_mean"] / reserve.summary["batch_mean"] < 1.3
    assert (reserve.summary["preemptions"], paged.summary["preemptions"]) == (0, 273)
    assert paged.summary["tpot_mean_s"] > reserve.summary["tpot_mean_s"]
    few, more = both("twice-the-slots")
    assert round(few.summary["ttft_mean_s"]) == 11
    assert round(few.summary["ttft_mean_s"] / more.summary["ttft_mean_s"]) == 20
    assert few.summary["makespan_s"] > 1.4 * few.requests["arrival_s"][-1]

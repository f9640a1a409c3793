"""Lives and time integrals of a run equal what the step-by-step version writes down pass by pass."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter

import numpy as np
import pytest

import servelab as sl
from servelab.sim.recording import PHASES, Recording, without_stalls
from servelab.sim.run import simulate
from servelab.sim.window import SERIES, Span, series
from tests.oracles.engine import Diary
from tests.sim.cases import case


def _worth_a_look(seed: int) -> bool:
    """Where requests may be preempted, and a prefill beside them makes no decodes faster, as a table at random may."""
    one = case(seed)
    if any(side.tabled_s for stage in one.costs.stages for side in stage):
        return False
    blocks = sum(-(-(prompt + output) // one.scheduler.block_size) for _, prompt, output, _ in one.requests)
    preempts = one.scheduler.policy != "static" and one.scheduler.admission == "paged" and one.kv_blocks < blocks
    return seed < 40 or (preempts and (one.scheduler.max_num_seqs or 3) > 2)


SEEDS = [*filter(_worth_a_look, range(1_000))]


@functools.cache
def recorded(seed: int) -> tuple[Recording, Diary]:
    """A small random case, by the engine and by hand."""
    one = case(seed)
    columns = [np.array(column) for column in zip(*one.requests, strict=True)]
    clients = None if one.think is None else sum(math.isfinite(arrival) for arrival, *_ in one.requests)
    traffic = sl.Traffic(*columns, think_s=None if one.think is None else np.array(one.think), clients=clients)
    run = simulate(one.costs, traffic, one.scheduler, one.kv_blocks)
    return Recording(run), one.oracle(Diary)


def in_pieces(life) -> list[tuple[str, float, float]]:
    starts, ends = life.start_s.tolist(), life.end_s.tolist()
    return [(PHASES[phase], start, end) for phase, start, end in zip(life.phase.tolist(), starts, ends, strict=True)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_life_is_what_the_diary_says(seed):
    recording, diary = recorded(seed)
    for number, request in enumerate(diary.requests):
        got, wanted = in_pieces(recording.life(number)), diary.life(request)
        assert [phase for phase, *_ in got] == [phase for phase, *_ in wanted], number
        assert np.allclose([times for _, *times in got], [times for _, *times in wanted], rtol=1e-9, atol=1e-9)


def test_the_cases_have_lives_worth_telling():
    seen = Counter()
    for seed in SEEDS:
        _, diary = recorded(seed)
        for request in diary.requests:
            phases = [phase for phase, *_ in diary.life(request)]
            seen += Counter(phases)
            seen["preempted twice"] += request.preemptions > 1
            seen["preempted in prefill"] += ("prefill", "preempted") in itertools.pairwise(phases)
            seen["rejected"] += request.rejected
    assert seen["preempted in prefill"] >= 3  # hardly ever: a prefill is short, and decodes must grow meanwhile
    assert all(seen[name] >= 15 for name in (*PHASES, "preempted twice", "rejected")), seen


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_of_a_life_sum_to_the_parts_of_the_table(seed):
    recording, _ = recorded(seed)
    requests, lost = recording.run.requests, recording.stretches
    assert np.bincount(lost.request, minlength=requests.rows).tolist() == requests["preemptions"].tolist()
    for number in np.flatnonzero(~requests["rejected"]):
        life = recording.life(int(number))
        sums = np.bincount(life.phase, life.end_s - life.start_s, len(PHASES))
        names = ("queue_s", "prefill_s", "decode_s", "stall_s", "recompute_s")
        wanted = [requests[name][number] for name in names]
        assert np.allclose(sums, wanted, rtol=1e-9, atol=1e-9 * max(recording.end_s, 1))
        merged = without_stalls(life)
        assert "stalled" not in {PHASES[phase] for phase in merged.phase}
        assert merged.start_s[0] == life.start_s[0]
        assert merged.end_s[-1] == life.end_s[-1]


def overlap(pieces, start, end, *phases):
    return math.fsum(max(0.0, min(b, end) - max(a, start)) for phase, a, b in pieces if phase in phases)


@pytest.mark.parametrize("seed", SEEDS)
def test_integrals_over_a_stretch_are_those_of_the_lives(seed):
    recording, diary = recorded(seed)
    pieces = [piece for request in diary.requests for piece in diary.life(request)]
    rng = np.random.default_rng(seed)
    ends = [(0.0, recording.end_s), *(sorted(rng.random(2) * recording.end_s * 1.2) for _ in range(3))]
    for start, end in ends:
        if end - start <= 1e-9:
            continue
        span = Span(float(start), float(end), int(rng.integers(1, 40)))
        found, edges = series(recording, span), span.edges_s
        for name in ("queue", "prefill", "preempted"):
            wanted = [overlap(pieces, a, b, name) for a, b in itertools.pairwise(edges)]
            assert np.allclose(found[name], wanted, rtol=1e-9, atol=1e-9 * max(recording.end_s, 1)), name
        # within one pass, decoding and stalling are spread evenly: only their sum is told by the moment
        both = [overlap(pieces, a, b, "decode", "stalled") for a, b in itertools.pairwise(edges)]
        assert np.allclose(found["decode"] + found["stalled"], both, rtol=1e-9, atol=1e-9 * max(recording.end_s, 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_integrals_over_the_whole_are_the_totals_of_run_and_table(seed):
    recording, _ = recorded(seed)
    run = recording.run
    if not recording.end_s:
        return
    found = {name: math.fsum(values) for name, values in series(recording, Span(0.0, recording.end_s, 37)).items()}
    spans = run.timeline["end_s"] - run.timeline["start_s"]
    wanted = {
        "running": (run.timeline["running"] * spans).sum(),
        "waiting": (run.timeline["waiting"] * spans).sum(),
        "kv_occupancy": (run.timeline["kv_blocks"] * spans).sum() / run.kv_blocks,
    }
    parts = ("queue_s", "prefill_s", "decode_s", "stall_s", "recompute_s")
    wanted |= {phase: np.nansum(run.requests[part]) for phase, part in zip(PHASES, parts, strict=True)}
    for name in SERIES:
        assert found[name] == pytest.approx(wanted[name], rel=1e-9, abs=1e-9 * max(recording.end_s, 1)), name


@pytest.mark.parametrize("seed", SEEDS[:10])
def test_two_neighbours_make_one(seed):
    recording, _ = recorded(seed)
    whole = series(recording, Span(0.0, recording.end_s or 1.0, 64))
    left = series(recording, Span(0.0, (recording.end_s or 1.0) / 2, 32))
    right = series(recording, Span((recording.end_s or 1.0) / 2, recording.end_s or 1.0, 32))
    for name in SERIES:
        both = np.concatenate([left[name], right[name]])
        assert np.allclose(both, whole[name], rtol=1e-9, atol=1e-9 * max(recording.end_s, 1)), name


def test_a_recording_knows_its_size_before_all_is_derived():
    recording, _ = recorded(SEEDS[0])
    before = recording.nbytes
    assert before > sum(recording.run.requests[name].nbytes for name in recording.run.requests)
    assert recording.stretches
    assert recording.end_s
    assert recording.nbytes == before

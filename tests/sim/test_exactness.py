"""The engine equals the step-by-step version: counts exactly, times to 1e-9, compiled and plain."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from servelab.sim import compiled, engine
from servelab.sim.build import Load, fresh_engine
from servelab.sim.gaps import bin_of
from servelab.sim.integrity import check_integrity
from servelab.sim.link import with_step_time
from servelab.sim.results import Records, Timeline, counter, request_table
from servelab.sim.tables import Table
from tests.oracles.engine import Replica
from tests.sim.cases import Case, case, pass_time

PARTS = ("wait_slots_s", "wait_blocks_s", "wait_order_s", "prefill_s", "decode_s", "stall_s", "recompute_s")


def run(case: Case, run_engine, *, compiled: bool, rows: int = 7):
    """The engine's state at the end, and its timeline; its integrity is checked every few passes."""
    columns = [np.array(column) for column in zip(*case.requests, strict=True)]
    known = sum(math.isfinite(request[0]) for request in case.requests)
    load = Load(*columns, None if case.think is None else np.array(case.think), known)
    e = fresh_engine(load, case.scheduler, case.kv_blocks, case.costs, rows, compiled=compiled)
    timeline, more = Timeline(1), True
    while more:
        more = run_engine(e, rows)
        timeline.add(e.notes.rows[: int(counter(e.replica.state, "rows"))])
        check_integrity(e.replica)
    return e, timeline.table()


def close(got, wanted, latest):
    return np.all(np.abs(np.asarray(got) - np.asarray(wanted)) <= 1e-9 * np.maximum(np.abs(wanted), latest) + 1e-300)


def assert_equal(e, timeline: Table, oracle: Replica) -> None:
    requests, state = e.replica.requests, e.replica.state
    table, records = request_table(requests), Records(requests)
    served = [request for request in oracle.requests if not request.rejected]
    assert table["rejected"].tolist() == [request.rejected for request in oracle.requests]
    kept = ~table["rejected"]
    assert table["preemptions"].tolist() == [request.preemptions for request in oracle.requests]
    assert counter(state, "passes") == len(oracle.passes)
    assert close(records["arrival_s"], [request.arrival for request in oracle.requests], 0)
    assert close(table["admitted_s"][kept], [request.admitted for request in served], 0)
    assert close(table["first_token_s"][kept], [request.tokens[0] for request in served], 0)
    finished = np.array([request.tokens[-1] for request in served])
    assert close(table["finished_s"][kept], finished, 0)
    for part in PARTS:
        assert close(table[part][kept], [request.parts[part] for request in served], finished), part
    assert close(sum(table[part][kept] for part in PARTS), table["e2e_s"][kept], finished)
    assert gaps_of(e) == Counter(bin_of(gap) for gap in oracle.gaps())
    assert_timeline(e, timeline, oracle)


def gaps_of(e) -> Counter:
    return Counter({at: int(count) for at, count in enumerate(e.notes.gaps) if count})


def assert_timeline(e, timeline: Table, oracle: Replica) -> None:
    passes, state = oracle.passes, e.replica.state
    latest = passes[-1].end if passes else 0
    requests, blocks = len(oracle.requests), oracle.rules.kv_blocks
    span = timeline["end_s"] - timeline["start_s"]
    for column, size in (("running", requests), ("waiting", requests), ("blocks", blocks), ("decoding", requests)):
        name = "kv_blocks" if column == "blocks" else column
        wanted = math.fsum((one.end - one.start) * getattr(one, column) for one in passes)
        assert close(np.sum(span * timeline[name]), wanted, latest * size), column
    decoded = math.fsum(one.decoding * one.alone for one in passes)
    assert close(np.sum(timeline["decoding"] * timeline["decode_s"]), decoded, latest * requests)
    assert decoded == pytest.approx(math.fsum(request.parts["decode_s"] for request in oracle.requests), abs=1e-9)
    assert close(counter(state, "busy_s"), math.fsum(one.end - one.start for one in passes), latest)
    assert timeline["prefill_tokens"].sum() == sum(one.prefill_tokens for one in passes)
    assert counter(state, "peak_blocks") == max((one.blocks for one in passes), default=0)
    assert counter(state, "free_blocks") == blocks
    assert counter(state, "finished") + counter(state, "rejections") == requests


BATCHES = [0, *(pytest.param(first, marks=pytest.mark.thorough) for first in range(100, 3000, 100))]


@pytest.mark.parametrize("first", BATCHES)
def test_equals_the_step_by_step_version(first):
    run_compiled = compiled.run()
    for seed in range(first, first + 100):
        one = case(seed)
        oracle = one.oracle()
        for run_engine, is_compiled in ((engine.run, False), (run_compiled, True)):
            assert_equal(*run(one, run_engine, compiled=is_compiled), oracle)


def test_the_cases_reach_every_corner():
    """Otherwise equality would say little: preemption, rejection, queues, windows, skipping."""
    seen = Counter()
    for seed in range(300):
        one = case(seed)
        oracle = one.oracle()
        seen["preemptions"] += sum(request.preemptions for request in oracle.requests)
        seen["preempted twice"] += sum(request.preemptions > 1 for request in oracle.requests)
        seen["preempted in prefill"] += sum(
            request.parts["recompute_s"] > 0 and request.preemptions > 0 for request in oracle.requests
        )
        seen["rejected"] += sum(request.rejected for request in oracle.requests)
        for part in PARTS:
            seen[part] += sum(request.parts[part] > 1e-6 for request in oracle.requests)
        _, timeline = run(one, engine.run, compiled=False)
        seen["skipped"] += len(oracle.passes) - timeline.rows
    assert all(seen[name] >= 20 for name in seen), seen
    assert seen["skipped"] > 1000


@pytest.mark.parametrize("first", range(10_000, 10_200, 100))
def test_a_function_of_step_times_gives_the_same(first):
    """A function sees the decodes, the sum of their contexts and the chunks; the rules are the same."""
    for seed in range(first, first + 100):
        one = case(seed)
        if one.costs.windows != (None,):
            continue
        time = pass_time(one.costs)

        def step_time(n, context_sum, chunks, time=time):
            return time([context_sum] + [0] * (n - 1) if n else [], chunks)

        e, timeline = run(one, with_step_time(step_time), compiled=False)
        assert_equal(e, timeline, one.oracle())
        assert timeline.rows == counter(e.replica.state, "passes")


@pytest.mark.parametrize("seed", range(40))
def test_where_the_timeline_is_fetched_changes_nothing(seed):
    one = case(seed)
    (a, few), (b, many) = (run(one, engine.run, compiled=False, rows=rows) for rows in (1, 1000))
    assert a.replica.requests == b.replica.requests
    assert all(np.array_equal(few[name], many[name]) for name in few)

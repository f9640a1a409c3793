"""A fresh engine: from traffic, limits and step times to lists for a plain run, or to arrays for a compiled one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from servelab.cost.steps import Side, StepCosts
from servelab.sim.gaps import BINS
from servelab.sim.state import (
    CHUNKED,
    POLICIES,
    STRETCH,
    UNBOUNDED,
    Cost,
    Engine,
    Event,
    FreshGroup,
    Kind,
    Notes,
    Replica,
    Request,
    Row,
    State,
    Times,
    fields_of,
)
from servelab.specs.scheduler import Scheduler

#: Costs of an engine whose step times come from a function.
NO_COSTS = StepCosts((), Side())


class Load(NamedTuple):
    """Requests as arrays, in order of arrival; `think_s` makes it a closed loop, whose later arrivals are unknown."""

    arrival_s: Any
    prompt_tokens: Any
    output_tokens: Any
    output_limit_tokens: Any
    think_s: Any = None
    known: int = 0


def fresh_engine(
    load: Load, scheduler: Scheduler, kv_blocks: int, costs: StepCosts, rows: int, *, compiled: bool
) -> Engine:
    """An engine at time 0, with room for `rows` lines of timeline before they are fetched."""
    state = _state(load, scheduler, kv_blocks, costs)
    room = max(1, min(state.max_num_seqs, state.requests, kv_blocks))
    kinds = [Kind(window or UNBOUNDED) for window in costs.windows]
    sides = [side for stage in costs.stages for side in stage]
    records: Any = _as_records if compiled else _as_they_are
    replica = Replica(
        state=records([state], State)[0],
        requests=_request_records(load) if compiled else _request_objects(load),
        kinds=records(kinds, Kind),
        due_blocks=_numbers([0] * state.block_size, compiled=compiled),
        heap=_blank(Event, room, compiled=compiled),
        fresh=_blank(FreshGroup, room, compiled=compiled),
    )
    times = Times(
        costs=records([cost for side in (*sides, costs.rest) for cost in _costs(side, len(kinds))], Cost),
        tables=_numbers([one for side in sides for one in _tabled(side, state.tabled_tokens)], compiled=compiled),
    )
    notes = Notes(rows=_blank(Row, rows, compiled=compiled), gaps=_numbers([0] * BINS, compiled=compiled))
    return Engine(replica, times, notes)


def _state(load: Load, scheduler: Scheduler, kv_blocks: int, costs: StepCosts) -> State:
    """The settings as the engine wants them, and an empty replica."""
    requests, policy = len(load.arrival_s), POLICIES.index(scheduler.policy)
    step = scheduler.max_prefill_tokens_per_step
    return State(
        requests=requests,
        policy=policy,
        reserves=int(scheduler.policy == "static" or scheduler.admission == "reserve"),
        closed_loop=int(load.think_s is not None),
        max_num_seqs=scheduler.max_num_seqs or UNBOUNDED,
        max_num_batched_tokens=scheduler.max_num_batched_tokens or UNBOUNDED,
        max_prefill_tokens_per_step=step if step and policy == CHUNKED else UNBOUNDED,
        block_size=scheduler.block_size,
        kv_blocks=kv_blocks,
        watermark_blocks=scheduler.watermark_fraction * kv_blocks,
        stages=len(costs.stages),
        tabled_tokens=max((len(side.tabled_s) for stage in costs.stages for side in stage), default=0),
        known=requests if load.think_s is None else load.known,
        newest=requests,
        prefill_from=requests,
        free_blocks=kv_blocks,
    )


def _costs(side: Side, kinds: int) -> list[Cost]:
    """By kind of attention; one that is not given costs nothing."""
    given = itertools.zip_longest(side.context_s, side.pair_s, side.read_s, [0.0] * kinds, fillvalue=0.0)
    costs = [Cost(context_s=context_s, pair_s=pair_s, read_s=read_s) for context_s, pair_s, read_s, _ in given]
    costs[0].constant_s, costs[0].chunk_s = side.constant_s, side.chunk_s
    costs[0].decode_token_s, costs[0].chunk_token_s = side.decode_token_s, side.chunk_token_s
    return costs


def _tabled(side: Side, size: int) -> list[float]:
    """The side's table at the common length: its last entry stands for all beyond."""
    table = list(side.tabled_s) or [0.0]
    return [*table, *[table[-1]] * (size - len(table))] if size else []


def _request_objects(load: Load) -> list[Request]:
    count = len(load.arrival_s)
    columns = [column.tolist() for column in load[:4]]
    requests = [
        Request(arrival_s=arrival_s, prompt=prompt, output=output, limit=limit)
        for arrival_s, prompt, output, limit in zip(*columns, strict=True)
    ]
    requests.append(Request())
    for index, request in enumerate(requests):
        request.older, request.newer = (index - 1) % (count + 1), (index + 1) % (count + 1)
    if load.think_s is not None:
        for request, pause in zip(requests, load.think_s.tolist(), strict=False):
            request.think_s = pause
    return requests


def _request_records(load: Load) -> Any:
    """The records, filled by stretches that stay in the processor's cache meanwhile."""
    count = len(load.arrival_s)
    fresh = _as_records([Request()], Request)
    words = np.empty((count + 1, fresh.itemsize // 8), np.int64)  # far quicker to copy than records
    requests = words.reshape(-1).view(fresh.dtype)
    columns = dict(zip(("arrival_s", "prompt", "output", "limit"), load[:4], strict=True))
    if load.think_s is not None:
        columns["think_s"] = load.think_s
    for begin in range(0, count + 1, STRETCH):
        part = requests[begin : begin + STRETCH]
        words[begin : begin + STRETCH] = fresh.view(np.int64)
        part["older"] = np.arange(begin - 1, begin - 1 + len(part))
        part["newer"] = np.arange(begin + 1, begin + 1 + len(part))
        for name, column in columns.items():
            part[name][: count - begin] = column[begin : begin + STRETCH]
    requests["older"][0], requests["newer"][count] = count, 0
    return requests


def _as_records(objects: Sequence[Any], record: type[Any]) -> Any:
    dtype = np.dtype(fields_of(record), align=True)
    return np.array([tuple(getattr(one, name) for name in dtype.names or ()) for one in objects], dtype)


def _as_they_are(objects: list[Any], record: type[Any]) -> list[Any]:
    return objects


def _blank(record: type[Any], count: int, *, compiled: bool) -> Any:
    return np.zeros(count, np.dtype(fields_of(record), align=True)) if compiled else [record() for _ in range(count)]


def _numbers(values: list[Any], *, compiled: bool) -> Any:
    return np.array(values) if compiled else values

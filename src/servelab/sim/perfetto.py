"""A run as a trace for ui.perfetto.dev: what each request went through, what the replica held meanwhile.

The trace event format is Chrome's (JSON): "X" is a slice with a start and a duration, "C" a counter, times in
microseconds. Requests lie in lanes, so that slices of one lane never overlap.
"""

from __future__ import annotations

import heapq
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from servelab.units import parse

if TYPE_CHECKING:
    from servelab.sim.run import Run

#: The format's unit of time.
_TICK_S = parse("1 µs", "s")
_REPLICA, _REQUESTS = 1, 2
_COUNTERS = ("running", "waiting", "kv_blocks")


def write(run: Run, path: str | os.PathLike[str]) -> None:
    """Write the trace event by event, so that a long run needs no second copy of itself."""
    with Path(path).open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ms","traceEvents":[\n')
        for number, event in enumerate(events(run)):
            file.write(",\n" if number else "")
            file.write(json.dumps(event, separators=(",", ":")))
        file.write("\n]}\n")


def events(run: Run) -> Iterator[dict[str, Any]]:
    """Every event of the trace."""
    yield {"ph": "M", "pid": _REPLICA, "name": "process_name", "args": {"name": "replica"}}
    yield {"ph": "M", "pid": _REQUESTS, "name": "process_name", "args": {"name": "requests"}}
    yield from _passes(run)
    yield from _lanes(run)


def _passes(run: Run) -> Iterator[dict[str, Any]]:
    columns = {name: run.timeline[name].tolist() for name in run.timeline}
    for start, end, prefill, *held in zip(
        columns["start_s"],
        columns["end_s"],
        columns["prefill_tokens"],
        *(columns[name] for name in _COUNTERS),
        strict=True,
    ):
        name = "prefill" if prefill else "decode"
        yield _slice(_REPLICA, 0, name, (start, end)) | {"args": {"prefill_tokens": prefill}}
        for counter, value in zip(_COUNTERS, held, strict=True):
            yield {"ph": "C", "pid": _REPLICA, "name": counter, "ts": start / _TICK_S, "args": {counter: value}}


def _lanes(run: Run) -> Iterator[dict[str, Any]]:
    """Each request in the first lane that is free when it arrives."""
    names = ("arrival_s", "admitted_s", "first_token_s", "finished_s", "preemptions", "rejected")
    free: list[int] = []
    busy: list[tuple[float, int]] = []
    for number, row in enumerate(zip(*(run.requests[name].tolist() for name in names), strict=True)):
        arrival, admitted, first, finished, preemptions, rejected = row
        if rejected:
            yield _slice(_REQUESTS, 0, f"request {number}: rejected", (arrival, arrival))
            continue
        while busy and busy[0][0] <= arrival:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(busy) + len(free) + 1
        heapq.heappush(busy, (finished, lane))
        about = {"args": {"request": number, "preemptions": preemptions}}
        for name, span in (
            ("queue", (arrival, admitted)),
            ("prefill", (admitted, first)),
            ("decode", (first, finished)),
        ):
            yield _slice(_REQUESTS, lane, name, span) | about


def _slice(process: int, thread: int, name: str, span: tuple[float, float]) -> dict[str, Any]:
    start, end = span
    return {
        "ph": "X",
        "pid": process,
        "tid": thread,
        "name": name,
        "ts": start / _TICK_S,
        "dur": max(end - start, 0) / _TICK_S,
    }

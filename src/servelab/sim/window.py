"""A stretch of a run in a few hundred equal bins whose time integrals are exact, however many requests it holds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from servelab.sim.recording import PHASES, Recording
from servelab.sim.tables import Column

#: What the scheduler counts, then the requests in each phase of their life.
COUNTS = ("running", "waiting", "kv_occupancy")
SERIES = COUNTS + PHASES


class Span(NamedTuple):
    """A stretch of time in equal bins."""

    start_s: float
    end_s: float
    bins: int

    @property
    def bin_s(self) -> float:
        """The width of a bin."""
        return (self.end_s - self.start_s) / self.bins

    @property
    def edges_s(self) -> Column:
        """The ends of the bins, one more than there are."""
        return np.linspace(self.start_s, self.end_s, self.bins + 1)


def series(recording: Recording, span: Span) -> dict[str, Column]:
    """The time integral of each of `SERIES` over each bin: request-seconds; of kv_occupancy, a share, seconds.

    What a row of the timeline tells as a mean is spread evenly over the row; what changes at known times is exact.
    A request is in the queue from its arrival on, while the scheduler's `waiting` begins with the next pass.
    """
    run, rows = recording.run, recording.rows(span.start_s, span.end_s)
    line = {name: run.timeline[name][rows] for name in run.timeline}
    taken = line["end_s"] - line["start_s"]
    decoding = line["decoding"] * line["decode_s"]
    amounts = {
        "running": line["running"] * taken,
        "waiting": line["waiting"] * taken,
        "kv_occupancy": line["kv_blocks"] * taken / run.kv_blocks,
        "decode": decoding,
        "stalled": np.where(line["prefill_tokens"] > 0, line["decoding"] * taken - decoding, 0.0),
    }
    shares = _Shares.of(line["start_s"], line["end_s"], span)
    found = {name: shares.spread(amount) for name, amount in amounts.items()} | _of_requests(recording, span)
    return {name: found[name] for name in SERIES}


def _of_requests(recording: Recording, span: Span) -> dict[str, Column]:
    """The phases that requests enter and leave one by one."""
    first, last = recording.alive(span.start_s, span.end_s)
    names = ("arrival_s", "admitted_s", "prefill_s")
    arrival, admitted, prefill = (recording.run.requests[name][first : last + 1] for name in names)
    lost = recording.stretches
    return {
        "queue": _of_intervals(arrival, admitted, span),
        "prefill": _of_intervals(admitted, admitted + prefill, span),
        "preempted": _of_intervals(lost.start_s, lost.end_s, span),
    }


def _of_intervals(start: Column, end: Column, span: Span) -> Column:
    """How long the intervals last within each bin, in all; one with a NaN is none."""
    some = end > start
    start, end = start[some], end[some]
    return _Shares.of(start, end, span).spread(end - start)


class _Shares(NamedTuple):
    """Which share of each interval lies in its first bin, in its last, and in each bin between."""

    kept: Column
    first: Column
    last: Column
    in_first: Column
    in_last: Column
    between: Column
    bins: int

    @classmethod
    def of(cls, start: Column, end: Column, span: Span) -> _Shares:
        """Of intervals, each longer than 0 but for those that hold nothing."""
        kept = np.flatnonzero((end > span.start_s) & (start < span.end_s) & (end > start))
        start, end = start[kept], end[kept]
        a, b = np.maximum(start, span.start_s), np.minimum(end, span.end_s)
        last_bin, edges = span.bins - 1, span.edges_s
        at_a, at_b = (np.searchsorted(edges, times, side="right") - 1 for times in (a, b))
        at_a, at_b = np.minimum(at_a, last_bin), np.minimum(at_b, last_bin)
        alone, length = at_a == at_b, end - start
        in_first = np.where(alone, b - a, edges[at_a + 1] - a) / length
        in_last = np.where(alone, 0.0, b - edges[at_b]) / length
        return cls(kept, at_a, at_b, in_first, in_last, span.bin_s / length, span.bins)

    def spread(self, amount: Column) -> Column:
        """What of the intervals' amounts is in each bin: sums of what is positive, so that nothing cancels."""
        amount, size = amount[self.kept], self.bins + 1
        inside = np.bincount(self.first, amount * self.in_first, size)
        inside += np.bincount(self.last, amount * self.in_last, size)
        long = np.flatnonzero(self.last - self.first > 1)
        density = amount[long] * self.between[long]
        opened = np.bincount(self.first[long] + 1, density, size) - np.bincount(self.last[long], density, size)
        whole: Column = (inside + np.cumsum(opened))[: self.bins]
        return whole

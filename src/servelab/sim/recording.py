"""A run as it is kept to be looked at again and again: every column at hand, its engine let go."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from servelab.sim.preemptions import Stretches, stretches
from servelab.sim.run import Run
from servelab.sim.tables import Column

#: A difference of two times as small as this share of them is rounding.
ROUNDING = 1e-12

PHASES = ("queue", "prefill", "decode", "stalled", "preempted")
_QUEUE, _PREFILL, _DECODE, _STALLED, _PREEMPTED = range(len(PHASES))


class Life(NamedTuple):
    """Pieces of one request's time: number of the phase in `PHASES`, start and end."""

    phase: Column
    start_s: Column
    end_s: Column


class Recording:
    """A finished run; what is derived from it is worked out once."""

    def __init__(self, run: Run) -> None:
        for table in (run.requests, run.timeline):
            for name in table:
                table[name]
        self.run = run

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the columns take, those yet to be derived included."""
        columns = sum(table[name].nbytes for table in (self.run.requests, self.run.timeline) for name in table)
        stretch = 3 * np.dtype(np.float64).itemsize
        return columns + self.run.requests["arrival_s"].nbytes + stretch * int(self.run.summary["preemptions"])

    @functools.cached_property
    def stretches(self) -> Stretches:
        """Every stretch from a preemption to the next token."""
        return stretches(self.run)

    @functools.cached_property
    def end_s(self) -> float:
        """The last thing that happens: a request finishes, or arrives and is rejected."""
        return float(self._done[-1])

    @functools.cached_property
    def _done(self) -> Column:
        """By request, when it and all older ones are finished or rejected."""
        column: Column = np.fmax.accumulate(np.fmax(self.run.requests["finished_s"], self.run.requests["arrival_s"]))
        return column

    def alive(self, start_s: float, end_s: float) -> tuple[int, int]:
        """First and last of the requests between which all are that are in the system at some time of a stretch.

        The last is the one before the first where there are none.
        """
        first = int(np.searchsorted(self._done, start_s, side="left"))
        last = int(np.searchsorted(self.run.requests["arrival_s"], end_s, side="right")) - 1
        return first, max(last, first - 1)

    def rows(self, start_s: float, end_s: float) -> slice:
        """The rows of the timeline that are under way at some time of a stretch."""
        first = int(np.searchsorted(self.run.timeline["end_s"], start_s, side="right"))
        last = int(np.searchsorted(self.run.timeline["start_s"], end_s, side="left"))
        return slice(first, max(first, last))

    def life(self, request: int) -> Life:
        """What a request went through, exactly, without gaps from arrival to its last token; nothing where rejected.

        Of a pass that prefills others, the time its decodes alone would have taken comes first, the stall after it.
        """
        times = (self.run.requests[name][request] for name in ("arrival_s", "admitted_s", "first_token_s"))
        arrival_s, admitted_s, first_token_s = times
        if np.isnan(admitted_s):
            return Life(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        admitted_s = max(admitted_s, arrival_s)  # a pass may begin with it a rounding before it arrives
        mine = self.stretches.request == request
        lost, back = self.stretches.start_s[mine], self.stretches.end_s[mine]
        phase, start, end = self._decoding(first_token_s, self.run.requests["finished_s"][request], lost, back)
        prefilled_s = min(lost[0], first_token_s) if len(lost) else first_token_s
        phase = np.r_[_QUEUE, _PREFILL, np.full(len(lost), _PREEMPTED), phase]
        start, end = np.r_[arrival_s, admitted_s, lost, start], np.r_[admitted_s, prefilled_s, back, end]
        return _merged(phase, start, end)

    def _decoding(self, begin_s: float, end_s: float, lost: Column, back: Column) -> Life:
        """Decodes and stalls between two tokens, but for the stretches in between."""
        rows, timeline = self.rows(begin_s, end_s), self.run.timeline
        start, end = timeline["start_s"][rows], timeline["end_s"][rows]
        here = np.searchsorted(lost, start, side="right") == np.searchsorted(back, start, side="right")
        start, end = start[here], end[here]
        split = start + timeline["decode_s"][rows][here]
        split = np.where(end - split > ROUNDING * end, split, end)
        phase = np.repeat([_DECODE, _STALLED], len(start))
        return Life(phase, np.r_[start, split], np.r_[split, end])


def without_stalls(life: Life) -> Life:
    """The same life with stalls counted as decoding."""
    return _merged(np.where(life.phase == _STALLED, _DECODE, life.phase), life.start_s, life.end_s)


def _merged(phase: Column, start: Column, end: Column) -> Life:
    """The pieces in order, neighbours of one phase as one, empty ones left out."""
    order = np.argsort(start, kind="stable")
    order = order[end[order] - start[order] > ROUNDING * end[order]]
    phase, start, end = phase[order], start[order], end[order]
    begins = np.flatnonzero(np.diff(phase, prepend=-1))
    ends = np.r_[begins[1:], len(phase)] - 1 if len(phase) else begins
    return Life(phase[begins], start[begins], end[ends])

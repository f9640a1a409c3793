"""When which request was preempted, and when its next token came.

A run keeps no diary of preemptions, and needs none. Admission is first in, first out, the newest running request gives
way first, and no pass both admits and preempts. The running counts of the timeline and the times at which requests
finish therefore say how many were admitted or preempted at every pass, and the order of arrival says who they were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from servelab.sim.tables import Column

if TYPE_CHECKING:
    from servelab.sim.run import Run


class Stretches(NamedTuple):
    """From the start of the pass that preempted a request to its next token; in order of time.

    As many as there were preemptions: a request preempted again before its token has two that touch.
    """

    request: Column
    start_s: Column
    end_s: Column


class _Moves(NamedTuple):
    """Preemptions in order: who, the row of the loss, the row of the next admission, whether it was that row's last."""

    request: list[int]
    lost: list[int]
    back: list[int]
    was_last: list[bool]


def stretches(run: Run) -> Stretches:
    """Every stretch of a run; none where nothing was preempted."""
    if not run.summary["preemptions"]:
        return Stretches(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    timeline = run.timeline
    start, end, running = timeline["start_s"], timeline["end_s"], timeline["running"]
    finished = run.requests["finished_s"]
    done = np.searchsorted(np.sort(finished[~np.isnan(finished)]), end, side="right")
    left = np.r_[0, running[:-1] - np.diff(done, prepend=0)[:-1]]
    change = (running - left).astype(np.int64)
    moves = _replayed(change, start.tolist(), finished)
    back = np.array(moves.back)
    # what a pass admits last may go on to prefill in the next ones: until none goes on, or another is admitted after it
    goes_on = running - timeline["decoding"] - np.maximum(change, 0) > 0
    is_done = _next(~np.r_[goes_on[1:], False], back)
    is_done = np.minimum(is_done, _next(change > 0, back + 1))
    return Stretches(np.array(moves.request), start[np.array(moves.lost)], end[np.where(moves.was_last, is_done, back)])


def _next(marked: Column, since: Column) -> Column:
    """The first marked row from each of `since` on; the last row where there is none."""
    places = np.r_[np.flatnonzero(marked), len(marked) - 1]
    found: Column = places[np.minimum(np.searchsorted(places, since), len(places) - 1)]
    return found


def _replayed(change: Column, start: list[float], finished: Column) -> _Moves:
    """Admit and preempt as the rows say: `running` has finished requests among it until they come to its top."""
    fresh = np.flatnonzero(~np.isnan(finished)).tolist()
    times: list[float] = finished.tolist()
    moves = _Moves([], [], [], [])
    running: list[int] = []
    waiting: list[int] = []  # preempted ones, the oldest on top
    number: dict[int, int] = {}  # of a waiting one's preemption
    begun = 0
    rows = np.flatnonzero(change)
    for row, count in zip(rows.tolist(), change[rows].tolist(), strict=True):
        for _ in range(-count):
            while times[running[-1]] <= start[row]:
                running.pop()
            waiting.append(running.pop())
            number[waiting[-1]] = len(moves.lost)
            moves.request.append(waiting[-1])
            moves.lost.append(row)
            moves.back.append(row)
            moves.was_last.append(False)
        resumed = min(max(count, 0), len(waiting))
        for nth in range(resumed):
            running.append(waiting.pop())
            moves.back[number[running[-1]]] = row
            moves.was_last[number[running[-1]]] = nth == count - 1
        if count > resumed:
            running += fresh[begun : begun + count - resumed]
            begun += count - resumed
    return moves

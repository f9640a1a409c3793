"""What a picture of several runs over one stretch of time is drawn from, an amount that their length does not change.

The runs have the same requests, so that a request has the same place in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from servelab.sim.preemptions import Stretches
from servelab.sim.recording import Recording
from servelab.sim.state import TIMELINE_COLUMNS
from servelab.sim.tables import Column
from servelab.sim.window import Span

#: Rows of the timeline that are told one by one, at most.
MOST_PASSES = 600


class Shown(NamedTuple):
    """The requests of a picture: those from `first` to `last` whose index `every` divides; `every` is a power of 2.

    All that are in the system of some run at some time of the stretch lie between first and last; last is before
    first where there are none.
    """

    first: int
    last: int
    every: int

    @property
    def size(self) -> int:
        """How many requests lie between first and last."""
        return self.last + 1 - self.first

    @property
    def request(self) -> Column:
        """The indexes of those that are shown."""
        return np.arange(-(-self.first // self.every) * self.every, self.last + 1, self.every)


def shown(recordings: Sequence[Recording], span: Span, most: int) -> Shown:
    """All requests of the stretch where they are at most so many, else evenly spaced ones, at most half as many."""
    alive = [recording.alive(span.start_s, span.end_s) for recording in recordings]
    found = Shown(min(first for first, _ in alive), max(last for _, last in alive), 1)
    if found.size > most:
        while len(found.request) > max(most // 2, 1):
            found = found._replace(every=2 * found.every)
    return found


def preempted(recording: Recording, span: Span, requests: Shown) -> Stretches:
    """The stretches from a preemption to the next token of the requests that are shown."""
    whole = recording.stretches
    here = (whole.end_s > span.start_s) & (whole.start_s < span.end_s) & (whole.request % requests.every == 0)
    here &= (whole.request >= requests.first) & (whole.request <= requests.last)
    return Stretches(*(column[here] for column in whole))


def passes(recording: Recording, span: Span) -> tuple[int, dict[str, Column] | None]:
    """How many rows of the timeline are under way in the stretch, and they themselves where they are few."""
    rows = recording.rows(span.start_s, span.end_s)
    count = rows.stop - rows.start
    if count > MOST_PASSES:
        return count, None
    return count, {name: recording.run.timeline[name][rows] for name in TIMELINE_COLUMNS}


def row_at(recording: Recording, time_s: float, move: int) -> int | None:
    """The row of the timeline that is under way at a time, else the next to come, or one `move` rows from it.

    None beyond the first and the last.
    """
    end = recording.run.timeline["end_s"]
    row = int(np.searchsorted(end, time_s, side="right")) + move
    return row if 0 <= row < len(end) else None

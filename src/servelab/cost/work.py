"""Work: FLOP and bytes as they grow with the context, and the time they take over a run of passes."""

from __future__ import annotations

from typing import NamedTuple


class Affine(NamedTuple):
    """A quantity that grows linearly with the summed context S of a pass: at_zero + slope × S."""

    at_zero: float
    slope: float = 0.0

    def at(self, context: float) -> float:
        """Its value at S = `context`."""
        return self.at_zero + self.slope * context

    def total(self, steps: Steps) -> float:
        """Its sum over a run of passes."""
        return steps.passes * self.at(steps.middle)

    def over(self, rate: float) -> Affine:
        """The time it takes at `rate`."""
        return Affine(self.at_zero / rate, self.slope / rate)


class Steps(NamedTuple):
    """A run of `passes` passes whose summed context is `first`, first + increment, first + 2 × increment …"""

    first: float
    increment: float = 0.0
    passes: int = 1

    @property
    def middle(self) -> float:
        """The mean context: sums of affine quantities are `passes` times their value here."""
        return self.first + self.increment * (self.passes - 1) / 2

    @property
    def last(self) -> float:
        """The context of the last pass."""
        return self.first + self.increment * (self.passes - 1)

    def split(self, at: int) -> tuple[Steps, Steps]:
        """The first `at` passes and the rest."""
        rest = self._replace(first=self.first + self.increment * at, passes=self.passes - at)
        return self._replace(passes=at), rest


class Work(NamedTuple):
    """FLOP and bytes of one stage of a pass, summed over devices, as functions of the summed context."""

    flop: Affine
    bytes: Affine


class Bound(NamedTuple):
    """Time of a run of passes by what bounds each pass: the longer of math and data movement."""

    compute_s: float
    memory_s: float

    @property
    def time_s(self) -> float:
        """The whole time."""
        return self.compute_s + self.memory_s

    def plus(self, other: Bound) -> Bound:
        """Both runs of passes together."""
        return Bound(self.compute_s + other.compute_s, self.memory_s + other.memory_s)


def bounded_time(math_s: Affine, data_s: Affine, steps: Steps) -> Bound:
    """Sum of max(math, data) over `steps`, in closed form.

    The difference of two affine functions changes its sign once at most, so the run is one or two stretches, each
    bound by one side throughout. A pass is bound by compute where its math time ≥ its data time.
    """
    if steps.passes <= 0:
        return Bound(0.0, 0.0)
    lead = Affine(math_s.at_zero - data_s.at_zero, math_s.slope - data_s.slope)
    starts_compute = lead.at(steps.first) >= 0
    ends_compute = lead.at(steps.last) >= 0
    if starts_compute == ends_compute:
        return Bound(math_s.total(steps), 0.0) if starts_compute else Bound(0.0, data_s.total(steps))
    before, after = steps.split(_crossing(lead, steps))
    if starts_compute:
        return Bound(math_s.total(before), data_s.total(after))
    return Bound(math_s.total(after), data_s.total(before))


def _crossing(lead: Affine, steps: Steps) -> int:
    """How many of the first passes have the sign that the run starts with; rounding moves it by a pass at most,
    where both sides take the same time. Read off the two ends, whose signs differ: their distance is never 0.
    """
    first, last = lead.at(steps.first), lead.at(steps.last)
    root = (steps.passes - 1) * (first / (first - last))
    return min(max(int(root) + 1, 1), steps.passes - 1)

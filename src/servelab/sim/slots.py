"""Four slots, one iteration at a time: what continuous batching is about, with everything else left out.

Every iteration takes as long, a request needs a number of them, its prompt costs nothing, there is no memory to run out
of. Static batching fills all slots at once and waits for the last to be done; continuous batching fills a slot on the
iteration after it was freed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: Eight requests of so many decode iterations, and the slots they share.
LENGTHS = (2, 9, 3, 5, 8, 2, 4, 7)
SLOTS = 4


@dataclass(frozen=True)
class Schedule:
    """Who is in which slot when.

    `occupancy` has for every iteration the request in each slot, null where it is idle; `first` and `last` are each
    request's iterations, from 1, both inclusive. `used` and `idle` count slots over all iterations.
    """

    iterations: int
    used: int
    idle: int
    first: tuple[int, ...]
    last: tuple[int, ...]
    occupancy: tuple[tuple[int | None, ...], ...]


def static(lengths: Sequence[int] = LENGTHS, slots: int = SLOTS) -> Schedule:
    """The next `slots` requests enter when all before them are done."""
    return _schedule(lengths, slots, waits_for_all=True)


def continuous(lengths: Sequence[int] = LENGTHS, slots: int = SLOTS) -> Schedule:
    """The next request enters on the iteration after a slot is freed, the lowest slot first."""
    return _schedule(lengths, slots, waits_for_all=False)


def _schedule(lengths: Sequence[int], slots: int, *, waits_for_all: bool) -> Schedule:
    """Fill the slots iteration by iteration; lengths are at least 1."""
    left, waiting = list(lengths), list(range(len(lengths)))
    held: list[int | None] = [None] * slots
    occupancy = []
    while waiting or any(request is not None for request in held):
        if not waits_for_all or all(request is None for request in held):
            for slot, request in enumerate(held):
                if request is None and waiting:
                    held[slot] = waiting.pop(0)
        occupancy.append(tuple(held))
        for slot, request in enumerate(held):
            if request is not None:
                left[request] -= 1
                held[slot] = request if left[request] else None
    return _counted(lengths, slots, occupancy)


def _counted(lengths: Sequence[int], slots: int, occupancy: list[tuple[int | None, ...]]) -> Schedule:
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for iteration, held in enumerate(occupancy, 1):
        for request in held:
            if request is not None:
                first.setdefault(request, iteration)
                last[request] = iteration
    order, used = range(len(lengths)), sum(lengths)
    return Schedule(
        iterations=len(occupancy),
        used=used,
        idle=len(occupancy) * slots - used,
        first=tuple(first[request] for request in order),
        last=tuple(last[request] for request in order),
        occupancy=tuple(occupancy),
    )

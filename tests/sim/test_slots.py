"""Eight requests in four slots: the numbers of the textbook, and what holds for any lengths and slots."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from servelab.sim import slots

LENGTHS = st.lists(st.integers(1, 12), min_size=1, max_size=20)
SLOTS = st.integers(1, 7)


def test_eight_requests_in_four_slots():
    static, continuous = slots.static(), slots.continuous()
    assert (static.iterations, static.used, static.idle) == (17, 40, 28)
    assert (continuous.iterations, continuous.used, continuous.idle) == (12, 40, 8)
    assert static.first == (1, 1, 1, 1, 10, 10, 10, 10)
    assert static.last == (2, 9, 3, 5, 17, 11, 13, 16)
    assert continuous.first == (1, 1, 1, 1, 3, 4, 6, 6)
    assert continuous.last == (2, 9, 3, 5, 10, 5, 9, 12)


def waves(lengths, count):
    """Static, written down from its definition: batches one after the other, each as long as its longest."""
    first, last, before = [], [], 0
    for at in range(0, len(lengths), count):
        batch = lengths[at : at + count]
        first += [before + 1] * len(batch)
        last += [before + length for length in batch]
        before += max(batch)
    return first, last, before


def servers(lengths, count):
    """Continuous, written down from its definition: whoever is next takes the slot that is free first."""
    free, first, last = [0] * count, [], []
    for length in lengths:
        slot = free.index(min(free))
        first.append(free[slot] + 1)
        free[slot] += length
        last.append(free[slot])
    return first, last, max(free)


@given(LENGTHS, SLOTS)
def test_both_follow_their_definitions(lengths, count):
    for schedule, oracle in ((slots.static, waves), (slots.continuous, servers)):
        found = schedule(lengths, count)
        assert (list(found.first), list(found.last), found.iterations) == oracle(lengths, count)


@given(LENGTHS, SLOTS)
def test_every_request_runs_in_one_slot_for_its_length(lengths, count):
    for schedule in (slots.static(lengths, count), slots.continuous(lengths, count)):
        assert all(len(held) == count for held in schedule.occupancy)
        for request, length in enumerate(lengths):
            places = [
                (iteration, slot)
                for iteration, held in enumerate(schedule.occupancy, 1)
                for slot, holder in enumerate(held)
                if holder == request
            ]
            assert [iteration for iteration, _ in places] == list(
                range(schedule.first[request], schedule.last[request] + 1)
            )
            assert len(places) == length
            assert len({slot for _, slot in places}) == 1
        cells = [holder for held in schedule.occupancy for holder in held]
        assert schedule.used == sum(lengths)
        assert schedule.idle == cells.count(None)


@given(LENGTHS, SLOTS)
def test_continuous_is_never_slower(lengths, count):
    assert slots.continuous(lengths, count).iterations <= slots.static(lengths, count).iterations
    assert slots.continuous([3] * len(lengths), count) == slots.static([3] * len(lengths), count)

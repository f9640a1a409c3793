"""Closed-form sums against loops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servelab.cost.passes import Features
from servelab.cost.work import Affine, Steps, bounded_time

AFFINE = st.builds(Affine, st.floats(0, 100), st.floats(0, 10))


@given(math_s=AFFINE, data_s=AFFINE, first=st.floats(0, 1000), increment=st.floats(0, 50), passes=st.integers(0, 60))
def test_time_bounded_pass_by_pass(math_s, data_s, first, increment, passes):
    bound = bounded_time(math_s, data_s, Steps(first, increment, passes))
    contexts = [first + increment * step for step in range(passes)]
    assert bound.time_s == pytest.approx(sum(max(math_s.at(s), data_s.at(s)) for s in contexts), rel=1e-9)
    compute = sum(math_s.at(s) for s in contexts if math_s.at(s) >= data_s.at(s))
    # where both sides meet, rounding may call a pass either way; the two times are then the same
    meeting = sum(math_s.at(s) for s in contexts if math_s.at(s) == pytest.approx(data_s.at(s), rel=1e-9))
    assert bound.compute_s == pytest.approx(compute, rel=1e-9, abs=meeting + 1e-9)


def test_a_run_that_changes_sides_is_split_where_they_cross():
    bound = bounded_time(Affine(0, 1), Affine(2.5), Steps(0, 1, 6))  # max(s, 2.5) for s = 0 … 5
    assert bound.memory_s == 2.5 * 3
    assert bound.compute_s == 3 + 4 + 5


def test_features_of_chunks_are_the_sums_over_their_tokens():
    features = Features.of(3, [(0, 4), (10, 2)], emitting_chunks=1)
    # token i of a chunk at offset s sees s + i cached tokens, itself included
    assert features.chunk_pairs == (1 + 2 + 3 + 4) + (11 + 12)
    assert features.chunk_reads == 4 + 12
    assert features.tokens == 9


def test_whole_prompts_are_chunks_at_offset_zero():
    assert Features.prefill(3, 7) == Features.of(0, [(0, 7)] * 3, emitting_chunks=3)

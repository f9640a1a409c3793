"""Rotary positions beyond training: each method against its published formula, and what must hold of any."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from servelab.probe import rope
from servelab.probe.rope import METHODS, Extension, Rotary
from tests.oracles import rope as oracle

WIDTHS = st.sampled_from([8, 64, 96, 128, 256])
ROTARIES = st.builds(
    Rotary, head_dim=WIDTHS, base=st.floats(1e3, 1e7), trained_tokens=st.sampled_from([2048, 4096, 8192, 32_768])
)
FACTORS = st.floats(1, 256)


@given(ROTARIES, FACTORS, st.floats(0, 16), st.floats(1, 128))
def test_every_method_is_its_published_formula(rotary, factor, alpha, beta):
    assume(beta > alpha)
    width, base, trained = rotary.head_dim, rotary.base, rotary.trained_tokens
    slow = {
        "none": oracle.angles(width, base),
        "interpolation": oracle.interpolated(width, base, factor),
        "ntk-aware": oracle.ntk_aware(width, base, factor),
        "yarn": oracle.yarn(width, base, trained, factor, alpha, beta),
    }
    assert list(slow) == list(METHODS)
    for method, expected in slow.items():
        found = rope.extended(rotary, Extension(method, factor, alpha, beta))
        np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=method)


@given(ROTARIES, FACTORS)
def test_the_ramp_of_llama_3_is_that_of_yarn_from_1_to_4(rotary, factor):
    expected = oracle.llama_3(rotary.head_dim, rotary.base, rotary.trained_tokens, factor, 1, 4)
    np.testing.assert_allclose(rope.extended(rotary, Extension("yarn", factor, 1, 4)), expected, rtol=1e-9)


@given(ROTARIES, FACTORS, st.sampled_from(METHODS))
def test_angles_stay_between_training_and_interpolation(rotary, factor, method):
    trained, found = rope.frequencies(rotary), rope.extended(rotary, Extension(method, factor))
    assert (found <= trained * (1 + 1e-12)).all()
    assert (found >= trained / factor * (1 - 1e-9)).all()
    if method == "ntk-aware":
        assert found[0] == trained[0] == 1
        assert found[-1] == pytest.approx(trained[-1] / factor, rel=1e-9)
    if factor == 1:
        np.testing.assert_allclose(found, trained, rtol=1e-12)


@given(ROTARIES, FACTORS)
def test_nothing_is_new_by_interpolation_nor_by_the_ramp_of_the_paper(rotary, factor):
    target = math.floor(rotary.trained_tokens * factor)
    for extension in (Extension("interpolation", factor), Extension("yarn", factor)):
        assert (rope.overreach(rotary, rope.extended(rotary, extension), target) == 1).all()
    beyond = rope.overreach(rotary, rope.frequencies(rotary), target)
    slow = rope.turns(rotary) < 1
    assert (beyond[~slow] == 1).all()
    if target > rotary.trained_tokens:
        np.testing.assert_allclose(beyond[slow], target / rotary.trained_tokens, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_an_angle_is_new_where_no_training_passed_over_it(method):
    """By marking the circle, in thousandths."""
    rotary, target = Rotary(64, 10_000.0, 2048), 6000
    theta = rope.extended(rotary, Extension(method, 2.0))
    new = rope.overreach(rotary, theta, target) > 1
    for trained, now, found in zip(rope.frequencies(rotary), theta, new, strict=True):
        unseen = oracle.seen_angles(now, target) - oracle.seen_angles(trained, 2048)
        assert bool(len(unseen) > 1) == found


def test_ntk_aware_leaves_pairs_beyond_until_its_factor_is_larger():
    """A pair with 2 j / (d − 2) = x is slowed by factor^x, so it takes factor ≥ s^(1/x)."""
    rotary, needed = Rotary(128, 10_000.0, 4096), 8.0
    slowest_first = np.flatnonzero(rope.turns(rotary) < 1)[0]
    takes = needed ** (126 / (2 * slowest_first))
    for factor, beyond in ((needed, True), (takes * 0.999, True), (takes * 1.001, False)):
        theta = rope.extended(rotary, Extension("ntk-aware", factor))
        assert bool((rope.overreach(rotary, theta, 8 * 4096) > 1).any()) == beyond
    assert takes / needed == pytest.approx(2.16, abs=0.01)


@given(ROTARIES, st.integers(0, 5000), st.integers(0, 100_000))
def test_a_score_depends_on_the_distance_alone_and_is_the_mean_of_cosines(rotary, start, distance):
    theta = rope.frequencies(rotary)[:8]
    alike = [1.0, 0.0] * len(theta)
    far = oracle.dot(oracle.rotated(alike, theta, start), oracle.rotated(alike, theta, start + distance))
    found = rope.attention_by_distance(theta, np.array([0.0, distance]))
    assert found[0] == 1
    assert found[1] == pytest.approx(far / len(theta), abs=1e-6)


@given(ROTARIES, st.integers(1, 100_000))
def test_the_bound_is_that_of_the_paper_and_bounds(rotary, distance):
    theta = rope.frequencies(rotary)
    found = rope.bound_by_distance(theta, np.array([0.0, distance]))
    assert found[0] == pytest.approx(1)
    assert found[1] == pytest.approx(oracle.bound(theta, distance) / oracle.bound(theta, 0), rel=1e-6)
    assert found[1] <= 1 + 1e-9


def test_the_bound_falls_with_distance_and_more_slowly_when_stretched():
    rotary = Rotary(128, 10_000.0, 4096)
    distances = np.array([1.0, 16, 256, 4096])
    trained = rope.bound_by_distance(rope.frequencies(rotary), distances)
    assert (np.diff(trained) < 0).all()
    stretched = rope.bound_by_distance(rope.extended(rotary, Extension("interpolation", 8.0)), distances)
    assert (stretched >= trained).all()


@given(ROTARIES)
def test_neighbours_are_as_far_apart_as_their_turned_vectors(rotary):
    theta = rope.frequencies(rotary)
    alike = [1.0, 0.0] * len(theta)
    moved = [a - b for a, b in zip(oracle.rotated(alike, theta, 0), oracle.rotated(alike, theta, 1), strict=True)]
    expected = math.sqrt(oracle.dot(moved, moved) / len(theta))
    assert rope.neighbour_distance(theta) == pytest.approx(expected, rel=1e-9)


def test_only_yarn_scales_logits():
    assert rope.logit_scale(Extension("yarn", 16.0)) == pytest.approx((0.1 * math.log(16) + 1) ** 2)
    assert {rope.logit_scale(Extension(method, 16.0)) for method in METHODS[:-1]} == {1.0}
    assert rope.logit_scale(Extension("yarn", 1.0)) == 1


def test_a_ramp_without_width_is_a_step():
    rotary = Rotary(128, 10_000.0, 4096)
    assert set(rope.ramp(rotary, 4, 4)) == set(rope.ramp(rotary, 4, 2)) == {0.0, 1.0}
    assert rope.ramp(rotary, 4, 4).sum() == (rope.turns(rotary) > 4).sum()

"""Rounding to a few bits: against its slow twin, and against what is known of it in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servelab.probe.rounding import BITS, GRANULARITIES, SCALE_BITS, Scheme, round_weights
from tests.oracles import rounding as oracle

SCHEMES = st.builds(
    Scheme,
    bits=st.sampled_from(BITS),
    granularity=st.sampled_from(list(GRANULARITIES)),
    symmetric=st.booleans(),
    scale_bits=st.sampled_from(SCALE_BITS),
)


def normal(seed, outputs=2, inputs=256, outlier=1.0):
    drawn = np.random.default_rng(seed).standard_normal((outputs, inputs)).astype(np.float32)
    drawn[0, seed % inputs] *= outlier
    return drawn


def groups(weights, scheme):
    return weights.reshape(-1, scheme.sharing(*weights.shape))


@given(
    st.integers(0, 99),
    st.sampled_from(BITS),
    st.sampled_from(list(GRANULARITIES)),
    st.booleans(),
    st.floats(1, 30),
    st.sampled_from([-5, -0.5, 0, 3]),
)
@settings(max_examples=40)
def test_every_weight_goes_where_the_slow_version_puts_it(seed, bits, granularity, symmetric, outlier, shift):
    weights = normal(seed, outlier=outlier) + np.float32(shift)
    scheme = Scheme(bits, granularity, symmetric, 32)
    found = groups(round_weights(weights, scheme).values, scheme)
    slow = [oracle.rounded(list(group), bits, symmetric) for group in groups(weights, scheme)]
    np.testing.assert_array_equal(found, slow)


@given(st.integers(0, 99), SCHEMES, st.floats(1, 30))
def test_a_weight_is_off_by_half_a_step_at_most_and_a_grid_has_so_many_values(seed, scheme, outlier):
    weights = normal(seed, outlier=outlier)
    rounded = round_weights(weights, scheme)
    for before, after, step in zip(
        groups(weights, scheme), groups(rounded.values, scheme), rounded.steps.reshape(-1), strict=True
    ):
        assert len(np.unique(after)) <= 2**scheme.bits
        codes = after / step
        np.testing.assert_allclose(codes, np.rint(codes), atol=1e-3)
        if scheme.scale_bits == 32:  # a rounded scale may end its grid short of the largest weight
            slack = 1e-4 if scheme.symmetric else 0.5  # so may a rounded zero point
            assert np.abs(before - after).max() <= step * (0.5 + slack)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("symmetric", [True, False])
def test_uniform_weights_have_the_noise_of_a_uniform_number(bits, symmetric):
    """Δ²/12, where weights spread evenly; its mean over n of them spreads by Δ² / √(180 n)."""
    scheme = Scheme(bits, "group-256", symmetric, 32)
    weights = np.random.default_rng(7).uniform(-1, 1, (64, 2048)).astype(np.float32)
    rounded = round_weights(weights, scheme)
    steps = np.broadcast_to(rounded.steps, (64, 8, 1)).astype(float)
    ratio = np.mean(((groups(rounded.values, scheme) - groups(weights, scheme)).reshape(64, 8, 256) / steps) ** 2) * 12
    # The ends of a grid are weights themselves, and exact: 2 of 256 are off by less.
    assert ratio == pytest.approx(1, abs=5 * np.sqrt(144 / 180 / weights.size) + 2 / 256)


def test_steps_wider_than_the_weights_lose_them_instead():
    """One outlier of 100 stretches a 4-bit grid to steps of 100/7: all others are lost, and the noise is theirs."""
    weights = normal(3, outlier=1)
    weights[0, 0] = 100
    rounded = round_weights(weights, Scheme(4, "per-tensor", True, 32)).values
    assert np.count_nonzero(rounded) == 1
    lost = np.mean((rounded - weights) ** 2)
    assert lost == pytest.approx(np.mean(weights.reshape(-1)[1:] ** 2), rel=0.01)
    assert lost < (100 / 7) ** 2 / 12 / 10


@given(st.integers(0, 999), st.sampled_from(BITS), st.booleans(), st.floats(1, 100))
def test_a_smaller_group_never_has_a_wider_step(seed, bits, symmetric, outlier):
    weights = normal(seed, outputs=3, inputs=512, outlier=outlier)
    wider = None
    for granularity in GRANULARITIES:
        rounded = round_weights(weights, Scheme(bits, granularity, symmetric, 32))
        steps = np.broadcast_to(rounded.steps, (3, rounded.steps.shape[1], 1)).reshape(3, -1)
        steps = np.repeat(steps, 512 // steps.shape[1], axis=1)
        if wider is not None:
            assert (steps <= wider).all()
        wider = steps


@given(st.integers(0, 999), st.sampled_from(BITS), st.booleans())
@settings(max_examples=30)
def test_the_error_falls_with_the_group_size(seed, bits, symmetric):
    """Not group by group, where chance may help the wider step, but over a matrix it does."""
    weights = normal(seed, outputs=32, inputs=512, outlier=10)
    schemes = [Scheme(bits, granularity, symmetric, 32) for granularity in GRANULARITIES]
    errors = [float(np.sum((round_weights(weights, scheme).values - weights) ** 2)) for scheme in schemes]
    assert errors == sorted(errors, reverse=True)


def test_bits_per_weight_are_bits_and_a_share_of_scale_and_zero_point():
    assert Scheme(4, "group-128", False, 16).bits_per_weight(4096, 4096) == 4 + (16 + 4) / 128
    assert Scheme(4, "group-32", True, 16).bits_per_weight(4096, 4096) == 4.5
    assert Scheme(3, "group-64", False, 32).bits_per_weight(8, 512) == 3 + 35 / 64
    assert Scheme(8, "per-channel", True, 32).bits_per_weight(8, 512) == 8 + 32 / 512
    assert Scheme(4, "per-tensor", True, 16).bits_per_weight(8, 512) == 4 + 16 / 4096
    assert Scheme(4, "group-32", True, 8).bits_per_weight(8, 512) == 4 + 8 / 32 + 32 / 4096


@given(st.integers(0, 99), st.sampled_from(BITS), st.booleans())
def test_narrower_scales_are_the_nearest_that_their_format_has(seed, bits, symmetric):
    weights = normal(seed, outputs=4, inputs=512, outlier=20)
    exact, half, eighth = (
        round_weights(weights, Scheme(bits, "group-32", symmetric, width)).steps for width in (32, 16, 8)
    )
    np.testing.assert_allclose(half, exact, rtol=2**-11)
    np.testing.assert_allclose(eighth, exact, rtol=2**-4)
    assert eighth.max() == pytest.approx(float(exact.max()))


def test_a_group_of_zeros_stays_so():
    weights = np.zeros((2, 64), np.float32)
    weights[1, 40] = 2.0
    for symmetric in (True, False):
        for width in SCALE_BITS:
            rounded = round_weights(weights, Scheme(4, "group-32", symmetric, width))
            np.testing.assert_allclose(rounded.values, weights, rtol=2**-4)


def test_any_axes_before_are_rounded_on_their_own():
    many = np.stack([normal(seed, outlier=5) for seed in range(3)])
    for granularity in GRANULARITIES:
        scheme = Scheme(4, granularity, False, 8)
        together = round_weights(many, scheme).values
        np.testing.assert_array_equal(together, [round_weights(one, scheme).values for one in many])

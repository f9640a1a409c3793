"""The classifier of one weight, and 18 bytes a parameter."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import servelab as sl
from servelab.cost.training import KEPT, descent, training_memory

WEIGHTS = st.floats(-3, 3)


def test_from_zero_the_probability_goes_one_half_and_up():
    first, second, third = descent(0.0, 3)
    assert [round(step.probability, 3) for step in (first, second, third)] == [0.5, 0.562, 0.615]
    assert (first.loss, first.gradient, first.change, first.next_weight) == (math.log(2), -0.5, 0.25, 0.25)
    assert second.weight == 0.25


@given(WEIGHTS)
def test_each_round_is_its_definition(start):
    weight = start
    for step in descent(start, 30):
        probability = math.exp(weight) / (math.exp(weight) + 1)
        assert step.weight == weight
        assert step.probability == pytest.approx(probability, rel=1e-12)
        assert step.loss == pytest.approx(-math.log(probability), rel=1e-12)
        assert step.gradient == pytest.approx(probability - 1, rel=1e-12)
        weight = step.next_weight
        assert weight == pytest.approx(step.weight - 0.5 * (probability - 1), rel=1e-12, abs=1e-12)


@given(WEIGHTS)
def test_the_gradient_is_the_slope_of_the_loss(start):
    (step,) = descent(start, 1)
    nudge = 1e-6
    slope = (descent(start + nudge, 1)[0].loss - descent(start - nudge, 1)[0].loss) / (2 * nudge)
    assert step.gradient == pytest.approx(slope, abs=1e-8)


@given(WEIGHTS)
def test_the_loss_falls_round_by_round(start):
    losses = [step.loss for step in descent(start, 50)]
    assert all(later < earlier for earlier, later in itertools.pairwise(losses))


def test_a_parameter_takes_eighteen_bytes():
    assert [size for _, size in KEPT] == [2, 4, 4, 8]
    device = sl.Accelerator("card", 1e11, 1e12, {"bf16": 1e14})
    memory = training_memory(sl.Model("m", 8e9, 32, 32, 8, 128), device)
    assert (memory.bytes_per_parameter, memory.total_bytes, memory.capacity_bytes) == (18, 144e9, 1e11)
    assert [part.bytes for part in memory.parts] == [16e9, 32e9, 32e9, 64e9]
    assert (memory.fits, memory.devices) == (False, 2)


def test_what_just_fits_takes_one_device():
    memory = training_memory(sl.Model("m", 1000, 1, 1, 1, 1), sl.Accelerator("card", 18_000, 1, {}))
    assert (memory.fits, memory.devices) == (True, 1)

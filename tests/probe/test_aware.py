"""Made layers and activation-aware scaling: what it promises, held for random worlds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servelab.probe.aware import EXPONENTS, channel_scales, output_by_channel, rounded_layer
from servelab.probe.block import INPUTS, LAYERS, OUTPUTS, TOKENS, World, made_layers
from servelab.probe.rounding import BITS, GRANULARITIES, Scheme, round_weights
from tests.oracles import rounding as oracle

WORLDS = st.builds(
    World,
    seed=st.integers(0, 5),
    activation_strength=st.floats(1, 100),
    weight_strength=st.floats(1, 16),
    outlier_fraction=st.floats(0, 0.05),
)
SCHEMES = st.builds(
    Scheme, st.sampled_from(BITS), st.sampled_from(list(GRANULARITIES)), st.booleans(), st.sampled_from([16, 32])
)
INDEX = st.integers(0, len(LAYERS) - 1)


def lost(layer, held):
    """The squared error of the output on the tokens for calibration."""
    return float(np.sum(np.square((held - layer.weights).astype(float) @ layer.calibration.T.astype(float))))


@given(WORLDS, INDEX)
@settings(max_examples=20)
def test_outliers_are_the_set_strength_and_change_no_other_draw(world, index):
    bare, layer = made_layers(World(world.seed))[index], made_layers(world)[index]
    strength = list(LAYERS.values())[index]
    weights, activations = np.ones(INPUTS), np.ones(INPUTS)
    weights[list(layer.heavy)] = 1 + (world.weight_strength - 1) * strength
    activations[list(layer.loud)] = 1 + (world.activation_strength - 1) * strength
    np.testing.assert_allclose(layer.weights, bare.weights * weights, rtol=1e-6)
    np.testing.assert_allclose(layer.judged, bare.judged * activations, rtol=1e-6)
    np.testing.assert_allclose(layer.calibration, bare.calibration * activations, rtol=1e-6)
    assert len(layer.loud) == len(layer.heavy) == np.ceil(world.outlier_fraction * INPUTS)
    assert not set(layer.loud) & set(layer.heavy)
    more = dataclasses.replace(world, outlier_fraction=min(0.05, 2 * world.outlier_fraction))
    assert set(layer.loud) <= set(made_layers(more)[index].loud)
    assert set(layer.heavy) <= set(made_layers(more)[index].heavy)


def test_layers_have_shapes_streams_and_seeds_of_their_own():
    layers = made_layers(World(1))
    assert [layer.name for layer in layers] == ["q", "k", "v", "o", "gate", "up", "down"]
    assert {layer.weights.shape for layer in layers} == {(OUTPUTS, INPUTS)}
    assert {layer.judged.shape for layer in layers} == {layer.calibration.shape for layer in layers}
    assert layers[0].judged.shape == (TOKENS, INPUTS)
    firsts = {float(layer.weights[0, 0]) for seed in (1, 2) for layer in made_layers(World(seed))}
    assert len(firsts) == 14
    assert not np.array_equal(layers[0].calibration, layers[0].judged)


@given(WORLDS, INDEX, SCHEMES)
@settings(max_examples=30)
def test_without_scaling_it_is_plain_rounding(world, index, scheme):
    plain = rounded_layer(world, index, scheme, False)
    expected = round_weights(made_layers(world)[index].weights, scheme)
    np.testing.assert_array_equal(plain.values, expected.values)
    assert (plain.exponent, plain.scales.min(), plain.scales.max()) == (0, 1, 1)
    assert plain.zeroed_fraction == pytest.approx(float(np.mean(plain.values == 0)))


@given(WORLDS, INDEX, SCHEMES)
@settings(max_examples=30)
def test_the_search_finds_the_exponent_that_loses_least(world, index, scheme):
    """Against the definition written out; near-ties may go either way."""
    layer = made_layers(world)[index]
    size = np.abs(layer.calibration).mean(axis=0)
    losses = {}
    for exponent in EXPONENTS:
        scales = size**exponent
        scales = (scales / np.sqrt(scales.max() * scales.min())).astype(np.float32)
        losses[exponent] = lost(layer, round_weights(layer.weights * scales, scheme).values / scales)
    found = rounded_layer(world, index, scheme, True)
    assert losses[found.exponent] == pytest.approx(min(losses.values()), rel=1e-2)
    assert lost(layer, found.values) == pytest.approx(losses[found.exponent], rel=1e-2)
    assert lost(layer, found.values) <= lost(layer, rounded_layer(world, index, scheme, False).values) * (1 + 1e-5)


@given(WORLDS, INDEX, st.sampled_from(BITS), st.sampled_from(list(GRANULARITIES)), st.booleans())
@settings(max_examples=40)
def test_the_channel_scaled_most_in_its_group_never_has_a_wider_step(world, index, bits, granularity, symmetric):
    """For every exponent: the group's extremes grow by s at most, and the step in its own units is divided by s."""
    layer, scheme = made_layers(world)[index], Scheme(bits, granularity, symmetric, 32)
    plain = round_weights(layer.weights, scheme).steps
    sharing = scheme.sharing(OUTPUTS, INPUTS)
    for scales in channel_scales(layer.calibration, EXPONENTS):
        scaled = round_weights(layer.weights * scales, scheme).steps
        most = scales.reshape(1, -1, min(sharing, INPUTS)).max(axis=-1)[..., None]
        assert (scaled / most <= plain * (1 + 1e-6)).all()


@given(WORLDS, INDEX, SCHEMES)
@settings(max_examples=60)
def test_what_it_protects_is_never_worse(world, index, scheme):
    """On outlier channels, on tokens that the exponent was not chosen on, wherever they are outliers at all."""
    layer = made_layers(world)[index]
    loud = list(layer.loud)
    if not loud or 1 + (world.activation_strength - 1) * LAYERS[layer.name] < 8:
        return
    plain, aware = (
        float(np.sum(output_by_channel(layer, rounded_layer(world, index, scheme, way).values)[loud] ** 2))
        for way in (False, True)
    )
    assert aware <= plain


def test_errors_are_those_of_the_definition():
    world = World(0, 30.0, 6.0, 0.01)
    layer, found = made_layers(world)[6], rounded_layer(world, 6, Scheme(), True)
    few = slice(0, TOKENS)
    slow = oracle.output_error(layer.weights[:, :], found.values, layer.judged[few])
    assert found.output_error == pytest.approx(slow, rel=1e-4)
    assert found.weight_error == pytest.approx(
        float(np.linalg.norm(found.values - layer.weights) / np.linalg.norm(layer.weights)), rel=1e-5
    )
    # If channels' errors were independent of each other, they would add up as squares: about what the output is off by.
    total = float(np.sqrt(np.sum(output_by_channel(layer, found.values) ** 2)))
    assert total == pytest.approx(found.output_error, rel=0.3)


def test_a_typical_grid_is_the_one_in_the_middle():
    found = rounded_layer(World(), 0, Scheme(4, "group-128", False, 32), False)
    step, first, last = found.typical_grid
    assert np.sum(found.steps < step) <= found.steps.size // 2 <= np.sum(found.steps <= step)
    assert (last - first, first <= 0 <= last) == (15, True)

"""Made linear layers of one decoder block: weights, and the activations that go into them, with outlier channels.

Weights are normal. Input channels differ in how large their activations are (log-normally), and a few are outliers:
some because their activations are many times as large, others because their weights are. Which channels those are comes
from one random order a layer, activations' from its front and weights' from its end, so a larger share only adds some.
Layers have the set strength in different measure, which is made up too: least where attention's output goes in, most
where the feed-forward's inner width goes in.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from servelab.probe.rounding import Array

INPUTS, OUTPUTS, TOKENS = 512, 12, 32

#: The matrices of a block, and how much of the set strength of outliers each one has.
LAYERS = {"q": 0.5, "k": 0.5, "v": 0.3, "o": 0.2, "gate": 0.6, "up": 0.6, "down": 2.0}

#: Standard deviation of the logarithm of how large a usual channel's activations are.
SPREAD = 0.4

#: Below a seed, so that these draws are independent of any others made from it.
_BRANCH = 4


@dataclass(frozen=True)
class World:
    """What the layers are made from: how many times as large outliers are, and the share of the input channels."""

    seed: int = 0
    activation_strength: float = 1.0
    weight_strength: float = 1.0
    outlier_fraction: float = 0.0

    @property
    def outliers(self) -> int:
        """Channels of each kind of outlier in a layer, at least one where the share is above none."""
        return math.ceil(self.outlier_fraction * INPUTS)


class MadeLayer(NamedTuple):
    """Weights (outputs × inputs), tokens to calibrate on and tokens to judge by (tokens × inputs), outlier channels."""

    name: str
    weights: Array
    calibration: Array
    judged: Array
    loud: tuple[int, ...]
    heavy: tuple[int, ...]


class _Unit(NamedTuple):
    weights: Array
    calibration: Array
    judged: Array
    order: tuple[int, ...]


@functools.lru_cache(maxsize=16)
def _units(seed: int) -> tuple[_Unit, ...]:
    """The draws of a seed, without outliers."""
    streams = np.random.SeedSequence(seed, spawn_key=(_BRANCH,)).spawn(len(LAYERS))
    return tuple(_unit(np.random.Generator(np.random.PCG64(stream))) for stream in streams)


def _unit(rng: np.random.Generator) -> _Unit:
    weights = rng.standard_normal((OUTPUTS, INPUTS)).astype(np.float32)
    usual = np.exp(SPREAD * rng.standard_normal(INPUTS))
    first, second = (np.asarray(usual * rng.standard_normal((TOKENS, INPUTS)), np.float32) for _ in range(2))
    return _Unit(weights, first, second, tuple(rng.permutation(INPUTS).tolist()))


@functools.lru_cache(maxsize=16)
def made_layers(world: World) -> tuple[MadeLayer, ...]:
    """The layers of a block in the order of LAYERS."""
    return tuple(_with_outliers(name, unit, world) for name, unit in zip(LAYERS, _units(world.seed), strict=True))


def _with_outliers(name: str, unit: _Unit, world: World) -> MadeLayer:
    loud, heavy = unit.order[: world.outliers], unit.order[INPUTS - world.outliers :]
    activations = _factors(loud, 1 + (world.activation_strength - 1) * LAYERS[name])
    weights = _factors(heavy, 1 + (world.weight_strength - 1) * LAYERS[name])
    return MadeLayer(
        name, unit.weights * weights, unit.calibration * activations, unit.judged * activations, loud, heavy
    )


def _factors(channels: tuple[int, ...], factor: float) -> Array:
    factors = np.ones(INPUTS, np.float32)
    factors[list(channels)] = factor
    return factors

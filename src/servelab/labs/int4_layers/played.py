"""One run of the lab with everything that its figures are made from."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from servelab.cost.estimate import Estimate
from servelab.labs.int4_layers import planner
from servelab.labs.int4_layers.settings import AWARE, SYMMETRIC, Settings
from servelab.probe.aware import LayerRounded, rounded_layer
from servelab.probe.block import INPUTS, LAYERS, OUTPUTS, World
from servelab.probe.rounding import Scheme


@dataclass(frozen=True)
class Block:
    """Every layer of the block rounded, and which of them are kept as they are instead."""

    layers: tuple[LayerRounded, ...]
    kept: frozenset[int]
    shares: tuple[float, ...]
    scheme: Scheme

    @property
    def output_errors(self) -> tuple[float, ...]:
        """Of each layer; 0 where it is kept."""
        return tuple(0.0 if index in self.kept else one.output_error for index, one in enumerate(self.layers))

    @property
    def output_error(self) -> float:
        """Root of the mean square over the layers."""
        return _root_mean_square(self.output_errors)

    @property
    def weight_error(self) -> float:
        """The same of the weights themselves."""
        return _root_mean_square(
            [0.0 if index in self.kept else one.weight_error for index, one in enumerate(self.layers)]
        )

    @property
    def zeroed_fraction(self) -> float:
        """The share of the weights that became zero, all layers alike."""
        return math.fsum(one.zeroed_fraction for index, one in enumerate(self.layers) if index not in self.kept) / len(
            self.layers
        )

    @property
    def worst(self) -> int:
        """The layer whose output is furthest off, of those that are rounded."""
        return int(np.argmax(self.output_errors))

    @property
    def rounded_bits(self) -> float:
        """Bits of a weight of a rounded layer, with its share of scale and zero point."""
        return self.scheme.bits_per_weight(OUTPUTS, INPUTS)

    @property
    def bits_per_weight(self) -> float:
        """Over all weights of a block, kept layers in 16 bits."""
        kept = math.fsum(self.shares[index] for index in self.kept)
        return (1 - kept) * self.rounded_bits + kept * planner.PUBLISHED_BITS


def _root_mean_square(values: list[float] | tuple[float, ...]) -> float:
    return math.sqrt(math.fsum(value**2 for value in values) / len(values))


@dataclass(frozen=True, eq=False)
class Played:
    """A set-up, its rounded block, and what the planner says of the model in these bits and in bf16."""

    settings: Settings
    world: World
    block: Block
    estimate: Estimate
    published: Estimate


def play(settings: Settings, seed: int) -> Played:
    """Make the layers, round them, ask the planner."""
    block = rounded_block(settings, seed)
    asked = settings.model, settings.card, settings.batch
    return Played(
        settings,
        world(settings, seed),
        block,
        planner.estimated(*asked, block.bits_per_weight),
        planner.estimated(*asked, planner.PUBLISHED_BITS),
    )


def world(settings: Settings, seed: int) -> World:
    """What the layers are made from."""
    return World(seed, settings.activation_strength, settings.weight_strength, settings.outlier_fraction)


def scheme(settings: Settings) -> Scheme:
    """How they are rounded."""
    return Scheme(settings.bits, settings.granularity, settings.grid == SYMMETRIC, settings.scale_bits)


@functools.lru_cache(maxsize=256)
def rounded_block(settings: Settings, seed: int) -> Block:
    """The block of a set-up, without asking the planner."""
    made, how = world(settings, seed), scheme(settings)
    layers = tuple(rounded_layer(made, index, how, settings.scaling == AWARE) for index in range(len(LAYERS)))
    worst_first = sorted(range(len(layers)), key=lambda index: -layers[index].output_error)
    kept = frozenset(worst_first[: settings.kept_layers])
    return Block(layers, kept, planner.shares(settings.model), how)

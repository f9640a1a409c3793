"""Activation-aware scaling: channels with large activations are rounded on a finer grid, at the cost of the others.

    Ŵ = Q(W · diag(s)) · diag(s)⁻¹      s = mean|x|^α, of each input channel
    α = argmin ‖X Ŵᵀ − X Wᵀ‖ over 0, 0.1 … 1, on tokens for calibration

after Lin et al. 2023 (arXiv 2306.00978), which searches the same way with twenty exponents and also clips. In a model
diag(s)⁻¹ is folded into what comes before the layer, so it takes no bits. The channel whose s is the largest of its
group has a step in its own units, Δ' / s, that is never wider than without scaling: the extremes of the group grow by s
at most. α = 0 is plain rounding, so on the tokens for calibration the output is never worse.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from servelab.probe.block import MadeLayer, World, made_layers
from servelab.probe.rounding import Array, Blocks, Scheme, in_blocks, round_blocks, size

EXPONENTS = tuple(step / 10 for step in range(11))

_AT_ONCE = 3


class LayerRounded(NamedTuple):
    """One layer rounded: its weights as they are held, in their own units; the scales of its channels and their α;
    steps in units of the scaled weights (outputs × groups × 1), with the first and last code of each grid; errors of
    output and weights, relative; the share of the weights that became zero.
    """

    name: str
    values: Array
    scales: Array
    exponent: float
    steps: Array
    first: Array
    last: Array
    output_error: float
    weight_error: float
    zeroed_fraction: float

    @property
    def typical_grid(self) -> tuple[float, int, int]:
        """The median step, in units of the weights of a channel whose scale is the median; its first and last code."""
        middle = int(np.argsort(self.steps, axis=None)[self.steps.size // 2])
        step = float(self.steps.flat[middle] / np.median(self.scales))
        return step, int(self.first.flat[middle]), int(self.last.flat[middle])


class _Trials(NamedTuple):
    """A layer under every exponent: scales (exponents × channels), weights times and activations over them, and the
    output to come near to; and what errors are relative to.
    """

    scales: Array
    scaled: Blocks
    met: Array
    wanted: Array
    judged_size: float
    weights_size: float


@functools.lru_cache(maxsize=21)
def _trials(world: World, index: int) -> _Trials:
    layer = made_layers(world)[index]
    scales = channel_scales(layer.calibration, EXPONENTS)
    scaled = in_blocks(layer.weights * scales[:, None, :])
    met = np.ascontiguousarray(layer.calibration.T / scales[:, :, None])
    wanted = np.matmul(layer.weights, layer.calibration.T)
    judged = np.matmul(layer.weights, layer.judged.T)
    return _Trials(scales, scaled, met, wanted, size(judged), size(layer.weights))


@functools.lru_cache(maxsize=384)
def rounded_layer(world: World, index: int, scheme: Scheme, aware: bool) -> LayerRounded:
    """Layer `index` of the world's block, rounded as it is or with the scaling that suits its activations best."""
    layer, trials = made_layers(world)[index], _trials(world, index)
    best = int(np.argmin(_lost(trials, scheme))) if aware else 0
    scales = trials.scales[best]
    rounded = round_blocks(_one(trials.scaled, best), scheme)
    held = rounded.values / scales
    off = held - layer.weights
    return LayerRounded(
        layer.name,
        held,
        scales,
        EXPONENTS[best],
        rounded.steps,
        rounded.first,
        rounded.last,
        size(np.matmul(off, layer.judged.T)) / trials.judged_size,
        size(off) / trials.weights_size,
        float(1 - np.count_nonzero(held) / held.size),
    )


def _one(blocks: Blocks, index: int | slice) -> Blocks:
    return Blocks(*(part[index] for part in blocks))


def _lost(trials: _Trials, scheme: Scheme) -> list[float]:
    """The squared error of the output for every exponent.

    A few at a time, since large arrays cost more to allocate than to fill; and as one product an exponent, which is
    small enough for a single thread.
    """
    lost: list[float] = []
    for start in range(0, len(EXPONENTS), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        values = round_blocks(_one(trials.scaled, some), scheme).values
        off = np.matmul(values, trials.met[some]) - trials.wanted
        lost += np.einsum("ant,ant->a", off, off).tolist()
    return lost


def channel_scales(activations: Array, exponents: tuple[float, ...]) -> Array:
    """S for every exponent (exponents × channels), with largest times smallest 1: a common factor changes nothing."""
    loudness = np.maximum(np.abs(activations).mean(axis=0), np.finfo(np.float32).tiny)
    scales = loudness ** np.asarray(exponents, np.float32)[:, None]
    scales /= np.sqrt(scales.max(axis=-1, keepdims=True) * scales.min(axis=-1, keepdims=True))
    return np.asarray(scales, np.float32)


def output_by_channel(layer: MadeLayer, held: Array) -> Array:
    """What the error of each input channel adds to the output: |x| in mean square × ‖w − ŵ‖, relative to ‖X Wᵀ‖."""
    loudness = np.sqrt(np.mean(np.square(layer.judged), axis=0))
    missed = np.sqrt(np.sum(np.square(held - layer.weights), axis=0))
    whole = np.sqrt(np.sum(np.square(np.matmul(layer.judged, layer.weights.T))) / len(layer.judged))
    return np.asarray(loudness * missed / whole, np.float32)

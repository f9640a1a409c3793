"""Rounding weights to a few bits: grids, who shares one, how its scale is kept, and what that takes a weight.

    symmetric   Δ = max|w| / (2^(b−1) − 1)      codes −(2^(b−1) − 1) … 2^(b−1) − 1
    asymmetric  Δ = (max(w, 0) − min(w, 0)) / (2^b − 1)      codes −z … 2^b − 1 − z, z = round(−min(w, 0) / Δ)
    ŵ = Δ · clip(round(w / Δ))
    bits per weight = b + (width of Δ + width of z) / weights that share them

A matrix is outputs × inputs; a group is a run of neighbouring inputs of one output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

#: From coarse to fine: the inputs that share a scale; 0 stands for all of a row, None for the whole matrix.
GRANULARITIES: dict[str, int | None] = {
    "per-tensor": None,
    "per-channel": 0,
    "group-256": 256,
    "group-128": 128,
    "group-64": 64,
    "group-32": 32,
}
BITS = (3, 4, 8)
SCALE_BITS = (8, 16, 32)

#: Groups are made of blocks of this many inputs, whose extremes are found first.
_BLOCK = 32

#: The largest number of FP8 E4M3, which 8-bit scales are kept in, as shares of the matrix's largest.
_FP8_MAX = 448.0


@dataclass(frozen=True)
class Scheme:
    """How weights are rounded. `scale_bits`: 32 is float32, 16 is float16, 8 is E4M3 times one float32 a matrix."""

    bits: int = 4
    granularity: str = "group-128"
    symmetric: bool = False
    scale_bits: int = 16

    def sharing(self, outputs: int, inputs: int) -> int:
        """How many weights share one scale in a matrix of that size."""
        group = GRANULARITIES[self.granularity]
        return outputs * inputs if group is None else group or inputs

    @property
    def zero_bits(self) -> int:
        """Width of a zero point: a code of the grid, none where the grid is symmetric."""
        return 0 if self.symmetric else self.bits

    def bits_per_weight(self, outputs: int, inputs: int) -> float:
        """Bits of a weight with its share of scale and zero point, and of the one float32 that 8-bit scales need."""
        whole = 32 / (outputs * inputs) if self.scale_bits == 8 else 0.0
        return self.bits + (self.scale_bits + self.zero_bits) / self.sharing(outputs, inputs) + whole


class Rounded(NamedTuple):
    """Weights on their grids (as they were given: outputs × inputs behind any other axes), and the steps of the grids:
    outputs × groups × 1, or 1 × 1 × 1 where one serves all. `first` and `last` are the codes where each grid ends.
    """

    values: Array
    steps: Array
    first: Array
    last: Array


class Blocks(NamedTuple):
    """Weights with the extremes of every block of inputs, which those of any group are made from."""

    weights: Array
    highest: Array
    lowest: Array


def in_blocks(weights: Array) -> Blocks:
    """Find the extremes once, however many schemes are tried."""
    *rest, inputs = weights.shape
    blocks = weights.reshape(*rest, inputs // _BLOCK, _BLOCK)
    return Blocks(weights, blocks.max(axis=-1), blocks.min(axis=-1))


def round_weights(weights: Array, scheme: Scheme) -> Rounded:
    """Every weight as the scheme holds it."""
    return round_blocks(in_blocks(weights), scheme)


def round_blocks(blocks: Blocks, scheme: Scheme) -> Rounded:
    """The same where the extremes are known."""
    *rest, outputs, inputs = blocks.weights.shape
    sharing = scheme.sharing(outputs, inputs)
    rows = 1 if sharing == outputs * inputs else outputs
    shape = (*rest, rows, outputs * inputs // (rows * sharing), -1)
    high = np.maximum(blocks.highest.reshape(shape).max(axis=-1, keepdims=True), 0)
    low = np.maximum(-blocks.lowest.reshape(shape).min(axis=-1, keepdims=True), 0)
    steps, first, last = _grids(high, low, scheme)
    codes = blocks.weights.reshape(*rest, rows, -1, sharing) / steps
    np.rint(codes, out=codes)
    np.maximum(codes, first, out=codes)
    np.minimum(codes, last, out=codes)
    codes *= steps
    return Rounded(codes.reshape(blocks.weights.shape), steps, first, last)


def _grids(high: Array, low: Array, scheme: Scheme) -> tuple[Array, Array, Array]:
    """Steps, first and last codes, from how far each group reaches above and below zero."""
    if scheme.symmetric:
        most = np.float32(2 ** (scheme.bits - 1) - 1)
        steps = _kept(np.maximum(high, low) / most, scheme.scale_bits)
        last = np.full_like(steps, most)
        return steps, -last, last
    codes = np.float32(2**scheme.bits - 1)
    steps = _kept((high + low) / codes, scheme.scale_bits)
    zero = np.clip(np.rint(low / steps), 0, codes)
    return steps, -zero, codes - zero


def _kept(steps: NDArray[Any], scale_bits: int) -> Array:
    """Steps as they are stored."""
    steps = np.where(steps > 0, steps, 1).astype(np.float32)
    if scale_bits == 32:
        return steps
    if scale_bits == 16:
        return steps.astype(np.float16).astype(np.float32)
    import ml_dtypes

    unit = steps.max(axis=(-3, -2), keepdims=True) / _FP8_MAX
    smallest = 2.0**-9  # the least above zero that the format has
    held: Array = np.maximum(steps / unit, smallest).astype(ml_dtypes.float8_e4m3fn).astype(np.float32) * unit
    return held


def uniform_noise(rounded: Rounded) -> float:
    """Δ² / 12, the mean square that rounding to a grid adds where weights spread evenly over many of its steps."""
    return float(np.mean(np.square(rounded.steps, dtype=np.float64))) / 12


def size(array: Array) -> float:
    """‖array‖, over all its elements."""
    return math.sqrt(float(np.einsum("ij,ij->", array, array)))

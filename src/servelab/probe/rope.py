"""Rotary position embedding beyond the trained length: the published ways to stretch it, and what they do.

Positions turn each pair j = 0 … d/2 − 1 of a head's dimensions by m θ_j, θ_j = b^(−2j/d) (Su et al. 2021, arXiv
2104.09864). With s the factor by which a context is stretched and L the trained length:

    interpolation   θ′_j = θ_j / s                                   Chen et al. 2023, arXiv 2306.15595
    NTK-aware       θ′_j = b′^(−2j/d),  b′ = b · s^(d / (d − 2))      bloc97 2023, as given in arXiv 2309.00071
    YaRN            θ′_j = (1 − γ) θ_j / s + γ θ_j                    Peng et al. 2023, arXiv 2309.00071
                    γ = 0 where r < α, 1 where r > β, else (r − α) / (β − α),  r = L θ_j / 2π
                    and logits are multiplied by (0.1 ln s + 1)²
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NONE, INTERPOLATION, NTK, YARN = "none", "interpolation", "ntk-aware", "yarn"
METHODS = (NONE, INTERPOLATION, NTK, YARN)

#: An angle is new where it is beyond the largest of training by more than rounding.
_SLACK = 1e-9


@dataclass(frozen=True)
class Rotary:
    """A rotary embedding as it was trained: width of a head, base, longest context in tokens."""

    head_dim: int
    base: float
    trained_tokens: int


@dataclass(frozen=True)
class Extension:
    """How a context is stretched: by which method, how many times, and where YaRN's ramp begins and ends (in turns)."""

    method: str
    factor: float
    alpha: float = 1.0
    beta: float = 32.0


def frequencies(rotary: Rotary) -> Floats:
    """θ of every pair, in radians a position, the fastest first."""
    return rotary.base ** (-_exponents(rotary.head_dim))


def _exponents(head_dim: int) -> Floats:
    found: Floats = np.arange(0, head_dim, 2) / head_dim
    return found


def turns(rotary: Rotary) -> Floats:
    """r: how often each pair goes round within the trained length."""
    return rotary.trained_tokens * frequencies(rotary) / (2 * math.pi)


def ramp(rotary: Rotary, alpha: float, beta: float) -> Floats:
    """γ: 0 where a pair is interpolated, 1 where it is left alone; a step at α where β is not above it."""
    if beta <= alpha:
        return (turns(rotary) > alpha).astype(np.float64)
    return np.clip((turns(rotary) - alpha) / (beta - alpha), 0.0, 1.0)


def extended(rotary: Rotary, extension: Extension) -> Floats:
    """θ′ of every pair."""
    theta, factor = frequencies(rotary), extension.factor
    if extension.method == INTERPOLATION:
        return theta / factor
    if extension.method == NTK:
        base = rotary.base * factor ** (rotary.head_dim / (rotary.head_dim - 2))
        found: Floats = base ** (-_exponents(rotary.head_dim))
        return found
    if extension.method == YARN:
        kept = ramp(rotary, extension.alpha, extension.beta)
        return (1 - kept) * theta / factor + kept * theta
    return theta


def logit_scale(extension: Extension) -> float:
    """What attention's logits are multiplied by: 1 but for YaRN."""
    return (0.1 * math.log(extension.factor) + 1) ** 2 if extension.method == YARN and extension.factor > 1 else 1.0


def overreach(rotary: Rotary, theta: Floats, target_tokens: int) -> Floats:
    """How far each pair's largest angle is beyond the largest of training, as a ratio; 1 where every angle was seen.

    A pair that went round within the trained length has seen all of them.
    """
    seen = rotary.trained_tokens * frequencies(rotary)
    reached = target_tokens * theta
    return np.where((seen < 2 * math.pi) & (reached > seen * (1 + _SLACK)), reached / seen, 1.0)


def attention_by_distance(theta: Floats, distances: Floats) -> Floats:
    """(2/d) Σ cos(m θ_j): the score of a query and a key that are alike, by their distance, relative to none."""
    return np.asarray(np.cos(np.multiply.outer(distances, theta)).mean(axis=-1))


def bound_by_distance(theta: Floats, distances: Floats) -> Floats:
    """(2/d) Σ_i |S_i|, S_i = Σ_{j < i} exp(i m θ_j): what bounds scores by distance (section 3.4.3 of 2104.09864),
    relative to its value at no distance.
    """
    sums = np.cumsum(np.exp(1j * np.multiply.outer(distances, theta)), axis=-1)
    return np.asarray(np.abs(sums).mean(axis=-1) / ((len(theta) + 1) / 2))


def neighbour_distance(theta: Floats) -> float:
    """How far apart a vector of equal pairs is at neighbouring positions, as a root mean square: √mean(2 − 2 cos θ)."""
    return float(np.sqrt(np.mean(4 * np.sin(theta / 2) ** 2)))

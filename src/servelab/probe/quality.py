"""Quality on a scale from 0 to 100: what is left of multi-head attention's output after pooling, rounding and training.

    e² = ((1 − r) e_pool)² + e_round²          r = 0.9 (1 − exp(−budget / τ)), 1 for a model trained with these heads
    quality = max(0, 100 (1 − (e / e₀)^γ))

τ, e₀ and γ are solved from three published points; docs/quality-probe.md derives them. No model is evaluated.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

from servelab.probe.attention import attention, distance, distance_by_head, pool, round_fp8
from servelab.probe.inputs import QUERY_HEADS, made

KV_HEADS = (1, 2, 4, 8, 16, 32)

#: The most of the pooling error that further training can win back.
MOST_RECOVERED = 0.9

#: T5-XXL with an uptraining budget of 5 % of pretraining (Ainslie et al. 2023, arXiv 2305.13245): averages over tasks.
BUDGET = 0.05
T5_LARGE, MHA_XXL, GQA_8_XXL, MQA_XXL = 46.0, 47.2, 47.1, 46.6

DEFAULT_SEED = 0


@dataclass(frozen=True)
class Conversion:
    """What was done to a model with 32 KV heads in bf16: `budget_fraction` is uptraining as a share of pretraining."""

    kv_heads: int = QUERY_HEADS
    kv_cache: str = "bf16"
    budget_fraction: float = 0.0
    trained: bool = False


@dataclass(frozen=True)
class Errors:
    """Relative errors of attention's output on the heads of one seed: in all, and head by head."""

    pooling: dict[int, float]
    rounding: float
    pooling_by_head: dict[int, tuple[float, ...]]
    rounding_by_head: tuple[float, ...]


class Scale(NamedTuple):
    """The constants of the quality scale."""

    tau_fraction: float
    zero_error: float
    exponent: float


@functools.lru_cache(maxsize=64)
def errors(seed: int = DEFAULT_SEED) -> Errors:
    """Pooling alone for every number of KV heads, and rounding to FP8 alone, on the heads of `seed`."""
    queries, keys, values = made(seed)
    whole = attention(queries, keys, values)
    pooled = {n: attention(queries, pool(keys, n), pool(values, n)) for n in KV_HEADS if n < QUERY_HEADS}
    pooled[QUERY_HEADS] = whole
    rounded = attention(queries, round_fp8(keys), round_fp8(values))
    return Errors(
        {n: distance(out, whole) for n, out in pooled.items()},
        distance(rounded, whole),
        {n: distance_by_head(out, whole) for n, out in pooled.items()},
        distance_by_head(rounded, whole),
    )


@functools.cache
def scale() -> Scale:
    """τ, e₀ and γ such that the heads of the default seed meet the three points exactly.

    With f = the share of the way from T5-Large to MHA-XXL, the points say: e₀ = e_pool(1);
    (1 − r₅)^γ = 1 − f(MQA); and (1 − r₅)^γ (e_pool(8) / e_pool(1))^γ = 1 − f(GQA-8).
    """
    found = errors(DEFAULT_SEED).pooling
    lost_8, lost_1 = (1 - (score - T5_LARGE) / (MHA_XXL - T5_LARGE) for score in (GQA_8_XXL, MQA_XXL))
    exponent = math.log(lost_8 / lost_1) / math.log(found[8] / found[1])
    recovered_at_budget = 1 - lost_1 ** (1 / exponent)
    return Scale(-BUDGET / math.log(1 - recovered_at_budget / MOST_RECOVERED), found[1], exponent)


def recovered(conversion: Conversion) -> float:
    """r: the share of the pooling error that training has won back."""
    if conversion.trained:
        return 1.0
    return -MOST_RECOVERED * math.expm1(-conversion.budget_fraction / scale().tau_fraction)


def error(conversion: Conversion, seed: int = DEFAULT_SEED) -> float:
    """e: the relative error that is left."""
    found = errors(seed)
    return _left(conversion, found.pooling[conversion.kv_heads], found.rounding)


def error_by_head(conversion: Conversion, seed: int = DEFAULT_SEED) -> tuple[float, ...]:
    """What is left in each query head."""
    found = errors(seed)
    pairs = zip(found.pooling_by_head[conversion.kv_heads], found.rounding_by_head, strict=True)
    return tuple(_left(conversion, pooling, rounding) for pooling, rounding in pairs)


def _left(conversion: Conversion, pooling: float, rounding: float) -> float:
    """Rounding is independent of pooling, so the two add up as squares."""
    return math.hypot((1 - recovered(conversion)) * pooling, rounding if conversion.kv_cache == "fp8" else 0.0)


def quality(conversion: Conversion, seed: int = DEFAULT_SEED) -> float:
    """0 is T5-Large's, 100 that of T5-XXL with all its heads, on the scale of the published points."""
    constants = scale()
    lost: float = (error(conversion, seed) / constants.zero_error) ** constants.exponent
    return max(0.0, 100 * (1 - lost))

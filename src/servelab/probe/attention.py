"""Attention as it is computed, and the two things done to its keys and values: pooling over heads, and rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Heads = NDArray[np.float64]

#: The largest number of FP8 E4M3.
_FP8_MAX = 448.0


def attention(queries: Heads, keys: Heads, values: Heads) -> Heads:
    """softmax(q kᵀ / √d) v, causal, for heads × tokens × width; consecutive query heads share a KV head."""
    heads, tokens, width = queries.shape
    groups = len(keys)
    shared = queries.reshape(groups, heads // groups, tokens, width)
    scores = shared @ np.swapaxes(keys, -1, -2)[:, None] / np.sqrt(width)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    out: Heads = (weights @ values[:, None]).reshape(heads, tokens, width)
    return out


def pool(heads: Heads, groups: int) -> Heads:
    """Consecutive heads averaged into so many groups, as checkpoints are converted to grouped-query attention."""
    count, tokens, width = heads.shape
    pooled: Heads = heads.reshape(groups, count // groups, tokens, width).mean(axis=1)
    return pooled


def round_fp8(heads: Heads) -> Heads:
    """Every number as FP8 E4M3 holds it, each head scaled so that its largest one is the largest of the format."""
    import ml_dtypes

    scale = np.abs(heads).max(axis=(1, 2), keepdims=True) / _FP8_MAX
    rounded: Heads = (heads / scale).astype(ml_dtypes.float8_e4m3fn).astype(np.float64) * scale
    return rounded


def distance(out: Heads, reference: Heads) -> float:
    """‖out − reference‖ / ‖reference‖ over all elements."""
    return float(np.sqrt(np.sum((out - reference) ** 2) / np.sum(reference**2)))


def distance_by_head(out: Heads, reference: Heads) -> tuple[float, ...]:
    """The same, head by head."""
    return tuple(distance(one, whole) for one, whole in zip(out, reference, strict=True))

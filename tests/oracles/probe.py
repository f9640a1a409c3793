"""Attention and rounding written out, token by token and value by value."""

from __future__ import annotations

import math


def attention(queries, keys, values):
    """Causal attention of one head over lists of vectors."""
    width = len(queries[0])
    out = []
    for position, query in enumerate(queries):
        scores = [
            sum(q * k for q, k in zip(query, key, strict=True)) / math.sqrt(width) for key in keys[: position + 1]
        ]
        weights = [math.exp(score) for score in scores]
        total = sum(weights)
        out.append([sum(w * v[i] for w, v in zip(weights, values, strict=False)) / total for i in range(width)])
    return out


def fp8_values():
    """Every finite number of E4M3, from its bits: 4 of exponent with a bias of 7, 3 of mantissa, no infinity."""
    found = []
    for bits in range(128):
        exponent, mantissa = bits >> 3, bits & 7
        if exponent == 15 and mantissa == 7:
            continue  # the one that is no number
        size = mantissa / 8 * 2**-6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)
        found += [(size, mantissa), (-size, mantissa)]
    return found


def to_fp8(value, values):
    """The nearest of them; of two as near, the one whose mantissa is even."""
    return min(values, key=lambda one: (abs(one[0] - value), one[1] % 2))[0]

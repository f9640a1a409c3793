"""Rounding to a grid written out, weight by weight, in single precision as the fast version does it."""

from __future__ import annotations

import numpy as np

SINGLE = np.float32


def grid(group, bits, symmetric):
    """Step, first and last code of one group."""
    high, low = max(*group, SINGLE(0)), max(*(-one for one in group), SINGLE(0))
    if symmetric:
        most = 2 ** (bits - 1) - 1
        step = max(high, low) / SINGLE(most)
        return step or SINGLE(1), -most, most
    codes = 2**bits - 1
    step = (high + low) / SINGLE(codes) or SINGLE(1)
    zero = min(max(int(np.rint(low / step)), 0), codes)
    return step, -zero, codes - zero


def rounded(group, bits, symmetric):
    """Every weight of a group on its grid."""
    step, first, last = grid(group, bits, symmetric)
    return [SINGLE(min(max(int(np.rint(one / step)), first), last)) * step for one in group]


def output_error(weights, held, tokens):
    """‖X Wᵀ − X Ŵᵀ‖ / ‖X Wᵀ‖, sum by sum."""
    lost = whole = 0.0
    for token in tokens:
        for row, kept in zip(weights, held, strict=True):
            exact = sum(float(w) * float(x) for w, x in zip(row, token, strict=True))
            found = sum(float(w) * float(x) for w, x in zip(kept, token, strict=True))
            lost += (found - exact) ** 2
            whole += exact**2
    return (lost / whole) ** 0.5

"""Fits a vector of terms to measurements: robust least squares of logarithms, held near what is expected.

    minimise  Σ weight ρ((log predicted − log measured) / s) + Σ ((x − expected) / loose)²,   ρ(r) = 2 (√(1 + r²) − 1)

by Gauss–Newton steps with damping (Levenberg–Marquardt), each row reweighted by its own error. A row far off pulls like
an absolute error, not like a square, so that a few bad measurements do not bend the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from servelab.fidelity.basis import Array, Rows, predicted, slopes
from servelab.fidelity.terms import Vector

#: Errors of this size (in logarithms) are where a row begins to pull less than its square.
SCALE = 0.05
_STEPS, _ENOUGH = 60, 1e-5


class Fitted(NamedTuple):
    """The terms found, and how uncertain each is beside the others: the covariance of the vector."""

    vector: Vector
    covariance: Array
    errors: Array


def fit(rows: Rows, weights: Array, expected: Vector, loose: Vector, start: Vector | None = None) -> Fitted:
    """The vector that suits `rows` best, near `expected` within `loose`."""
    x = (expected if start is None else start).copy()
    damping, cost = 1e-2, _cost(rows, weights, x, expected, loose)
    measured = np.log(rows.seconds)
    for _ in range(_STEPS):
        now, table = slopes(rows, x)
        errors = now - measured
        pull = weights / np.sqrt(1 + (errors / SCALE) ** 2) / SCALE**2
        gradient = table.T @ (pull * errors) + (x - expected) / loose**2
        curvature = table.T @ (table * pull[:, None]) + np.diag(1 / loose**2)
        better = False
        for _ in range(8):
            step = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), -gradient)
            candidate = x + np.clip(step, -1.0, 1.0)
            new = _cost(rows, weights, candidate, expected, loose)
            if new < cost:
                better = True
                break
            damping *= 4
        if not better:
            break
        gained, x, cost, damping = cost - new, candidate, new, max(damping / 3, 1e-9)
        if gained < _ENOUGH * (1 + cost):
            break
    return _result(rows, weights, x, loose, measured)


def _result(rows: Rows, weights: Array, x: Vector, loose: Vector, measured: Array) -> Fitted:
    now, table = slopes(rows, x)
    errors = now - measured
    pull = weights / np.sqrt(1 + (errors / SCALE) ** 2) / max(SCALE, float(np.median(np.abs(errors), axis=0))) ** 2
    covariance = np.linalg.inv(table.T @ (table * pull[:, None]) + np.diag(1 / loose**2))
    return Fitted(x, np.asarray(covariance, dtype=np.float64), errors)


def _cost(rows: Rows, weights: Array, x: Vector, expected: Vector, loose: Vector) -> float:
    errors = np.log(predicted(rows, x)) - np.log(rows.seconds)
    robust = 2 * (np.sqrt(1 + (errors / SCALE) ** 2) - 1)
    return float((weights * robust).sum() + (((x - expected) / loose) ** 2).sum())

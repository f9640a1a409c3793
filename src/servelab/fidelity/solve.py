"""Fits a vector of terms to measurements: robust least squares of logarithms, held near what is expected.

    minimise  Σ weight ρ((log predicted − log measured) / s) + (x − expected)ᵀ P (x − expected)

by Gauss–Newton steps with damping (Levenberg–Marquardt), each row reweighted by its own error. P says how loosely terms
are held, and that shares of formats follow each other (`terms.precision`). ρ(r) is 2 (√(1 + r²) − 1) first, so that a
row far off pulls like an absolute error; from what that found on, 6 ((1 + r² / 1.5)^¼ − 1), under which it pulls less
the further off it is, and a source that contradicts all others does not bend them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from servelab.fidelity.basis import Array, Rows, predicted, slopes
from servelab.fidelity.terms import Vector, precision

#: Errors of this size (in logarithms) are where a row begins to pull less than its square.
SCALE = 0.05
_STEPS, _ENOUGH = 60, 1e-5
#: The power of its error that a row far off counts by, in the end.
_FURTHER = 0.5


class Fitted(NamedTuple):
    """The terms found, and how uncertain each is beside the others: the covariance of the vector."""

    vector: Vector
    covariance: Array
    errors: Array


def fit(rows: Rows, weights: Array, expected: Vector, loose: Vector, start: Vector | None = None) -> Fitted:
    """The vector that suits `rows` best, near `expected` within `loose`."""
    problem = _Problem(rows, weights, expected, precision(loose), np.log(rows.seconds))
    x = _descend(problem, (expected if start is None else start).copy(), 1.0)
    return _result(problem, _descend(problem, x, _FURTHER))


class _Problem(NamedTuple):
    """What is minimised."""

    rows: Rows
    weights: Array
    expected: Vector
    precision: Array
    measured: Array

    def cost(self, x: Vector, power: float) -> float:
        squares = ((np.log(predicted(self.rows, x)) - self.measured) / SCALE) ** 2
        robust = 2 * (2 - power) / power * ((1 + squares / (2 - power)) ** (power / 2) - 1)
        away = x - self.expected
        return float((self.weights * robust).sum() + away @ self.precision @ away)

    def pull(self, errors: Array, power: float) -> Array:
        """What a row's squared error counts, by how far off it is."""
        found: Array = self.weights * (1 + (errors / SCALE) ** 2 / (2 - power)) ** (power / 2 - 1) / SCALE**2
        return found


def _descend(problem: _Problem, x: Vector, power: float) -> Vector:
    """Steps down from `x`, rows far off counting by their error to that power."""
    damping, cost = 1e-2, problem.cost(x, power)
    for _ in range(_STEPS):
        now, table = slopes(problem.rows, x)
        errors = now - problem.measured
        pull = problem.pull(errors, power)
        gradient = table.T @ (pull * errors) + problem.precision @ (x - problem.expected)
        curvature = table.T @ (table * pull[:, None]) + problem.precision
        better = False
        for _ in range(8):
            step = np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), -gradient)
            candidate = x + np.clip(step, -1.0, 1.0)
            new = problem.cost(candidate, power)
            if new < cost:
                better = True
                break
            damping *= 4
        if not better:
            break
        gained, x, cost, damping = cost - new, candidate, new, max(damping / 3, 1e-9)
        if gained < _ENOUGH * (1 + cost):
            break
    return x


def _result(problem: _Problem, x: Vector) -> Fitted:
    now, table = slopes(problem.rows, x)
    errors = now - problem.measured
    apart = max(SCALE, float(np.median(np.abs(errors), axis=0))) / SCALE
    pull = problem.pull(errors, 1.0) / apart**2
    covariance = np.linalg.inv(table.T @ (table * pull[:, None]) + problem.precision)
    return Fitted(x, np.asarray(covariance, dtype=np.float64), errors)

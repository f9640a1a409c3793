"""Fits a profile to a user's own runs.

It begins at what is known of the engine on the accelerator (its own profile, the nearest, or the general one) and moves
from there as far as the runs ask for: terms that they say nothing of stay where they were.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from servelab.errors import SpecError, shown
from servelab.fidelity.basis import Array, Item, rows_of, slopes
from servelab.fidelity.engines import generation
from servelab.fidelity.predict import closed_form, is_simulated, played_figures, with_profile
from servelab.fidelity.prepare import batch_item, played_item
from servelab.fidelity.replay import Run, play
from servelab.fidelity.solve import Fitted, fit
from servelab.fidelity.terms import LOOSE, NAMES, NEAR, Vector, fields_of, values, vector_of
from servelab.specs.profile import METRICS, Profile
from servelab.specs.profiles import find
from servelab.specs.result import Result

#: How often runs under load are played again under the terms found.
_ROUNDS = 2
#: Of a normal error 80 % lie within this many standard deviations; medians of its size are 0.67 of one.
_WITHIN, _MIDDLE = 1.28, 0.67
_LEAST = 0.02


@dataclass(frozen=True)
class TermFit:
    """A term of the profile, and between what it lies with 80 % (seconds, tokens, or a share)."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class FigureFit:
    """A measured figure beside what the textbook and the fitted profile say of it; None where they say nothing."""

    source: str
    metric: str
    measured: float
    textbook: float | None
    fitted: float | None


@dataclass(frozen=True)
class Calibrated:
    """A profile fitted to results, and how well it fits.

    `covariance` is that of the vector of terms (terms.py): what candidates for further runs are ranked by.
    """

    profile: Profile
    terms: tuple[TermFit, ...]
    figures: tuple[FigureFit, ...]
    textbook_error: float
    fitted_error: float
    vector: Vector
    covariance: Array


class _Row(NamedTuple):
    """One measured figure."""

    result: Result
    run: Run
    metric: str
    value: float


def calibrate(results: Sequence[Result]) -> Profile:
    """The profile that suits a user's own results best: `profile=` of a deployment takes it.

    All results must be of one engine on one kind of accelerator. Raises SpecError where there are none, where they mix,
    or where a result is beyond what can be predicted.
    """
    return fitted_to(results).profile


def fitted_to(results: Sequence[Result]) -> Calibrated:
    """The same, with the report of the fit."""
    rows = _rows(results)
    known = rows[0].run.deployment.calibration
    if known is None:  # cannot be: runs are under a profile
        raise SpecError("profile", "nothing to begin from; name an engine")
    textbook = [_figure(row, "textbook") for row in rows]
    reference = _error(rows, textbook)
    start, best = vector_of(known), None
    for loose in (NEAR, LOOSE, 4 * LOOSE):  # no further from what is known than needed to beat the textbook
        found = _fit(rows, known, start, loose)
        figures = [_figure(row, _profile(rows, known, found.vector)) for row in rows]
        error = _error(rows, figures)
        if best is None or error < best[0]:
            best = error, found, figures
        if best[0] <= reference:
            break
    if best is None:
        raise SpecError("results", "nothing can be predicted of them; give runs of one batch")
    error, found, figures = best
    profile = _profile(rows, known, found.vector, spread=_spread(rows, figures, found, known))
    return Calibrated(
        profile=profile,
        terms=_terms(found),
        figures=tuple(
            FigureFit(row.result.source, row.metric, row.value, plain, fitted)
            for row, plain, fitted in zip(rows, textbook, figures, strict=True)
        ),
        textbook_error=reference,
        fitted_error=error,
        vector=found.vector,
        covariance=found.covariance,
    )


def items_of(run: Run, metric: str, value: float, vector: Vector) -> Item | None:
    """A figure of a run for a fit under the terms at hand: its slopes say what it would teach (`basis.slopes`)."""
    if not is_simulated(run):
        return batch_item(run, metric, value, {})
    return played_item(run, metric, value, play(run), vector)


def _rows(results: Sequence[Result]) -> list[_Row]:
    if isinstance(results, (str, bytes)) or not isinstance(results, Sequence) or not results:
        raise SpecError("results", f"{shown(results)} holds none; give at least one sl.Result(…)")
    for result in results:
        if not isinstance(result, Result):
            raise SpecError("results", f"{shown(result)} is no Result; give sl.Result(…)")
    first = results[0].deployment
    for result in results:
        other = result.deployment
        if (other.engine, other.accelerator.name) != (first.engine, first.accelerator.name):
            raise SpecError(
                "results",
                f"{other.engine} on {other.accelerator.name} is not {first.engine} on {first.accelerator.name}; "
                "give runs of one engine on one kind of accelerator",
            )
    known = find(first.accelerator, first.engine)
    newest = generation(first.engine or known.engine, "")._replace(query_head_caches=known.query_head_caches)
    rows = []
    for result in results:
        deployment = dataclasses.replace(result.deployment, profile=known)
        run = Run(deployment, result.load, newest, "fixed")
        rows += [_Row(result, run, metric, value) for metric, value in result.metrics.items()]
    return rows


def _fit(rows: list[_Row], known: Profile, start: Vector, loose: Vector) -> Fitted:
    vector, found = start, None
    for _ in range(_ROUNDS):
        profile = _profile(rows, known, vector)
        items = [items_of(with_profile(row.run, profile), row.metric, row.value, vector) for row in rows]
        usable = [item for item in items if item]
        if not usable:
            raise SpecError("results", "no figure of them can be predicted; give ttft_s, tpot_s or e2e_s")
        found = fit(rows_of(usable), np.ones(len(usable)), start, loose, vector)
        vector = found.vector
        if not any(is_simulated(row.run) for row in rows):
            break
    if found is None:
        raise SpecError("results", "nothing was fitted; give at least one run")
    return found


def _profile(rows: list[_Row], known: Profile, vector: Vector, **more: Any) -> Profile:
    first = rows[0].run.deployment
    engine = first.engine or known.engine
    used = {row.run.deployment.weight_format for row in rows} | {row.run.deployment.kv_cache for row in rows}
    given = {*known.compute_utilization, *known.bandwidth_utilization, *known.attention_bandwidth_utilization}
    return Profile(
        id=f"{engine}@{first.accelerator.name}, own runs",
        engine=engine,
        accelerator=known.accelerator if known.carried_from is None else first.accelerator.name,
        rows=len(rows),
        models=len({row.run.deployment.model.name for row in rows}),
        sources=tuple(dict.fromkeys(row.result.source for row in rows)),
        query_head_caches=known.query_head_caches,
        **fields_of(vector, frozenset(used | given)),
        **more,
    )


def _figure(row: _Row, profile: Profile | str) -> float | None:
    try:
        run = with_profile(row.run, profile)
        figures = played_figures(run, play(run), "mean") if is_simulated(run) else closed_form(run)
        return figures.get(row.metric)
    except SpecError:
        return None


def _error(rows: list[_Row], figures: list[float | None]) -> float:
    """Median error; what is not predicted counts as 100 % off."""
    errors = [1.0 if found is None else abs(found / row.value - 1) for row, found in zip(rows, figures, strict=True)]
    return float(np.median(errors))


def _terms(found: Fitted) -> tuple[TermFit, ...]:
    apart = _WITHIN * np.sqrt(np.diag(found.covariance))
    low, middle, high = (values(found.vector + sign * apart) for sign in (-1, 0, 1))
    return tuple(
        TermFit(name, float(value), float(least), float(most))
        for name, value, least, most in zip(NAMES, middle, low, high, strict=True)
    )


def _spread(
    rows: list[_Row], figures: list[float | None], found: Fitted, known: Profile
) -> dict[str, tuple[float, float]]:
    """By metric: what the fit leaves over and what the terms leave open, no narrower than their few rows allow."""
    spread = dict(known.spread)
    for metric in METRICS:
        mine = [(row, one) for row, one in zip(rows, figures, strict=True) if row.metric == metric and one]
        if not mine:
            continue
        left = float(np.median([abs(np.log(row.value / one)) for row, one in mine])) / _MIDDLE
        items = [items_of(row.run, metric, row.value, found.vector) for row, _ in mine if not is_simulated(row.run)]
        usable = [item for item in items if item]
        open_ = 0.0
        if usable:
            table = slopes(rows_of(usable), found.vector)[1]
            open_ = float(np.sqrt(np.einsum("ij,jk,ik->i", table, found.covariance, table).mean()))
        width = max(_WITHIN * np.hypot(left * (1 + 1 / len(mine)), open_), _LEAST)
        spread[metric] = (float(f"{np.exp(-width):.4g}"), float(f"{np.exp(width):.4g}"))
    return spread

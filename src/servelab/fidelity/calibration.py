"""A calibration from files: read, fitted, reported, with the runs that would narrow it most."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from servelab.fidelity.advice import NextRun, next_runs
from servelab.fidelity.calibrate import Calibrated, FigureFit, TermFit, fitted_to
from servelab.fidelity.results.found import LeftOut
from servelab.fidelity.results.reader import read_files
from servelab.fidelity.results.runs import Given, resolve_runs
from servelab.fidelity.terms import NEAR
from servelab.specs.fields import as_data, as_json
from servelab.specs.profile import Profile

#: A term whose uncertainty went below this share of what it was is one that the runs tell of.
_LEARNED = 0.9


@dataclass(frozen=True)
class Calibration:
    """The answer to results files.

    `terms` are those that the runs tell of, with 80 % intervals; the others stay what is known of the engine on the
    accelerator. Errors are medians over all figures, a figure without a prediction counting as 100 % off.
    """

    profile: Profile
    textbook_error_fraction: float
    fitted_error_fraction: float
    figures: tuple[FigureFit, ...]
    terms: tuple[TermFit, ...]
    next_runs: tuple[NextRun, ...]
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        data: dict[str, Any] = as_data(self)
        return data

    def to_json(self) -> str:
        """The answer as every door prints it."""
        return as_json(self)


def calibration(paths: Iterable[str | os.PathLike[str]], given: Given) -> Calibration:
    """A profile fitted to the results in files. Raises ResultsError, or SpecError where they do not go together."""
    resolved = resolve_runs(read_files(paths), given)
    fit = fitted_to(resolved.results)
    return Calibration(
        profile=fit.profile,
        textbook_error_fraction=fit.textbook_error,
        fitted_error_fraction=fit.fitted_error,
        figures=fit.figures,
        terms=_learned(fit),
        next_runs=next_runs(fit, resolved.results),
        left_out=resolved.left_out,
        remarks=resolved.remarks,
    )


def _learned(fit: Calibrated) -> tuple[TermFit, ...]:
    """The terms that are better known than they were before the runs."""
    apart = np.sqrt(np.diag(fit.covariance))
    return tuple(term for term, now, before in zip(fit.terms, apart, NEAR, strict=True) if now < _LEARNED * before)

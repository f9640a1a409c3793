"""Fits the profiles that ship with servelab to the table of measurements, and scores them on models left out.

    python -m benchmarks.fit_profiles

Writes catalog/profiles.toml (a profile for every engine and accelerator that was measured) and held_out.csv (for every
measurement what would be predicted had its model never been seen, with the 80 % interval, and what the textbook says).
"""

from __future__ import annotations

import csv
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from servelab.errors import SpecError
from servelab.fidelity import measured
from servelab.fidelity.fitting import Cell, Sample, Samples
from servelab.fidelity.intervals import Residual, spread_without, spreads
from servelab.fidelity.measured import HELD_OUT, KERNELS, Measured
from servelab.fidelity.predict import (
    closed_form,
    generation_of,
    is_simulated,
    played_figures,
    run_of,
    with_profile,
)
from servelab.fidelity.prepare import batch_item, played_item
from servelab.fidelity.replay import Played, Run, play
from servelab.fidelity.terms import EXPECTED, Vector, fields_of
from servelab.specs.catalog import loader
from servelab.specs.profile import Profile

PROFILES = Path(loader.__file__).parent / "profiles.toml"

#: How often loads are played again under the terms found, and what a row under load counts beside one batch.
ROUNDS, LOAD_WEIGHT, TTFT_WEIGHT = 2, 0.7, 0.35


class Case(NamedTuple):
    """A measurement, the run it tells of, and where it belongs."""

    row: Measured
    run: Run
    cell: Cell
    family: tuple[str, str]
    simulated: bool


def main() -> None:
    """Fit, score and write."""
    cases = _cases()
    kernels = tomllib.loads(KERNELS.read_text(encoding="utf-8"))
    batches = _batch_samples(cases)
    samples = Samples(batches, kernels)
    vectors = samples.vectors()
    for _ in range(ROUNDS):
        loads = _load_samples(cases, vectors, samples)
        samples = Samples([*batches, *loads], kernels)
        vectors = samples.vectors()
        print(len(samples.samples), "rows fitted in", len(vectors), "cells", flush=True)
    held = _held_out(cases, samples)
    textbook = _textbook(cases)
    residuals = [
        Residual(
            case.cell,
            case.family,
            case.row.model,
            case.row.metric,
            case.simulated,
            float(np.log(case.row.value / held[case.row.id])),
        )
        for case in cases
        if held.get(case.row.id)
    ]
    _write_held_out(cases, held, textbook, residuals)
    _write_profiles(cases, samples, vectors, residuals)


def _cases() -> list[Case]:
    cases = []
    for row in measured.rows():
        try:
            run = run_of(row, "any@any")
        except SpecError:
            continue
        vendor = loader.entry("accelerator", row.accelerator).about["vendor"]
        cell = Cell(generation_of(row).prefix, row.accelerator)
        cases.append(Case(row, run, cell, (row.engine, vendor), is_simulated(run)))
    return cases


def _batch_samples(cases: list[Case]) -> list[Sample]:
    cached: dict[Any, Any] = {}
    found = []
    for case in cases:
        if case.simulated:
            continue
        try:
            item = batch_item(case.run, case.row.metric, case.row.value, cached)
        except SpecError:
            continue
        if item:
            found.append(Sample(item, case.cell, case.family, case.row.model))
    return found


def _load_samples(cases: list[Case], vectors: dict[Cell, Vector], samples: Samples) -> list[Sample]:
    """Rows under load and batches in waves, played under the terms at hand."""
    played: dict[Any, Played | None] = {}
    found = []
    for case in cases:
        if not case.simulated:
            continue
        vector = vectors.get(case.cell)
        if vector is None:
            family = samples.family_terms(case.family) if case.family in samples.families else EXPECTED
            vector = samples.expected(case.cell, family)
        result = _played(case, profile_at(vector, case.cell), played)
        if result is None:
            continue
        item = played_item(case.run, case.row.metric, case.row.value, result, vector, case.row.statistic)
        if item:
            weight = TTFT_WEIGHT if case.row.metric == "ttft_s" else LOAD_WEIGHT
            found.append(Sample(item, case.cell, case.family, case.row.model, weight))
    return found


def _played(case: Case, profile: Profile, kept: dict[Any, Played | None]) -> Played | None:
    row = case.row
    key = (
        profile.id,
        row.source,
        row.model,
        row.tensor_parallel,
        row.weights,
        row.kv_cache,
        case.run.load,
        case.run.lengths,
        hash(profile),
    )
    if key not in kept:
        try:
            kept[key] = play(with_profile(case.run, profile))
        except SpecError:
            kept[key] = None
    return kept[key]


def profile_at(vector: Vector, cell: Cell, **more: Any) -> Profile:
    """A profile with these terms."""
    engine = cell.prefix
    return Profile(id=cell.id, engine=engine, accelerator=cell.accelerator, **fields_of(vector), **more)


def _figure(case: Case, profile: Profile | str, kept: dict[Any, Any]) -> float | None:
    """What the row's figure is under a profile."""
    try:
        if not case.simulated:
            return closed_form(with_profile(case.run, profile)).get(case.row.metric)
        if isinstance(profile, Profile):
            played = _played(case, profile, kept)
        else:
            key = (
                case.row.source,
                case.row.model,
                case.row.accelerator,
                case.row.tensor_parallel,
                case.row.weights,
                case.row.kv_cache,
                case.run.load,
                case.row.engine,
                case.row.version,
            )
            if key not in kept:
                kept[key] = play(with_profile(case.run, profile))
            played = kept[key]
    except SpecError:
        return None
    return played_figures(played, case.row.statistic).get(case.row.metric) if played else None


def _held_out(cases: list[Case], samples: Samples) -> dict[str, float]:
    """Every row's figure under terms found without its model."""
    found: dict[str, float] = {}
    for model in sorted({case.row.model for case in cases}):
        mine = [case for case in cases if case.row.model == model]
        vectors = samples.vectors(model, {case.cell for case in mine if case.cell in samples.cells})
        kept: dict[Any, Any] = {}
        for case in mine:
            vector = vectors.get(case.cell)
            if vector is None:
                continue
            figure = _figure(case, profile_at(vector, case.cell), kept)
            if figure:
                found[case.row.id] = figure
    return found


def _textbook(cases: list[Case]) -> dict[str, float]:
    kept: dict[Any, Any] = {}
    figures = {case.row.id: _figure(case, "textbook", kept) for case in cases}
    return {name: figure for name, figure in figures.items() if figure}


def _write_held_out(
    cases: list[Case], held: dict[str, float], textbook: dict[str, float], residuals: list[Residual]
) -> None:
    known = {case.row.id: case for case in cases}
    intervals = spread_without(residuals)
    with HELD_OUT.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "predicted", "low", "high", "textbook"))
        for row in measured.rows():
            case, figure = known.get(row.id), held.get(row.id)
            low = high = None
            if case and figure:
                pair = intervals(case.cell, case.family, row.model, row.metric, case.simulated)
                low, high = figure * pair[0], figure * pair[1]
            writer.writerow(
                (row.id, *("" if x is None else f"{x:.4g}" for x in (figure, low, high, textbook.get(row.id))))
            )


def _write_profiles(
    cases: list[Case], samples: Samples, vectors: dict[Cell, Vector], residuals: list[Residual]
) -> None:
    lines = [
        "# Profiles: what engines reach on accelerators, fitted to published measurements (docs/calibration.md).",
        "# Written by benchmarks/fit_profiles.py; shares are of datasheet peaks, the rest is seconds and tokens.",
    ]
    by_cell: dict[Cell, list[Case]] = defaultdict(list)
    for case in cases:
        by_cell[case.cell].append(case)
    found = spreads(residuals)
    general = np.median(list(vectors.values()), axis=0)
    lines += _entry("any@any", "any", "any", general, {"spread": found(None, None)})
    for cell, vector in sorted(vectors.items()):
        mine = by_cell[cell]
        rows = [case.row for case in mine]
        formats = frozenset(case.row.weights for case in mine) | frozenset(case.row.kv_cache for case in mine)
        errors = [abs(np.expm1(one.error)) for one in residuals if one.cell == cell]
        more = {
            "generation": generation_of(rows[0]).versions,
            "spread": found(cell, mine[0].family),
            "typical": round(float(np.median(errors)), 4) if errors else 0.0,
            "rows": len(samples.cells[cell]),
            "models": len({row.model for row in rows}),
            "sources": tuple(sorted({row.source for row in rows})),
        }
        lines += _entry(cell.id, rows[0].engine, cell.accelerator, vector, more, formats)
    PROFILES.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _entry(
    name: str,
    engine: str,
    accelerator: str,
    vector: Vector,
    more: dict[str, Any],
    formats: frozenset[str] | None = None,
) -> list[str]:
    fields = fields_of(vector, formats) if formats is not None else fields_of(vector)
    profile = Profile(id=name, engine=engine, accelerator=accelerator, **fields, **more)
    return ["", f'["{name}"]', *profile.to_toml().splitlines()[1:]]


if __name__ == "__main__":
    main()

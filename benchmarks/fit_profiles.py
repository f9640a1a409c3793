"""Fits the profiles that ship with servelab to the table of measurements, and scores them on models left out.

    python -m benchmarks.fit_profiles [--keep-textbook | --intervals]

Writes catalog/profiles.toml (a profile for every engine and accelerator that was measured) and held_out.csv (for every
measurement what would be predicted had its model never been seen, with the 80 % interval, and what the textbook says).
With --keep-textbook those last figures are taken from the file as it is, with --intervals all but the intervals are.
Models are worked on side by side, in as many processes as there are cores, or as SERVELAB_PROCESSES says.
"""

from __future__ import annotations

import csv
import dataclasses
import multiprocessing
import os
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from servelab.errors import SpecError
from servelab.fidelity import measured
from servelab.fidelity.engines import query_head_caches
from servelab.fidelity.fitting import Cell, Sample, Samples
from servelab.fidelity.intervals import Residual, expert_factor, spread_without, spreads
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
from servelab.fidelity.terms import EXPECTED, FORMATS, Vector, fields_of
from servelab.specs.catalog import loader
from servelab.specs.profile import Profile

_HEAD = """# Profiles: what engines reach on accelerators, fitted to published measurements (docs/calibration.md).
# Written by benchmarks/fit_profiles.py; shares are of datasheet peaks, the rest is seconds and tokens."""

PROFILES = Path(loader.__file__).parent / "profiles.toml"

#: How often loads are played again under the terms found, and what a row under load counts beside one batch.
ROUNDS, LOAD_WEIGHT, TTFT_WEIGHT = 1, 0.7, 0.3

#: Fewer rows make no profile.
LEAST_ROWS = 3

#: Work on fewer models is done at once; more goes to so many processes.
_FEW, _PROCESSES = 8, int(os.environ.get("SERVELAB_PROCESSES", "0")) or os.cpu_count() or 1

_work: Callable[[str], Any] = str


class Case(NamedTuple):
    """A measurement, the run it tells of, and where it belongs."""

    row: Measured
    run: Run
    cell: Cell
    family: tuple[str, str]
    simulated: bool


def main() -> None:
    """Fit, score and write."""
    cases = cases_of(measured.rows())
    if "--intervals" in sys.argv:
        held, textbook = _stored("predicted"), _stored("textbook")
        residuals = {case.row.id: _residual(case, held[case.row.id]) for case in cases if case.row.id in held}
        _write_held_out(held, textbook, residuals)
        _write_spreads(list(residuals.values()))
        return
    kernels = tomllib.loads(KERNELS.read_text(encoding="utf-8"))
    batches = batch_samples(cases)
    samples = Samples(batches, kernels)
    vectors = samples.vectors()
    for _ in range(ROUNDS):
        loads = _load_samples(cases, vectors, samples)
        samples = Samples([*batches, *loads], kernels)
        vectors = samples.vectors()
        print(len(samples.samples), "rows fitted in", len(vectors), "cells", flush=True)
    held = held_out(cases, samples)
    textbook = _stored("textbook") if "--keep-textbook" in sys.argv else _textbook(cases)
    residuals = {case.row.id: _residual(case, held[case.row.id]) for case in cases if case.row.id in held}
    _write_held_out(held, textbook, residuals)
    _write_profiles(cases, samples, vectors, list(residuals.values()))


def _residual(case: Case, figure: float) -> Residual:
    experts = "mixture-of-experts" in case.run.deployment.model.features
    error = float(np.log(case.row.value / figure))
    return Residual(case.cell, case.family, case.row.model, case.row.metric, case.simulated, experts, error)


def cases_of(rows: Iterable[Measured]) -> list[Case]:
    """The rows that can be run, each with its run."""
    cases = []
    for row in rows:
        try:
            run = run_of(row, "any@any")
        except SpecError:
            continue
        vendor = loader.entry("accelerator", row.accelerator).about["vendor"]
        cell = Cell(generation_of(row).prefix, row.accelerator)
        cases.append(Case(row, run, cell, (row.engine, vendor), is_simulated(run)))
    return cases


def batch_samples(cases: list[Case]) -> list[Sample]:
    """The rows of single batches, ready for a fit."""
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
    loads = [case for case in cases if case.simulated]
    families = {case.family for case in loads if case.cell not in vectors}
    above = {
        one: samples.family_terms(one, samples.engine_terms(one[0])) if one in samples.families else EXPECTED
        for one in families
    }
    terms = {
        case.cell: vectors[case.cell] if case.cell in vectors else samples.expected(case.cell, above[case.family])
        for case in loads
    }

    def of_model(model: str) -> list[Sample]:
        kept: dict[Any, Played | None] = {}
        made = (_load_sample(case, terms[case.cell], kept) for case in loads if case.row.model == model)
        return [sample for sample in made if sample]

    return [sample for part in _side_by_side(of_model, _models(loads)) for sample in part]


def _load_sample(case: Case, vector: Vector, kept: dict[Any, Played | None]) -> Sample | None:
    played = _played(case, profile_at(vector, case.cell), kept)
    if played is None:
        return None
    item = played_item(case.run, case.row.metric, case.row.value, played, vector, case.row.statistic)
    weight = TTFT_WEIGHT if case.row.metric == "ttft_s" else LOAD_WEIGHT
    return Sample(item, case.cell, case.family, case.row.model, weight) if item else None


def _models(cases: list[Case]) -> list[str]:
    """The models of the cases, those with most rows first."""
    return [model for model, _ in Counter(case.row.model for case in cases).most_common()]


def _side_by_side(work: Callable[[str], Any], models: list[str]) -> list[Any]:
    """`work` of every model, in processes of their own where there are several."""
    global _work  # noqa: PLW0603 - what forked processes find
    _work = work
    if len(models) < _FEW:
        return [work(model) for model in models]
    with multiprocessing.get_context("fork").Pool(_PROCESSES) as pool:
        return pool.map(_do, models, chunksize=1)


def _do(model: str) -> Any:
    return _work(model)


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


def profile_at(vector: Vector, cell: Cell, formats: frozenset[str] = frozenset(FORMATS), **more: Any) -> Profile:
    """A profile with these terms."""
    told = {"engine": cell.prefix, "query_head_caches": query_head_caches(cell.prefix)} | more
    return Profile(id=cell.id, accelerator=cell.accelerator, **fields_of(vector, formats), **told)


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
    if played is None:
        return None
    return played_figures(with_profile(case.run, profile), played, case.row.statistic).get(case.row.metric)


def held_out(cases: list[Case], samples: Samples) -> dict[str, float]:
    """Every row's figure under terms found without its model, rounded as the file holds it."""

    def without(model: str) -> dict[str, float]:
        mine = [case for case in cases if case.row.model == model]
        vectors = samples.vectors(model, {case.cell for case in mine if case.cell in samples.cells})
        kept: dict[Any, Any] = {}
        figures = {
            case.row.id: _figure(case, profile_at(vectors[case.cell], case.cell), kept)
            for case in mine
            if case.cell in vectors
        }
        return {name: float(f"{figure:.4g}") for name, figure in figures.items() if figure}

    return {name: figure for part in _side_by_side(without, _models(cases)) for name, figure in part.items()}


def _textbook(cases: list[Case]) -> dict[str, float]:
    def of_model(model: str) -> dict[str, float]:
        kept: dict[Any, Any] = {}
        figures = {case.row.id: _figure(case, "textbook", kept) for case in cases if case.row.model == model}
        return {name: figure for name, figure in figures.items() if figure}

    return {name: figure for part in _side_by_side(of_model, _models(cases)) for name, figure in part.items()}


def _stored(column: str) -> dict[str, float]:
    with HELD_OUT.open(newline="", encoding="utf-8") as file:
        return {line["id"]: float(line[column]) for line in csv.DictReader(file) if line[column]}


def _write_held_out(held: dict[str, float], textbook: dict[str, float], residuals: dict[str, Residual]) -> None:
    intervals = spread_without(list(residuals.values()))
    with HELD_OUT.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("id", "predicted", "low", "high", "textbook"))
        for row in measured.rows():
            figure, low, high = held.get(row.id), None, None
            if figure:
                low, high = (figure * ratio for ratio in intervals(residuals[row.id]))
            figures = (figure, low, high, textbook.get(row.id))
            writer.writerow((row.id, *("" if one is None else f"{one:.4g}" for one in figures)))


def _write_profiles(
    cases: list[Case], samples: Samples, vectors: dict[Cell, Vector], residuals: list[Residual]
) -> None:
    lines = [_HEAD]
    by_cell: dict[Cell, list[Case]] = defaultdict(list)
    for case in cases:
        by_cell[case.cell].append(case)
    found, wider = spreads(residuals), expert_factor(residuals)
    general = np.median(list(vectors.values()), axis=0)
    told = {"spread": found(None, None), "expert_spread_factor": wider}
    lines += _entry(profile_at(general, Cell("any", "any"), **told))
    for cell, vector in sorted(vectors.items()):
        if len(samples.cells[cell]) < LEAST_ROWS:
            continue
        mine = by_cell[cell]
        rows = [case.row for case in mine]
        formats = frozenset(case.row.weights for case in mine) | frozenset(case.row.kv_cache for case in mine)
        errors = [abs(np.expm1(one.error)) for one in residuals if one.cell == cell]
        more = {
            "engine": rows[0].engine,
            "generation": generation_of(rows[0]).versions,
            "spread": found(cell, mine[0].family),
            "expert_spread_factor": wider,
            "typical": round(float(np.median(errors)), 4) if errors else 0.0,
            "rows": len(samples.cells[cell]),
            "models": len({row.model for row in rows}),
            "sources": tuple(sorted({row.source for row in rows})),
        }
        lines += _entry(profile_at(vector, cell, formats, **more))
    PROFILES.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_spreads(residuals: list[Residual]) -> None:
    """The profiles as they are, with their intervals told anew."""
    found, wider, lines = spreads(residuals), expert_factor(residuals), [_HEAD]
    families = {one.cell.id: (one.cell, one.family) for one in residuals}
    for name in loader.ids("profile"):
        cell, family = families.get(name, (None, None))
        if name != "any@any" and Profile.load(name).rows < LEAST_ROWS:
            continue
        profile = dataclasses.replace(Profile.load(name), spread=found(cell, family), expert_spread_factor=wider)
        lines += _entry(profile)
    PROFILES.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _entry(profile: Profile) -> list[str]:
    return ["", f'["{profile.id}"]', *profile.to_toml().splitlines()[1:]]


if __name__ == "__main__":
    main()

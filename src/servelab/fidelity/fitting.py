"""Fits profiles from measurements of many engines and accelerators, so that each learns from the others.

Terms are found in steps: what an engine's host does, from all its rows; those of an engine family (an engine on one
vendor's accelerators), held near that and near what is expected of any; then those of a generation of it, held near its
family's; then those of every cell (a generation on one accelerator), held near its generation's. What operator times
say of an accelerator moves the expectation of its cells. A model that is left out is left out of every step. In a cell
every model counts alike beyond a few rows, since rows of one model tell the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from servelab.fidelity.basis import Item, rows_of
from servelab.fidelity.engines import is_newest
from servelab.fidelity.solve import Fitted, fit
from servelab.fidelity.terms import EXPECTED, HOST, INDEX, LOOSE, NEAR, TERMS, Vector, follow

#: A model's rows in a cell weigh as much as this many, together.
ROWS_A_MODEL = 12

#: How much less a family's host strays from its engine's than any engine's from what is expected.
_FAMILY: Vector = np.where(HOST, 0.5, 1.0) * LOOSE

#: How far from the family's terms to what operator times say: new engines use such kernels, older ones less so.
_NEW, _OLD = 0.7, 0.3


#: Shares of routed experts, what of a dense layer they are like, and which part of it they reach.
_ALIKE = (
    ("expert_compute_utilization", "compute_utilization.bf16", 0.65),
    ("expert_bandwidth_utilization", "bandwidth_utilization.bf16", 0.97),
)
#: A term this near to what is expected of any has not been measured.
_UNSEEN = 1e-2


class Cell(NamedTuple):
    """A generation of an engine on an accelerator."""

    prefix: str
    accelerator: str

    @property
    def id(self) -> str:
        """The id of its profile."""
        return f"{self.prefix}@{self.accelerator}"


class Sample(NamedTuple):
    """A measurement ready for a fit, and whose it is. `weight` is what it counts beside others of its model."""

    item: Item
    cell: Cell
    family: tuple[str, str]
    model: str
    weight: float = 1.0


class Samples:
    """Measurements by family and by cell; operator terms by accelerator."""

    def __init__(self, samples: Iterable[Sample], kernels: Mapping[str, Mapping[str, float]]) -> None:
        self.samples = tuple(samples)
        self.kernels = kernels
        self.rows = rows_of([sample.item for sample in self.samples])
        self.engines: dict[str, list[int]] = defaultdict(list)
        self.families: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.generations: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.cells: dict[Cell, list[int]] = defaultdict(list)
        for index, sample in enumerate(self.samples):
            self.engines[sample.family[0]].append(index)
            self.families[sample.family].append(index)
            self.generations[sample.cell.prefix, sample.family[1]].append(index)
            self.cells[sample.cell].append(index)
        self.started: dict[object, Vector] = {}

    def engine_terms(self, engine: str, without: str | None = None) -> Vector:
        """What is expected of an engine on any vendor's accelerators: its own host, and else what is of any engine."""
        chosen = self._without(self.engines.get(engine, []), without)
        if not len(chosen):
            return EXPECTED
        found = fit(self.rows.take(chosen), self._weights(chosen), EXPECTED, LOOSE, self.started.get(engine)).vector
        self.started.setdefault(engine, found)
        return np.where(HOST, found, EXPECTED)

    def family_terms(self, family: tuple[str, str], engine_terms: Vector, without: str | None = None) -> Vector:
        """Terms of a family, `without` one model, near those of its engine; the engine's where nothing is left."""
        chosen = self._without(self.families.get(family, []), without)
        if not len(chosen):
            return engine_terms
        start = self.started.get(family)
        found = fit(self.rows.take(chosen), self._weights(chosen), engine_terms, _FAMILY, start).vector
        self.started.setdefault(family, found)
        return found

    def generation_terms(self, prefix: str, vendor: str, family_terms: Vector, without: str | None = None) -> Vector:
        """Terms of a generation, near its family's."""
        chosen = self._without(self.generations.get((prefix, vendor), []), without)
        if not len(chosen):
            return family_terms
        key = (prefix, vendor, "generation")
        found = fit(self.rows.take(chosen), self._weights(chosen), family_terms, NEAR, self.started.get(key)).vector
        self.started.setdefault(key, found)
        return found

    def cell_terms(self, cell: Cell, generation_terms: Vector, without: str | None = None) -> Fitted | Vector:
        """The fit of a cell, `without` one model; its expectation where nothing is left."""
        expected = self.expected(cell, generation_terms)
        chosen = self._without(self.cells.get(cell, []), without)
        if not len(chosen):
            return expected
        found = fit(self.rows.take(chosen), self._weights(chosen), expected, NEAR, self.started.get(cell))
        self.started.setdefault(cell, found.vector)
        return found

    def expected(self, cell: Cell, terms: Vector) -> Vector:
        """What a cell is held near: its generation's terms, moved towards the operator times of the accelerator."""
        expected, kernels, share = terms.copy(), self.kernels.get(cell.accelerator, {}), _NEW
        if not is_newest(cell.prefix):
            kernels, share = {**kernels, **self.kernels.get(f"nccl@{cell.accelerator}", {})}, _OLD
        for name in sorted(kernels, key=lambda name: not name.endswith(".bf16")):  # those that others follow, first
            index = INDEX[name]
            follow(expected, index, share * (TERMS[index].inward(kernels[name]) - expected[index]))
        return _with_experts(expected)

    def vectors(self, without: str | None = None, cells: Iterable[Cell] | None = None) -> dict[Cell, Vector]:
        """Terms of cells, all by default, `without` one model."""
        found: dict[Cell, Vector] = {}
        engines: dict[str, Vector] = {}
        above: dict[tuple[str, str, str], Vector] = {}
        for cell in self.cells if cells is None else cells:
            engine, vendor = self.samples[self.cells[cell][0]].family
            key = (engine, vendor, cell.prefix)
            if engine not in engines:
                engines[engine] = self.engine_terms(engine, without)
            if key not in above:
                family = self.family_terms((engine, vendor), engines[engine], without)
                above[key] = self.generation_terms(cell.prefix, vendor, family, without)
            terms = self.cell_terms(cell, above[key], without)
            found[cell] = terms.vector if isinstance(terms, Fitted) else terms
        return found

    def _without(self, indices: list[int], model: str | None) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([index for index in indices if self.samples[index].model != model], dtype=np.int64)

    def _weights(
        self, chosen: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        keys = [(self.samples[index].cell, self.samples[index].model) for index in chosen]
        counts = Counter(keys)
        return np.array(
            [
                self.samples[index].weight * min(1.0, ROWS_A_MODEL / counts[key])
                for index, key in zip(chosen, keys, strict=True)
            ]
        )


def _with_experts(terms: Vector) -> Vector:
    """Where no mixture of experts was seen, its shares follow those of dense layers: the kernels are alike."""
    for expert, dense, part in _ALIKE:
        here, there = INDEX[expert], INDEX[dense]
        if abs(terms[here] - EXPECTED[here]) < _UNSEEN:
            share = part / (1 + np.exp(-terms[there]))
            terms[here] = np.log(share / (1 - share))
    return terms

"""Fits profiles from measurements of many engines and accelerators, so that each learns from the others.

Terms are found in two steps: those of an engine family (an engine on one vendor's accelerators) from all its rows, held
near what is expected of any; then those of every cell (a generation of the engine on one accelerator), held near its
family's. What operator times say of an accelerator moves the expectation of its cells. A model that is left out is left
out of both steps. In a cell every model counts alike beyond a few rows, since rows of one model tell the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from servelab.fidelity.basis import Item, Rows, rows_of
from servelab.fidelity.solve import Fitted, fit
from servelab.fidelity.terms import EXPECTED, INDEX, LOOSE, NEAR, TERMS, Vector

#: A model's rows in a cell weigh as much as this many, together.
ROWS_A_MODEL = 8

#: How far from the family's terms to what operator times say: new engines use such kernels, older ones less so.
_NEW, _OLD = 0.7, 0.3


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
        self.families: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.cells: dict[Cell, list[int]] = defaultdict(list)
        for index, sample in enumerate(self.samples):
            self.families[sample.family].append(index)
            self.cells[sample.cell].append(index)
        self.started: dict[object, Vector] = {}

    def family_terms(self, family: tuple[str, str], without: str | None = None) -> Vector:
        """Terms of a family, `without` one model; what is expected of any where nothing is left."""
        chosen = self._without(self.families[family], without)
        if not len(chosen):
            return EXPECTED
        start = self.started.get(family)
        found = fit(self.rows.take(chosen), self._weights(chosen), EXPECTED, LOOSE, start).vector
        self.started.setdefault(family, found)
        return found

    def cell_terms(self, cell: Cell, family_terms: Vector, without: str | None = None) -> Fitted | Vector:
        """The fit of a cell, `without` one model; its expectation where nothing is left."""
        expected = self.expected(cell, family_terms)
        chosen = self._without(self.cells.get(cell, []), without)
        if not len(chosen):
            return expected
        found = fit(self.rows.take(chosen), self._weights(chosen), expected, NEAR, self.started.get(cell))
        self.started.setdefault(cell, found.vector)
        return found

    def expected(self, cell: Cell, family_terms: Vector) -> Vector:
        """What a cell is held near: its family's terms, moved towards what operator times say of the accelerator."""
        expected, share = family_terms.copy(), _OLD if "-" in cell.prefix.replace("tensorrt-llm", "") else _NEW
        for name, value in self.kernels.get(cell.accelerator, {}).items():
            index = INDEX[name]
            expected[index] += share * (TERMS[index].inward(value) - expected[index])
        return expected

    def vectors(self, without: str | None = None, cells: Iterable[Cell] | None = None) -> dict[Cell, Vector]:
        """Terms of cells, all by default, `without` one model."""
        found: dict[Cell, Vector] = {}
        families: dict[tuple[str, str], Vector] = {}
        for cell in self.cells if cells is None else cells:
            family = self.samples[self.cells[cell][0]].family
            if family not in families:
                families[family] = self.family_terms(family, without)
            terms = self.cell_terms(cell, families[family], without)
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


__all__ = ["Cell", "Rows", "Sample", "Samples"]

"""How latencies are distributed, in bins that several runs share and whose counts are exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from servelab.sim.gaps import bin_of, lower_edges
from servelab.sim.run import Run
from servelab.sim.tables import Column

FIGURES = ("ttft", "tpot", "itl", "e2e")

#: Bins of one distribution, at most: as many as a chart can show.
MOST_BINS = 120

#: From the lower edge of a bin of the engine, each at least 0.39 % wide, to a place inside it.
_INSIDE = 1.002


class Distribution(NamedTuple):
    """Values in bins lower ≤ x < upper: `edges_s`, one more than there are bins, and for each run how many.

    Each edge is the same factor (within 1 %) above the one before. Both are empty where no run has a value.
    """

    edges_s: Column
    counts: list[Column]


def distribution(runs: Sequence[Run], figure: str) -> Distribution:
    """TTFT, TPOT or end-to-end time of all requests that have one; of `itl`, all gaps between tokens."""
    if figure == "itl":
        return _of([(run.gaps.lower_s * _INSIDE, run.gaps.count) for run in runs])
    columns = [run.requests[f"{figure}_s"] for run in runs]
    known = [column[~np.isnan(column)] for column in columns]
    return _of([(column, np.ones(len(column), np.int64)) for column in known])


def _of(samples: Sequence[tuple[Column, Column]]) -> Distribution:
    """Bins are whole ones of the engine's histogram, so that a merged gap falls into one of them."""
    held = [values for values, _ in samples if len(values)]
    if not held:
        return Distribution(np.zeros(0), [np.zeros(0, np.int64) for _ in samples])
    lowest = bin_of(min(float(values.min()) for values in held))
    highest = bin_of(max(float(values.max()) for values in held))
    step = -(-(highest + 1 - lowest) // MOST_BINS)
    count = -(-(highest + 1 - lowest) // step)
    edges = lower_edges(lowest + step * np.arange(count + 1))
    edges[0] = edges[0] if lowest else 0.0
    return Distribution(edges, [_counted(values, weights, edges) for values, weights in samples])


def _counted(values: Column, weights: Column, edges: Column) -> Column:
    at = np.searchsorted(edges[1:-1], values, side="right")
    return np.bincount(at, weights, len(edges) - 1).astype(np.int64)

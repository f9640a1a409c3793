"""From the engine's records to the tables and the summary. docs/simulate.md defines every column and figure."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from servelab.sim.gaps import BINS, lower_edges
from servelab.sim.state import ARRIVAL_TOLERANCE, STRETCH, TIMELINE_COLUMNS, Request, State
from servelab.sim.tables import Column, Table

#: The parts of a request's end-to-end time, in the order in which they begin.
PARTS = ("wait_slots_s", "wait_blocks_s", "wait_order_s", "prefill_s", "decode_s", "stall_s", "recompute_s")
PERCENTILES = (50, 90, 95, 99)
_TIMES = ("queue", "ttft", "tpot", "e2e")


class Targets(NamedTuple):
    """What a request's latencies should not exceed; None where nothing is asked."""

    ttft_s: float | None = None
    tpot_s: float | None = None


class Records:
    """The requests of a finished run, column by column."""

    def __init__(self, requests: Any) -> None:
        self._requests = requests[:-1]  # without the sentinel
        self._columns = None if isinstance(requests, list) else _columns_of(self._requests)

    def __getitem__(self, name: str) -> Column:
        dtype: Any = np.int64 if Request.__annotations__[name] == "int" else np.float64
        if self._columns is None:
            return np.array([getattr(request, name) for request in self._requests], dtype)
        return self._columns[name].view(dtype)


def _columns_of(records: Any) -> dict[str, Column]:
    """Of records of 8-byte fields, those that a run tells, as words."""
    names = records.dtype.names
    told = names[names.index("arrival_s") :]
    words = records.view(np.int64).reshape(len(records), -1)[:, -len(told) :]
    columns = np.empty(words.shape[::-1], np.int64)
    for begin in range(0, len(words), STRETCH):
        columns[:, begin : begin + STRETCH] = words[begin : begin + STRETCH].T
    return dict(zip(told, columns, strict=True))


def request_table(requests: Any) -> Table:
    """One row a request, in order of arrival; times are NaN where it was rejected."""
    records = Records(requests)
    columns: dict[str, Any] = {
        "arrival_s": lambda: records["arrival_s"],
        "prompt_tokens": lambda: records["prompt"],
        "output_tokens": lambda: records["output"],
    }
    table = Table({})

    def served(name: str) -> Column:
        column = records[name]
        return np.where(table["rejected"], np.nan, column) if table["rejected"].any() else column

    def wait_order() -> Column:
        return _but_for_rounding(table["queue_s"] - table["wait_slots_s"] - table["wait_blocks_s"], table["finished_s"])

    for name in ("admitted_s", "first_token_s", "finished_s"):
        columns[name] = functools.partial(served, name)
    columns["queue_s"] = lambda: np.maximum(table["admitted_s"] - table["arrival_s"], 0)
    columns["ttft_s"] = lambda: table["first_token_s"] - table["arrival_s"]
    columns["tpot_s"] = lambda: _tpot(table)
    columns["e2e_s"] = lambda: table["finished_s"] - table["arrival_s"]
    columns["preemptions"] = lambda: records["preemptions"]
    columns["rejected"] = lambda: records["rejected"] == 1
    for name in PARTS:
        columns[name] = functools.partial(served, name)
    columns["wait_order_s"] = wait_order
    columns["stall_s"] = lambda: _but_for_rounding(served("stall_s"), table["finished_s"])
    table.add(columns)
    return table


def _tpot(table: Table) -> Column:
    gaps = np.where(table["output_tokens"] > 1, table["output_tokens"] - 1.0, np.nan)
    return (table["finished_s"] - table["first_token_s"]) / gaps


def _but_for_rounding(difference: Column, later: Column) -> Column:
    """A difference of times as small as their rounding is 0."""
    return np.where(np.abs(difference) <= ARRIVAL_TOLERANCE * later, 0.0, difference)


class Timeline:
    """The lines that an engine writes, one a pass or a run of passes skipped over, kept column by column."""

    def __init__(self, room: int) -> None:
        self._columns = np.empty((len(TIMELINE_COLUMNS), room))
        self._lines = 0

    def add(self, rows: Any) -> None:
        """Keep a copy of some more lines, of a plain or a compiled run."""
        end = self._lines + len(rows)
        if end > self._columns.shape[1]:
            larger = np.empty((len(TIMELINE_COLUMNS), 2 * end))
            larger[:, : self._lines] = self._columns[:, : self._lines]
            self._columns = larger
        if isinstance(rows, list):
            lines = np.array([[getattr(row, name) for name in TIMELINE_COLUMNS] for row in rows])
        else:
            lines = rows.view(np.float64)
        self._columns[:, self._lines : end] = lines.reshape(len(rows), len(TIMELINE_COLUMNS)).T
        self._lines = end

    def table(self) -> Table:
        """All lines so far."""
        return Table({name: self._columns[at, : self._lines] for at, name in enumerate(TIMELINE_COLUMNS)})


@dataclass(frozen=True, eq=False)
class Histogram:
    """Gaps between tokens: bins `lower_s` ≤ gap < `upper_s`, at most 1 % wide, that hold any, and how many."""

    lower_s: Column
    upper_s: Column
    count: Column

    @classmethod
    def of(cls, gaps: Any) -> Histogram:
        """From the engine's bins."""
        counts = np.asarray(gaps)
        held = np.flatnonzero(counts)
        lower = np.where(held > 0, lower_edges(held), 0.0)
        upper = np.where(held + 1 < BINS, lower_edges(held + 1), np.inf)
        return cls(lower, upper, counts[held])

    def percentile(self, percent: float) -> float:
        """The gap at that rank, spread evenly within its bin; NaN without gaps."""
        if not len(self.count):
            return float("nan")
        rank = percent / 100 * (self.count.sum() - 1)
        after = np.cumsum(self.count)
        at = min(int(np.searchsorted(after, rank, side="right")), len(after) - 1)
        share = (rank - (after[at] - self.count[at]) + 0.5) / self.count[at]
        return float(self.lower_s[at] + (self.upper_s[at] - self.lower_s[at]) * min(share, 1.0))


def summary(state: State, table: Table, histogram: Histogram, targets: Targets) -> dict[str, Any]:
    """The figures of a run by name; None where there is nothing to tell."""
    served = ~table["rejected"]
    figures: dict[str, Any] = {}
    for name in _TIMES:
        figures |= _spread(name, table[f"{name}_s"])
    figures |= _gaps(state, table, histogram)
    makespan = _makespan(table, served)
    figures["makespan_s"] = makespan
    figures |= _rates(state, table, served, makespan)
    figures |= _attainment(table, served, targets, makespan)
    figures["cost_usd_per_million_output_tokens"] = None
    return {
        name: None if isinstance(value, float) and not np.isfinite(value) else value for name, value in figures.items()
    }


def _spread(name: str, values: Column) -> dict[str, Any]:
    """Mean and percentiles of what is not NaN."""
    ordered = np.sort(values)  # NaN last; quicker than np.percentile, which parts the values once a percentile
    ordered = ordered[: np.count_nonzero(~np.isnan(ordered))]
    if not len(ordered):
        return dict.fromkeys([f"{name}_mean_s", *(f"{name}_p{p}_s" for p in PERCENTILES)])
    return {f"{name}_mean_s": float(ordered.mean()), **{f"{name}_p{p}_s": _percentile(ordered, p) for p in PERCENTILES}}


def _percentile(ordered: Column, percent: float) -> float:
    """Between the two values beside that rank, linearly, as NumPy does by default."""
    rank = percent / 100 * (len(ordered) - 1)
    below = int(rank)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (rank - below))


def _gaps(state: State, table: Table, histogram: Histogram) -> dict[str, Any]:
    """The mean is exact, from first and last tokens; percentiles come from the histogram, within the extremes."""
    count = int(histogram.count.sum())
    if not count:
        return dict.fromkeys(["itl_mean_s", *(f"itl_p{p}_s" for p in PERCENTILES), "itl_max_s"])
    shortest, longest = float(counter(state, "gap_min_s")), float(counter(state, "gap_max_s"))
    total = np.nansum(table["finished_s"] - table["first_token_s"])
    return {
        "itl_mean_s": float(total / count),
        **{f"itl_p{p}_s": min(max(histogram.percentile(p), shortest), longest) for p in PERCENTILES},
        "itl_max_s": longest,
    }


def _makespan(table: Table, served: Column) -> float | None:
    if not served.any():
        return None
    return float(np.nanmax(table["finished_s"]) - table["arrival_s"][served.argmax()])


def _rates(state: State, table: Table, served: Column, makespan: float | None) -> dict[str, Any]:
    output = int(table["output_tokens"] @ served)
    total = output + int(table["prompt_tokens"] @ served)
    busy, blocks = float(counter(state, "busy_s")), int(counter(state, "kv_blocks"))
    return {
        "output_tokens_per_s": _ratio(output, makespan),
        "total_tokens_per_s": _ratio(total, makespan),
        "requests_per_s": _ratio(int(served.sum()), makespan),
        "busy_fraction": _ratio(busy, makespan),
        "kv_occupancy_mean": _ratio(float(counter(state, "block_seconds")) / blocks, busy),
        "kv_occupancy_peak": int(counter(state, "peak_blocks")) / blocks,
        "batch_mean": _ratio(float(counter(state, "running_seconds")), busy),
        "preemptions": int(counter(state, "preemptions")),
        "rejections": int(counter(state, "rejections")),
    }


def _attainment(table: Table, served: Column, targets: Targets, makespan: float | None) -> dict[str, Any]:
    """Rejected requests miss; a request of one output token has no TPOT to miss."""
    if targets == (None, None):
        return {"slo_attainment": None, "goodput_requests_per_s": None}
    met = served.copy()
    if targets.ttft_s is not None:
        met &= table["ttft_s"] <= targets.ttft_s
    if targets.tpot_s is not None:
        met &= (table["tpot_s"] <= targets.tpot_s) | (table["output_tokens"] == 1)
    return {
        "slo_attainment": float(met.mean()),
        "goodput_requests_per_s": _ratio(int(met.sum()), makespan),
    }


def _ratio(amount: float, seconds: float | None) -> float | None:
    return amount / seconds if seconds else None


def counter(state: Any, name: str) -> Any:
    """A counter of a plain or a compiled run."""
    return getattr(state, name) if not isinstance(state, np.void) else state[name]

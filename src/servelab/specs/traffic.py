"""Traffic: which request arrives when, with how many tokens in and out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from servelab.errors import SpecError, shown
from servelab.specs.arrivals import Arrivals
from servelab.specs.fields import LARGEST_AMOUNT, LARGEST_COUNT
from servelab.specs.lengths import Lengths
from servelab.specs.tracetext import TraceText

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Traffic:
    """Requests in order of arrival: seconds, tokens in, tokens out, and the most tokens out that may be asked for.

    Without limits a request's limit is its output. In a closed loop (`Traffic.closed_loop`) each of `clients` sends
    its next request `think_s` after its last one is done: arrivals beyond the first of each are not known yet and
    are infinite. Raises SpecError where lengths differ, arrivals go back, or a number is out of bounds.
    """

    arrival_s: Floats
    prompt_tokens: Ints
    output_tokens: Ints
    output_limit_tokens: Ints | None = None
    think_s: Floats | None = None
    clients: int | None = None

    def __post_init__(self) -> None:
        arrival = _column("arrival_s", self.arrival_s, np.float64)
        if not len(arrival):
            raise SpecError("arrival_s", "there are no requests; give at least one")
        known = arrival if self.clients is None else arrival[: self.clients]
        _within("arrival_s", known, 0, LARGEST_AMOUNT)
        back = np.flatnonzero(np.diff(arrival[: len(known)]) < 0)
        if len(back):
            i = int(back[0]) + 1
            raise SpecError("arrival_s", f"request {i} at {arrival[i]:g} comes before the one ahead of it; sort them")
        columns = {"arrival_s": arrival}
        for name in ("prompt_tokens", "output_tokens", "output_limit_tokens"):
            columns[name] = self._tokens(name, len(arrival))
        short = np.flatnonzero(columns["output_limit_tokens"] < columns["output_tokens"])
        if len(short):
            limit, output = (int(columns[f"output_{kind}tokens"][short[0]]) for kind in ("limit_", ""))
            raise SpecError("output_limit_tokens", f"{limit} is less than an output of {output}; give at least that")
        for name, column in columns.items():
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    def _tokens(self, name: str, count: int) -> Any:
        given = getattr(self, name)
        column = _column(name, self.output_tokens if given is None else given, np.int64)
        if len(column) != count:
            raise SpecError(name, f"it has {len(column):,} entries and arrival_s {count:,}; give as many")
        _within(name, column, 1, LARGEST_COUNT)
        return column

    def __len__(self) -> int:
        return len(self.arrival_s)

    @classmethod
    def of(cls, arrivals: Arrivals) -> Traffic:
        """The requests that `arrivals` describes."""
        drawn = arrivals.draw()
        if arrivals.clients is None and not drawn["arrival_s"][-1] <= LARGEST_AMOUNT:
            rate = shown(arrivals.requests_per_s)
            raise SpecError("requests_per_s", f"{rate} leads to times beyond {LARGEST_AMOUNT:g} s; give a larger one")
        return cls(**drawn, clients=arrivals.clients)

    @classmethod
    def poisson(
        cls,
        requests_per_s: float,
        requests: int,
        prompt: int | Lengths,
        output: int | Lengths,
        *,
        seed: int = 0,
        **more: Any,
    ) -> Traffic:
        """Arrivals with independent exponential gaps. `more`: bursts, rates, output_limit_tokens, as in Arrivals."""
        return cls.of(Arrivals(requests, prompt, output, requests_per_s, seed=seed, **more))  # type: ignore[arg-type]

    @classmethod
    def gamma(
        cls,
        requests_per_s: float,
        requests: int,
        prompt: int | Lengths,
        output: int | Lengths,
        *,
        burstiness: float,
        **more: Any,
    ) -> Traffic:
        """Arrivals with gamma-distributed gaps of shape `burstiness`: 1 is Poisson, less is burstier; `more`: seed …"""
        return cls.of(
            Arrivals(requests, prompt, output, requests_per_s, process="gamma", burstiness=burstiness, **more)  # type: ignore[arg-type]
        )

    @classmethod
    def constant(
        cls, requests_per_s: float, requests: int, prompt: int | Lengths, output: int | Lengths, **more: Any
    ) -> Traffic:
        """Arrivals at equal distances; `more`: seed, bursts …"""
        return cls.of(Arrivals(requests, prompt, output, requests_per_s, process="constant", **more))  # type: ignore[arg-type]

    @classmethod
    def closed_loop(
        cls, clients: int, requests: int, prompt: int | Lengths, output: int | Lengths, **more: Any
    ) -> Traffic:
        """`clients` that each send a request, wait for its answer, pause, and send the next; `more`: think_s, seed …"""
        return cls.of(Arrivals(requests, prompt, output, clients=clients, **more))  # type: ignore[arg-type]

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        requests_per_s: float | None = None,
        seed: int = 0,
        most: int | None = None,
    ) -> Traffic:
        """The requests of a trace file, whose format is told by its columns (docs/simulate.md lists them).

        A rate replaces the file's arrivals by Poisson ones; a file of lengths only needs one. `most` reads the first
        requests only. Raises TraceError with the number of the first bad line.
        """
        from servelab.specs.traces import read_trace

        return _timed(cls, read_trace(path, most), shown(str(path)), requests_per_s, seed)

    @classmethod
    def read(cls, trace: TraceText) -> Traffic:
        """The requests of a trace whose content is at hand. Raises TraceError as `load` does."""
        from servelab.specs.traces import read_text

        columns = read_text(trace.text, trace.name, trace.most).columns
        return _timed(cls, columns, shown(trace.name), trace.requests_per_s, trace.seed)


def _timed(kind: type[Traffic], columns: dict[str, Any], name: str, rate: float | None, seed: int) -> Traffic:
    """Traffic from the columns of a trace, at its own times or at a rate."""
    if rate is not None:
        one = Lengths.fixed(1)
        columns["arrival_s"] = Arrivals(len(columns["prompt_tokens"]), one, one, rate, seed=seed).draw()["arrival_s"]
    elif "arrival_s" not in columns:
        raise SpecError("requests_per_s", f"{name} has no arrival times; give a rate")
    return kind(**columns)


def _column(name: str, values: Any, dtype: type[Any]) -> Any:
    """The values as an array of their own."""
    try:
        column = np.array(values)
    except (TypeError, ValueError):
        column = np.array(None)
    if column.ndim != 1 or (column.dtype.kind not in "iuf" and len(column)):
        raise SpecError(name, f"{shown(values)} is no list of numbers; give one for each request")
    if dtype is np.int64 and column.dtype.kind == "f":
        _within(name, column, 1, LARGEST_COUNT)
        if (column != np.floor(column)).any():
            raise SpecError(name, f"{column[column != np.floor(column)][0]:g} is not whole; give whole tokens")
    return column.astype(dtype)


def _within(name: str, column: Any, low: float, high: float) -> None:
    bad = np.flatnonzero(~((column >= low) & (column <= high)))
    if len(bad):
        raise SpecError(name, f"{column[bad[0]]:g} (request {bad[0]}) is out of range; give {low:g} to {high:g}")

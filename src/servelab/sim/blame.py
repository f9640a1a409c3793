"""Where the time of slow requests went, and that of all requests on average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from servelab.sim.results import PARTS
from servelab.sim.tables import Column

#: The parts of the time to the first token.
BEFORE_FIRST_TOKEN = ("wait_slots_s", "wait_blocks_s", "wait_order_s", "prefill_s", "recompute_s")


class Blame(NamedTuple):
    """A percentile of the time to first token, and the parts of it in the request that had it, largest first.

    `ahead` says what the requests ahead of it waited for at the head of the queue, while it waited for its turn.
    """

    percent: float
    ttft_s: float
    parts: tuple[tuple[str, float], ...]
    ahead: tuple[tuple[str, float], ...]


def blame_ttft(requests: Mapping[str, Column], percent: float = 99) -> Blame | None:
    """The parts of the TTFT of the request at that rank; None where no request was served."""
    at = request_at(requests, "ttft_s", percent)
    if at is None:
        return None
    parts = {name: float(parts[at]) for name, parts in ttft_parts(requests).items()}
    return Blame(
        percent, float(requests["ttft_s"][at]), _largest_first(parts), _largest_first(waited_ahead(requests, at))
    )


def request_at(requests: Mapping[str, Column], figure: str, percent: float) -> int | None:
    """The request at a rank of a figure; None where no request has it."""
    values = requests[figure]
    having = np.flatnonzero(~np.isnan(values))
    if not len(having):
        return None
    rank = int(np.ceil(percent / 100 * (len(having) - 1)))
    return int(having[np.argpartition(values[having], rank)[rank]])


def ttft_parts(requests: Mapping[str, Column]) -> dict[str, Column]:
    """The parts of every request's TTFT: of a recomputation, what came before the first token."""
    parts = {name: requests[name] for name in BEFORE_FIRST_TOKEN[:-1]}
    before = requests["ttft_s"] - sum(parts.values())
    parts["recompute_s"] = np.where(requests["preemptions"] > 0, np.maximum(before, 0.0), before * 0)
    return parts


def e2e_parts(requests: Mapping[str, Column]) -> dict[str, Column]:
    """The parts of every request's end-to-end time."""
    return {name: requests[name] for name in PARTS}


def waited_ahead(requests: Mapping[str, Column], at: int) -> dict[str, float]:
    """What those admitted while request `at` waited had waited for, at the head and in its time."""
    earlier = np.arange(len(requests["arrival_s"])) < at
    since = requests["admitted_s"] - requests["arrival_s"][at]
    heads = earlier & (since > 0)
    names = ("wait_slots_s", "wait_blocks_s")
    return {name: float(np.minimum(requests[name], since)[heads].sum()) for name in names}


def _largest_first(parts: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(((name, part) for name, part in parts.items() if part > 0), key=lambda pair: -pair[1]))


def over_time(timeline: Mapping[str, Column], name: str, pieces: int) -> list[float]:
    """The mean of a column in each of `pieces` equal stretches of the run; 0 while nothing runs."""
    start, end, value = timeline["start_s"], timeline["end_s"], timeline[name]
    if not len(start) or end[-1] <= start[0]:
        return []
    times = np.empty(2 * len(start))
    times[0::2], times[1::2] = start, end
    area = np.zeros(2 * len(start))
    area[1::2] = np.cumsum(value * (end - start))
    area[2::2] = area[1:-1:2]
    edges = np.linspace(start[0], end[-1], pieces + 1)
    means: list[float] = (np.diff(np.interp(edges, times, area)) / (edges[1] - edges[0])).tolist()
    return means

"""Charts of a simulated run that any lab of traffic may show, and their data."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from servelab.labs.charts import Axis, Band, Chart, Level, Lines, Requests, Series, numbers
from servelab.sim.blame import over_time
from servelab.sim.run import Run

#: Stretches of time that the lines are drawn in, each the mean of what happened in it.
_PIECES = 240

_TIME = Axis("time", "s", low=0.0)

CACHE = Chart(
    "cache",
    "KV cache in use",
    "lines",
    _TIME,
    Axis("cache in use", "fraction", low=0.0, high=1.0),
    (Series("used", "in use", "kv", "step-area"),),
    "Where it touches the top, requests wait for room.",
)

QUEUE = Chart(
    "queue",
    "Running and waiting requests",
    "lines",
    _TIME,
    Axis("requests", "requests", low=0.0),
    (Series("running", "running", "decode", "step"), Series("waiting", "waiting", "queue", "step-area")),
    "More running at once shorten the queue, and make each pass longer.",
)

TIMELINE = Chart(
    "timeline",
    "Every request",
    "requests",
    _TIME,
    None,
    (
        Series("queue", "waits", "queue"),
        Series("prefill", "prefill", "prefill"),
        Series("decode", "decodes", "decode"),
        Series("preempted", "preempted, computed anew", "preempted"),
    ),
    "A row a request, in order of arrival. What a preemption cost is drawn at the end of its row, whenever it was.",
)


def cache(run: Run, bands: tuple[Band, ...] = ()) -> Lines:
    """Share of the blocks that are taken."""
    used = np.array(over_time(run.timeline, "kv_blocks", _PIECES)) / run.kv_blocks
    return Lines(_times(run), {"used": _held(used)}, bands, (Level(1.0, "full"),))


def queue(run: Run, bands: tuple[Band, ...] = ()) -> Lines:
    """Requests running and waiting."""
    series = {name: _held(over_time(run.timeline, name, _PIECES)) for name in ("running", "waiting")}
    return Lines(_times(run), series, bands)


def timeline(run: Run, bands: tuple[Band, ...] = ()) -> Requests:
    """Every request's life in four parts, drawn to the millisecond."""
    table = run.requests
    parts = {
        "queue": table["queue_s"],
        "prefill": table["prefill_s"],
        "decode": table["decode_s"] + table["stall_s"],
        "preempted": table["recompute_s"],
    }
    return Requests(
        start=numbers(table["arrival_s"], 3),
        parts={name: numbers(column, 3) for name, column in parts.items()},
        rejected=table["rejected"].tolist(),
        labels=[
            f"{prompt:,} in, {output:,} out"
            for prompt, output in zip(table["prompt_tokens"].tolist(), table["output_tokens"].tolist(), strict=True)
        ],
        bands=bands,
    )


def _times(run: Run) -> list[float | int | None]:
    starts, ends = run.timeline["start_s"], run.timeline["end_s"]
    return numbers(np.linspace(starts[0], ends[-1], _PIECES + 1), 3)


def _held(means: Iterable[float]) -> list[float | int | None]:
    """The last value again, at the end of the last stretch."""
    held = list(means)
    return numbers(np.array([*held, held[-1]]), 5)

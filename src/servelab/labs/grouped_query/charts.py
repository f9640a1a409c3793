"""The charts of the lab, and their data from a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from servelab.labs.charts import (
    Axis,
    Band,
    Bars,
    Chart,
    Cloud,
    Level,
    Lines,
    Points,
    Requests,
    Series,
    numbers,
)
from servelab.labs.grouped_query import replica
from servelab.labs.grouped_query.played import Played
from servelab.labs.grouped_query.settings import BURST, BURST_END_S, BURST_START_S, BYTES_PER_VALUE, KV_HEADS
from servelab.probe import quality as probe
from servelab.sim.blame import over_time
from servelab.sim.run import Run

#: Stretches of time that the lines are drawn in, each the mean of what happened in it.
_PIECES = 240

_TIME = Axis("time", "s", low=0.0)

CHARTS = (
    Chart(
        "cache",
        "KV cache in use",
        "lines",
        _TIME,
        Axis("cache in use", "fraction", low=0.0, high=1.0),
        (Series("used", "in use", "kv", "step-area"),),
        "Where it touches the top, requests wait for room.",
    ),
    Chart(
        "queue",
        "Running and waiting requests",
        "lines",
        _TIME,
        Axis("requests", "requests", low=0.0),
        (Series("running", "running", "decode", "step"), Series("waiting", "waiting", "queue", "step-area")),
        "More running at once shorten the queue, and make each pass longer.",
    ),
    Chart(
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
    ),
    Chart(
        "capacity",
        "What the cache holds",
        "bars",
        Axis("KV heads"),
        Axis("tokens in the cache", "tokens", low=0.0),
        (Series("capacity", "tokens", "kv"),),
        "Half the KV heads, twice the tokens: choose a bar to try it.",
    ),
    Chart(
        "quality",
        "Quality against memory",
        "points",
        Axis("KV cache of a token", "B", "log"),
        Axis("quality", "points", low=0.0, high=100.0),
        (Series("bf16", "bf16", "kv", "joined"), Series("fp8", "fp8", "accent", "joined")),
        "Up and to the left is better: choose a mark to try it.",
    ),
    Chart(
        "heads",
        "Error in every query head",
        "bars",
        Axis("query head"),
        Axis("error of its output", "fraction", low=0.0),
        (Series("error", "error left", "plain"),),
        "What pooling and rounding leave of a wrong output, after training has won back its share.",
    ),
)


def cache(played: Played) -> Lines | None:
    """Share of the blocks that are taken."""
    run = _ran(played)
    if run is None:
        return None
    used = np.array(over_time(run.timeline, "kv_blocks", _PIECES)) / run.kv_blocks
    full = (Level(1.0, "full"),)
    return Lines(_times(run), {"used": _held(used)}, _bands(played), full)


def queue(played: Played) -> Lines | None:
    """Requests running and waiting."""
    run = _ran(played)
    if run is None:
        return None
    series = {name: _held(over_time(run.timeline, name, _PIECES)) for name in ("running", "waiting")}
    return Lines(_times(run), series, _bands(played))


def timeline(played: Played) -> Requests | None:
    """Every request's life in four parts, drawn to the millisecond."""
    run = _ran(played)
    if run is None:
        return None
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
        bands=_bands(played),
    )


def capacity(played: Played) -> Bars:
    """Tokens in the cache for every number of KV heads, all else as it is."""
    settings = played.settings
    room = replica.cache_bytes(settings.card, played.events)
    tokens = [
        replica.BLOCK_TOKENS * replica.kv_blocks(room, replica.kv_bytes_per_token(heads, settings.kv_cache))
        for heads in KV_HEADS
    ]
    return Bars(
        categories=[str(heads) for heads in KV_HEADS],
        series={"capacity": tokens},
        current=KV_HEADS.index(settings.kv_heads),
        changes=[{"kv_heads": heads} for heads in KV_HEADS],
    )


def quality(played: Played) -> Points:
    """Quality over bytes a token for every number of KV heads in both formats, all else as it is."""
    clouds, best = {}, []
    for kv_cache in BYTES_PER_VALUE:
        marks = [(replica.kv_bytes_per_token(heads, kv_cache), _quality(played, heads, kv_cache)) for heads in KV_HEADS]
        best += marks
        clouds[kv_cache] = Cloud(
            x=[size for size, _ in marks],
            y=[points for _, points in marks],
            labels=[f"{heads} KV head{'s' if heads > 1 else ''}, {kv_cache}" for heads in KV_HEADS],
            changes=[{"kv_heads": heads, "kv_cache": kv_cache} for heads in KV_HEADS],
            current=KV_HEADS.index(played.settings.kv_heads) if kv_cache == played.settings.kv_cache else None,
        )
    return Points(clouds, frontier(best))


def _quality(played: Played, kv_heads: int, kv_cache: str) -> float:
    settings = played.settings
    conversion = probe.Conversion(kv_heads, kv_cache, settings.uptraining_fraction, settings.origin == "trained")
    return probe.quality(conversion, played.seed)


def frontier(marks: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The marks that no other beats in both: less memory at no less quality."""
    kept: list[tuple[float, float]] = []
    for size, points in sorted(marks, key=lambda mark: (mark[0], -mark[1])):
        if not kept or points > kept[-1][1]:
            kept.append((size, points))
    return kept


def heads(played: Played) -> Bars:
    """The error left in each query head."""
    errors = probe.error_by_head(played.conversion, played.seed)
    return Bars([str(index + 1) for index in range(len(errors))], {"error": list(errors)})


def _ran(played: Played) -> Run | None:
    return played.run if played.served else None


def _times(run: Run) -> list[float | int | None]:
    starts, ends = run.timeline["start_s"], run.timeline["end_s"]
    return numbers(np.linspace(starts[0], ends[-1], _PIECES + 1), 3)


def _held(means: Iterable[float]) -> list[float | int | None]:
    """The last value again, at the end of the last stretch."""
    held = list(means)
    return numbers(np.array([*held, held[-1]]), 5)


def _bands(played: Played) -> tuple[Band, ...]:
    return (Band(BURST_START_S, BURST_END_S, "burst"),) if BURST in played.events else ()

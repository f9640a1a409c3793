"""The charts of the lab, and their data from a run."""

from __future__ import annotations

from collections.abc import Sequence

from servelab.labs import run_charts
from servelab.labs.charts import Axis, Band, Bars, Chart, Cloud, Lines, Points, Requests, Series
from servelab.labs.grouped_query import replica
from servelab.labs.grouped_query.played import Played
from servelab.labs.grouped_query.settings import BURST, BURST_END_S, BURST_START_S, BYTES_PER_VALUE, KV_HEADS
from servelab.probe import quality as probe

CHARTS = (
    run_charts.CACHE,
    run_charts.QUEUE,
    run_charts.TIMELINE,
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
    return run_charts.cache(played.run, _bands(played)) if played.run and played.served else None


def queue(played: Played) -> Lines | None:
    """Requests running and waiting."""
    return run_charts.queue(played.run, _bands(played)) if played.run and played.served else None


def timeline(played: Played) -> Requests | None:
    """Every request's life in four parts."""
    return run_charts.timeline(played.run, _bands(played)) if played.run and played.served else None


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


def _bands(played: Played) -> tuple[Band, ...]:
    return (Band(BURST_START_S, BURST_END_S, "burst"),) if BURST in played.events else ()

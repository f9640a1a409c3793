"""The charts of the lab, and their data from a run."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Mapping

from servelab.labs import run_charts
from servelab.labs.charts import Axis, Band, Bars, Chart, Lines, Mark, Requests, Series
from servelab.labs.deploy import world
from servelab.labs.deploy.settings import BURST, WEIGHT_BITS
from servelab.labs.deploy.world import Played, decode_pass
from servelab.labs.grouped_query.settings import BURST_END_S, BURST_START_S

#: Where the chart of waits may end: few places, so that its scale stays while little changes.
_ENDS = (16, 32, 64, 128, 256, 512)
_POINTS = 24

CHARTS = (
    Chart(
        "pass",
        "What a pass of decodes waits for",
        "lines",
        Axis("requests that decode", low=0.0),
        Axis("time", "s", low=0.0),
        (
            Series("whole", "the whole pass", "plain"),
            Series("arithmetic", "arithmetic", "math"),
            Series("weights", "weights, read", "weights"),
            Series("cache", "attention to the cache", "kv"),
            Series("rest", "all else", "communication"),
        ),
        "Arithmetic and reading the weights go on beside each other, and the longer counts; attention over the cache "
        "and all else (the host, exchange between cards) come on top. Where arithmetic crosses the weights, smaller "
        "weights no longer help. Drawn so far that this run stands well inside.",
    ),
    Chart(
        "capacity",
        "What the cache holds",
        "bars",
        Axis("format of the weights"),
        Axis("tokens in the cache", "tokens", low=0.0),
        (Series("capacity", "tokens", "kv"),),
        "What the weights leave. Choose a bar to try it.",
    ),
    run_charts.CACHE,
    run_charts.QUEUE,
    run_charts.TIMELINE,
)


def passes(played: Played, facts: Mapping[str, float]) -> Lines:
    """Waits of passes of more and more decodes, at this run's context; without a run, at that of the settings."""
    settings = played.settings
    context = facts.get("context_tokens", settings.prompt_tokens + settings.output_tokens / 2)
    counts = _counts(end_of_passes(played, facts), crossing(played))
    waits = [decode_pass(played.costs, float(count), context) for count in counts]
    marks = (Mark(facts["decodes"], "this run, on average"),) if "decodes" in facts else ()
    return Lines(
        counts,
        {
            "whole": [wait.total_s for wait in waits],
            "arithmetic": [wait.arithmetic_s for wait in waits],
            "weights": [wait.weights_s for wait in waits],
            "cache": [wait.cache_s for wait in waits],
            "rest": [wait.rest_s for wait in waits],
        },
        marks=marks,
    )


def crossing(played: Played) -> int | None:
    """From how many decodes on a pass computes for as long as it reads the weights; None where that is beyond all."""
    counts = range(1, _ENDS[-1] + 1)

    def crossed(count: int) -> bool:
        wait = decode_pass(played.costs, float(count), 0.0)
        return wait.arithmetic_s >= wait.weights_s

    at = bisect.bisect_left(counts, True, key=crossed)
    return counts[at] if at < len(counts) else None


def end_of_passes(played: Played, facts: Mapping[str, float]) -> int:
    """Where the chart of waits ends: at twice this run's decodes or more, at the crossing too where that is near."""
    if "decodes" not in facts:
        return _ENDS[-1]
    first = min(bisect.bisect_left(_ENDS, 2 * facts["decodes"]), len(_ENDS) - 1)
    end, further, cross = _ENDS[first], _ENDS[min(first + 1, len(_ENDS) - 1)], crossing(played)
    return further if cross is not None and end < cross <= further else end


def _counts(end: int, cross: int | None) -> list[int]:
    """Counts of decodes at even distances, and the crossing, where the whole has a corner."""
    even = {max(1, round(end * step / _POINTS)) for step in range(_POINTS + 1)}
    return sorted(even | ({cross} if cross is not None and cross < end else set()))


def capacity(played: Played) -> Bars:
    """Tokens in the cache for every format of the weights, all else as it is."""
    tokens = [world.capacity_tokens(dataclasses.replace(played.settings, weights=name)) for name in WEIGHT_BITS]
    return Bars(
        categories=[name.upper() for name in WEIGHT_BITS],
        series={"capacity": tokens},
        current=list(WEIGHT_BITS).index(played.settings.weights),
        changes=[{"weights": name} for name in WEIGHT_BITS],
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


def _bands(played: Played) -> tuple[Band, ...]:
    return (Band(BURST_START_S, BURST_END_S, "burst"),) if BURST in played.events else ()

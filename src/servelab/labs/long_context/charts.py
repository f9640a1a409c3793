"""The charts of the lab, and their data from a run."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from servelab.labs.charts import Axis, Bars, Chart, Cloud, Level, Lines, Mark, Points, Series, numbers
from servelab.labs.long_context import played as runs
from servelab.labs.long_context.played import Played
from servelab.labs.long_context.settings import METHOD_NAMES, OUTPUT_TOKENS
from servelab.probe import rope
from servelab.probe.rope import METHODS, Floats

#: Places on an axis of distances or contexts.
_PLACES = 240
_CONTEXTS = 48

_PAIR = Axis("pair of dimensions, the fastest first", low=1.0)
_DISTANCE = Axis("distance", "tokens", "log", low=1.0)
_OF_METHODS = {"none": "plain", "interpolation": "math", "ntk-aware": "communication", "yarn": "accent"}

CHARTS = (
    Chart(
        "pairs",
        "How far every pair turns",
        "lines",
        _PAIR,
        Axis("turns by the end of the context", scale="log"),
        (Series("trained", "in training", "plain"), Series("now", "at the target, as set", "accent")),
        (
            "Above one turn a pair has seen every angle. Below it, the target must not be above training: what is in "
            "between was never seen."
        ),
    ),
    Chart(
        "frequencies",
        "What each method does to the angles",
        "lines",
        _PAIR,
        Axis("angle a position, relative to training", "fraction", low=0.0),
        tuple(Series(method, METHOD_NAMES[method], _OF_METHODS[method]) for method in METHODS),
        "At 100 % a pair turns as it did in training; at the bottom, positions are squeezed into the trained length.",
    ),
    Chart(
        "attention",
        "Attention over distance",
        "lines",
        _DISTANCE,
        Axis("score of two that are alike", "fraction"),
        (Series("trained", "as trained", "plain"), Series("now", "as set", "accent")),
        "The mean of cos(m θ) over all pairs. Left of the mark it should be what the model was trained with.",
    ),
    Chart(
        "bound",
        "How large a score can be, by distance",
        "lines",
        _DISTANCE,
        Axis("bound, relative to no distance", "fraction", low=0.0),
        (Series("trained", "as trained", "plain"), Series("now", "as set", "accent")),
        "The bound of the RoFormer paper decays with distance: far tokens weigh less, whatever they say.",
    ),
    Chart(
        "methods",
        "The four methods",
        "points",
        Axis("attention nearby, changed by", "fraction", low=0.0),
        Axis("pairs that meet angles never seen", "fraction", low=0.0),
        tuple(Series(method, METHOD_NAMES[method], _OF_METHODS[method]) for method in METHODS),
        "Down and to the left is better: nothing new far away, nothing different nearby. Choose a mark to try it.",
    ),
    Chart(
        "cost",
        "What the context costs a token",
        "lines",
        Axis("context", "tokens", "log"),
        Axis("time per output token", "s", low=0.0),
        (Series("bf16", "cache in bf16", "kv"), Series("fp8", "cache in fp8", "accent")),
        "Lines end where the memory does.",
    ),
    Chart(
        "memory",
        "Memory at the trained length and at the target",
        "bars",
        Axis("context"),
        Axis("memory", "B", low=0.0),
        (
            Series("weights", "weights", "weights"),
            Series("kv", "KV cache", "kv"),
            Series("workspace", "workspace", "workspace"),
            Series("reserve", "reserve", "reserve"),
        ),
        "Weights stay; the cache grows with every token of every request.",
    ),
)


def pairs(played: Played) -> Lines:
    """Turns of every pair by the end of the trained length, and of the target."""
    series = {
        "trained": rope.turns(played.rotary),
        "now": played.settings.target_tokens * played.now / (2 * math.pi),
    }
    return Lines(_pairs(played), _drawn(series), levels=(Level(1.0, "one turn"),))


def frequencies(played: Played) -> Lines:
    """θ′ / θ of every pair by each method."""
    series = {
        method: rope.extended(played.rotary, runs.extension_of(played.settings, method)) / played.trained
        for method in METHODS
    }
    return Lines(_pairs(played), _drawn(series))


def _pairs(played: Played) -> list[int]:
    return list(range(1, len(played.trained) + 1))


def _drawn(series: dict[str, Floats]) -> dict[str, list[float | int | None]]:
    return {name: numbers(one) for name, one in series.items()}


def attention(played: Played) -> Lines:
    """The score of two vectors that are alike, by distance."""
    return _by_distance(played, rope.attention_by_distance)


def bound(played: Played) -> Lines:
    """The bound of scores, by distance."""
    return _by_distance(played, rope.bound_by_distance)


def _by_distance(played: Played, score: Callable[[Floats, Floats], Floats]) -> Lines:
    distances = np.unique(np.round(np.geomspace(1, played.settings.target_tokens, _PLACES)))
    series = {
        "trained": score(played.trained, distances),
        "now": score(played.now, distances),
    }
    return Lines(numbers(distances.astype(int)), _drawn(series), marks=_marks(played, only_trained=True))


def _marks(played: Played, *, only_trained: bool = False) -> tuple[Mark, ...]:
    trained = Mark(float(played.settings.trained_tokens), "trained length")
    target = Mark(float(played.settings.target_tokens), "target")
    if played.settings.trained_tokens >= played.settings.target_tokens:
        return () if only_trained else (target,)
    return (trained,) if only_trained else (trained, target)


def methods(played: Played) -> Points:
    """All methods, at the factor that is set."""
    return Points({method: _mark(played, method) for method in METHODS})


def _mark(played: Played, method: str) -> Cloud:
    angles = rope.extended(played.rotary, runs.extension_of(played.settings, method))
    tried = dataclasses.replace(played, now=angles)
    return Cloud(
        x=[tried.nearby_change],
        y=[tried.unseen_fraction],
        labels=[METHOD_NAMES[method]],
        changes=[{"method": method}],
        current=0 if method == played.settings.method else None,
    )


def cost(played: Played) -> Lines:
    """Time per output token over contexts, in both formats of the cache."""
    settings = played.settings
    longest = max(settings.target_tokens, 2 * settings.trained_tokens)
    contexts = tuple(sorted({round(float(one)) for one in np.geomspace(2 * OUTPUT_TOKENS, longest, _CONTEXTS)}))
    series = {
        kv_cache: numbers(runs.over_contexts(settings.model, settings.card, kv_cache, contexts, settings.batch).tpot_s)
        for kv_cache in ("bf16", "fp8")
    }
    return Lines(list(contexts), series, marks=_marks(played))


def memory(played: Played) -> Bars:
    """The parts of the memory at both lengths, and what the card has."""
    found = [played.before.memory, played.estimate.memory]
    settings = played.settings
    return Bars(
        [f"{settings.trained_tokens:,} tokens", f"{settings.target_tokens:,} tokens"],
        {
            "weights": [one.weights_bytes for one in found],
            "kv": [one.kv_cache_bytes for one in found],
            "workspace": [one.workspace_bytes for one in found],
            "reserve": [one.reserve_bytes for one in found],
        },
        current=1,
        levels=(Level(found[1].capacity_bytes, "memory of the card"),),
    )

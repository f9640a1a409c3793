"""The long-context lab: positions beyond training, the ways to stretch them, and what a longer context costs."""

from __future__ import annotations

import functools

from servelab.labs.controls import Control, Idle
from servelab.labs.figures import show
from servelab.labs.grouped_query.settings import CARD_NAMES
from servelab.labs.lab import Lab
from servelab.labs.long_context import charts
from servelab.labs.long_context.missions import MISSIONS
from servelab.labs.long_context.played import Played, play
from servelab.labs.long_context.refusals import refusal
from servelab.labs.long_context.settings import METHOD_NAMES, MODEL_NAMES, Settings
from servelab.labs.long_context.terms import facts, terms
from servelab.labs.long_context.tiles import TILES, values
from servelab.labs.long_context.why import why
from servelab.labs.long_context.words import PAGES
from servelab.labs.result import LabResult
from servelab.probe.rope import INTERPOLATION, NONE, NTK, YARN

_DRAWN = {chart.id: getattr(charts, chart.id) for chart in charts.CHARTS}

_METHODS = {
    NONE: "positions beyond training turn to angles never seen",
    INTERPOLATION: "all pairs turn more slowly by the same factor",
    NTK: "slow pairs turn more slowly by the factor, fast ones hardly",
    YARN: "slow pairs by the factor, fast ones not at all, and a ramp between",
}

_ONLY_YARN = Idle({"method": (YARN,)}, "Only YaRN has a ramp.")

CONTROLS = (
    Control(
        "method",
        "Stretch by",
        "What is done to the angles of positions.",
        "Positions",
        labels=METHOD_NAMES,
        words=_METHODS,
    ),
    Control(
        "target_tokens",
        "Target",
        "Context to serve, the last 256 tokens its answer.",
        "Positions",
        "tokens",
        1024,
        "log",
    ),
    Control(
        "headroom",
        "Factor",
        "How far the method stretches, as a multiple of target / trained: 1 is what it takes, more leaves room.",
        "Positions",
        "×",
        0.1,
        "log",
        idle=Idle({"method": (INTERPOLATION, NTK, YARN)}, "Nothing is stretched; choose a method."),
    ),
    Control(
        "yarn_alpha",
        "YaRN α",
        "Pairs that go round less often than this in training are interpolated.",
        "Positions",
        "turns",
        0.5,
        idle=_ONLY_YARN,
    ),
    Control(
        "yarn_beta",
        "YaRN β",
        "Pairs that go round more often than this are left alone.",
        "Positions",
        "turns",
        1,
        "log",
        idle=_ONLY_YARN,
    ),
    Control(
        "trained_tokens",
        "Trained length",
        "The longest context that the model saw in training.",
        "Training",
        "tokens",
    ),
    Control(
        "base",
        "Base of the angles",
        "The larger, the slower the slow pairs: 10,000 at first, 500,000 in Llama 3.",
        "Training",
        "",
        10_000,
        "log",
    ),
    Control("head_dim", "Width of a head", "Half as many pairs of dimensions turn.", "Training"),
    Control(
        "model",
        "Model",
        "Whose cache and weights are counted; its own base and length are not.",
        "Serving",
        labels=MODEL_NAMES,
    ),
    Control("card", "Card", "Prices are illustrative.", "Serving", labels=CARD_NAMES),
    Control(
        "kv_cache",
        "KV format",
        "Bytes of a value: bf16 two, fp8 one.",
        "Serving",
        labels={"bf16": "BF16", "fp8": "FP8"},
        words={"bf16": "two bytes a value", "fp8": "one byte a value"},
    ),
    Control("batch", "Requests", "Contexts of the target's length at once.", "Serving", "", 1, "log"),
)


def run(settings: Settings, events: tuple[str, ...], seed: int) -> LabResult:
    """Turn the angles and ask the planner; nothing is drawn at random."""
    played = play(settings)
    return LabResult(
        tiles=values(played),
        charts={name: functools.partial(draw, played) for name, draw in _DRAWN.items()},
        headline=_headline(played),
        remarks=tuple(_remarks(played)),
        refusal=refusal(played),
        terms=terms(played),
        facts=facts(played),
    )


def _headline(played: Played) -> str:
    pairs = len(played.trained)
    new = round(played.unseen_fraction * pairs)
    seen = f"{new} of {pairs} pairs meet angles never seen" if new else "Every pair stays within what it saw"
    near = f"changes by {show(played.nearby_change, 'fraction')}" if played.nearby_change else "is as it was"
    return f"{seen} at {played.settings.target_tokens:,} tokens; attention nearby {near}."


def _remarks(played: Played) -> list[str]:
    settings, found = played.settings, []
    if settings.target_tokens <= settings.trained_tokens:
        found.append("The target is within the trained length: there is nothing to stretch.")
    elif settings.method != NONE and settings.headroom < 1:
        found.append("The factor is less than target / trained, so the end of the context is beyond what is stretched.")
    if settings.method == YARN and settings.yarn_beta <= settings.yarn_alpha:
        found.append("β is not above α: the ramp is a step at α.")
    if settings.method == NTK and played.unseen_fraction and settings.headroom >= 1:
        found.append("NTK-aware leaves some pairs a little beyond training, unless its factor is more than it takes.")
    now, before = played.estimate.tpot_s, played.before.tpot_s
    if now and before and settings.target_tokens > settings.trained_tokens:
        found.append(f"A token takes {show(now, 's')}; at the trained length it took {show(before, 's')}.")
    return found


LAB = Lab(
    "long-context",
    "What does a longer context take?",
    (
        "Positions beyond training turn to angles never seen; stretching cures that and blurs neighbours. Then comes "
        "the bill."
    ),
    "analytical",
    Settings,
    run,
    TILES,
    minutes=12,
    controls=CONTROLS,
    charts=charts.CHARTS,
    missions=MISSIONS,
    pages=PAGES,
    why=why,
)

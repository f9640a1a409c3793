"""The grouped-query lab: what sharing KV heads buys, and what it costs."""

from __future__ import annotations

import functools

import numpy as np

from servelab.labs.controls import Control, Idle
from servelab.labs.figures import show
from servelab.labs.grouped_query import charts
from servelab.labs.grouped_query.facts import facts
from servelab.labs.grouped_query.missions import MISSIONS
from servelab.labs.grouped_query.played import Played, play
from servelab.labs.grouped_query.refusals import refusal
from servelab.labs.grouped_query.settings import (
    BURST,
    BURST_END_S,
    BURST_START_S,
    CARD_NAMES,
    LONG_DOCUMENTS,
    MEMORY_SQUEEZE,
    Settings,
)
from servelab.labs.grouped_query.terms import terms
from servelab.labs.grouped_query.tiles import TILES, values
from servelab.labs.grouped_query.traffic import HORIZON_S, MEAN_OUTPUT_TOKENS
from servelab.labs.grouped_query.why import why
from servelab.labs.grouped_query.words import PAGES
from servelab.labs.lab import Event, Lab
from servelab.labs.result import LabResult

_DRAWN = {name: getattr(charts, name) for name in ("cache", "queue", "timeline", "capacity", "quality", "heads")}

#: A queue that outlives the arrivals by this much is no chance.
_BEHIND_S = 5.0

CONTROLS = (
    Control(
        "kv_heads",
        "KV heads",
        "How many heads of keys and values the 32 query heads share.",
        "Model",
        words={32: "one for each query head", 1: "multi-query: one for all"},
    ),
    Control(
        "kv_cache",
        "KV format",
        "In how many bytes each key and value is kept: bf16 in two, fp8 in one.",
        "Model",
        labels={"bf16": "BF16", "fp8": "FP8"},
        words={"bf16": "two bytes a value", "fp8": "one byte a value, rounded to fit"},
    ),
    Control(
        "origin",
        "These heads were",
        "A converted model had 32 KV heads, which were averaged; a trained one never knew others, and lost nothing.",
        "Model",
        labels={"converted": "converted", "trained": "trained so"},
        words={
            "converted": "averaged from 32 heads, and trained for a while after that",
            "trained": "there from the first day of training, so nothing was lost",
        },
    ),
    Control(
        "uptraining_fraction",
        "Training after conversion",
        "As a share of the pretraining. It wins back part of what averaging cost; models trained so need none.",
        "Model",
        "fraction",
        0.005,
        idle=Idle(
            {"origin": ("converted",)}, "Only a model that was converted is trained again; these heads were not."
        ),
    ),
    Control("requests_per_s", "Arrivals", "Mean rate of requests that arrive at random.", "Traffic", "requests/s", 0.5),
    Control(
        "prompt_tokens",
        "Prompt",
        "Mean length of a prompt; each is from half to one and a half of it. Answers have 256 tokens on average.",
        "Traffic",
        "tokens",
        64,
        "log",
    ),
    Control(
        "card",
        "Card",
        "Memory decides how much cache there is, bandwidth how long a pass takes. Prices are illustrative.",
        "Card",
        labels=CARD_NAMES,
    ),
)

EVENTS = (
    Event(LONG_DOCUMENTS, "Long-document day", "Every prompt is three times as long."),
    Event(BURST, "Burst", "Twice the arrivals for twenty seconds.", BURST_START_S, BURST_END_S),
    Event(MEMORY_SQUEEZE, "Memory squeeze", "Something else on the card takes 4 GB from the cache."),
)


def run(settings: Settings, events: tuple[str, ...], seed: int) -> LabResult:
    """Serve the two minutes of traffic; the same arguments give the same result to the bit."""
    played = play(settings, events, seed)
    known = facts(played)
    return LabResult(
        tiles=values(played),
        charts={name: functools.partial(draw, played) for name, draw in _DRAWN.items()},
        headline=_headline(played),
        remarks=tuple(_remarks(played)),
        refusal=refusal(played),
        terms=terms(played, known),
        facts=known,
    )


def _headline(played: Played) -> str:
    """What the room means in requests, and how many ran."""
    if not played.kv_blocks or played.traffic is None:
        return ""
    request = float(played.traffic.prompt_tokens.mean()) + MEAN_OUTPUT_TOKENS
    fitting = int(played.capacity_tokens / request)
    holds = f"The cache holds {played.capacity_tokens:,} tokens, room for {fitting:,} requests of this length"
    if played.run is None or not played.served:
        return f"{holds}."
    return f"{holds}; on average {show(played.run.summary['batch_mean'], '')} ran at once."


def _remarks(played: Played) -> list[str]:
    run, requests = played.run, played.traffic
    if run is None or requests is None or not played.served:
        return []
    found = [f"{len(requests):,} requests arrived in {HORIZON_S:g} s and were served in {run.steps:,} passes."]
    late_s = float(np.nanmax(run.requests["admitted_s"])) - HORIZON_S
    if late_s > _BEHIND_S:
        behind = f"{show(late_s, 's')} after the last arrival some still waited for their first pass"
        found.append(f"{behind[0].upper()}{behind[1:]}: this is more traffic than the replica can bear.")
    if run.summary["preemptions"]:
        again = int((run.requests["preemptions"] > 0).sum())
        found.append(f"{again:,} requests lost their cache on the way and had it computed anew.")
    if run.summary["rejections"]:
        found.append(f"{run.summary['rejections']:,} requests need more than the whole cache and were turned away.")
    if played.settings.origin == "trained" and played.settings.uptraining_fraction:
        found.append(
            "A model trained with these heads needs no training after a conversion; that control has no effect."
        )
    return found


LAB = Lab(
    "grouped-query",
    "What does sharing KV heads buy?",
    "Fewer KV heads leave room for more requests at once; what that costs in quality, training can mostly win back.",
    "synthetic",
    Settings,
    run,
    TILES,
    minutes=10,
    controls=CONTROLS,
    events=EVENTS,
    charts=charts.CHARTS,
    missions=MISSIONS,
    pages=PAGES,
    why=why,
)

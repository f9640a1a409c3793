"""The deployment lab: model, cards, formats and scheduler of one replica, and what its traffic makes of them."""

from __future__ import annotations

import functools

from servelab.labs.controls import Control, Idle
from servelab.labs.deploy import charts
from servelab.labs.deploy.evidence import evidence
from servelab.labs.deploy.facts import facts
from servelab.labs.deploy.missions import MISSIONS
from servelab.labs.deploy.refusals import refusal
from servelab.labs.deploy.settings import BURST, LONG_PROMPTS, MODEL_NAMES, Settings
from servelab.labs.deploy.tiles import TILES, terms, values
from servelab.labs.deploy.why import why
from servelab.labs.deploy.words import PAGES
from servelab.labs.deploy.world import LONG_EVERY, LONG_FACTOR, Played, computes_in_fp8, play
from servelab.labs.figures import show
from servelab.labs.grouped_query.settings import BURST_END_S, BURST_START_S, CARD_NAMES, short_name
from servelab.labs.lab import Event, Lab
from servelab.labs.result import LabResult

CONTROLS = (
    Control("size", "Model", "8 billion parameters, or 70; both have 8 KV heads.", "Model", labels=MODEL_NAMES),
    Control(
        "weights",
        "Weights",
        "How many bytes each weight keeps. Only FP8 is also multiplied so, on the cards that can.",
        "Model",
        labels={"bf16": "BF16", "fp8": "FP8", "int4": "INT4"},
        words={
            "bf16": "two bytes a weight, multiplied as they are",
            "fp8": "one byte, multiplied in FP8 by all of these cards but the A100s",
            "int4": "half a byte, widened to BF16 to be multiplied",
        },
    ),
    Control(
        "kv_cache",
        "KV cache",
        "How many bytes each key and value keeps.",
        "Model",
        labels={"bf16": "BF16", "fp8": "FP8"},
        words={"bf16": "two bytes a value", "fp8": "one byte a value, so half the cache of a token"},
    ),
    Control(
        "card", "Card", "Memory, bandwidth, arithmetic and link. Prices are illustrative.", "Cards", labels=CARD_NAMES
    ),
    Control(
        "cards", "How many", "The model is split evenly over them; every layer exchanges activations twice.", "Cards"
    ),
    Control(
        "step_times",
        "Step times",
        "How long a pass takes: by the textbook, or as vLLM was measured. The memory is the same.",
        "Cards",
        labels={"textbook": "Textbook", "calibrated": "Calibrated"},
        words={
            "textbook": "half of the datasheet's arithmetic and 80 % of its bandwidth, on every card",
            "calibrated": "what vLLM was measured to reach on this card, or on the one nearest to it",
        },
    ),
    Control(
        "policy",
        "Batching",
        "Who runs together in a pass, and when somebody may join.",
        "Scheduler",
        labels={"static": "Static", "continuous": "Continuous", "chunked": "Chunked"},
        words={
            "static": "a batch begins together, and nobody joins until its last answer is written",
            "continuous": "requests join at every pass; whole prompts are read before anybody's answer goes on",
            "chunked": "requests join at every pass; prompts are read in pieces while answers go on",
        },
    ),
    Control(
        "chunk_tokens",
        "Chunk",
        "Most prompt tokens in a pass of chunked batching; the other policies have none.",
        "Scheduler",
        "tokens",
        64,
        "log",
        idle=Idle({"policy": ("chunked",)}, "Only chunked batching takes prompts in pieces."),
    ),
    Control("at_once", "Most at once", "Requests that may run together.", "Scheduler", "requests", 8, "log"),
    Control("requests_per_s", "Arrivals", "Mean rate of requests that arrive at random.", "Traffic", "requests/s", 0.5),
    Control(
        "prompt_tokens",
        "Prompt",
        "Mean length; each is from half to one and a half of it.",
        "Traffic",
        "tokens",
        64,
        "log",
    ),
    Control(
        "output_tokens", "Answer", "Mean length; most are shorter, a few much longer.", "Traffic", "tokens", 16, "log"
    ),
)

EVENTS = (
    Event(LONG_PROMPTS, "Long prompts", f"Every {LONG_EVERY}th prompt is {LONG_FACTOR} times as long."),
    Event(BURST, "Burst", "Twice the arrivals for twenty seconds.", BURST_START_S, BURST_END_S),
)

_DRAWN = {name: getattr(charts, name) for name in ("capacity", "cache", "queue", "timeline")}


def run(settings: Settings, events: tuple[str, ...], seed: int) -> LabResult:
    """Serve the two minutes of traffic; the same arguments give the same result to the bit."""
    played = play(settings, events, seed)
    known = facts(played)
    return LabResult(
        tiles=values(played, known),
        charts={
            "pass": functools.partial(charts.passes, played, known),
            **{name: functools.partial(draw, played) for name, draw in _DRAWN.items()},
        },
        headline=_headline(played, known),
        remarks=tuple(_remarks(played, known)),
        refusal=refusal(played, known),
        evidence=evidence(played),
        terms=terms(played, known),
        facts=known,
    )


#: Whether weights that are kept in FP8 are multiplied so.
_FP8 = {
    True: "multiplies FP8 weights in FP8, at twice the rate of BF16",
    False: "does not multiply in FP8: its weights are stored in FP8 and computed in BF16",
}


#: A smaller share of a pass than this goes without saying.
_NOTABLE_REST = 0.05


def _headline(played: Played, known: dict[str, float]) -> str:
    if "pass_s" not in known:
        return ""
    arithmetic_s, weights_s = known["pass_arithmetic_s"], known["pass_weights_s"]
    longer = "to compute" if arithmetic_s > weights_s else "to read the weights"
    cache = "for attention over their cache" if _attention_computes(known) else "to read their cache"
    parts = [f"{show(max(arithmetic_s, weights_s), 's')} {longer}", f"{show(known['pass_cache_s'], 's')} {cache}"]
    if known["pass_rest_s"] > _NOTABLE_REST * known["pass_s"]:
        exchange = "exchange between cards and " if played.settings.cards > 1 else ""
        parts.append(f"{show(known['pass_rest_s'], 's')} for {exchange}all else")
    return (
        f"On average {show(known['batch'], '')} requests run at once. A pass that decodes them takes "
        f"{show(known['pass_s'], 's')}: {', '.join(parts[:-1])} and {parts[-1]}."
    )


def _attention_computes(known: dict[str, float]) -> bool:
    """Whether the arithmetic of attention takes longer than reading the cache."""
    return known["pass_attention_math_s"] > known["pass_cache_read_s"]


def _remarks(played: Played, known: dict[str, float]) -> list[str]:
    run, requests, settings = played.run, played.traffic, played.settings
    found = []
    if settings.weights == "fp8":
        found.append(f"The {short_name(settings.card)} {_FP8[computes_in_fp8(settings)]}.")
    if run is None or requests is None or not played.served:
        return found
    if _attention_computes(known):
        found.append(
            "Attention waits for its own arithmetic here, not for reading the cache: fewer bytes a value make room, "
            "but no pass shorter."
        )
    cross = charts.crossing(played)
    if cross is not None and cross > charts.end_of_passes(played, known):
        found.append(f"Arithmetic crosses the weights at {cross} requests that decode, far beyond this run.")
    found.append(f"{len(requests):,} requests arrived in 120 s and were served in {run.steps:,} passes.")
    if run.summary["rejections"]:
        found.append(f"{run.summary['rejections']:,} requests need more than the whole cache and were turned away.")
    return found


LAB = Lab(
    "deploy",
    "What does it take to serve?",
    "Memory decides how many run, bandwidth how fast they write, arithmetic how long they wait for the first word.",
    "analytical",
    Settings,
    run,
    TILES,
    minutes=15,
    controls=CONTROLS,
    events=EVENTS,
    charts=charts.CHARTS,
    missions=MISSIONS,
    pages=PAGES,
    why=why,
)

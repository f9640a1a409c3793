"""The INT4 lab: why the same rounding breaks some layers, what protects them, and what the bits buy."""

from __future__ import annotations

import functools

from servelab.labs.controls import Control
from servelab.labs.figures import show
from servelab.labs.grouped_query.settings import CARD_NAMES
from servelab.labs.int4_layers import charts
from servelab.labs.int4_layers.missions import MISSIONS
from servelab.labs.int4_layers.played import Played, play
from servelab.labs.int4_layers.refusals import refusal
from servelab.labs.int4_layers.settings import AWARE, GRANULARITY_NAMES, MODEL_NAMES, PLAIN, Settings
from servelab.labs.int4_layers.terms import facts, terms
from servelab.labs.int4_layers.tiles import TILES, values
from servelab.labs.int4_layers.why import why
from servelab.labs.int4_layers.words import PAGES
from servelab.labs.lab import Lab
from servelab.labs.result import LabResult
from servelab.probe.block import LAYERS

_DRAWN = {chart.id: getattr(charts, chart.id) for chart in charts.CHARTS}

CONTROLS = (
    Control("bits", "Bits", "How many bits a rounded weight takes: 16 values for 4 of them.", "Rounding"),
    Control(
        "granularity",
        "One scale for",
        "How many weights share a grid: all of a matrix, all that make one output, or so many neighbouring inputs of "
        "it.",
        "Rounding",
        labels=GRANULARITY_NAMES,
    ),
    Control(
        "grid",
        "Grid",
        "A symmetric grid reaches as far below zero as above it; a zero point, stored too, lets it shift.",
        "Rounding",
        labels={"asymmetric": "with zero point"},
        words={
            "symmetric": "as far below zero as above it, wherever the weights are",
            "asymmetric": "from the least weight to the largest, with a zero point stored",
        },
    ),
    Control(
        "scale_bits",
        "Bits of a scale",
        "Scales are stored too: 32 is float32, 16 is float16, 8 is E4M3 times one float32 for the matrix.",
        "Rounding",
    ),
    Control(
        "scaling",
        "Before rounding",
        "Activation-aware: channels with large activations are scaled up, rounded, and scaled down again.",
        "Rounding",
        labels={PLAIN: "nothing", AWARE: "activation-aware"},
        words={
            PLAIN: "weights are rounded as they are",
            AWARE: "weights that large activations meet are scaled up, so that rounding harms them less",
        },
    ),
    Control(
        "kept_layers", "Layers kept in bf16", "The worst ones are left as they are, at 16 bits a weight.", "Rounding"
    ),
    Control(
        "weight_strength",
        "Outlying weights",
        "A few input channels have weights this many times as large as the others. Layers differ in how much of it "
        "they have.",
        "Layers",
        "×",
        0.5,
    ),
    Control(
        "activation_strength",
        "Outlying activations",
        "A few other input channels have activations this many times as large as usual.",
        "Layers",
        "×",
        1,
        "log",
    ),
    Control(
        "outlier_fraction",
        "Outlying channels",
        "What share of the 512 input channels is of each kind.",
        "Layers",
        "fraction",
        0.002,
    ),
    Control("model", "Model", "Whose bytes are counted and planned for.", "Serving", labels=MODEL_NAMES),
    Control("card", "Card", "Prices are illustrative.", "Serving", labels=CARD_NAMES),
    Control(
        "batch", "Batch", "Requests that decode at once, each of 1,024 tokens in and 256 out.", "Serving", "", 1, "log"
    ),
)


def run(settings: Settings, events: tuple[str, ...], seed: int) -> LabResult:
    """Round the layers of a block and ask the planner; the same arguments give the same result to the bit."""
    played = play(settings, seed)
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
    block = played.block
    worst, best = max(block.output_errors), min(error for error in block.output_errors if error)
    names = list(LAYERS)
    least = names[block.output_errors.index(best)]
    return (
        f"The output of {names[block.worst]} is off by {show(worst, 'fraction')}, that of {least} by "
        f"{show(best, 'fraction')}, at {block.bits_per_weight:.3g} bits a weight."
    )


def _remarks(played: Played) -> list[str]:
    block, found = played.block, []
    if block.kept:
        names = [list(LAYERS)[index] for index in sorted(block.kept)]
        kept = sum(block.shares[index] for index in block.kept)
        found.append(f"Kept in bf16: {', '.join(names)}, {show(kept, 'fraction')} of a block's weights.")
    if played.settings.scaling == AWARE:
        exponents = ", ".join(f"{one.exponent:g} in {one.name}" for one in block.layers)
        found.append(f"The exponent α that suits each layer best: {exponents}.")
    now, published = played.estimate.tpot_s, played.published.tpot_s
    if now and published:
        found.append(f"A token takes {show(now, 's')}; in bf16 it would take {show(published, 's')}.")
    elif now:
        found.append("In bf16 this model and batch do not fit on the card at all.")
    return found


LAB = Lab(
    "int4-layers",
    "Why INT4 breaks some layers",
    "A few outliers stretch the grid that all their neighbours are rounded to; smaller groups and scaling confine "
    "them.",
    "synthetic",
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

"""The charts of the lab, and their data from a run."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from servelab.labs.charts import Axis, Bars, Chart, Cloud, Lines, Mark, Points, Series, numbers
from servelab.labs.grouped_query.charts import frontier as best_of
from servelab.labs.int4_layers import planner
from servelab.labs.int4_layers.played import Block, Played, rounded_block
from servelab.labs.int4_layers.settings import AWARE, GRANULARITY_NAMES, PLAIN, Settings
from servelab.probe.aware import output_by_channel, rounded_layer
from servelab.probe.block import INPUTS, LAYERS, OUTPUTS, made_layers
from servelab.probe.rounding import BITS, GRANULARITIES

#: How far the histogram reaches, in standard deviations of a usual weight, and its bins.
_REACH = 6.0
_BINS = 96

CHARTS = (
    Chart(
        "layers",
        "Error of every layer",
        "bars",
        Axis("layer"),
        Axis("error of its output", "fraction", low=0.0),
        (Series("plain", "rounded as it is", "plain"), Series("now", "as set", "accent")),
        "The same rounding breaks some layers and hardly touches others.",
    ),
    Chart(
        "granularity",
        "Error against group size",
        "points",
        Axis("weights that share a scale", scale="log"),
        Axis("error of the block", "fraction", low=0.0),
        (Series(PLAIN, "rounded as they are", "plain", "joined"), Series(AWARE, AWARE, "accent", "joined")),
        "To the left, fewer weights share a grid: an outlier spoils fewer others. Choose a mark to try it.",
    ),
    Chart(
        "weights",
        "Weights of the worst layer, and the steps they are rounded to",
        "lines",
        Axis("weight, in standard deviations of a usual one", low=-_REACH, high=_REACH),
        Axis("share of the weights", "fraction", low=0.0),
        (Series("before", "before rounding", "weights", "step-area"),),
        "Every upright line is a value that the typical grid of this layer has. What lies between two goes to the "
        "nearer.",
    ),
    Chart(
        "channels",
        "What each input channel of the worst layer adds to the error",
        "lines",
        Axis("input channel, the largest activations first", scale="log"),
        Axis("part of the output that is off", scale="log"),
        (Series("plain", "rounded as it is", "plain"), Series("now", "as set", "accent")),
        "Channels with large activations are few, at the left, and what goes wrong there counts most.",
    ),
    Chart(
        "frontier",
        "Bits against error",
        "points",
        Axis("bits per weight", low=2.0),
        Axis("error of the block", "fraction", "log"),
        (Series(PLAIN, "rounded as they are", "plain"), Series(AWARE, AWARE, "accent")),
        "Down and to the left is better; the dotted line joins what nothing else beats. Choose a mark to try it.",
    ),
    Chart(
        "batches",
        "What the bits buy, by batch",
        "lines",
        Axis("requests that decode at once", "requests", "log"),
        Axis("time per output token", "s", low=0.0),
        (Series("published", "in bf16", "plain"), Series("now", "as set", "traffic")),
        "Lines end where the memory does. The more requests share a pass, the less of it is reading weights.",
    ),
)


def layers(played: Played) -> Bars:
    """Errors of the seven layers, rounded plainly and as set."""
    plain = rounded_block(dataclasses.replace(played.settings, scaling=PLAIN, kept_layers=0), played.world.seed)
    return Bars(
        list(LAYERS),
        {"plain": list(plain.output_errors), "now": list(played.block.output_errors)},
        current=played.block.worst,
    )


def granularity(played: Played) -> Points:
    """The block's error for every granularity, plain and aware, all else as it is."""
    return Points(
        {
            scaling: _cloud(
                played,
                [{"granularity": name, "scaling": scaling} for name in reversed(GRANULARITIES)],
                lambda block: block.scheme.sharing(OUTPUTS, INPUTS),
            )
            for scaling in (PLAIN, AWARE)
        }
    )


def frontier(played: Played) -> Points:
    """Bits against error: plain rounding for all numbers of bits, aware for the one that is set."""
    names = list(reversed(GRANULARITIES))
    tried: dict[str, list[dict[str, Any]]] = {
        PLAIN: [{"bits": bits, "granularity": name, "scaling": PLAIN} for bits in BITS for name in names],
        AWARE: [{"bits": played.settings.bits, "granularity": name, "scaling": AWARE} for name in names],
    }
    clouds = {
        scaling: _cloud(played, changes, lambda block: block.bits_per_weight) for scaling, changes in tried.items()
    }
    marks = [(x, -y) for cloud in clouds.values() for x, y in zip(cloud.x, cloud.y, strict=True) if x and y]
    return Points(clouds, [(bits, -error) for bits, error in best_of(marks)])


def _cloud(played: Played, changes: list[dict[str, Any]], place: Any) -> Cloud:
    blocks = [_block(played, one) for one in changes]
    own = {name: getattr(played.settings, name) for name in ("bits", "granularity", "scaling")}
    here = [index for index, one in enumerate(changes) if own | one == own]
    return Cloud(
        x=[place(block) for block in blocks],
        y=[block.output_error for block in blocks],
        labels=[_label(one) for one in changes],
        changes=changes,
        current=here[0] if here else None,
    )


def _block(played: Played, changes: dict[str, Any]) -> Block:
    changed: Settings = dataclasses.replace(played.settings, **changes)
    return rounded_block(changed, played.world.seed)


def _label(changes: dict[str, Any]) -> str:
    name = changes["granularity"]
    shared = f"groups of {GRANULARITY_NAMES[name]}" if GRANULARITIES[name] else f"one scale a {_SHARED[name]}"
    bits = f"{changes['bits']} bits, " if "bits" in changes else ""
    return f"{bits}{shared}"


_SHARED = {"per-tensor": "matrix", "per-channel": "channel"}


def weights(played: Played) -> Lines:
    """How the worst layer's weights spread, and the values of its typical grid, the one with the median step."""
    layer = played.block.layers[played.block.worst]
    made = made_layers(played.world)[played.block.worst]
    counts, edges = np.histogram(made.weights, _BINS, (-_REACH, _REACH))
    step, first, last = layer.typical_grid
    places = [code * step for code in range(first, last + 1)]
    return Lines(
        numbers(edges, 4),
        {"before": numbers(np.append(counts, counts[-1]) / made.weights.size, 6)},
        marks=tuple(Mark(place) for place in places if abs(place) <= _REACH),
    )


def channels(played: Played) -> Lines:
    """What each input channel's error does to the worst layer's output."""
    index = played.block.worst
    made = made_layers(played.world)[index]
    order = np.argsort(-np.mean(np.square(made.judged), axis=0), kind="stable")
    plain = rounded_layer(played.world, index, played.block.scheme, False)
    series = {
        name: output_by_channel(made, held)[order]
        for name, held in (("plain", plain.values), ("now", played.block.layers[index].values))
    }
    return Lines(list(range(1, INPUTS + 1)), {name: _above_zero(one) for name, one in series.items()})


def _above_zero(values: Any) -> list[float | int | None]:
    """For a logarithmic axis: a channel without any error has no place on it."""
    return numbers(np.where(values > 0, values, np.nan).astype(float))


def batches(played: Played) -> Lines | None:
    """Time per output token over batches, in bf16 and in these bits; none where the model does not fit."""
    settings = played.settings
    lines = {}
    for name, bits in (("published", float(planner.PUBLISHED_BITS)), ("now", played.block.bits_per_weight)):
        sizes, grid = planner.over_batches(settings.model, settings.card, bits)
        lines[name] = numbers(grid.tpot_s)
    return Lines(list(sizes), lines)

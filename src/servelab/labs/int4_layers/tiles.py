"""The figures of the lab: what each is, and its value in a run."""

from __future__ import annotations

from servelab.labs.int4_layers.played import Played
from servelab.labs.lab import Tile

_MADE = "real rounding of made layers, judged on tokens that no scale was chosen on"
_PLANNED = "the planner: datasheet rates, half of the FLOP/s and 80 % of the bandwidth"
_ERROR, _SIZE, _SERVING = "Error", "Size", "Serving, as planned"

TILES = (
    Tile(
        *("output_error", "Output error of a block", "fraction", "lower", "Output error", _ERROR),
        headline=True,
        words="How far the outputs of the seven layers are off, those kept in bf16 counted as exact.",
        formula="√(Σ e² / 7),  e = ‖X Wᵀ − X Ŵᵀ‖ / ‖X Wᵀ‖ of each layer",
        source=_MADE,
    ),
    Tile(
        *("worst_error", "Output error of the worst layer", "fraction", "lower", "Worst layer", _ERROR),
        headline=True,
        words="One broken layer is enough: what it gets wrong goes through all that follow.",
        formula="max over the layers of ‖X Wᵀ − X Ŵᵀ‖ / ‖X Wᵀ‖",
        source=_MADE,
    ),
    Tile(
        *("zeroed_fraction", "Weights that became zero", "fraction", "lower", "Zeroed", _ERROR),
        headline=True,
        words="A weight nearer to zero than half a step is gone. Where a few weights stretch the grid, most are.",
        formula="weights with ŵ = 0 / weights",
        source=_MADE,
    ),
    Tile(
        *("weight_error", "Error of the weights", "fraction", "lower", "Weight error", _ERROR),
        words="How far the weights are off, whatever goes through them.",
        formula="√(Σ ε² / 7),  ε = ‖W − Ŵ‖ / ‖W‖ of each layer",
        source=_MADE,
    ),
    Tile(
        *("bits_per_weight", "Bits per weight", "bits", "lower", "Bits", _SIZE),
        headline=True,
        words="What a weight of a block takes with its share of scale and zero point; kept layers take 16.",
        formula="(1 − kept) × (bits + (scale + zero point) / weights that share them) + kept × 16",
        source="the formats; shares of the layers from the model's shape",
    ),
    Tile(
        *("weights_bytes", "Weights of the model", "B", "lower", "Weights", _SIZE),
        words="All blocks in these bits; embeddings and output head stay in bf16.",
        formula="block weights × bits per weight / 8 + (embeddings + head) × 2",
        source="the model's shape",
    ),
    Tile(
        *("total_bytes", "Memory in use", "B", "lower", "Memory", _SERVING),
        words="Weights, KV cache of the batch, workspace and reserve. Prompts have 1,024 tokens, answers 256.",
        formula="weights + KV cache + workspace + reserve",
        source=_PLANNED,
    ),
    Tile(
        *("largest_batch", "Requests that fit at once", "requests", "higher", "Fits", _SERVING),
        words="The largest batch on this card, the weights in these bits.",
        formula="the largest batch for which memory in use ≤ memory of the card",
        source=_PLANNED,
    ),
    Tile(
        *("tpot_s", "Time per output token", "s", "lower", "TPOT", _SERVING),
        headline=True,
        words="Mean over a batch's decode steps. Fewer bytes help while reading weights is what takes the time.",
        formula="mean of the pass times, each 0.1 ms + max(FLOP / rate, bytes / bandwidth) of both stages",
        source=_PLANNED,
    ),
    Tile(
        *("cost_usd_per_million_output_tokens", "Cost of a million output tokens", "USD", "lower", "Cost", _SERVING),
        headline=True,
        words="The card's illustrative price for the time of the batch, prefill included.",
        formula="price per hour / 3600 / output tokens per second × 10⁶",
        source="the planner, and round prices that are no provider's offer",
    ),
)


def values(played: Played) -> dict[str, float | int | None]:
    """Every tile; what only a model that fits has is None where it does not."""
    block, plan = played.block, played.estimate
    return {
        "output_error": block.output_error,
        "worst_error": max(block.output_errors),
        "weight_error": block.weight_error,
        "zeroed_fraction": block.zeroed_fraction,
        "bits_per_weight": block.bits_per_weight,
        "weights_bytes": plan.memory.weights_bytes,
        "total_bytes": plan.memory.total_bytes,
        "largest_batch": plan.would_fit.batch,
        "tpot_s": plan.tpot_s,
        "cost_usd_per_million_output_tokens": plan.cost_usd_per_million_output_tokens,
    }

"""The figures of the lab: what each is, and its value in a run."""

from __future__ import annotations

from servelab.labs.lab import Tile
from servelab.labs.long_context.played import Played
from servelab.probe.rope import logit_scale

_FORMULAS = "the published formulas; no model is evaluated"
_PLANNED = "the planner: datasheet rates, half of the FLOP/s and 80 % of the bandwidth"
_POSITIONS, _SERVING = "Positions", "Serving, as planned"

TILES = (
    Tile(
        *("unseen_fraction", "Pairs that meet angles never seen", "fraction", "lower", "Unseen", _POSITIONS),
        headline=True,
        words="Slow pairs do not go round in training. What lies beyond their largest angle is new to the model.",
        formula="pairs with L θ < 2π and L′ θ′ > L θ / pairs",
        source=_FORMULAS,
    ),
    Tile(
        *("resolution", "Resolution of neighbours", "fraction", "higher", "Resolution", _POSITIONS),
        headline=True,
        words="How far apart two neighbouring positions are, as a share of what the model was trained with.",
        formula="√mean(2 − 2 cos θ′) / √mean(2 − 2 cos θ)",
        source=_FORMULAS,
    ),
    Tile(
        *("nearby_change", "Attention nearby, changed by", "fraction", "lower", "Nearby", _POSITIONS),
        headline=True,
        words=(
            "How much the score of two tokens that are alike moves over the nearest 64 distances, where most text is "
            "read."
        ),
        formula="√mean over m = 1 … 64 of (f′(m) − f(m))²,  f(m) = mean cos(m θ)",
        source=_FORMULAS,
    ),
    Tile(
        *("overreach", "Furthest beyond training", "×", "lower", "Beyond", _POSITIONS),
        words="The largest angle of any pair over the largest that it saw; 1 where none is new.",
        formula="max over pairs with L θ < 2π of L′ θ′ / (L θ), at least 1",
        source=_FORMULAS,
    ),
    Tile(
        *("logit_scale", "Logits times", "×", None, "Logits", _POSITIONS),
        words="YaRN sharpens attention a little, the longer the context; the others leave it.",
        formula="(0.1 ln s + 1)²",
        source="Peng et al. 2023",
    ),
    Tile(
        *("kv_cache_bytes", "KV cache of the requests", "B", "lower", "KV cache", _SERVING),
        headline=True,
        words="Keys and values of every token of the context, for all requests at once.",
        formula="κ × context × batch,  κ = 2 × layers × KV heads × head width × bytes per value",
        source="the model's shape",
    ),
    Tile(
        *("total_bytes", "Memory in use", "B", "lower", "Memory", _SERVING),
        words="Weights in their published format, KV cache, workspace and reserve.",
        formula="weights + KV cache + workspace + reserve",
        source=_PLANNED,
    ),
    Tile(
        *("largest_batch", "Requests that fit at once", "requests", "higher", "Fits", _SERVING),
        words="How many contexts of this length the card holds.",
        formula="the largest batch for which memory in use ≤ memory of the card",
        source=_PLANNED,
    ),
    Tile(
        *("ttft_s", "Time to first token", "s", "lower", "TTFT", _SERVING),
        words="The prompt is read at once; attention looks from every token at all before it.",
        formula="one pass over the prompt: max(FLOP / rate, bytes / bandwidth) of both stages",
        source=_PLANNED,
    ),
    Tile(
        *("tpot_s", "Time per output token", "s", "lower", "TPOT", _SERVING),
        headline=True,
        words="Every step reads the weights once, and the whole cache of every request.",
        formula="mean of the pass times, each 0.1 ms + max(FLOP / rate, bytes / bandwidth) of both stages",
        source=_PLANNED,
    ),
    Tile(
        *("cost_usd_per_million_output_tokens", "Cost of a million output tokens", "USD", "lower", "Cost", _SERVING),
        headline=True,
        words="The card's illustrative price for the time of the requests, prefill included: 256 tokens out of each.",
        formula="price per hour / 3600 / output tokens per second × 10⁶",
        source="the planner, and round prices that are no provider's offer",
    ),
)


def values(played: Played) -> dict[str, float | int | None]:
    """Every tile; what only requests that fit have is None where they do not."""
    plan = played.estimate
    return {
        "unseen_fraction": played.unseen_fraction,
        "resolution": played.resolution,
        "nearby_change": played.nearby_change,
        "overreach": float(played.overreach.max()),
        "logit_scale": logit_scale(played.extension),
        "kv_cache_bytes": plan.memory.kv_cache_bytes,
        "total_bytes": plan.memory.total_bytes,
        "largest_batch": plan.would_fit.batch,
        "ttft_s": plan.ttft_s,
        "tpot_s": plan.tpot_s,
        "cost_usd_per_million_output_tokens": plan.cost_usd_per_million_output_tokens,
    }

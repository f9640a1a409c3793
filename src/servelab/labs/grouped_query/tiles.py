"""The figures of the lab: what each is, and its value in a run with the terms of its formula."""

from __future__ import annotations

from servelab.labs.grouped_query.played import Played
from servelab.labs.lab import Tile
from servelab.probe import quality as probe

_RUN = "this run of the simulated replica"
_LATENCY, _YIELD, _MEMORY = "Latency", "Yield", "Memory and quality"

TILES = (
    Tile(
        *("ttft_p50_s", "Time to first token, median", "s", "lower", "TTFT p50", _LATENCY),
        headline=True,
        words="From a request's arrival to its first token, the wait for room included.",
        formula="first token − arrival; half of the served requests are below",
        source=_RUN,
    ),
    Tile(
        *("ttft_p99_s", "Time to first token, slowest in a hundred", "s", "lower", "TTFT p99", _LATENCY),
        words="One request in a hundred waits longer than this.",
        formula="first token − arrival; 99 % of the served requests are below",
        source=_RUN,
    ),
    Tile(
        *("tpot_p50_s", "Time per output token, median", "s", "lower", "TPOT p50", _LATENCY),
        headline=True,
        words="How fast an answer appears once it has begun.",
        formula="(last token − first token) / (output tokens − 1); half of the served requests are below",
        source=_RUN,
    ),
    Tile(
        *("tpot_p99_s", "Time per output token, slowest in a hundred", "s", "lower", "TPOT p99", _LATENCY),
        words="One answer in a hundred appears more slowly than this.",
        formula="(last token − first token) / (output tokens − 1); 99 % of the served requests are below",
        source=_RUN,
    ),
    Tile(
        *("itl_p50_s", "Gap between two tokens, median", "s", "lower", "ITL p50", _LATENCY),
        words="The usual pause between two tokens of an answer.",
        formula="token − token before it, over all tokens; half are below",
        source=_RUN,
    ),
    Tile(
        *("itl_p99_s", "Gap between two tokens, longest in a hundred", "s", "lower", "ITL p99", _LATENCY),
        words="Pauses that stutter: mostly passes that prefill somebody else's prompt too.",
        formula="token − token before it, over all tokens; 99 % are below",
        source=_RUN,
    ),
    Tile(
        *("output_tokens_per_s", "Throughput", "tokens/s", "higher", "Throughput", _YIELD),
        headline=True,
        words="Output tokens of all requests together, until the last one is served.",
        formula="output tokens / (last token − first arrival)",
        source=_RUN,
    ),
    Tile(
        *("cost_usd_per_million_output_tokens", "Cost of a million output tokens", "USD", "lower", "Cost", _YIELD),
        headline=True,
        words="What the card costs while the traffic is served, at an illustrative price.",
        formula="price per hour × makespan / 3600 / output tokens × 10⁶",
        source="this run, and round prices that are no provider's offer",
    ),
    Tile(
        *("preemptions", "Preemptions", "", "lower", "Preemptions", _YIELD),
        words="How often a running request lost its cache to an older one, to be computed anew.",
        formula="a count",
        source=_RUN,
    ),
    Tile(
        *("rejections", "Rejections", "", "lower", "Rejections", _YIELD),
        words="Requests that need more cache than there is, even alone.",
        formula="requests with ⌈(prompt + output) / 16⌉ > blocks of the cache",
        source=_RUN,
    ),
    Tile(
        *("capacity_tokens", "The cache holds", "tokens", "higher", "Capacity", _MEMORY),
        words="Tokens of all running requests together, prompts and answers.",
        formula="16 × ⌊(0.9 × memory − 1.5 GB − 16 GB − squeeze) / (16 × κ)⌋",
        source="the card's datasheet",
    ),
    Tile(
        *("kv_bytes_per_token", "KV cache of a token", "B", "lower", "KV per token", _MEMORY),
        words="What every token of every running request keeps in memory.",
        formula="κ = 2 × layers × KV heads × head width × bytes per value",
        source="the shape of the model",
    ),
    Tile(
        *("kv_occupancy_mean", "Cache in use, mean", "fraction", None, "KV mean", _MEMORY),
        words="Neither good nor bad: empty cache is memory unused, full cache makes requests wait.",
        formula="Σ blocks taken × pass time / (blocks × Σ pass time)",
        source=_RUN,
    ),
    Tile(
        *("kv_occupancy_peak", "Cache in use, peak", "fraction", None, "KV peak", _MEMORY),
        headline=True,
        words="The fullest the cache has been. At 100 %, requests wait for room.",
        formula="most blocks taken at once / blocks",
        source=_RUN,
    ),
    Tile(
        *("quality", "Quality on the probe", "points", "higher", "Quality", _MEMORY),
        headline=True,
        words=(
            "100 is a model with all its KV heads in bf16; 0 stands for a much smaller one, as T5-Large is to T5-XXL. "
            "No model is evaluated."
        ),
        formula="max(0, 100 (1 − (e / e₀)^γ)),  e² = ((1 − r) e_pool)² + e_round²,  r = 0.9 (1 − exp(−budget / τ))",
        source="attention over made heads; scale from T5-XXL in Ainslie et al. 2023",
    ),
    Tile(
        *("training_fraction", "Training that it took", "fraction", "lower", "Training", _MEMORY),
        words="Spent after the conversion, as a share of the pretraining. A model trained with these heads takes none.",
        formula="budget, 0 where the model was trained with these heads",
        source="the setting",
    ),
)

#: The tiles that the summary of a run has by name.
_SUMMARY = (
    *("ttft_p50_s", "ttft_p99_s", "tpot_p50_s", "tpot_p99_s", "itl_p50_s", "itl_p99_s", "output_tokens_per_s"),
    *("preemptions", "rejections", "kv_occupancy_mean", "kv_occupancy_peak"),
)


def values(played: Played) -> dict[str, float | int | None]:
    """Every tile; what only a run tells is None where nothing ran."""
    summary = played.run.summary if played.run else {}
    figures = {name: summary.get(name) for name in _SUMMARY}
    if not played.served:
        figures |= dict.fromkeys(("kv_occupancy_mean", "kv_occupancy_peak", "preemptions"))
    figures["cost_usd_per_million_output_tokens"] = _cost(played)
    figures["capacity_tokens"] = played.capacity_tokens
    figures["kv_bytes_per_token"] = played.kv_bytes_per_token
    figures["quality"] = probe.quality(played.conversion, played.seed)
    figures["training_fraction"] = training_fraction(played)
    return figures


def training_fraction(played: Played) -> float:
    """Training after a conversion; there is none without one."""
    return 0.0 if played.settings.origin == "trained" else played.settings.uptraining_fraction


def output_tokens(played: Played) -> int:
    """Of all requests that were served."""
    if not played.run:
        return 0
    return int(played.run.requests["output_tokens"][~played.run.requests["rejected"]].sum())


def _cost(played: Played) -> float | None:
    tokens = output_tokens(played)
    if not tokens or played.run is None:
        return None
    cost_usd = played.price_usd_per_hour * played.run.summary["makespan_s"] / 3600
    cost_usd_per_million = cost_usd / tokens * 1e6
    return float(cost_usd_per_million)

"""The figures of the lab: what each is, its value in a run, and the values in its formula."""

from __future__ import annotations

from collections.abc import Mapping

from servelab.labs.deploy.settings import KV_BITS, WEIGHT_BITS
from servelab.labs.deploy.world import Played
from servelab.labs.grouped_query.tiles import TILES as TRAFFIC_TILES
from servelab.labs.lab import Tile
from servelab.labs.result import Term

_MONEY, _MEMORY = "Money", "Memory and precision"
_RUN = "this run of the simulated replica"

#: What every lab of traffic tells of a run in the same words.
_SHARED = {tile.id: tile for tile in TRAFFIC_TILES}
_OF_RUN = ("ttft_p50_s", "ttft_p99_s", "tpot_p50_s", "tpot_p99_s", "itl_p50_s", "itl_p99_s", "output_tokens_per_s")
_COUNTS = ("preemptions", "rejections")

TILES = (
    *(_SHARED[name] for name in (*_OF_RUN, *_COUNTS)),
    Tile(
        *("cost_usd_per_million_output_tokens", "Cost of a million output tokens", "USD", "lower", "Cost", _MONEY),
        headline=True,
        words="What all cards cost while the traffic is served, at an illustrative price.",
        formula="cards × price per hour × makespan / 3600 / output tokens × 10⁶",
        source="this run, and round prices that are no provider's offer",
    ),
    Tile(
        *("price_usd_per_hour", "Price of the cards, an hour", "USD", "lower", "Per hour", _MONEY),
        words="Whether anybody comes or not.",
        formula="cards × price per hour",
        source="round prices that are no provider's offer",
    ),
    Tile(
        *("capacity_tokens", "The cache holds", "tokens", "higher", "Capacity", _MEMORY),
        headline=True,
        words="Tokens of all running requests together, prompts and answers.",
        formula="16 × ⌊cards × (memory − 2 GB − weights − workspace) / (16 × κ)⌋",
        source="the cards' datasheet and the model's shape",
    ),
    Tile(
        *("weights_bytes", "Weights on each card", "B", "lower", "Weights", _MEMORY),
        words="Read in every pass, whoever runs.",
        formula="parameters × bytes per weight / cards; int4 half a byte and 5 % for its scales",
        source="the model's shape",
    ),
    Tile(
        *("kv_occupancy_peak", "Cache in use, peak", "fraction", None, "KV peak", _MEMORY),
        words="The fullest the cache has been. At 100 %, requests wait for room.",
        formula="most blocks taken at once / blocks",
        source=_RUN,
    ),
    Tile(
        *("weight_bits", "Bits kept of a weight", "bits", "higher", "Weight bits", _MEMORY),
        words="More bits are nearer to the original. What fewer cost in quality, only an evaluation tells.",
        formula="16 in BF16, 8 in FP8, 4 in INT4",
        source="the format",
    ),
    Tile(
        *("kv_bits", "Bits kept of a key or value", "bits", "higher", "KV bits", _MEMORY),
        words="As for the weights: nearer to the original, and nothing is evaluated.",
        formula="16 in BF16, 8 in FP8",
        source="the format",
    ),
)


def values(played: Played, facts: Mapping[str, float]) -> dict[str, float | int | None]:
    """Every tile; what only a run tells is None where nothing was served."""
    summary = played.run.summary if played.run and played.served else {}
    figures: dict[str, float | int | None] = {name: summary.get(name) for name in (*_OF_RUN, *_COUNTS)}
    figures["kv_occupancy_peak"] = summary.get("kv_occupancy_peak")
    figures["rejections"] = played.run.summary["rejections"] if played.run else None
    figures |= {
        "cost_usd_per_million_output_tokens": _cost(facts),
        "price_usd_per_hour": played.price_usd_per_hour,
        "capacity_tokens": played.capacity_tokens,
        "weights_bytes": facts["weights_bytes"],
        "weight_bits": WEIGHT_BITS[played.settings.weights],
        "kv_bits": KV_BITS[played.settings.kv_cache],
    }
    return figures


def _cost(facts: Mapping[str, float]) -> float | None:
    if "makespan_s" not in facts:
        return None
    cost_usd = facts["price_usd_per_hour"] * facts["makespan_s"] / 3600
    return cost_usd / (facts["output_tokens"] / 1e6)


def terms(played: Played, facts: Mapping[str, float]) -> dict[str, tuple[Term, ...]]:
    """The values that the formulas have in a run, by tile."""
    settings, system = played.settings, played.deployment
    cards = Term("cards", settings.cards)
    price = Term("price per hour", played.price_usd_per_hour / settings.cards, "USD", "of one card")
    weights = Term("weights", facts["weights_bytes"], "B", "on each card")
    found = {
        "price_usd_per_hour": (cards, price),
        "capacity_tokens": (
            cards,
            Term("memory", system.accelerator.memory_bytes, "B", "of one card, as sold"),
            weights,
            Term("κ", facts["kv_bytes_per_token"], "B", "KV cache of a token, on all cards together"),
        ),
        "weights_bytes": (Term("parameters", system.model.parameters), cards),
    }
    if "pass_s" not in facts:
        return found
    pace = (
        Term("decodes", facts["decode_s"], "s", "mean a token: passes as if nothing were prefilled"),
        Term("prefills", facts["stall_s"], "s", "mean a token: what prompts of others added"),
        Term("preemptions", facts["recompute_s"], "s", "mean a token: what was computed anew"),
    )
    first = (
        Term("waiting", facts["queue_s"], "s", "mean, from arrival to the first pass"),
        Term("prefill", facts["own_prefill_s"], "s", "mean, from the first pass to the first token"),
    )
    makespan = Term("makespan", facts["makespan_s"], "s", "from the first arrival to the last token")
    served = Term("output tokens", facts["output_tokens"], "tokens", "of all that were served")
    return (
        found
        | dict.fromkeys(("ttft_p50_s", "ttft_p99_s"), first)
        | dict.fromkeys(("tpot_p50_s", "tpot_p99_s", "itl_p50_s", "itl_p99_s"), pace)
        | {
            "output_tokens_per_s": (served, makespan),
            "cost_usd_per_million_output_tokens": (cards, price, makespan, served),
        }
    )

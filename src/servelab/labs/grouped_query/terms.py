"""The values that the formula of each figure has in a run."""

from __future__ import annotations

from collections.abc import Mapping

from servelab.labs.grouped_query import replica
from servelab.labs.grouped_query.played import Played
from servelab.labs.grouped_query.settings import BYTES_PER_VALUE
from servelab.labs.grouped_query.tiles import output_tokens, training_fraction
from servelab.labs.result import Term
from servelab.probe import quality as probe

Terms = dict[str, tuple[Term, ...]]


def terms(played: Played, facts: Mapping[str, float]) -> Terms:
    """By tile; those of latencies and yield only where something was served."""
    budget = Term("budget", training_fraction(played), "fraction", "training after the conversion")
    found = _of_memory(played) | {"quality": _of_quality(played), "training_fraction": (budget,)}
    if played.served and "token_s" in facts:
        found |= _of_latency(facts) | _of_yield(played, facts)
    return found


def _of_memory(played: Played) -> Terms:
    settings = played.settings
    return {
        "capacity_tokens": (
            Term("memory", replica.device(settings.card).memory_bytes, "B", "of the card, as sold"),
            Term("κ", played.kv_bytes_per_token, "B", "KV cache of a token"),
            Term("blocks", played.kv_blocks, "", "of 16 tokens"),
        ),
        "kv_bytes_per_token": (
            Term("layers", replica.LAYERS),
            Term("KV heads", settings.kv_heads),
            Term("head width", replica.HEAD_DIM),
            Term("bytes per value", BYTES_PER_VALUE[settings.kv_cache], "B", settings.kv_cache),
        ),
    }


def _of_quality(played: Played) -> tuple[Term, ...]:
    settings, found = played.settings, probe.errors(played.seed)
    tau, zero, exponent = probe.scale()
    return (
        Term("e_pool", found.pooling[settings.kv_heads], "", "error of pooling alone"),
        Term("e_round", found.rounding if settings.kv_cache == "fp8" else 0.0, "", "error of rounding alone"),
        Term("budget", settings.uptraining_fraction, "fraction", "training after the conversion"),
        Term("τ", tau, "fraction", "training that wins back 63 % of what can be won"),
        Term("r", probe.recovered(played.conversion), "", "share of the pooling error that was won back"),
        Term("e", probe.error(played.conversion, played.seed), "", "error that is left"),
        Term("e₀", zero, "", "error at which quality is 0"),
        Term("γ", exponent),
    )


def _of_latency(facts: Mapping[str, float]) -> Terms:
    """Means of the parts that a latency is made of; the figure itself is a rank and may have others."""
    first = (
        Term("waiting", facts["queue_s"], "s", "mean, from arrival to the first pass"),
        Term("prefill", facts["own_prefill_s"], "s", "mean, from the first pass to the first token"),
    )
    pace = (
        Term("fixed", facts["fixed_s"], "s", "mean a token: overhead of a pass, and its weights read"),
        Term("cache", facts["cache_s"], "s", "mean a token: the cache of all that run, read"),
        Term("prefills", facts["stall_s"], "s", "mean a token: what prompts of others added"),
        Term("preemptions", facts["recompute_s"], "s", "mean a token: what was computed anew"),
    )
    return dict.fromkeys(("ttft_p50_s", "ttft_p99_s"), first) | dict.fromkeys(
        ("tpot_p50_s", "tpot_p99_s", "itl_p50_s", "itl_p99_s"), pace
    )


def _of_yield(played: Played, facts: Mapping[str, float]) -> Terms:
    served = Term("output tokens", output_tokens(played), "tokens", "of all that were served")
    makespan = Term("makespan", facts["makespan_s"], "s", "from the first arrival to the last token")
    blocks = Term("blocks", played.kv_blocks, "", "of 16 tokens")
    return {
        "output_tokens_per_s": (served, makespan),
        "cost_usd_per_million_output_tokens": (
            Term("price per hour", played.price_usd_per_hour, "USD"),
            makespan,
            served,
        ),
        "preemptions": (blocks, Term("running at once", facts["batch"], "", "mean")),
        "rejections": (blocks, Term("longest request", facts["longest_tokens"], "tokens", "prompt and answer")),
        "kv_occupancy_mean": (blocks,),
        "kv_occupancy_peak": (blocks,),
    }

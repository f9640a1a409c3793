"""The values that the formula of each figure has in a run, and figures that are not shown."""

from __future__ import annotations

import math

import numpy as np

from servelab.labs.long_context.played import NEARBY_TOKENS, Played
from servelab.labs.long_context.settings import METHOD_NAMES, OUTPUT_TOKENS
from servelab.labs.result import Term
from servelab.probe import rope
from servelab.specs.formats import bytes_per_kv_value

Terms = dict[str, tuple[Term, ...]]


def terms(played: Played) -> Terms:
    """By tile; those of times only where the requests fit."""
    return _of_positions(played) | _of_memory(played) | _of_times(played)


def _of_positions(played: Played) -> Terms:
    settings, beyond = played.settings, played.overreach
    furthest = int(np.argmax(beyond))
    factor = Term("s", played.extension.factor, "×", f"the factor of the method: {METHOD_NAMES[settings.method]}")
    lengths = (Term("L", settings.trained_tokens, "tokens", "trained"), Term("L′", settings.target_tokens, "tokens"))
    count = Term("pairs", len(played.trained), "", "half the width of a head")
    new = Term("new", int(np.sum(beyond > 1)), "", "pairs that meet new angles")
    return {
        "unseen_fraction": (*lengths, factor, new, count),
        "resolution": (
            Term("trained", rope.neighbour_distance(played.trained), "", "root mean square between neighbours"),
            Term("now", rope.neighbour_distance(played.now), "", "the same as set"),
        ),
        "nearby_change": (factor, Term("distances", NEARBY_TOKENS, "tokens"), count),
        "overreach": (
            *lengths,
            Term("pair", furthest + 1, "", "the one furthest beyond"),
            Term("θ", float(played.trained[furthest]), "", "radians a position, as trained"),
            Term("θ′", float(played.now[furthest]), "", "as set"),
        ),
        "logit_scale": (factor,),
    }


def _of_memory(played: Played) -> Terms:
    plan, settings = played.estimate, played.settings
    model, memory = plan.deployment.model, plan.memory
    return {
        "kv_cache_bytes": (
            Term("layers", model.layers),
            Term("KV heads", model.kv_heads),
            Term("head width", model.head_dim),
            Term("bytes per value", bytes_per_kv_value(settings.kv_cache), "B", settings.kv_cache),
            Term("context", settings.target_tokens, "tokens"),
            Term("batch", settings.batch, "requests"),
        ),
        "total_bytes": (
            Term("weights", memory.weights_bytes, "B"),
            Term("KV cache", memory.kv_cache_bytes, "B"),
            Term("workspace", memory.workspace_bytes, "B"),
            Term("reserve", memory.reserve_bytes, "B"),
        ),
        "largest_batch": (
            Term("memory of the card", memory.capacity_bytes, "B"),
            Term("weights", memory.weights_bytes, "B"),
            Term("cache of a request", memory.kv_cache_bytes / settings.batch, "B"),
        ),
    }


def _of_times(played: Played) -> Terms:
    plan, before = played.estimate, played.before
    if plan.decode is None or plan.prefill is None or plan.tpot_s is None:
        return {}
    steps = OUTPUT_TOKENS - 1
    return {
        "ttft_s": (
            Term("linear layers", plan.prefill.linear.time_s, "s", f"bound by {plan.prefill.linear.bound}"),
            Term("attention", plan.prefill.attention.time_s, "s", f"bound by {plan.prefill.attention.bound}"),
            Term("overhead", plan.prefill.overhead_s, "s"),
        ),
        "tpot_s": (
            Term("linear layers", plan.decode.linear.time_s / steps, "s", "mean a step: the weights, read once"),
            Term("attention", plan.decode.attention.time_s / steps, "s", "mean a step: the cache, read once"),
            Term("overhead", plan.decode.overhead_s / steps, "s"),
            Term("at the trained length", before.tpot_s, "s"),
        ),
        "cost_usd_per_million_output_tokens": (
            Term("price per hour", plan.deployment.accelerator.price_usd_per_hour, "USD"),
            Term("output tokens per second", plan.output_tokens_per_s, "tokens/s"),
        ),
    }


def facts(played: Played) -> dict[str, float]:
    """What explanations are made from, in base units; times only where the requests fit."""
    settings, plan = played.settings, played.estimate
    beyond = played.overreach
    known: dict[str, float] = {
        "target_tokens": settings.target_tokens,
        "trained_tokens": settings.trained_tokens,
        "factor": played.extension.factor,
        "needed": max(1.0, settings.target_tokens / settings.trained_tokens),
        "method": rope.METHODS.index(settings.method),
        "alpha": settings.yarn_alpha,
        "beta": settings.yarn_beta,
        "pairs": len(played.trained),
        "unseen": float(np.sum(beyond > 1)),
        "slow": float(np.sum(rope.turns(played.rotary) < 1)),
        "base": settings.base,
        "fastest": float(played.now[0]),
        "squeezed": float(np.sum(played.now < played.trained * (1 - 1e-9))),
        "batch": settings.batch,
        "kv_bytes_per_token": plan.memory.kv_cache_bytes / settings.target_tokens / settings.batch,
        "kv_cache_bytes": plan.memory.kv_cache_bytes,
        "weights_bytes": plan.memory.weights_bytes,
        "workspace_bytes": plan.memory.workspace_bytes,
        "capacity_bytes": plan.memory.capacity_bytes,
        "bandwidth_bytes_per_s": plan.deployment.accelerator.bandwidth_bytes_per_s,
        "price_usd_per_hour": plan.deployment.accelerator.price_usd_per_hour or 0.0,
    }
    if plan.decode is None or plan.prefill is None:
        return known
    steps = OUTPUT_TOKENS - 1
    return known | {
        "linear_s": plan.decode.linear.time_s / steps,
        "attention_s": plan.decode.attention.time_s / steps,
        "prefill_linear_s": plan.prefill.linear.time_s,
        "prefill_attention_s": plan.prefill.attention.time_s,
        "output_tokens_per_s": plan.output_tokens_per_s or math.nan,
    }

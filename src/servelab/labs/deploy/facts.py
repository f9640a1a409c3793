"""Figures of a run that are not shown: what reasons and missions are told with."""

from __future__ import annotations

import numpy as np

from servelab.cost.passes import held_kv_bytes_per_token, weights_bytes
from servelab.labs.deploy.world import Played, decode_pass
from servelab.sim.run import Run
from servelab.specs.traffic import Traffic

#: What a mean pass of decodes waits for, by the names of PassTime.
_OF_A_PASS = ("arithmetic_s", "weights_s", "cache_s", "attention_math_s", "cache_read_s", "rest_s")


def facts(played: Played) -> dict[str, float]:
    """By name, in base units; those of a run only where one was served."""
    system = played.deployment
    known: dict[str, float] = {
        "weights_bytes": weights_bytes(system) / system.tensor_parallel,
        "kv_bytes_per_token": held_kv_bytes_per_token(system),
        "capacity_tokens": played.capacity_tokens,
        "price_usd_per_hour": played.price_usd_per_hour,
        "prefill_token_s": _prefill_token_s(played),
    }
    if played.run is None or played.traffic is None or not played.served:
        return known
    return known | _of_run(played, played.run, played.traffic)


def _prefill_token_s(played: Played) -> float:
    """Arithmetic of one more token of a prompt."""
    (math, _), _ = played.costs.stages
    return math.chunk_token_s


def _of_run(played: Played, run: Run, traffic: Traffic) -> dict[str, float]:
    table = run.requests
    served = ~table["rejected"]
    prompts, outputs = (table[name][served].astype(float) for name in ("prompt_tokens", "output_tokens"))
    gaps = max(float((outputs - 1).sum()), 1.0)
    context = float((outputs * (prompts + outputs / 2)).sum() / outputs.sum())
    decodes = max(1.0, run.summary["batch_mean"])
    waits = decode_pass(played.costs, decodes, context)
    return {
        **{name: float(np.nansum(table[name])) / gaps for name in ("decode_s", "stall_s", "recompute_s")},
        **{f"pass_{name}": getattr(waits, name) for name in _OF_A_PASS},
        "pass_s": waits.total_s,
        "decodes": decodes,
        "context_tokens": context,
        "batch": run.summary["batch_mean"],
        "queue_s": run.summary["queue_mean_s"],
        "own_prefill_s": float(np.nanmean(table["prefill_s"])),
        "occupancy_peak": run.summary["kv_occupancy_peak"],
        "preemptions": run.summary["preemptions"],
        "makespan_s": run.summary["makespan_s"],
        "output_tokens": float(outputs.sum()),
        "output_tokens_per_s": run.summary["output_tokens_per_s"],
        "longest_prompt_tokens": float(traffic.prompt_tokens.max()),
        "longest_tokens": float((traffic.prompt_tokens + traffic.output_tokens).max()),
    }

"""Figures of a run that are not shown: what explanations and missions are made from."""

from __future__ import annotations

import numpy as np

from servelab.labs.grouped_query import replica
from servelab.labs.grouped_query.played import Played
from servelab.probe import quality as probe
from servelab.sim.run import Run


def facts(played: Played) -> dict[str, float]:
    """By name, in base units; those of a run only where one was served."""
    settings, found = played.settings, probe.errors(played.seed)
    known: dict[str, float] = {
        "seed": played.seed,
        "kv_heads": settings.kv_heads,
        "kv_bytes_per_token": played.kv_bytes_per_token,
        "capacity_tokens": played.capacity_tokens,
        "room_bytes": max(0.0, replica.cache_bytes(settings.card, played.events)),
        "price_usd_per_hour": played.price_usd_per_hour,
        "bandwidth_bytes_per_s": replica.device(settings.card).bandwidth_bytes_per_s,
        "pooling": found.pooling[settings.kv_heads],
        "pooling_left": (1 - probe.recovered(played.conversion)) * found.pooling[settings.kv_heads],
        "rounding": found.rounding if settings.kv_cache == "fp8" else 0.0,
    }
    return known | (_of_run(played) if played.served else {})


def _of_run(played: Played) -> dict[str, float]:
    run, traffic = played.run, played.traffic
    if run is None or traffic is None:
        return {}
    return _of_tokens(played, run) | {
        "batch": run.summary["batch_mean"],
        "queue_s": run.summary["queue_mean_s"],
        "own_prefill_s": float(np.nanmean(run.requests["prefill_s"])),
        "wait_blocks_s": float(np.nanmean(run.requests["wait_blocks_s"])),
        "occupancy_peak": run.summary["kv_occupancy_peak"],
        "preemptions": run.summary["preemptions"],
        "rejections": run.summary["rejections"],
        "makespan_s": run.summary["makespan_s"],
        "output_tokens_per_s": run.summary["output_tokens_per_s"],
        "offered_tokens": int(traffic.output_tokens.sum()),
        "longest_tokens": int((traffic.prompt_tokens + traffic.output_tokens).max()),
    }


def _of_tokens(played: Played, run: Run) -> dict[str, float]:
    """The mean time from one token of a request to its next, and its parts.

    A decode takes what its pass would take without prefills (fixed_s and, for the cache, cache_s), what prefills add to
    it or put between (stall_s), and what preemptions cost (recompute_s).
    """
    costs, table = replica.step_costs(played.settings).rest, run.requests
    gaps = float((table["output_tokens"] - 1)[~table["rejected"]].sum())
    if not gaps:
        return {}
    means = {name: float(np.nansum(table[name])) / gaps for name in ("decode_s", "stall_s", "recompute_s")}
    return {
        "token_s": sum(means.values()),
        "fixed_s": costs.constant_s,
        "cache_s": max(means["decode_s"] - costs.constant_s, 0.0),
        "stall_s": means["stall_s"],
        "recompute_s": means["recompute_s"],
        "prefill_token_s": costs.chunk_token_s + costs.read_s[0],
    }

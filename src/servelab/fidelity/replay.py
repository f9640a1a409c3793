"""Puts a measured run through the simulator: the scheduler its engine has, the requests it was given.

What the sources leave open is taken alike for all: limits are the engine's defaults, lengths that varied are
log-normal around their means as chat traffic is, and the cache is what the engine leaves of the memory.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

import servelab as sl
from servelab.cost.cache import kv_blocks
from servelab.cost.passes import held_kv_bytes_per_token
from servelab.errors import SpecError
from servelab.fidelity.engines import Generation
from servelab.specs.deployment import ENGINES, Deployment
from servelab.specs.result import Load

#: Spread of the logarithm of lengths in chat traffic (ShareGPT: about 1.0 for prompts and answers alike).
_SPREAD = 1.0
#: Benchmarks that shorten lengths at random do so by a fifth at most.
_SHORTEST = 0.8
#: Requests simulated where a source does not say how many there were: so many for each client, and at most.
_EACH, _MOST = 6, 1_000
#: A default cache with room for fewer tokens is taken to have been enlarged.
_FEWEST_TOKENS = 16_384


class Run(NamedTuple):
    """A measured run as the simulator takes it."""

    deployment: Deployment
    load: Load
    generation: Generation
    lengths: str


class Played(NamedTuple):
    """What came out, and the mean pass: decodes, context sum, chunk tokens and chunks of a pass."""

    figures: dict[str, float]
    passes: int
    decodes: float
    context: float
    chunk_tokens: float
    chunks: float


def cache_blocks(run: Run, scheduler: sl.Scheduler) -> int:
    """Blocks of the cache that the engine has; raises SpecError where the weights leave no room."""
    engine = run.generation.engine
    named = dataclasses.replace(run.deployment, engine=engine if engine in ENGINES[:3] else None)
    largest = dataclasses.replace(named, engine=None, reserve_bytes=1e9, workspace_buffers=0)
    try:
        blocks = kv_blocks(named, scheduler)
    except SpecError:
        return kv_blocks(largest, scheduler)
    if blocks * scheduler.block_size < _FEWEST_TOKENS:  # nobody serves so: the engine was given more of the memory
        return max(blocks, kv_blocks(largest, scheduler))
    return blocks


def overflows(run: Run) -> bool:
    """Whether a static batch is beyond the cache, so that it ran in waves."""
    load = run.load
    if not run.generation.waves or load.regime != "static_batch":
        return False
    tokens = (load.prompt_tokens + load.output_tokens) * (load.batch or 1)
    small = tokens * held_kv_bytes_per_token(run.deployment)
    free = run.deployment.accelerator.memory_bytes * run.deployment.tensor_parallel
    if small < 0.02 * free:
        return False
    scheduler = scheduler_of(run)
    try:
        return tokens > cache_blocks(run, scheduler) * scheduler.block_size
    except SpecError:
        return False


def scheduler_of(run: Run) -> sl.Scheduler:
    """The scheduler that the engine has by default."""
    if run.generation.policy == "vllm":
        return sl.Scheduler.vllm(run.deployment.accelerator)
    context = run.deployment.model.context_length or 4096
    return sl.Scheduler(
        run.generation.policy,
        run.generation.admission,
        max_num_seqs=run.generation.max_num_seqs,
        max_num_batched_tokens=max(2048, min(context, run.generation.most_tokens)),
    )


def traffic_of(run: Run) -> sl.Traffic:
    """The requests of the run."""
    load = run.load
    prompt, output = (_lengths(mean, run.lengths) for mean in (load.prompt_tokens, load.output_tokens))
    if load.regime in ("static_batch", "single_stream"):
        batch = load.batch or 1
        lengths = np.full(batch, load.prompt_tokens), np.full(batch, load.output_tokens)
        return sl.Traffic(np.zeros(batch), *lengths)
    if load.regime == "closed_loop":
        clients = load.concurrency or 1
        count = min(max(load.requests or _EACH * clients, 2 * clients), max(_MOST, clients))
        return sl.Traffic.closed_loop(clients, max(count, clients), prompt, output)
    count = min(load.requests or 300, _MOST)
    return sl.Traffic.poisson(load.requests_per_s or 1.0, count, prompt, output)


def _lengths(mean: int, lengths: str) -> sl.Lengths:
    if lengths == "varied":
        return sl.Lengths.lognormal(mean, _SPREAD)
    if lengths == "shortened":
        return sl.Lengths.uniform(max(round(_SHORTEST * mean), 1), mean)
    return sl.Lengths.fixed(mean)


def play(run: Run) -> Played:
    """Simulate it; raises SpecError where it cannot have run so."""
    scheduler, traffic = scheduler_of(run), traffic_of(run)
    scheduler = dataclasses.replace(scheduler, kv_blocks=cache_blocks(run, scheduler))
    answer = sl.simulate(run.deployment, traffic, scheduler)
    summary, steps = answer.summary, max(answer.steps, 1)
    if summary["rejections"]:
        raise SpecError("kv_blocks", "a request is larger than the cache; give more memory")
    prompts, outputs = float(traffic.prompt_tokens.sum()), float(traffic.output_tokens.sum())
    count = len(traffic)
    decodes = max(outputs - count, 0.0) / steps
    middle = prompts / count + outputs / count / 2
    figures = {
        "ttft_s": summary["ttft_mean_s"],
        "tpot_s": summary["tpot_mean_s"],
        "e2e_s": summary["makespan_s"] if run.load.regime == "static_batch" else summary["e2e_mean_s"],
        "output_tokens_per_s": summary["output_tokens_per_s"],
        "requests_per_s": summary["requests_per_s"],
        "ttft_median_s": summary["ttft_p50_s"],
        "tpot_median_s": summary["tpot_p50_s"],
    }
    known = {name: float(value) for name, value in figures.items() if value is not None}
    return Played(known, steps, decodes, decodes * middle, prompts / steps, count / steps)

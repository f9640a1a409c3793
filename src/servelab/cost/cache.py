"""How many blocks of KV cache an engine gets: what weights, workspace and reserve leave of the memory."""

from __future__ import annotations

import math

from servelab.cost.passes import held_kv_bytes_per_token, weights_bytes
from servelab.errors import SpecError
from servelab.specs.deployment import Deployment
from servelab.specs.engines import EngineSettings
from servelab.specs.formats import ACTIVATION_BYTES
from servelab.specs.scheduler import Scheduler
from servelab.units import show

#: The workspace is sized for a pass of at most this many tokens.
_WORKSPACE_TOKENS = 8192


def kv_blocks(deployment: Deployment, scheduler: Scheduler) -> int:
    """The scheduler's own number, else

    floor((memory − reserve − W / N − buffers × min(max_num_batched_tokens, 8192) × h × 2 / N) × N / (κ × block size)),
    κ being what all N devices hold of one token together; where the deployment names an engine, what that engine
    would take. Raises SpecError where nothing is left.
    """
    if scheduler.kv_blocks is not None:
        return scheduler.kv_blocks
    if deployment.engine is not None:
        return _engine_blocks(deployment, deployment.engine, scheduler)
    devices = deployment.tensor_parallel
    tokens = min(scheduler.max_num_batched_tokens or _WORKSPACE_TOKENS, _WORKSPACE_TOKENS)
    workspace = deployment.workspace_buffers * tokens * deployment.model.hidden * ACTIVATION_BYTES
    capacity, reserve = deployment.accelerator.memory_bytes, deployment.reserve_bytes
    room = capacity - reserve - weights_bytes(deployment) / devices - workspace / devices
    blocks = math.floor(room * devices / (held_kv_bytes_per_token(deployment) * scheduler.block_size))
    if blocks < 1:
        raise SpecError(
            "tensor_parallel",
            f"on {devices} × {show(capacity, 'B')} the weights leave no room for a cache; "
            "use more devices, a smaller weight format, or give kv_blocks",
        )
    return min(blocks, 2**50)


def _engine_blocks(deployment: Deployment, engine: str, scheduler: Scheduler) -> int:
    """Blocks of the scheduler's size in the cache that the engine, started with the scheduler's limits, takes.

    Layers that share a pool in groups are counted at the longest context, as engines count concurrency.
    """
    from servelab.cost.engines.memory import figures
    from servelab.cost.engines.words import refusal

    settings = EngineSettings(
        engine=engine, max_num_seqs=scheduler.max_num_seqs, max_num_batched_tokens=scheduler.max_num_batched_tokens
    )
    made = figures(deployment, settings)
    cache, pool = made.cache, made.pool
    tokens = cache.blocks * pool.block_tokens if pool.groups == 1 else cache.concurrency * made.start.max_model_len
    blocks = math.floor((tokens or cache.longest) / scheduler.block_size)
    if blocks < 1:
        raise SpecError("tensor_parallel", f"{refusal(made)}; use more devices, smaller weights, or give kv_blocks")
    return min(blocks, 2**50)

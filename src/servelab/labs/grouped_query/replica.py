"""The replica of the lab: an 8-billion-parameter model on one card, its room for a cache, the time of a pass."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection

from servelab.cost.steps import Side, StepCosts
from servelab.labs.grouped_query.settings import BYTES_PER_VALUE, MEMORY_SQUEEZE, Settings
from servelab.specs.accelerator import Accelerator
from servelab.specs.scheduler import Scheduler

PARAMETERS = 8e9
LAYERS, HEAD_DIM = 32, 128
WEIGHTS_BYTES = 16e9

#: The share of the memory that the engine takes, and what of it is neither weights nor cache.
MEMORY_UTILIZATION = 0.9
RUNTIME_BYTES = 1.5e9
SQUEEZE_BYTES = 4e9

PASS_OVERHEAD_S = 1.5e-3
COMPUTE_UTILIZATION = 0.6
BLOCK_TOKENS = 16
MOST_PREFILL_TOKENS = 512

SCHEDULER = Scheduler(
    policy="chunked",
    admission="paged",
    max_num_seqs=None,
    max_num_batched_tokens=None,
    max_prefill_tokens_per_step=MOST_PREFILL_TOKENS,
    block_size=BLOCK_TOKENS,
)


@functools.cache
def device(name: str) -> Accelerator:
    """The card's datasheet."""
    return Accelerator.load(name)


def kv_bytes_per_token(kv_heads: int, kv_cache: str) -> int:
    """κ: keys and values of one token in all layers."""
    return 2 * LAYERS * kv_heads * HEAD_DIM * BYTES_PER_VALUE[kv_cache]


def cache_bytes(card: str, events: Collection[str]) -> float:
    """The room that is left for the cache; negative where the weights do not fit."""
    room = MEMORY_UTILIZATION * device(card).memory_bytes - RUNTIME_BYTES - WEIGHTS_BYTES
    return room - SQUEEZE_BYTES if MEMORY_SQUEEZE in events else room


def kv_blocks(room_bytes: float, bytes_per_token: int) -> int:
    """Whole blocks in the room; 0 where there is none."""
    return max(0, math.floor(room_bytes / (BLOCK_TOKENS * bytes_per_token)))


def step_costs(settings: Settings) -> StepCosts:
    """Coefficients of the pass time, a serial sum:

    1.5 ms + (W + κ (S + Σ s)) / bandwidth + 2 P Σ c / (0.6 × fp16 FLOP/s)

    The engine counts the s + c tokens that a chunk reads; c of them are taken off again, chunk token by chunk token.
    """
    card = device(settings.card)
    cached_token_s = kv_bytes_per_token(settings.kv_heads, settings.kv_cache) / card.bandwidth_bytes_per_s
    prefill_token_s = 2 * PARAMETERS / (COMPUTE_UTILIZATION * card.flop_per_s["fp16"])
    return StepCosts(
        (),
        Side(
            constant_s=PASS_OVERHEAD_S + WEIGHTS_BYTES / card.bandwidth_bytes_per_s,
            chunk_token_s=prefill_token_s - cached_token_s,
            context_s=(cached_token_s,),
            read_s=(cached_token_s,),
        ),
    )

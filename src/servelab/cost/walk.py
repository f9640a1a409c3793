"""One batch on its way: the prefill and a few decode passes, what each moves and what the cache then holds.

The passes are those of model.md: the prefill, then decode pass i = 1 … o − 1 at context p + i. A pass is a phase of one
pass, so that what is told of it is computed as the estimate is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from servelab.cost.collectives import exchanged_bytes
from servelab.cost.estimate import estimate
from servelab.cost.memory import MemoryPlan
from servelab.cost.passes import Features
from servelab.cost.phases import Phase, Run, Speed, decode_phase, phase_of, prefill_phase
from servelab.cost.roofline import peak_rates
from servelab.cost.work import Steps
from servelab.specs.deployment import Deployment
from servelab.specs.workload import Workload

#: Tokens of a block of the KV cache, as engines hand it out.
BLOCK_TOKENS = 16


@dataclass(frozen=True)
class WalkPass:
    """A pass of the batch: 0 is the prefill, i the i-th decode pass.

    `phase` is this pass alone; its FLOP and bytes, and `exchanged_bytes`, are sums over all devices. `end_s` counts
    from the start of the prefill. After the pass each request has `tokens_out` tokens and `context_tokens` of it in
    the cache, in so many blocks; they take `kv_cache_bytes` of each device for the whole batch.
    """

    number: int
    tokens: int
    phase: Phase
    exchanged_bytes: float
    end_s: float
    tokens_out: int
    context_tokens: int
    blocks_per_request: int
    kv_cache_bytes: float


@dataclass(frozen=True)
class Walk:
    """The passes told, the first and the last among them; none where there is no figure of performance.

    `blocks_reserved` and `reserved_bytes` are what the estimate keeps free from the start: the whole prompt + output.
    """

    fits: bool
    block_tokens: int
    blocks_reserved: int
    reserved_bytes: float
    passes: tuple[WalkPass, ...]


def walk(deployment: Deployment, workload: Workload, passes: int) -> Walk:
    """The prefill and `passes` decode passes at most, spread evenly from the first to the last."""
    whole = estimate(deployment, workload)
    budget = workload.prompt_tokens + workload.output_tokens
    told: tuple[WalkPass, ...] = ()
    peak = peak_rates(deployment)
    if whole.prefill and peak:
        speed = Speed.of(deployment, peak)
        numbers = (0, *_spread(workload.output_tokens - 1, passes))
        told = tuple(_told(deployment, speed, workload, number) for number in numbers)
    return Walk(whole.fits, BLOCK_TOKENS, _blocks(budget), whole.memory.kv_cache_bytes, told)


def _spread(last: int, most: int) -> list[int]:
    """At most `most` whole numbers from 1 to `last`, both among them where there is room, as evenly as they go."""
    if last <= most:
        return list(range(1, last + 1))
    if most == 1:
        return [last]
    return [1 + (last - 1) * index // (most - 1) for index in range(most)]


def _told(deployment: Deployment, speed: Speed, workload: Workload, number: int) -> WalkPass:
    prefill = prefill_phase(deployment, speed, workload)
    until = Workload(workload.prompt_tokens, number + 1, batch=workload.batch)
    context = workload.prompt_tokens + number
    tokens = workload.batch * (1 if number else workload.prompt_tokens)
    return WalkPass(
        number=number,
        tokens=tokens,
        phase=_decode_pass(deployment, speed, workload.batch, context) if number else prefill,
        exchanged_bytes=exchanged_bytes(deployment, tokens),
        end_s=prefill.time_s + decode_phase(deployment, speed, until).time_s,
        tokens_out=number + 1,
        context_tokens=context,
        blocks_per_request=_blocks(context),
        kv_cache_bytes=MemoryPlan.of(deployment).parts(context, 0, workload.batch)[1],
    )


def _decode_pass(deployment: Deployment, speed: Speed, batch: int, context: int) -> Phase:
    features = Features.decode(batch, context, deployment.model.windows)
    return phase_of(deployment, speed, [Run(features, Steps(float(batch) * context))])


def _blocks(tokens: int) -> int:
    return math.ceil(tokens / BLOCK_TOKENS)

"""The world of the deployment lab: a catalogue model on catalogue cards, seeded traffic, and one run of the engine."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from servelab.cost.cache import kv_blocks
from servelab.cost.steps import Side, StepCosts, step_costs
from servelab.errors import SpecError
from servelab.labs.deploy.settings import BURST, LONG_PROMPTS, MODELS, STEP_TIMES, Settings
from servelab.labs.grouped_query import traffic as arrivals
from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR
from servelab.sim.run import Options, Run, simulate
from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.model import Model
from servelab.specs.scheduler import Scheduler
from servelab.specs.traffic import Traffic

BLOCK_TOKENS = 16

#: On a day of long prompts, every so many requests one has a prompt so many times as long.
LONG_EVERY, LONG_FACTOR = 8, 12

#: A server must answer while the compiled engine is not ready; the plain one gives the same figures, slower.
_OPTIONS = Options(wait_for_compiler=False)


@dataclass(frozen=True, eq=False)
class Played:
    """A set-up and what follows; `blocks` is 0 where the weights leave no room, `run` None where nothing ran."""

    settings: Settings
    events: tuple[str, ...]
    seed: int
    deployment: Deployment
    costs: StepCosts
    blocks: int
    traffic: Traffic | None
    run: Run | None

    @property
    def capacity_tokens(self) -> int:
        """Tokens that the cache holds."""
        return self.blocks * BLOCK_TOKENS

    @property
    def price_usd_per_hour(self) -> float:
        """Of all cards, illustrative."""
        return self.settings.cards * PRICES_USD_PER_HOUR[self.settings.card]

    @property
    def served(self) -> int:
        """Requests that were not rejected."""
        return 0 if self.run is None or self.traffic is None else len(self.traffic) - self.run.summary["rejections"]


@functools.cache
def _model(size: str) -> Model:
    return Model.load(MODELS[size])


@functools.cache
def _card(name: str) -> Accelerator:
    return Accelerator.load(name)


def computes_in_fp8(settings: Settings) -> bool:
    """FP8 weights are multiplied in FP8 on the cards that can; all other formats are widened to BF16 first."""
    return settings.weights == "fp8" and "fp8" in _card(settings.card).flop_per_s


def deployment(settings: Settings) -> Deployment:
    """The deployment, every assumption at its default.

    No engine is named: that of calibrated step times is then vLLM, and the memory stays the textbook's.
    """
    return Deployment(
        _model(settings.size),
        _card(settings.card),
        tensor_parallel=settings.cards,
        weights=settings.weights,
        kv_cache=settings.kv_cache,
        compute="fp8" if computes_in_fp8(settings) else None,
        profile=STEP_TIMES[settings.step_times],
    )


def scheduler(settings: Settings) -> Scheduler:
    """Paged blocks of 16 tokens, up to 8,192 tokens in a pass."""
    chunked = settings.policy == "chunked"
    return Scheduler(
        policy=settings.policy,
        max_num_seqs=settings.at_once,
        max_prefill_tokens_per_step=settings.chunk_tokens if chunked else None,
        block_size=BLOCK_TOKENS,
    )


def traffic(settings: Settings, events: Collection[str], seed: int) -> Traffic | None:
    """Two minutes of arrivals; what happens changes no draw. None where nobody comes."""
    burst, unit = BURST in events, arrivals.draws(seed)
    until = arrivals.expected_arrivals(arrivals.HORIZON_S, settings.requests_per_s, burst=burst)
    arrived = int(np.searchsorted(unit.arrivals, until))
    if not arrived:
        return None
    prompts = arrivals.whole(settings.prompt_tokens * (0.5 + unit.prompts[:arrived]))
    if LONG_PROMPTS in events:
        prompts[LONG_EVERY - 1 :: LONG_EVERY] *= LONG_FACTOR
    return Traffic(
        arrivals.times(unit.arrivals[:arrived], settings.requests_per_s, burst=burst),
        prompts,
        arrivals.whole(settings.output_tokens * unit.outputs[:arrived]),
    )


def play(settings: Settings, events: tuple[str, ...], seed: int) -> Played:
    """Draw the traffic, find the room, run."""
    system, rules, requests = deployment(settings), scheduler(settings), traffic(settings, events, seed)
    costs, blocks = step_costs(system), _blocks(system, rules)
    run: Any = None
    if requests is not None and blocks:
        run = simulate(costs, requests, rules, blocks, _OPTIONS)
    return Played(settings, events, seed, system, costs, blocks, requests, run)


def _blocks(system: Deployment, rules: Scheduler) -> int:
    try:
        return kv_blocks(system, rules)
    except SpecError:  # the weights leave no room for one
        return 0


@dataclass(frozen=True)
class PassTime:
    """What a pass of decodes waits for, in seconds.

    Arithmetic and reading the weights run beside each other, the arithmetic of attention and reading the cache
    likewise: the longer of two counts. `rest_s` is exchange between cards, what the host takes, and with calibrated
    step times what is done to activations between matrices.
    """

    arithmetic_s: float
    weights_s: float
    attention_math_s: float
    cache_read_s: float
    rest_s: float

    @property
    def cache_s(self) -> float:
        """Attention over the cache: reading it, or its arithmetic where that takes longer."""
        return max(self.attention_math_s, self.cache_read_s)

    @property
    def total_s(self) -> float:
        """The time of the pass."""
        return max(self.arithmetic_s, self.weights_s) + self.cache_s + self.rest_s


def decode_pass(costs: StepCosts, tokens: float, context_tokens: float) -> PassTime:
    """A pass of so many decodes, each of which sees so many tokens."""
    (math, data), (attention_math, attention_data) = costs.stages

    def seconds(side: Side, contexts: float = 0.0) -> float:
        return side.constant_s + side.decode_token_s * tokens + sum(side.context_s) * contexts

    seen = tokens * context_tokens
    return PassTime(
        arithmetic_s=seconds(math),
        weights_s=seconds(data),
        attention_math_s=seconds(attention_math, seen),
        cache_read_s=seconds(attention_data, seen),
        rest_s=seconds(costs.rest),
    )


def capacity_tokens(settings: Settings) -> int:
    """Tokens that the cache of a set-up would hold."""
    return _blocks(deployment(settings), scheduler(settings)) * BLOCK_TOKENS

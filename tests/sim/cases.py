"""Small random cases for the engine, hard on purpose: tight caches, tiny limits, arrivals that fall on pass ends."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from servelab.cost.steps import Side, StepCosts
from servelab.specs.scheduler import Scheduler
from tests.oracles.engine import Replica, Rules, replay

LIMITS = (None, 1, 2, 3, 5, 8, 16, 64)


@dataclass
class Case:
    requests: list[tuple[float, int, int, int]]
    scheduler: Scheduler
    costs: StepCosts
    think: list[float] | None

    @property
    def kv_blocks(self) -> int:
        return self.scheduler.kv_blocks

    def oracle(self, kind: type[Replica] = Replica) -> Replica:
        s = self.scheduler
        bounds = (s.max_num_seqs, s.max_num_batched_tokens, s.max_prefill_tokens_per_step)
        seqs, tokens, step = (math.inf if bound is None else bound for bound in bounds)
        rules = Rules(s.policy, s.admission, seqs, tokens, step, s.block_size, s.kv_blocks, s.watermark_fraction)
        return replay(self.requests, rules, pass_time(self.costs), self.think, kind)


def case(seed: int) -> Case:
    rng = random.Random(seed)
    requests = _requests(rng)
    block_size = rng.choice([1, 2, 4, 16])
    largest = max(-(-(prompt + limit) // block_size) for _, prompt, _, limit in requests)
    tight = rng.random() < 0.8
    scheduler = Scheduler(
        policy=rng.choice(["static", "continuous", "chunked", "chunked"]),
        admission=rng.choice(["paged", "paged", "reserve"]),
        max_num_seqs=rng.choice(LIMITS),
        max_num_batched_tokens=rng.choice(LIMITS),
        max_prefill_tokens_per_step=rng.choice(LIMITS),
        block_size=block_size,
        kv_blocks=max(1, int(largest * rng.uniform(0.9, 1.6))) if tight else largest * 20,
        watermark_fraction=rng.choice([0, 0, 0.01, 0.1, 0.5, 1]),
    )
    think = None
    if rng.random() < 0.2:
        clients = rng.randint(1, len(requests))
        requests = [(0.0 if i < clients else math.inf, *rest) for i, (_, *rest) in enumerate(requests)]
        think = [rng.choice([0.0, 1.0, rng.random() * 5]) for _ in requests]
    return Case(requests, scheduler, _costs(rng), think)


def _requests(rng: random.Random) -> list[tuple[float, int, int, int]]:
    count = rng.randint(1, 14)
    longest_prompt, longest_output = rng.choice([3, 12, 40]), rng.choice([1, 3, 12, 60])
    kind = rng.choice(["together", "constant", "constant", "random"])
    if kind == "together":
        arrivals = [0.0] * count
    elif kind == "constant":
        gap = rng.choice([0.1, 0.25, 0.5, 1.0, 2.0, 10.0])
        arrivals = [i * gap for i in range(count)]
    else:
        span = rng.choice([1, 20, 200])
        arrivals = sorted(rng.random() * span for _ in range(count))
    requests = []
    for arrival in arrivals:
        output = rng.randint(1, longest_output)
        extra = rng.choice([0, 0, 0, rng.randint(0, 20)])
        requests.append((arrival, rng.randint(1, longest_prompt), output, output + extra))
    return requests


def _costs(rng: random.Random) -> StepCosts:
    windows = rng.choice(
        [(None,), (None,), (None, rng.randint(1, 20)), (rng.randint(1, 20),), (rng.randint(1, 9), None, 30)]
    )
    rest = Side(rng.choice([1.0, 0.5, 0.1, 0.25]))
    if rng.random() < 0.3:
        return StepCosts((), rest, windows)  # every pass takes the same round time
    stages = tuple((_side(rng, len(windows)), _side(rng, len(windows))) for _ in range(rng.choice([1, 2, 2, 3])))
    return StepCosts(stages, rest, windows)


def _side(rng: random.Random, kinds: int) -> Side:
    def some(scale: float) -> float:
        return rng.choice([0.0, rng.random(), rng.random() * 1e-2]) * scale

    def each() -> tuple[float, ...]:
        return tuple(some(0.01) for _ in range(kinds))

    table = tuple(some(0.1) for _ in range(rng.choice([0, 0, 1, 4])))
    return Side(some(1), some(0.1), some(0.1), some(0.1), each(), each(), each(), table)


def pass_time(costs: StepCosts):
    """Seconds of a pass, with every token looked at by itself."""

    def seconds(side: Side, contexts, chunks) -> float:
        tokens = sum(length for _, length in chunks)
        total = side.constant_s + side.decode_token_s * len(contexts) + side.chunk_token_s * tokens
        total += side.chunk_s * len(chunks)
        for kind, bound in enumerate(costs.windows if side.context_s else ()):
            window = bound or math.inf
            total += side.context_s[kind] * sum(min(context, window) for context in contexts)
            total += side.pair_s[kind] * sum(min(s + i, window) for s, c in chunks for i in range(1, c + 1))
            total += side.read_s[kind] * sum(min(s, window - 1) + c for s, c in chunks)
        if side.tabled_s:
            total += side.tabled_s[min(len(contexts) + tokens, len(side.tabled_s) - 1)]
        return total

    def time(contexts, chunks) -> float:
        longer = (max(seconds(side, contexts, chunks) for side in stage) for stage in costs.stages)
        return seconds(costs.rest, contexts, chunks) + sum(longer)

    return time

"""Traffic through one replica, pass by pass and token by token: slow, obvious, and what the engine must equal.

Nothing is skipped and nothing is kept in clever form: the queue and the running requests are lists, every pass looks
at every request, every token's time is written down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

#: Seconds of one pass, from the contexts of its decodes and its chunks of (offset, length).
PassTime = Callable[[Sequence[int], Sequence[tuple[int, int]]], float]

WAIT_PARTS = ("wait_slots_s", "wait_blocks_s", "wait_order_s")
WORK_PARTS = ("prefill_s", "decode_s", "stall_s", "recompute_s")


@dataclass
class Rules:
    policy: str
    admission: str
    max_num_seqs: float
    max_num_batched_tokens: float
    max_prefill_tokens_per_step: float
    block_size: int
    kv_blocks: int
    watermark_fraction: float = 0.0


@dataclass(eq=False)
class Asked:
    arrival: float
    prompt: int
    output: int
    limit: int
    tokens: list[float] = field(default_factory=list)  # when each token came out
    cached: int = 0  # tokens of prompt and output in the cache
    blocks: int = 0
    decoding: bool = False  # past prefill
    admitted: float | None = None
    preempted: bool = False  # since its last token
    preemptions: int = 0
    rejected: bool = False
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys((*WAIT_PARTS, *WORK_PARTS), 0.0))

    @property
    def to_prefill(self) -> int:
        return self.prompt + len(self.tokens)

    @property
    def finished(self) -> bool:
        return len(self.tokens) == self.output


@dataclass
class Pass:
    start: float
    end: float
    running: int
    waiting: int
    blocks: int
    prefill_tokens: int
    decoding: int
    alone: float


class Replica:
    """One engine, one pass at a time."""

    def __init__(self, requests: list[Asked], rules: Rules, pass_time: PassTime, think: list[float] | None = None):
        self.requests, self.rules, self.pass_time = requests, rules, pass_time
        self.think = think  # closed loop: the pause that follows each request
        self.pending = list(requests)
        self.waiting: list[Asked] = []
        self.running: list[Asked] = []
        self.drained: list[Asked] = []  # static: finished, but keeping slot and blocks
        self.now = 0.0
        self.passes: list[Pass] = []

    def run(self) -> Replica:
        while self.iterate():
            pass
        return self

    def iterate(self) -> bool:
        self.join()
        if not self.waiting and not self.running:
            arrivals = [request.arrival for request in self.pending if math.isfinite(request.arrival)]
            if not arrivals:
                return False
            self.now = min(arrivals)
            return True
        decodes, chunks = {"static": self.static, "continuous": self.continuous, "chunked": self.chunked}[
            self.rules.policy
        ]()
        self.execute(decodes, chunks)
        return True

    def join(self) -> None:
        while self.pending and self.pending[0].arrival <= self.now * (1 + 1e-9):
            request = self.pending.pop(0)
            if self.blocks(request.prompt + request.limit) > self.rules.kv_blocks:
                request.rejected = True
                self.next_of_client(request, request.arrival)
            else:
                self.waiting.append(request)

    # Memory

    def blocks(self, tokens: int) -> int:
        return -(-tokens // self.rules.block_size)

    @property
    def free(self) -> int:
        return self.rules.kv_blocks - sum(request.blocks for request in self.running + self.drained)

    def needs(self, request: Asked) -> int:
        if self.rules.policy == "static" or self.rules.admission == "reserve":
            return self.blocks(request.prompt + request.limit)
        return self.blocks(request.to_prefill)

    def has_slot(self) -> bool:
        return len(self.running) + len(self.drained) < self.rules.max_num_seqs

    def has_blocks(self, request: Asked) -> bool:
        if self.rules.policy == "static" or self.rules.admission == "reserve" or not self.running:
            return self.needs(request) <= self.free
        return self.free - self.needs(request) >= self.rules.watermark_fraction * self.rules.kv_blocks

    def can_admit(self) -> bool:
        return bool(self.waiting) and self.has_slot() and self.has_blocks(self.waiting[0])

    def admit(self) -> Asked:
        request = self.waiting.pop(0)
        request.blocks = self.needs(request)
        request.cached = 0
        if request.admitted is None:
            request.admitted = self.now
        self.running.append(request)
        return request

    def grow(self) -> None:
        if self.rules.admission == "reserve":
            return
        for request in list(self.running):
            if request not in self.running or not request.decoding:
                continue
            wanted = self.blocks(request.prompt + len(request.tokens))
            while request in self.running and wanted - request.blocks > self.free:
                self.preempt(self.running[-1])
            if request in self.running:
                request.blocks = wanted

    def preempt(self, request: Asked) -> None:
        self.running.remove(request)
        request.blocks = request.cached = 0
        request.decoding = False
        request.preempted = True
        request.preemptions += 1
        self.waiting.insert(0, request)

    # Policies: each gives the decodes of the pass and its chunks (request, offset, length)

    def static(self):
        if self.running:
            return list(self.running), []
        self.drained.clear()
        chunks = []
        while self.can_admit():
            request = self.admit()
            chunks.append((request, 0, request.to_prefill))
        return [], chunks

    def continuous(self):
        chunks = []
        left = self.rules.max_num_batched_tokens
        while self.can_admit() and (not chunks or self.waiting[0].to_prefill <= left):
            request = self.admit()
            chunks.append((request, 0, request.to_prefill))
            left -= request.to_prefill
        if chunks:
            return [], chunks
        self.grow()
        return list(self.running), []

    def chunked(self):
        self.grow()
        decodes = [request for request in self.running if request.decoding]
        budget = min(self.rules.max_num_batched_tokens - len(decodes), self.rules.max_prefill_tokens_per_step)
        chunks = []
        for request in self.running:
            if not request.decoding and budget > 0:
                length = min(budget, request.to_prefill - request.cached)
                chunks.append((request, request.cached, length))
                budget -= length
        while budget > 0 and self.can_admit():
            request = self.admit()
            length = min(budget, request.to_prefill)
            chunks.append((request, 0, length))
            budget -= length
        return decodes, chunks

    # The pass itself

    def execute(self, decodes, chunks) -> None:
        contexts = [request.prompt + len(request.tokens) for request in decodes]
        pieces = [(offset, length) for _, offset, length in chunks]
        start, taken = self.now, self.pass_time(contexts, pieces)
        alone = self.pass_time(contexts, []) if decodes else 0.0
        self.attribute(decodes, taken, alone)
        used = self.rules.kv_blocks - self.free
        self.now += taken
        tokens = sum(length for _, length in pieces)
        decoding = sum(request.decoding for request in self.running)
        counts = (len(self.running), len(self.waiting), used, tokens, decoding)
        self.passes.append(Pass(start, self.now, *counts, alone))
        emitting = list(decodes)
        for request in decodes:
            request.cached += 1
        for request, offset, length in chunks:
            request.cached = offset + length
            if request.cached == request.to_prefill:
                emitting.append(request)
        for request in emitting:
            request.tokens.append(self.now)
            request.preempted, request.decoding = False, True
            if request.finished:
                self.retire(request)
        if not self.running:
            self.drained.clear()

    def retire(self, request: Asked) -> None:
        self.running.remove(request)
        if self.rules.policy == "static":
            self.drained.append(request)
        self.next_of_client(request, self.now)

    def next_of_client(self, request: Asked, at: float) -> None:
        if self.think is None:
            return
        times = sorted(r.arrival for r in self.pending if math.isfinite(r.arrival))
        if len(times) < len(self.pending):
            times = sorted([*times, at + self.think[self.requests.index(request)]])
            for later, time in zip(self.pending, times, strict=False):
                later.arrival = time

    def attribute(self, decodes, taken: float, alone: float) -> None:
        """Give this pass to one part of every request that lives through it."""
        if self.waiting and self.waiting[0].admitted is None:
            head = self.waiting[0]
            if self.rules.policy == "static" or not self.has_slot():
                head.parts["wait_slots_s"] += taken
            elif not self.has_blocks(head):
                head.parts["wait_blocks_s"] += taken
        for request in self.running + self.waiting:
            if request.preempted:
                request.parts["recompute_s"] += taken
            elif request in self.running and not request.tokens:
                request.parts["prefill_s"] += taken
            elif request in decodes:
                request.parts["decode_s"] += alone
                request.parts["stall_s"] += taken - alone
            elif request in self.running:
                request.parts["stall_s"] += taken

    def finish_parts(self) -> None:
        for request in self.requests:
            if not request.rejected:
                queue = request.admitted - request.arrival
                request.parts["wait_order_s"] = queue - request.parts["wait_slots_s"] - request.parts["wait_blocks_s"]

    def gaps(self) -> list[float]:
        return [
            later - earlier
            for request in self.requests
            for earlier, later in zip(request.tokens, request.tokens[1:], strict=False)
        ]


class Diary(Replica):
    """A replica that writes down what every request does in every pass."""

    def __init__(self, *args):
        super().__init__(*args)
        self.entries = {id(request): [] for request in self.requests}

    def attribute(self, decodes, taken: float, alone: float) -> None:
        super().attribute(decodes, taken, alone)
        start, split, end = self.now, self.now + (alone if decodes else 0.0), self.now + taken
        for request in self.running + self.waiting:
            if request.preempted:
                pieces = [("preempted", start, end)]
            elif request not in self.running:
                continue  # in the queue, of which the table tells
            elif not request.tokens:
                pieces = [("prefill", start, end)]
            elif request in decodes:
                pieces = [("decode", start, split), ("stalled", split, end)]
            else:
                pieces = [("stalled", start, end)]
            self.entries[id(request)] += pieces

    def life(self, request: Asked) -> list[tuple[str, float, float]]:
        """Phases with their start and end, from the arrival on; neighbours of one phase are one."""
        if request.rejected:
            return []
        told: list[tuple[str, float, float]] = []
        for phase, start, end in [("queue", request.arrival, request.admitted), *self.entries[id(request)]]:
            if end - start <= 1e-9 * end:
                continue
            if told and told[-1][0] == phase:
                told[-1] = (phase, told[-1][1], end)
            else:
                told.append((phase, start, end))
        return told


def replay(
    traffic: Sequence[tuple[float, int, int, int]],
    rules: Rules,
    pass_time: PassTime,
    think: list[float] | None = None,
    kind: type[Replica] = Replica,
) -> Replica:
    """Run (arrival, prompt, output, limit) through one replica under `rules`."""
    replica = kind([Asked(*request) for request in traffic], rules, pass_time, think).run()
    replica.finish_parts()
    return replica

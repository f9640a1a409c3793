"""What the engine works on: records of requests, and the one state of everything else.

The records are written as dataclasses. A plain run uses them as they are; for a compiled run `fields_of` makes the
same fields into a NumPy record, so that `request.prompt` reads alike in both. Requests are indexed in arrival order;
index `state.requests` is the sentinel that closes the ring of unfinished requests.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

STATIC, CONTINUOUS, CHUNKED = range(3)
POLICIES = ("static", "continuous", "chunked")

#: Stands for "no bound" among limits: beyond any count, and sums of a few stay within 64 bits.
UNBOUNDED = 2**60

#: A request has arrived when its time is at most the clock's, give or take this much of it.
ARRIVAL_TOLERANCE = 1e-9
BY_NOW = 1 + ARRIVAL_TOLERANCE

#: Records that are filled, or put into columns, at a time: 200 kB, which stay in the processor's cache meanwhile.
STRETCH = 1024

#: A time that has not come.
NEVER = -1.0

TIMELINE_COLUMNS = ("start_s", "end_s", "running", "waiting", "kv_blocks", "prefill_tokens", "decoding", "decode_s")


@dataclass(slots=True)
class Request:
    """One request: what it asks, where it stands, when things happened to it.

    The unfinished requests form a ring in arrival order: running ones first, then waiting ones.
    """

    limit: int = 0
    blocks: int = 0  # to be taken at its next admission
    older: int = 0
    newer: int = 0
    tokens_out: int = 0  # g while it does not decode
    heap_place: int = -1  # of its event; -1 for none
    due_phase: int = 0  # while it decodes, the phase of the steps at which it takes a block
    decode_base: int = 0  # while it decodes, g is the count of decode steps minus this
    think_s: float = 0.0  # closed loop: the pause its client makes after it
    token_s: float = NEVER  # its token from the last prefill; once preempted, its last token
    token_decode_clock_s: float = 0.0  # the decode clock at that token
    preempted_s: float = NEVER  # start of the pass that preempted it, until its next token
    arrival_s: float = 0.0  # from here on, what a run tells of it
    prompt: int = 0
    output: int = 0
    preemptions: int = 0
    rejected: int = 0
    admitted_s: float = NEVER
    first_token_s: float = NEVER
    finished_s: float = NEVER
    wait_slots_s: float = 0.0
    wait_blocks_s: float = 0.0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    stall_s: float = 0.0
    recompute_s: float = 0.0


@dataclass(slots=True)
class State:
    """Everything there is one of: first the scheduler's settings, then the counters, then the coming pass."""

    requests: int = 0
    policy: int = CHUNKED
    reserves: int = 0  # whether a request's whole budget is taken at its admission
    closed_loop: int = 0
    max_num_seqs: int = UNBOUNDED
    max_num_batched_tokens: int = UNBOUNDED
    max_prefill_tokens_per_step: int = UNBOUNDED
    block_size: int = 16
    kv_blocks: int = 0
    watermark_blocks: float = 0.0
    stages: int = 0
    tabled_tokens: int = 0  # length of a table over the tokens of a pass; 0 for none

    now_s: float = 0.0
    passes: int = 0
    decode_steps: int = 0
    phase: int = 0  # decode_steps modulo the block size
    decode_clock_s: float = 0.0  # time of all decode passes, had they had no prefills with them
    last_decode_s: float = 0.0  # end of the last pass that decoded
    arrived: int = 0  # requests that have joined, or were rejected
    known: int = 0  # requests whose arrival time is known: all, but in a closed loop
    newest: int = 0  # newest running request; the sentinel where none runs
    running: int = 0
    decoding: int = 0
    waiting: int = 0
    free_blocks: int = 0
    finished: int = 0
    rejections: int = 0
    preemptions: int = 0
    events: int = 0  # in the heap
    fresh_groups: int = 0
    rows: int = 0
    busy_s: float = 0.0
    block_seconds: float = 0.0
    running_seconds: float = 0.0
    peak_blocks: int = 0
    gap_max_s: float = 0.0
    gap_min_s: float = 1e300

    prefill_left: int = 0  # tokens the newest running request has yet to prefill; 0 where none is partly prefilled
    prefill_from: int = 0  # oldest request with a chunk in this pass
    decodes: int = 0  # n of this pass
    chunk_tokens: int = 0  # Σ c of this pass
    chunks: int = 0


@dataclass(slots=True)
class Kind:
    """What a pass does in one kind of attention: all its layers with the same window."""

    window: int = UNBOUNDED  # tokens a query sees at most
    context_sum: int = 0  # S: Σ min(context, window) of the coming decodes
    growing: int = 0  # decodes whose context is still within the window
    chunk_pairs: float = 0.0  # Σ of query-key pairs in the chunks of this pass
    chunk_reads: float = 0.0  # Σ of cached tokens the chunks read


@dataclass(slots=True)
class Cost:
    """Seconds that one side of a stage takes by feature of a pass.

    There is one for every kind of attention; what has nothing to do with attention stands in that of the first.
    """

    constant_s: float = 0.0
    decode_token_s: float = 0.0
    chunk_token_s: float = 0.0
    chunk_s: float = 0.0
    context_s: float = 0.0
    pair_s: float = 0.0
    read_s: float = 0.0


@dataclass(slots=True)
class Event:
    """The next decode step after which something happens to a request: a window is full, or it has all its tokens."""

    step: int = 0
    request: int = 0


@dataclass(slots=True)
class FreshGroup:
    """Decodes whose last token came with one prefill pass since the last decode pass (continuous policy)."""

    count: int = 0
    token_s: float = 0.0


@dataclass(slots=True)
class Row:
    """One line of the timeline: a pass, or a run of passes skipped over. Counts are means over its passes, by time.

    `decoding` requests are past prefill, whether the passes decode or not; `decode_s` is the time the passes would
    have taken with their decodes only, so that all of those stall for the rest.
    """

    start_s: float = 0.0
    end_s: float = 0.0
    running: float = 0.0
    waiting: float = 0.0
    kv_blocks: float = 0.0
    prefill_tokens: float = 0.0
    decoding: float = 0.0
    decode_s: float = 0.0


class Replica(NamedTuple):
    """What is being served. Arrays are lists in a plain run and NumPy arrays in a compiled one."""

    state: State
    requests: list[Request]
    kinds: list[Kind]
    due_blocks: list[int]  # blocks that decodes take at a step, by the step's remainder of the block size
    heap: list[Event]  # of the decodes, the next event on top
    fresh: list[FreshGroup]


class Times(NamedTuple):
    """What passes cost."""

    costs: list[Cost]  # of the stages' sides, math before data, then of the rest; kind by kind
    tables: list[float]  # seconds of every side but the rest, by tokens of the pass


class Notes(NamedTuple):
    """What is written down of the passes."""

    rows: list[Row]
    gaps: list[int]  # histogram of the gaps between tokens


class Engine(NamedTuple):
    """The whole state, in parts: an array is seven arguments of every compiled function that it is given to."""

    replica: Replica
    times: Times
    notes: Notes


def fields_of(record: type[Any]) -> list[tuple[str, str]]:
    """The fields of the NumPy record for a dataclass of ints and floats."""
    return [(field.name, "i8" if field.type == "int" else "f8") for field in dataclasses.fields(record)]

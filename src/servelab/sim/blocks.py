"""The block manager: what a request holds of the KV cache, what admission needs, how decodes grow, who gives way."""

from __future__ import annotations

from servelab.sim.gaps import join_fresh, leave_fresh
from servelab.sim.heaps import push, take
from servelab.sim.state import CONTINUOUS, STATIC, Kind, Replica, Request, State
from servelab.sim.times import time_of


def blocks(s: State, tokens: int) -> int:
    """Blocks that hold `tokens`."""
    return (tokens + s.block_size - 1) // s.block_size


def blocks_to_admit(s: State, request: Request) -> int:
    """Blocks that `request` takes at admission: for prompt and output limit, or for what is to be prefilled."""
    if s.reserves:
        return blocks(s, request.prompt + request.limit)
    return blocks(s, request.prompt + request.tokens_out)


def has_blocks(s: State, request: Request) -> bool:
    """Whether the blocks for `request` are free, and the watermark stays so; it is waived while nothing runs."""
    left = s.free_blocks - request.blocks
    if s.reserves or s.running == 0:
        return left >= 0
    return left >= s.watermark_blocks


def can_admit(r: Replica) -> bool:
    """Whether the head of the queue can be admitted now."""
    s = r.state
    return s.waiting > 0 and s.running < s.max_num_seqs and has_blocks(s, r.requests[r.requests[s.newest].newer])


def release(s: State, request: Request) -> None:
    """Free what `request` holds, now that it has all its tokens."""
    if s.policy == STATIC:  # it keeps slot and blocks until the batch drains
        if s.running == 0:
            s.free_blocks = s.kv_blocks
    elif s.reserves:
        s.free_blocks += blocks(s, request.prompt + request.limit)
    else:
        s.free_blocks += blocks(s, request.prompt + request.output - 1)


def phase_after(s: State, steps: int) -> int:
    """The phase after so many more decode steps."""
    phase = s.phase + steps
    return phase if phase < s.block_size else phase % s.block_size


def grow(r: Replica) -> None:
    """Give every decode the block it needs in the coming pass, preempting the newest while there are too few."""
    s = r.state
    if s.reserves:
        return
    due = phase_after(s, 1)
    while r.due_blocks[due] > s.free_blocks:
        preempt_newest(r)
    s.free_blocks -= r.due_blocks[due]


def preempt_newest(r: Replica) -> None:
    """The newest running request gives its blocks back and goes to the head of the queue; its tokens are kept."""
    s = r.state
    i = s.newest
    request = r.requests[i]
    if s.prefill_left > 0:
        s.prefill_left = 0
        s.free_blocks += blocks(s, request.prompt + request.tokens_out)
    else:
        last_token_s = max(request.token_s, s.last_decode_s)
        take(s, r.heap, r.requests, i)
        stop_decoding(r, i)
        s.free_blocks += blocks(s, request.prompt + request.tokens_out - 1)
        request.token_s = last_token_s
    request.blocks = blocks_to_admit(s, request)
    if request.preempted_s < 0:
        request.preempted_s = s.now_s
    request.preemptions += 1
    s.preemptions += 1
    s.newest = request.older
    s.running -= 1
    s.waiting += 1


def due_phase(s: State, request: Request) -> int:
    """The phase of the steps at which a decode that starts now takes a block: where the token before filled one.

    Its first step, the next one, has context p + g; it takes a block where that is one more than a multiple.
    """
    return (s.phase + 2 - request.prompt - request.tokens_out) % s.block_size


def next_event(s: State, kinds: list[Kind], request: Request) -> int:
    """The decode step after which a decode has all its tokens, or fills a window before that."""
    step = request.decode_base + request.output
    for kind in range(len(kinds)):
        full = request.decode_base - request.prompt + kinds[kind].window
        if s.decode_steps < full < step:
            step = full
    return step


def start_decoding(r: Replica, i: int) -> None:
    """Request `i` decodes from the next pass on."""
    s, request = r.state, r.requests[i]
    request.token_s = s.now_s
    request.token_decode_clock_s = s.decode_clock_s
    request.decode_base = s.decode_steps - request.tokens_out
    request.due_phase = due_phase(s, request)
    r.due_blocks[request.due_phase] += 1
    s.decoding += 1
    push(s, r.heap, r.requests, next_event(s, r.kinds, request), i)
    context = request.prompt + request.tokens_out
    for kind in range(len(r.kinds)):
        window = r.kinds[kind].window
        r.kinds[kind].context_sum += min(context, window)
        if context < window:
            r.kinds[kind].growing += 1
    if s.policy == CONTINUOUS:
        join_fresh(s, r.fresh)


def stop_decoding(r: Replica, i: int) -> None:
    """Request `i`, out of the heap, decodes no more, for now or for good: count its tokens and close its clocks."""
    s, request = r.state, r.requests[i]
    request.tokens_out = s.decode_steps - request.decode_base
    decoded_s = s.decode_clock_s - request.token_decode_clock_s
    request.decode_s += decoded_s
    request.stall_s += s.now_s - request.token_s - decoded_s
    r.due_blocks[request.due_phase] -= 1
    s.decoding -= 1
    context = request.prompt + request.tokens_out
    for kind in range(len(r.kinds)):
        window = r.kinds[kind].window
        r.kinds[kind].context_sum -= min(context, window)
        if context < window:
            r.kinds[kind].growing -= 1
    if s.policy == CONTINUOUS:
        leave_fresh(s, r.fresh, request.token_s)


def passes_with_room(s: State, due_blocks: list[int], passes: int, room: int) -> int:
    """How many of the coming decode passes, the first of which has grown, can grow by `room` blocks in all."""
    size = s.block_size
    if s.decodes * passes <= room or s.decodes * ((passes - 1) // size + 1) <= room:
        return passes
    rounds = room // s.decodes  # every decode takes one block in `size` passes
    room -= rounds * s.decodes
    fit = 1 + rounds * size
    while fit < passes:
        room -= due_blocks[phase_after(s, fit + 1)]
        if room < 0:
            break
        fit += 1
    return min(fit, passes)


def take_growth(s: State, due_blocks: list[int], first_s: float, slope_s: float, passes: int) -> float:
    """Take the blocks that decodes grow by in passes 2 … `passes`; returns the sum of blocks × time until the end.

    A block taken for pass x + 1 is held from T(x) on, where T(x) = x first + x (x − 1) / 2 slope is the time of x
    passes, so that sums of 1, x and x (x − 1) / 2 over the blocks suffice. Decodes of one remainder take theirs at x,
    x + size, x + 2 size …: all at each of some full rounds, and once more those that are due within what is left of a
    round.
    """
    size, rounds, left = s.block_size, 0, passes - 1
    if left >= size:  # a division would cost more than asking
        rounds, left = left // size, left % size
    taken, last_xs, last_pairs = sums_due(s, due_blocks, phase_after(s, 1 + left), left)
    xs, pairs = 1.0 * last_xs, 1.0 * last_pairs
    if rounds > 0:
        more, more_xs, more_pairs = sums_due(s, due_blocks, phase_after(s, 1 + size), size - left)
        round_pairs = pairs + more_pairs + left * more_xs + left * (left - 1) // 2 * more
        round_xs = xs + more_xs + left * more
        begin = 1.0 * size * rounds
        pairs += begin * xs + begin * (begin - 1) / 2 * taken
        xs += begin * taken
        d = begin * (rounds - 1) / 2  # Σ of the steps that the rounds begin after
        pairs_d = d * (2 * begin - size - 3) / 6  # Σ d (d − 1) / 2 over them
        pairs += rounds * round_pairs + d * round_xs + pairs_d * s.decodes
        xs += rounds * round_xs + d * s.decodes
        taken += rounds * s.decodes
    s.free_blocks -= taken
    return taken * time_of(first_s, slope_s, passes) - first_s * xs - slope_s * pairs


def sums_due(s: State, due_blocks: list[int], last: int, steps: int) -> tuple[int, int, int]:
    """Blocks due at each of some steps, x = 1 … `steps`, the last of phase `last`; Σ x and Σ x (x − 1) / 2 over them.

    They are sums of sums, from the last step to the first: a block due at x comes up x times.
    """
    blocks_due, xs, pairs = 0, 0, 0
    for _ in range(steps):
        pairs += xs
        blocks_due += due_blocks[last]
        xs += blocks_due
        last = last - 1 if last > 0 else s.block_size - 1
    return blocks_due, xs, pairs


KERNELS = (
    blocks,
    blocks_to_admit,
    has_blocks,
    can_admit,
    release,
    phase_after,
    grow,
    preempt_newest,
    due_phase,
    next_event,
    start_decoding,
    stop_decoding,
    passes_with_room,
    take_growth,
    sums_due,
)

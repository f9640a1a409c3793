"""The engine: requests through a scheduler, pass by pass, skipping from event to event.

A pass that prefills is an event. Between two events nothing changes but context sums, which grow by the same amount
every pass: the time of any number of decode passes is a closed form, and so is the number of passes until a time.
docs/simulate.md defines every rule and figure.
"""

from __future__ import annotations

import math

from servelab.sim.blocks import (
    blocks,
    blocks_to_admit,
    has_blocks,
    passes_with_room,
    take_growth,
)
from servelab.sim.policies import pick
from servelab.sim.state import BY_NOW, STATIC, Engine, State
from servelab.sim.times import pass_times, time_of
from servelab.sim.tokens import ask_again, emit_decodes, emit_prefills, unlink


def run(e: Engine, rows: int) -> bool:
    """Run until `rows` more lines of the timeline are written or all is done; returns whether there is more to do."""
    s = e.state[0]
    s.rows = 0
    while s.rows < rows:
        join(e)
        if s.running > 0 or s.waiting > 0:
            pick(e)
            first_s, slope_s, alone_s, passes = pass_times(e, passes_to_end(e))
            if s.chunk_tokens == 0:
                passes = passes_to_event(e, first_s, slope_s, passes)
                alone_s = time_of(first_s, slope_s, passes)
            account(e, first_s, slope_s, passes, alone_s)
            if s.decodes > 0:
                emit_decodes(e, first_s, slope_s, passes, alone_s)
            if s.chunk_tokens > 0:
                emit_prefills(e)
        elif s.arrived < s.known:
            s.now_s = e.requests[s.arrived].arrival_s
        else:
            return False
    return True


def join(e: Engine) -> None:
    """Put every request that has arrived at the tail of the queue."""
    s = e.state[0]
    while s.arrived < s.known and e.requests[s.arrived].arrival_s <= s.now_s * BY_NOW:
        join_next(e)


def join_next(e: Engine) -> bool:
    """Put the next request at the tail of the queue; reject what exceeds the whole cache, and return False."""
    s = e.state[0]
    i = s.arrived
    request = e.requests[i]
    s.arrived += 1
    if blocks(s, request.prompt + request.limit) <= s.kv_blocks:
        request.blocks = blocks_to_admit(s, request)
        s.waiting += 1
        return True
    request.rejected = 1
    s.rejections += 1
    unlink(e, i)
    ask_again(e, request.arrival_s + request.think_s)
    return False


def passes_to_end(e: Engine) -> int:
    """Passes like the coming one at most: it alone where it prefills, else until a decode ends or fills a window."""
    s = e.state[0]
    return 1 if s.chunk_tokens > 0 else e.heap[0].step - s.decode_steps


def passes_to_event(e: Engine, first_s: float, slope_s: float, passes: int) -> int:
    """Decode passes until something but the contexts changes: at most `passes`, for which their times are affine."""
    s = e.state[0]
    if passes > 1 and not s.reserves:
        passes = passes_with_room(s, e.due_blocks, passes, s.free_blocks)
        if s.waiting > 0:
            passes = passes_until_too_few(e, passes)
    if passes > 1 and s.waiting == 0 and s.arrived < s.known:
        passes = passes_until(s, first_s, slope_s, passes, e.requests[s.arrived].arrival_s)
    return passes


def passes_until(s: State, first_s: float, slope_s: float, most: int, arrival_s: float) -> int:
    """The fewest passes, from 1 to `most`, after which a request has arrived; `most` where it has not by then.

    The root of the quadratic is right but for rounding, so the passes beside it are tried.
    """
    now_s = s.now_s
    if arrival_s > (now_s + time_of(first_s, slope_s, most - 1)) * BY_NOW:
        return most
    ahead_s = arrival_s - now_s
    linear = first_s - slope_s / 2
    root = 2 * ahead_s / (linear + math.sqrt(linear * linear + 2 * slope_s * ahead_s))
    passes = int(min(max(root, 1.0), 1.0 * most))
    while passes > 1 and arrival_s <= (now_s + time_of(first_s, slope_s, passes - 1)) * BY_NOW:
        passes -= 1
    while passes < most and arrival_s > (now_s + time_of(first_s, slope_s, passes)) * BY_NOW:
        passes += 1
    return passes


def passes_until_too_few(e: Engine, passes: int) -> int:
    """Passes until a head that waits for its turn in the token budget also has too few blocks, at most `passes`."""
    s = e.state[0]
    request = e.requests[e.requests[s.newest].newer]
    if request.admitted_s >= 0 or s.running >= s.max_num_seqs or not has_blocks(s, request):
        return passes
    room = s.free_blocks - request.blocks - s.watermark_blocks
    return passes_with_room(s, e.due_blocks, passes, int(room))


def wait_at_head(e: Engine, taken_s: float) -> None:
    """Note what the head of the queue, where it was never admitted, waits for while the pass runs."""
    s = e.state[0]
    if s.waiting == 0:
        return
    request = e.requests[e.requests[s.newest].newer]
    if request.admitted_s >= 0:
        return
    if s.policy == STATIC or s.running >= s.max_num_seqs:
        request.wait_slots_s += taken_s
    elif not has_blocks(s, request):
        request.wait_blocks_s += taken_s


def join_behind(e: Engine, first_s: float, slope_s: float, passes: int) -> float:
    """Let requests join a queue whose head stays, during `passes` passes; returns the time they wait in all.

    Each joins at the start of a pass.
    """
    s = e.state[0]
    waited_s, taken_s = 0.0, time_of(first_s, slope_s, passes)
    last_start_s = s.now_s + time_of(first_s, slope_s, passes - 1)
    while s.arrived < s.known and e.requests[s.arrived].arrival_s <= last_start_s * BY_NOW:
        before = passes_until(s, first_s, slope_s, passes - 1, e.requests[s.arrived].arrival_s)
        if join_next(e):
            waited_s += taken_s - time_of(first_s, slope_s, before)
    return waited_s


def account(e: Engine, first_s: float, slope_s: float, passes: int, alone_s: float) -> None:
    """Let the time of the passes go by: the clock, waits and growth meanwhile, integrals, a line of the timeline."""
    s, row = e.state[0], e.rows[e.state[0].rows]
    taken_s = time_of(first_s, slope_s, passes)
    wait_at_head(e, taken_s)
    waited_s, held_s = s.waiting * taken_s, (s.kv_blocks - s.free_blocks) * taken_s
    if passes > 1 and s.waiting > 0:
        waited_s += join_behind(e, first_s, slope_s, passes)
    if passes > 1 and not s.reserves:
        held_s += take_growth(s, e.due_blocks, first_s, slope_s, passes)
    row.start_s = s.now_s
    s.now_s += taken_s
    row.end_s = s.now_s
    row.running = s.running
    row.waiting = waited_s / taken_s if passes > 1 and taken_s > 0 else 1.0 * s.waiting
    row.kv_blocks = held_s / taken_s if passes > 1 and taken_s > 0 else 1.0 * (s.kv_blocks - s.free_blocks)
    row.prefill_tokens = s.chunk_tokens
    row.decoding = s.decoding
    row.decode_s = alone_s
    s.rows += 1
    s.passes += passes
    s.busy_s += taken_s
    s.block_seconds += held_s
    s.running_seconds += s.running * taken_s
    s.peak_blocks = max(s.peak_blocks, s.kv_blocks - s.free_blocks)


KERNELS = (
    run,
    join,
    join_next,
    passes_to_end,
    passes_to_event,
    passes_until,
    passes_until_too_few,
    wait_at_head,
    join_behind,
    account,
)

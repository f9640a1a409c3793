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
from servelab.sim.state import BY_NOW, STATIC, Engine, Replica, Row, State
from servelab.sim.times import pass_times, time_of
from servelab.sim.tokens import ask_again, emit_decodes, emit_prefills, unlink


def run(e: Engine, rows: int) -> bool:
    """Run until `rows` more lines of the timeline are written or all is done; returns whether there is more to do."""
    r, notes = e.replica, e.notes
    s = r.state
    s.rows = 0
    while s.rows < rows:
        join(r)
        if s.running > 0 or s.waiting > 0:
            pick(r)
            first_s, slope_s, alone_s, passes = pass_times(r, e.times, passes_to_end(r))
            if s.chunk_tokens == 0:
                passes = passes_to_event(r, first_s, slope_s, passes)
                alone_s = time_of(first_s, slope_s, passes)
            row = notes.rows[s.rows]
            account(r, row, first_s, slope_s, passes, alone_s)
            if s.decodes > 0:
                emit_decodes(r, row, notes.gaps, first_s, slope_s, passes)
            if s.chunk_tokens > 0:
                emit_prefills(r, notes.gaps)
        elif s.arrived < s.known:
            s.now_s = r.requests[s.arrived].arrival_s
        else:
            return False
    return True


def join(r: Replica) -> None:
    """Put every request that has arrived at the tail of the queue."""
    s = r.state
    while s.arrived < s.known and r.requests[s.arrived].arrival_s <= s.now_s * BY_NOW:
        join_next(r)


def join_next(r: Replica) -> bool:
    """Put the next request at the tail of the queue; reject what exceeds the whole cache, and return False."""
    s = r.state
    i = s.arrived
    request = r.requests[i]
    s.arrived += 1
    if blocks(s, request.prompt + request.limit) <= s.kv_blocks:
        request.blocks = blocks_to_admit(s, request)
        s.waiting += 1
        return True
    request.rejected = 1
    s.rejections += 1
    unlink(r, i)
    ask_again(r, request.arrival_s + request.think_s)
    return False


def passes_to_end(r: Replica) -> int:
    """Passes like the coming one at most: it alone where it prefills, else until a decode ends or fills a window."""
    s = r.state
    return 1 if s.chunk_tokens > 0 else r.heap[0].step - s.decode_steps


def passes_to_event(r: Replica, first_s: float, slope_s: float, passes: int) -> int:
    """Decode passes until something but the contexts changes: at most `passes`, for which their times are affine."""
    s = r.state
    if passes > 1 and not s.reserves:
        passes = passes_with_room(s, r.due_blocks, passes, s.free_blocks)
        if s.waiting > 0:
            passes = passes_until_too_few(r, passes)
    if passes > 1 and s.waiting == 0 and s.arrived < s.known:
        passes = passes_until(s, first_s, slope_s, passes, r.requests[s.arrived].arrival_s)
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


def passes_until_too_few(r: Replica, passes: int) -> int:
    """Passes until a head that waits for its turn in the token budget also has too few blocks, at most `passes`."""
    s = r.state
    request = r.requests[r.requests[s.newest].newer]
    if request.admitted_s >= 0 or s.running >= s.max_num_seqs or not has_blocks(s, request):
        return passes
    room = s.free_blocks - request.blocks - s.watermark_blocks
    return passes_with_room(s, r.due_blocks, passes, int(room))


def wait_at_head(r: Replica, taken_s: float) -> None:
    """Note what the head of the queue, where it was never admitted, waits for while the pass runs."""
    s = r.state
    if s.waiting == 0:
        return
    request = r.requests[r.requests[s.newest].newer]
    if request.admitted_s >= 0:
        return
    if s.policy == STATIC or s.running >= s.max_num_seqs:
        request.wait_slots_s += taken_s
    elif not has_blocks(s, request):
        request.wait_blocks_s += taken_s


def join_behind(r: Replica, first_s: float, slope_s: float, passes: int) -> float:
    """Let requests join a queue whose head stays, during `passes` passes; returns the time they wait in all.

    Each joins at the start of a pass.
    """
    s = r.state
    waited_s, taken_s = 0.0, time_of(first_s, slope_s, passes)
    last_start_s = s.now_s + time_of(first_s, slope_s, passes - 1)
    while s.arrived < s.known and r.requests[s.arrived].arrival_s <= last_start_s * BY_NOW:
        before = passes_until(s, first_s, slope_s, passes - 1, r.requests[s.arrived].arrival_s)
        if join_next(r):
            waited_s += taken_s - time_of(first_s, slope_s, before)
    return waited_s


def account(r: Replica, row: Row, first_s: float, slope_s: float, passes: int, alone_s: float) -> None:
    """Let the time of the passes go by: the clock, waits and growth meanwhile, integrals, a line of the timeline."""
    s = r.state
    taken_s = time_of(first_s, slope_s, passes)
    wait_at_head(r, taken_s)
    waited_s, held_s = s.waiting * taken_s, (s.kv_blocks - s.free_blocks) * taken_s
    if passes > 1 and s.waiting > 0:
        waited_s += join_behind(r, first_s, slope_s, passes)
    if passes > 1 and not s.reserves:
        held_s += take_growth(s, r.due_blocks, first_s, slope_s, passes)
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

"""Tokens: what every decode and every finished prefill emits at the end of a pass, and who is done with that."""

from __future__ import annotations

from servelab.sim.blocks import next_event, phase_after, release, start_decoding, stop_decoding
from servelab.sim.gaps import count_first_gaps, count_gap, count_gaps
from servelab.sim.heaps import push, take
from servelab.sim.state import CONTINUOUS, NEVER, Replica, Row


def emit_decodes(r: Replica, row: Row, gaps: list[int], first_s: float, slope_s: float, passes: int) -> None:
    """Every decode emits a token at the end of each of the passes; some finish, some fill their window."""
    s, usual = r.state, 0
    if s.policy == CONTINUOUS and (s.fresh_groups > 0 or s.last_decode_s < row.start_s):
        count_first_gaps(s, gaps, r.fresh, row.start_s + first_s)
        usual = 1
    if passes > usual:
        count_gaps(s, gaps, first_s + slope_s * usual, slope_s, passes - usual)
    s.last_decode_s = s.now_s
    s.decode_clock_s += row.decode_s
    s.decode_steps += passes
    s.phase = phase_after(s, passes)
    for kind in range(len(r.kinds)):
        r.kinds[kind].context_sum += r.kinds[kind].growing * passes
    while s.events > 0 and r.heap[0].step <= s.decode_steps:
        happen(r, r.heap[0].request)


def happen(r: Replica, i: int) -> None:
    """The next event of decode `i` has come: a window is full, it has all its tokens, or both."""
    s, request = r.state, r.requests[i]
    context = request.prompt + s.decode_steps - request.decode_base
    for kind in range(len(r.kinds)):
        if r.kinds[kind].window == context:
            r.kinds[kind].growing -= 1
    take(s, r.heap, r.requests, i)
    if request.decode_base + request.output == s.decode_steps:
        stop_decoding(r, i)
        finish(r, i)
    else:
        push(s, r.heap, r.requests, next_event(s, r.kinds, request), i)


def emit_prefills(r: Replica, gaps: list[int]) -> None:
    """Every request with a chunk in this pass emits a token, but for one that is still partly prefilled."""
    s = r.state
    i = s.prefill_from
    behind = r.requests[s.newest].newer if s.prefill_left == 0 else s.newest
    while i != behind:
        newer = r.requests[i].newer
        end_prefill(r, gaps, i)
        i = newer


def end_prefill(r: Replica, gaps: list[int], i: int) -> None:
    """Request `i` has its prompt (and what it had emitted before a preemption) in the cache and emits a token."""
    s, request = r.state, r.requests[i]
    request.tokens_out += 1
    was_preempted = request.preempted_s >= 0
    if request.tokens_out == 1:
        request.first_token_s = s.now_s
        request.prefill_s = (request.preempted_s if was_preempted else s.now_s) - request.admitted_s
    else:
        count_gap(s, gaps, s.now_s - request.token_s)
    if was_preempted:
        request.recompute_s += s.now_s - request.preempted_s
        request.preempted_s = NEVER
    if request.tokens_out == request.output:
        finish(r, i)
    else:
        start_decoding(r, i)


def finish(r: Replica, i: int) -> None:
    """Request `i` has all its tokens."""
    s, request = r.state, r.requests[i]
    request.finished_s = s.now_s
    s.finished += 1
    s.running -= 1
    unlink(r, i)
    release(s, request)
    ask_again(r, s.now_s + request.think_s)


def unlink(r: Replica, i: int) -> None:
    """Take a request out of the ring of unfinished ones."""
    s, request = r.state, r.requests[i]
    r.requests[request.older].newer = request.newer
    r.requests[request.newer].older = request.older
    if s.newest == i:
        s.newest = request.older


def ask_again(r: Replica, at_s: float) -> None:
    """In a closed loop the client that was answered sends the next request, in its place among those to come."""
    s = r.state
    if not s.closed_loop or s.known == s.requests:
        return
    at = s.known
    s.known += 1
    while at > s.arrived and r.requests[at - 1].arrival_s > at_s:
        r.requests[at].arrival_s = r.requests[at - 1].arrival_s
        at -= 1
    r.requests[at].arrival_s = at_s


KERNELS = (emit_decodes, happen, emit_prefills, end_prefill, finish, unlink, ask_again)

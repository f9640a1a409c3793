"""Tokens: what every decode and every finished prefill emits at the end of a pass, and who is done with that."""

from __future__ import annotations

from servelab.sim.blocks import next_event, phase_after, release, start_decoding, stop_decoding
from servelab.sim.gaps import count_first_gaps, count_gap, count_gaps
from servelab.sim.heaps import push, take
from servelab.sim.state import CONTINUOUS, NEVER, Engine


def emit_decodes(e: Engine, first_s: float, slope_s: float, passes: int, alone_s: float) -> None:
    """Every decode emits a token at the end of each of the passes; some finish, some fill their window."""
    s = e.state[0]
    start_s, usual = e.rows[s.rows - 1].start_s, 0
    if s.policy == CONTINUOUS and (s.fresh_groups > 0 or s.last_decode_s < start_s):
        count_first_gaps(s, e.gaps, e.fresh, start_s + first_s)
        usual = 1
    if passes > usual:
        count_gaps(s, e.gaps, first_s + slope_s * usual, slope_s, passes - usual)
    s.last_decode_s = s.now_s
    s.decode_clock_s += alone_s
    s.decode_steps += passes
    s.phase = phase_after(s, passes)
    for kind in range(len(e.kinds)):
        e.kinds[kind].context_sum += e.kinds[kind].growing * passes
    while s.events > 0 and e.heap[0].step <= s.decode_steps:
        happen(e, e.heap[0].request)


def happen(e: Engine, i: int) -> None:
    """The next event of decode `i` has come: a window is full, it has all its tokens, or both."""
    s, request = e.state[0], e.requests[i]
    context = request.prompt + s.decode_steps - request.decode_base
    for kind in range(len(e.kinds)):
        if e.kinds[kind].window == context:
            e.kinds[kind].growing -= 1
    take(s, e.heap, e.requests, i)
    if request.decode_base + request.output == s.decode_steps:
        stop_decoding(e, i)
        finish(e, i)
    else:
        push(s, e.heap, e.requests, next_event(s, e.kinds, request), i)


def emit_prefills(e: Engine) -> None:
    """Every request with a chunk in this pass emits a token, but for one that is still partly prefilled."""
    s = e.state[0]
    i = s.prefill_from
    behind = e.requests[s.newest].newer if s.prefill_left == 0 else s.newest
    while i != behind:
        newer = e.requests[i].newer
        end_prefill(e, i)
        i = newer


def end_prefill(e: Engine, i: int) -> None:
    """Request `i` has its prompt (and what it had emitted before a preemption) in the cache and emits a token."""
    s, request = e.state[0], e.requests[i]
    request.tokens_out += 1
    was_preempted = request.preempted_s >= 0
    if request.tokens_out == 1:
        request.first_token_s = s.now_s
        request.prefill_s = (request.preempted_s if was_preempted else s.now_s) - request.admitted_s
    else:
        count_gap(s, e.gaps, s.now_s - request.token_s)
    if was_preempted:
        request.recompute_s += s.now_s - request.preempted_s
        request.preempted_s = NEVER
    if request.tokens_out == request.output:
        finish(e, i)
    else:
        start_decoding(e, i)


def finish(e: Engine, i: int) -> None:
    """Request `i` has all its tokens."""
    s, request = e.state[0], e.requests[i]
    request.finished_s = s.now_s
    s.finished += 1
    s.running -= 1
    unlink(e, i)
    release(s, request)
    ask_again(e, s.now_s + request.think_s)


def unlink(e: Engine, i: int) -> None:
    """Take a request out of the ring of unfinished ones."""
    s, request = e.state[0], e.requests[i]
    e.requests[request.older].newer = request.newer
    e.requests[request.newer].older = request.older
    if s.newest == i:
        s.newest = request.older


def ask_again(e: Engine, at_s: float) -> None:
    """In a closed loop the client that was answered sends the next request, in its place among those to come."""
    s = e.state[0]
    if not s.closed_loop or s.known == s.requests:
        return
    at = s.known
    s.known += 1
    while at > s.arrived and e.requests[at - 1].arrival_s > at_s:
        e.requests[at].arrival_s = e.requests[at - 1].arrival_s
        at -= 1
    e.requests[at].arrival_s = at_s


KERNELS = (emit_decodes, happen, emit_prefills, end_prefill, finish, unlink, ask_again)

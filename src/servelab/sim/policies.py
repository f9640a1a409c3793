"""The policies: which requests take part in the coming pass."""

from __future__ import annotations

from servelab.sim.blocks import can_admit, grow
from servelab.sim.state import CHUNKED, CONTINUOUS, STATIC, UNBOUNDED, Replica, State
from servelab.sim.times import add_chunk, drop_chunks


def pick(r: Replica) -> None:
    """Put the coming pass together: its decodes, and chunks of prefills.

    Continuous prefills where it can, and decodes only where it cannot; the others decode whatever they prefill.
    """
    s = r.state
    drop_chunks(s, r.kinds)
    s.decodes = 0
    if s.policy != CONTINUOUS:
        pick_decodes(r)
    pick_prefills(r, token_budget(s))
    if s.policy == CONTINUOUS and s.chunk_tokens == 0:
        pick_decodes(r)


def pick_decodes(r: Replica) -> None:
    """Every running request past its prefill decodes, but those that must give way for the others to grow."""
    grow(r)
    r.state.decodes = r.state.decoding


def token_budget(s: State) -> int:
    """Tokens that may be prefilled in the pass. Static fills an empty engine without a bound, then waits till it is."""
    if s.policy == STATIC:
        return UNBOUNDED if s.running == 0 else 0
    if s.policy == CONTINUOUS:
        return s.max_num_batched_tokens
    return min(s.max_num_batched_tokens - s.decodes, s.max_prefill_tokens_per_step)


def pick_prefills(r: Replica, budget: int) -> None:
    """Prefill while the budget lasts: the unfinished prompt first, then new ones. Only chunked splits a prompt."""
    s = r.state
    while budget > 0 and (s.prefill_left > 0 or can_admit(r)):
        if s.prefill_left == 0:
            head = r.requests[r.requests[s.newest].newer]
            if s.policy == CONTINUOUS and s.chunk_tokens > 0 and head.prompt + head.tokens_out > budget:
                break  # but a first prompt over the budget goes alone
            admit(r)
        tokens = min(budget, s.prefill_left) if s.policy == CHUNKED else s.prefill_left
        prefill(r, tokens)
        budget -= tokens


def admit(r: Replica) -> None:
    """Admit the head of the queue, take its blocks."""
    s = r.state
    i = r.requests[s.newest].newer
    request = r.requests[i]
    s.free_blocks -= request.blocks
    s.newest = i
    s.running += 1
    s.waiting -= 1
    s.prefill_left = request.prompt + request.tokens_out
    if request.admitted_s < 0:
        request.admitted_s = s.now_s


def prefill(r: Replica, tokens: int) -> None:
    """Put the next `tokens` tokens of the newest running request into the pass."""
    s, request = r.state, r.requests[r.state.newest]
    if s.chunk_tokens == 0:
        s.prefill_from = s.newest
    add_chunk(s, r.kinds, request.prompt + request.tokens_out - s.prefill_left, tokens)
    s.prefill_left -= tokens


KERNELS = (pick, pick_decodes, token_budget, pick_prefills, admit, prefill)

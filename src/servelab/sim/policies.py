"""The policies: which requests take part in the coming pass."""

from __future__ import annotations

from servelab.sim.blocks import can_admit, grow
from servelab.sim.state import CHUNKED, CONTINUOUS, STATIC, UNBOUNDED, Engine, State
from servelab.sim.times import add_chunk, drop_chunks


def pick(e: Engine) -> None:
    """Put the coming pass together: its decodes, and chunks of prefills.

    Continuous prefills where it can, and decodes only where it cannot; the others decode whatever they prefill.
    """
    s = e.state[0]
    drop_chunks(s, e.kinds)
    s.decodes = 0
    if s.policy != CONTINUOUS:
        pick_decodes(e)
    pick_prefills(e, token_budget(s))
    if s.policy == CONTINUOUS and s.chunk_tokens == 0:
        pick_decodes(e)


def pick_decodes(e: Engine) -> None:
    """Every running request past its prefill decodes, but those that must give way for the others to grow."""
    grow(e)
    e.state[0].decodes = e.state[0].decoding


def token_budget(s: State) -> int:
    """Tokens that may be prefilled in the pass. Static fills an empty engine without a bound, then waits till it is."""
    if s.policy == STATIC:
        return UNBOUNDED if s.running == 0 else 0
    if s.policy == CONTINUOUS:
        return s.max_num_batched_tokens
    return min(s.max_num_batched_tokens - s.decodes, s.max_prefill_tokens_per_step)


def pick_prefills(e: Engine, budget: int) -> None:
    """Prefill while the budget lasts: the unfinished prompt first, then new ones. Only chunked splits a prompt."""
    s = e.state[0]
    while budget > 0 and (s.prefill_left > 0 or can_admit(e)):
        if s.prefill_left == 0:
            head = e.requests[e.requests[s.newest].newer]
            if s.policy == CONTINUOUS and s.chunk_tokens > 0 and head.prompt + head.tokens_out > budget:
                break  # but a first prompt over the budget goes alone
            admit(e)
        tokens = min(budget, s.prefill_left) if s.policy == CHUNKED else s.prefill_left
        prefill(e, tokens)
        budget -= tokens


def admit(e: Engine) -> None:
    """Admit the head of the queue, take its blocks."""
    s = e.state[0]
    i = e.requests[s.newest].newer
    request = e.requests[i]
    s.free_blocks -= request.blocks
    s.newest = i
    s.running += 1
    s.waiting -= 1
    s.prefill_left = request.prompt + request.tokens_out
    if request.admitted_s < 0:
        request.admitted_s = s.now_s


def prefill(e: Engine, tokens: int) -> None:
    """Put the next `tokens` tokens of the newest running request into the pass."""
    s, request = e.state[0], e.requests[e.state[0].newest]
    if s.chunk_tokens == 0:
        s.prefill_from = s.newest
    add_chunk(s, e.kinds, request.prompt + request.tokens_out - s.prefill_left, tokens)
    s.prefill_left -= tokens


KERNELS = (pick, pick_decodes, token_budget, pick_prefills, admit, prefill)

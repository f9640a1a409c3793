"""The policies: which requests take part in the coming pass."""

from __future__ import annotations

from servelab.sim.blocks import can_admit, grow
from servelab.sim.state import CONTINUOUS, STATIC, Engine
from servelab.sim.times import add_chunk, drop_chunks


def pick(e: Engine) -> None:
    """Put the coming pass together: its decodes, and chunks of prefills."""
    s = e.state[0]
    drop_chunks(s, e.kinds)
    if s.policy == STATIC:
        pick_static(e)
    elif s.policy == CONTINUOUS:
        pick_continuous(e)
    else:
        pick_chunked(e)


def pick_static(e: Engine) -> None:
    """An empty engine admits a batch and prefills it whole; then the batch decodes until its last has finished."""
    s = e.state[0]
    s.decodes = s.decoding
    if s.running == 0:
        while can_admit(e):
            i = admit(e)
            prefill(e, i, e.requests[i].prompt)


def pick_continuous(e: Engine) -> None:
    """Whole prompts where the head of the queue can be admitted, as many as the token budget holds; else decodes."""
    s = e.state[0]
    s.decodes = 0
    budget = s.max_num_batched_tokens
    while can_admit(e):
        head = e.requests[e.requests[s.newest].newer]
        tokens = head.prompt + head.tokens_out
        if s.chunk_tokens > 0 and tokens > budget:
            break  # but a first prompt over the budget goes alone
        prefill(e, admit(e), tokens)
        budget -= tokens
    if s.chunk_tokens == 0:
        grow(e)
        s.decodes = s.decoding


def pick_chunked(e: Engine) -> None:
    """Every decode, then chunks of prefills while the budget lasts: the unfinished one first, then new ones."""
    s = e.state[0]
    grow(e)
    s.decodes = s.decoding
    budget = min(s.max_num_batched_tokens - s.decodes, s.max_prefill_tokens_per_step)
    if s.prefill_left > 0 and budget > 0:
        tokens = min(budget, s.prefill_left)
        prefill(e, s.newest, tokens)
        budget -= tokens
    while budget > 0 and can_admit(e):
        i = admit(e)
        tokens = min(budget, s.prefill_left)
        prefill(e, i, tokens)
        budget -= tokens


def admit(e: Engine) -> int:
    """Admit the head of the queue, take its blocks; returns it."""
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
    return i


def prefill(e: Engine, i: int, tokens: int) -> None:
    """Put the next `tokens` tokens of request `i`, the newest running one, into the pass."""
    s, request = e.state[0], e.requests[i]
    if s.chunk_tokens == 0:
        s.prefill_from = i
    add_chunk(s, e.kinds, request.prompt + request.tokens_out - s.prefill_left, tokens)
    s.prefill_left -= tokens


KERNELS = (pick, pick_static, pick_continuous, pick_chunked, admit, prefill)

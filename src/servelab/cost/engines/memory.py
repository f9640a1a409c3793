"""Engine memory: what a start of the engine leaves for its KV cache, or why it refuses."""

from __future__ import annotations

from typing import NamedTuple

from servelab.cost.engines.account import Account, account
from servelab.cost.engines.answer import FITS, OOM, TOO_LONG, EngineMemory, Term
from servelab.cost.engines.pool import Pool, pool
from servelab.cost.engines.start import Start, start
from servelab.cost.engines.words import assumptions, reasons, refusal
from servelab.specs.deployment import Deployment
from servelab.specs.engines import ASSUMED_VERSIONS, EngineSettings


class Cache(NamedTuple):
    """What the room holds: blocks, the tokens the log would print, and the longest request."""

    blocks: int
    tokens: int
    concurrency: float
    longest: int
    outcome: str


class Figures(NamedTuple):
    """A start with its account and its cache."""

    start: Start
    account: Account
    pool: Pool
    cache: Cache


def figures(deployment: Deployment, settings: EngineSettings) -> Figures:
    """The start of the engine in figures, without words."""
    started = start(deployment, settings)
    spent, stored = account(started), pool(started)
    hold = _whole_context if started.rules.engine == "llama.cpp" else _paged
    return Figures(started, spent, stored, hold(started, spent, stored))


def engine_memory(deployment: Deployment, settings: EngineSettings) -> EngineMemory:
    """Memory of one device as the engine divides it, with reasons and remedies."""
    from servelab.cost.engines.remedies import remedies

    made = figures(deployment, settings)
    started, spent, stored, cache = made
    return EngineMemory(
        engine=settings.engine,
        version=settings.version or ASSUMED_VERSIONS[settings.engine],
        device_memory_bytes=started.device_bytes,
        budget_bytes=spent.budget,
        weights_bytes=spent.weights_bytes,
        activation_bytes=spent.activation,
        graph_bytes=spent.graphs,
        other_bytes=spent.other,
        kv_cache_bytes=cache.blocks * stored.block_bytes,
        graph_beyond_bytes=spent.beyond,
        kv_bytes_per_token=stored.bytes_per_token(),
        block_tokens=stored.block_tokens,
        kv_blocks=cache.blocks,
        kv_tokens=cache.tokens,
        max_model_len=started.max_model_len,
        max_num_seqs=started.max_num_seqs,
        max_num_batched_tokens=started.pass_tokens,
        max_concurrency=cache.concurrency,
        longest_context=cache.longest,
        outcome=cache.outcome,
        refusal=refusal(made),
        terms=_terms(spent),
        reasons=reasons(made),
        remedies=remedies(made),
        assumed=assumptions(made),
    )


def _terms(spent: Account) -> tuple[Term, ...]:
    beside = (
        Term("activation peak", spent.activation, "the largest pass at its worst moment"),
        Term("CUDA graphs", spent.graphs, "captured within the budget"),
        Term("other", spent.other, "driver, collectives, states: what PyTorch does not hold"),
    )
    return (*spent.weights, *(term for term in beside if term.bytes))


def _paged(started: Start, spent: Account, stored: Pool) -> Cache:
    blocks = stored.blocks(spent.room)
    if not blocks:
        return Cache(0, 0, 0.0, 0, OOM)
    needed = stored.blocks_of(started.max_model_len, started.pass_tokens)
    concurrency = blocks / needed
    if started.rules.tokens_by_concurrency:
        tokens = int(concurrency * started.max_model_len)
    else:
        tokens = blocks // stored.groups * stored.block_tokens
    outcome = FITS if needed <= blocks else TOO_LONG
    return Cache(blocks, tokens, concurrency, stored.longest(blocks, started.pass_tokens), outcome)


def _whole_context(started: Start, spent: Account, stored: Pool) -> Cache:
    """llama.cpp allocates the context it was asked for, or fails; its cells are shared by all sequences.

    What it would hold is less than the room left, since its compute buffers grow with the context too.
    """
    length = started.max_model_len

    def fits(cells: int) -> bool:
        return account(started._replace(max_model_len=cells)).room >= cells * stored.block_bytes

    if fits(length):
        return Cache(length, length, 1.0, length, FITS)
    low, high = 0, length
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return Cache(0, 0, low / length, low, TOO_LONG if low else OOM)

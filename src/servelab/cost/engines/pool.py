"""The KV cache as an engine stores it: bytes of a block on one device, and how many blocks a request needs.

vLLM V1 puts layers of a kind into groups of equal size that share one pool, so that a block is as large for a
window as for full attention; what has left a window is freed block by block. Older versions, SGLang, TensorRT-LLM
and llama.cpp keep every token in every layer.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from servelab.cost.engines.start import Start
from servelab.specs.fields import LARGEST_COUNT
from servelab.specs.formats import bytes_per_kv_value
from servelab.specs.groups import LayerGroup

#: Heads of latent attention that is cached expanded are padded to this width (vLLM before 0.7.1).
_EXPANDED_HEAD = 256
#: Bytes to which a compressed token is aligned (vLLM V0 from 0.7.1).
_ALIGNED_BYTES = 256

#: Kinds whose layers differ by less are one group (vLLM's kv_cache_utils).
_NEARLY_EQUAL = 1.25


class Kind(NamedTuple):
    """Layers that are cached alike. `token_bytes` of one layer on one device; `state_bytes` a request instead."""

    layers: int
    token_bytes: float
    window: int | None = None
    state_bytes: float = 0.0


class Share(NamedTuple):
    """What one request takes of the pool: `groups` groups of layers that see `window` tokens, or keep a state.

    `tokens` is how many of theirs a block holds: more where a token is smaller than the largest kind's.
    """

    groups: int
    tokens: int
    window: int | None = None
    state: bool = False


class Pool(NamedTuple):
    """Blocks of `block_tokens` tokens and `block_bytes` bytes; `shares` say how many a request needs."""

    block_bytes: float
    block_tokens: int
    shares: tuple[Share, ...]
    state_bytes_outside: float = 0.0  # of one request, where states are no part of the pool

    @property
    def groups(self) -> int:
        """How many groups of layers draw on the pool."""
        return sum(share.groups for share in self.shares)

    def blocks(self, room_bytes: float) -> int:
        """Whole blocks in `room_bytes`."""
        return max(0, math.floor(room_bytes / self.block_bytes))

    def blocks_of(self, length: int, pass_tokens: int) -> int:
        """Blocks of a request of `length` tokens; a window's layers hold it and the tokens of one pass."""
        return sum(share.groups * self._blocks_of(share, length, pass_tokens) for share in self.shares)

    def _blocks_of(self, share: Share, length: int, pass_tokens: int) -> int:
        if share.state:
            return 1
        if share.window is None:
            return -(-length // share.tokens)
        seen = min(share.window - 1 + pass_tokens, length)
        return -(-seen // share.tokens) + 1

    def bytes_per_token(self) -> float:
        """Bytes that one more token takes where no window is full."""
        return sum(self.block_bytes * share.groups / share.tokens for share in self.shares if not share.state)

    def longest(self, blocks: int, pass_tokens: int) -> int:
        """The longest request that `blocks` blocks hold; where every layer has a window there may be no end to it."""
        if self.blocks_of(1, pass_tokens) > blocks:
            return 0
        low, high = 1, 2
        while high < LARGEST_COUNT and self.blocks_of(high, pass_tokens) <= blocks:
            low, high = high, 2 * high
        if high >= LARGEST_COUNT:
            return LARGEST_COUNT
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.blocks_of(middle, pass_tokens) <= blocks else (low, middle)
        return low


def pool(start: Start) -> Pool:
    """The pool of the model's cache on one device."""
    kinds = _kinds(start)
    states = [kind for kind in kinds if kind.state_bytes]
    attended = [kind for kind in kinds if kind.token_bytes]
    tokens = start.rules.block_tokens
    if not attended:
        return _states_only(states, start)
    if start.rules.windows == "full" or (len(attended) == 1 and not states):
        windowed = start.rules.windows == "grouped" and len(attended) == 1
        per_token = sum(kind.layers * kind.token_bytes for kind in attended)
        outside = sum(kind.layers * kind.state_bytes for kind in states)
        window = attended[0].window if windowed else None
        return Pool(per_token * tokens, tokens, (Share(1, tokens, window),), outside)
    return _grouped(attended, states, tokens)


def _states_only(states: list[Kind], start: Start) -> Pool:
    """Without a layer that keeps tokens a block is the state of a request, however long it is."""
    length = start.max_model_len
    state = sum(kind.layers * kind.state_bytes for kind in states)
    return Pool(max(state, 1.0), length, (Share(1, length, state=True),))


def _grouped(attended: list[Kind], states: list[Kind], tokens: int) -> Pool:
    """Groups of as many layers each, and one size of page for all, at least that of a state."""
    page_token = max(kind.token_bytes for kind in attended)
    largest_state = max((kind.state_bytes for kind in states), default=0.0)
    if largest_state:
        tokens = max(tokens, math.ceil(largest_state / page_token / tokens) * tokens)
    counts = [kind.layers for kind in (*attended, *states)]
    size = max(counts) if max(counts) < _NEARLY_EQUAL * min(counts) else min(counts)
    shares = [
        Share(-(-kind.layers // size), max(1, int(tokens * page_token / kind.token_bytes)), kind.window)
        for kind in attended
    ]
    shares += [Share(-(-kind.layers // size), tokens, state=True) for kind in states]
    return Pool(page_token * tokens * size, tokens, tuple(shares))


def _kinds(start: Start) -> list[Kind]:
    """Layers by how they are cached, those alike together."""
    found: dict[tuple[float, int | None, float], int] = {}
    value = bytes_per_kv_value(start.deployment.kv_cache)
    for group in start.model.groups:
        token = _token_bytes(group, start, value)
        window = group.window if start.rules.windows == "grouped" else None
        key = (token, window, (group.state_bytes or 0.0) / start.ways)
        if key != (0.0, None, 0.0):
            found[key] = found.get(key, 0) + group.layers
    return [Kind(layers, token, window, state) for (token, window, state), layers in found.items()]


def _token_bytes(group: LayerGroup, start: Start, value: float) -> float:
    """Cache of one token in one layer on one device; copies of KV heads count on each."""
    index = float(group.index_head_dim or 0) if group.index_heads else 0.0
    if group.attention == "grouped":
        heads = max(1.0, (group.kv_heads or 1) / start.ways)
        return heads * ((group.key_dim or 0) + (group.value_dim or 0)) * value + index
    if group.attention != "latent":
        return 0.0
    exact = ((group.latent_dim or 0) + (group.rope_dim or 0)) * value
    if start.rules.latent == "exact":
        return exact + index
    if start.rules.latent == "aligned":
        return -(-exact // _ALIGNED_BYTES) * _ALIGNED_BYTES + index
    heads = (group.query_heads or 1) / start.ways
    width = (group.nope_dim or 0) + (group.rope_dim or 0)
    if start.rules.engine == "vllm":
        return heads * 2 * -(-width // _EXPANDED_HEAD) * _EXPANDED_HEAD * value
    return heads * (width + (group.value_dim or 0)) * value

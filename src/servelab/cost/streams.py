"""What attention keeps of a token and does with it, over all layers of a model.

Layers that see the same tokens and are split the same way add up to one stream; a dense model is one stream. With
n layers, query heads Hq, KV heads Hkv, widths of keys and values d_k and d_v, and v bytes per KV value:

    grouped  keeps n Hkv (d_k + d_v) v bytes a token          2 Hq (d_k + d_v) n FLOP a query–key pair
    latent   keeps n (latent + rope) v bytes, on every rank   2 Hq (2 latent + rope) n FLOP a pair of a decode token
             (absorbed form), 2 Hq (nope + rope + d_v) n a pair of a prefill chunk (expanded heads)
    indexer  keeps n di bytes, on every rank                  2 Hi di n FLOP a pair of the full context
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from servelab.specs.groups import LayerGroup
from servelab.specs.model import Model


class Stream(NamedTuple):
    """Per token: what is kept, as KV values and as plain bytes. Per pair: FLOP.

    `seen` is how many tokens a query sees at most and `kept` how many stay in a cache that frees what left the
    window; None where there is no such limit. At most `shares` devices hold different parts of it.
    """

    kv_values: float
    plain_bytes: float
    decode_flop: float
    chunk_flop: float
    seen: int | None
    kept: int | None
    shares: int

    def bytes_per_token(self, bytes_per_value: float) -> float:
        """Cache of one token in all these layers, each part once."""
        return self.kv_values * bytes_per_value + self.plain_bytes

    def ways(self, devices: int) -> int:
        """How many ways `devices` split it; the rest hold copies."""
        return min(devices, self.shares)


@functools.lru_cache(maxsize=1024)
def streams(model: Model) -> tuple[Stream, ...]:
    """The streams of `model`, layers that behave alike added up."""
    together: dict[tuple[int | None, int | None, int], Stream] = {}
    for one in (stream for group in model.groups for stream in group_streams(group)):
        alike = (one.seen, one.kept, one.shares)
        known = together.get(alike)
        together[alike] = one if known is None else _sum(known, one)
    return tuple(together.values())


def _sum(one: Stream, other: Stream) -> Stream:
    return one._replace(
        kv_values=one.kv_values + other.kv_values,
        plain_bytes=one.plain_bytes + other.plain_bytes,
        decode_flop=one.decode_flop + other.decode_flop,
        chunk_flop=one.chunk_flop + other.chunk_flop,
    )


def group_streams(group: LayerGroup) -> list[Stream]:
    """The streams of one group: its attention, and an indexer of its own."""
    found = []
    if group.attention == "grouped":
        found.append(_grouped(group))
    elif group.attention == "latent":
        found.append(_latent(group))
    if group.index_heads and group.index_head_dim:
        kept = group.layers * float(group.index_head_dim)
        found.append(Stream(0.0, kept, 2.0 * group.index_heads * kept, 2.0 * group.index_heads * kept, None, None, 1))
    return found


def _grouped(group: LayerGroup) -> Stream:
    heads, shares = group.query_heads or 0, group.kv_heads or 1
    width = (group.key_dim or 0) + (group.value_dim or 0)
    flop = 2.0 * group.layers * heads * width
    return Stream(float(group.layers * shares * width), 0.0, flop, flop, group.seen_tokens, group.window, shares)


def _latent(group: LayerGroup) -> Stream:
    latent, rope = group.latent_dim or 0, group.rope_dim or 0
    per_layer = 2.0 * group.layers * (group.query_heads or 0)
    return Stream(
        kv_values=float(group.layers * (latent + rope)),
        plain_bytes=0.0,
        decode_flop=per_layer * (2 * latent + rope),
        chunk_flop=per_layer * ((group.nope_dim or 0) + rope + (group.value_dim or 0)),
        seen=group.seen_tokens,
        kept=group.window,
        shares=1,
    )

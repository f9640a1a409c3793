"""A layer group: layers that are all alike, and what a checkpoint has beside its text decoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from servelab.errors import SpecError
from servelab.specs.fields import STRICT, Amount, AmountOrZero, Choice, Count, CountOrZero, Number, Text, check_fields

#: How a layer mixes tokens. "grouped" keeps keys and values of each KV head (MHA, GQA, MQA); "latent" keeps one
#: compressed vector a token (MLA); "state" keeps a state of fixed size a request (Mamba, linear attention).
ATTENTION_KINDS = ("grouped", "latent", "state", "none")
FEED_FORWARD_KINDS = ("dense", "experts", "none")

#: No model is near it; a pass looks at every expert where their popularity is skewed.
MOST_EXPERTS = 100_000

#: The fields each kind of attention needs, and those that it may have beside them.
_NEEDED = {
    "grouped": ("query_heads", "kv_heads", "key_dim", "value_dim"),
    "latent": ("query_heads", "latent_dim", "rope_dim", "nope_dim", "value_dim"),
    "state": ("state_bytes",),
    "none": (),
}
_ALLOWED = {
    "grouped": ("window", "index_topk", "index_heads", "index_head_dim"),
    "latent": ("window", "index_topk", "index_heads", "index_head_dim"),
    "state": (),
    "none": (),
}
_ATTENTION_FIELDS = (
    "query_heads",
    "kv_heads",
    "key_dim",
    "value_dim",
    "latent_dim",
    "rope_dim",
    "nope_dim",
    "window",
    "index_topk",
    "index_heads",
    "index_head_dim",
    "state_bytes",
)
_EXPERT_FIELDS = ("experts", "experts_per_token", "expert_parameters")


@dataclass(frozen=True)
class LayerGroup:
    """`layers` layers with the same attention and the same feed-forward. A field that does not apply is None.

    `window` is the number of tokens a query sees, its own included; `index_topk` is how many an indexer picks for
    it, and `index_heads` × `index_head_dim` that indexer (None where the layer uses the picks of one before it).
    Raises SpecError where a field is out of bounds, is missing for its kind, or means nothing to it.
    """

    __pydantic_config__ = STRICT

    layers: Annotated[int, Count("layers of this kind")]
    attention: Annotated[str, Choice("how tokens are mixed", "kind of attention", ATTENTION_KINDS)] = "grouped"
    query_heads: Annotated[int, Count("query heads of a layer")] | None = None
    kv_heads: Annotated[int, Count("key and value heads of a layer")] | None = None
    key_dim: Annotated[int, Count("width of one key head")] | None = None
    value_dim: Annotated[int, Count("width of one value head")] | None = None
    latent_dim: Annotated[int, Count("width of the compressed vector kept for a token (kv_lora_rank)")] | None = None
    rope_dim: Annotated[int, Count("width of the positional key kept beside it")] | None = None
    nope_dim: Annotated[int, Count("width of a key head without its positional part")] | None = None
    window: Annotated[int, Count("tokens a query sees at most, its own included")] | None = None
    index_topk: Annotated[int, Count("tokens an indexer picks for a query")] | None = None
    index_heads: Annotated[int, Count("heads of the indexer")] | None = None
    index_head_dim: Annotated[int, Count("width of the indexer's key, one byte each")] | None = None
    state_bytes: Annotated[float, Amount("state of one request in one layer, bytes")] | None = None
    feed_forward: Annotated[str, Choice("what follows attention", "kind of feed-forward", FEED_FORWARD_KINDS)] = "dense"
    experts: Annotated[int, Number("routed experts of a layer", 1, MOST_EXPERTS, whole=True)] | None = None
    experts_per_token: Annotated[int, Count("routed experts a token goes through")] | None = None
    expert_parameters: Annotated[int, Count("weights of one routed expert")] | None = None
    expert_bytes: (
        Annotated[float, Amount("bytes of one routed expert as published; default its weights × the format")] | None
    ) = None
    shared_experts: Annotated[int, CountOrZero("experts every token goes through")] = 0

    def __post_init__(self) -> None:
        check_fields(self)
        self._check_attention()
        self._check_experts()

    def _check_attention(self) -> None:
        kind = self.attention
        for name in _ATTENTION_FIELDS:
            given = getattr(self, name) is not None
            if not given and name in _NEEDED[kind]:
                raise SpecError(name, f"nothing given; {kind} attention needs it")
            if given and name not in _NEEDED[kind] and name not in _ALLOWED[kind]:
                raise SpecError(name, f"{getattr(self, name)} means nothing to {kind} attention; leave it out")
        if (self.index_heads is None) != (self.index_head_dim is None) or (self.index_heads and not self.index_topk):
            raise SpecError(
                "index_heads", f"{self.index_heads} alone is no indexer; give index_head_dim and index_topk"
            )
        if kind == "grouped" and (self.query_heads or 1) % (self.kv_heads or 1):
            raise SpecError(
                "kv_heads", f"{self.kv_heads} does not divide the {self.query_heads} query heads; give a divisor"
            )

    def _check_experts(self) -> None:
        mixture = self.feed_forward == "experts"
        for name in _EXPERT_FIELDS:
            if (getattr(self, name) is not None) != mixture:
                reason = "nothing given; experts need it" if mixture else 'means nothing without feed_forward "experts"'
                raise SpecError(name, reason if mixture else f"{getattr(self, name)} {reason}; leave it out")
        if not mixture and (self.expert_bytes is not None or self.shared_experts):
            raise SpecError("shared_experts", 'means nothing without feed_forward "experts"; leave it out')
        if mixture and (self.experts_per_token or 1) > (self.experts or 1):
            raise SpecError(
                "experts_per_token",
                f"{self.experts_per_token} is more than the {self.experts} experts; give at most that",
            )

    @property
    def is_plain(self) -> bool:
        """Whether it is a dense layer with heads of one width and full attention."""
        plain = LayerGroup(
            self.layers,
            query_heads=self.query_heads or 1,
            kv_heads=self.kv_heads or 1,
            key_dim=self.key_dim or 1,
            value_dim=self.key_dim or 1,
        )
        return self == plain

    @property
    def seen_tokens(self) -> int | None:
        """How many tokens a query sees at most; None where it sees its whole context."""
        limits = [limit for limit in (self.window, self.index_topk) if limit is not None]
        return min(limits) if limits else None

    @property
    def routed_parameters(self) -> int:
        """Weights of all routed experts of these layers."""
        return self.layers * (self.experts or 0) * (self.expert_parameters or 0)

    @property
    def unused_parameters(self) -> int:
        """Weights of the routed experts that a token does not go through."""
        idle = (self.experts or 0) - (self.experts_per_token or 0)
        return self.layers * idle * (self.expert_parameters or 0)


@dataclass(frozen=True)
class Part:
    """What a checkpoint holds beside the text decoder: an encoder, a vision tower, layers that draft tokens."""

    __pydantic_config__ = STRICT

    name: Annotated[str, Text("what the part is")]
    parameters: Annotated[int, Count("weights of the part")]
    weights_bytes: (
        Annotated[float, AmountOrZero("bytes of the part as published; default its weights × the format")] | None
    ) = None

    def __post_init__(self) -> None:
        check_fields(self)

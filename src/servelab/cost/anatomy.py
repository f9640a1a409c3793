"""A model taken apart: what each group of layers is, what it keeps of a token, and what no figure counts."""

from __future__ import annotations

from dataclasses import dataclass

from servelab.cost.streams import group_streams
from servelab.cost.weights import checkpoint_weights
from servelab.specs.formats import bytes_per_kv_value
from servelab.specs.groups import LayerGroup
from servelab.specs.model import Model

#: What a kind of attention is called.
_ATTENTION_WORDS = {"latent": "MLA", "state": "fixed state", "none": "none"}


@dataclass(frozen=True)
class GroupAnatomy:
    """One group of layers, in a row. `cache_bytes_per_token` is over all its layers, each head once."""

    layers: int
    attention: str
    query_heads: int | None
    kv_heads: int | None
    head_dim: int | None
    window: int | None
    index_topk: int | None
    feed_forward: str
    experts: int | None
    experts_per_token: int | None
    shared_experts: int
    expert_parameters: int | None
    cache_bytes_per_token: float
    state_bytes: float


@dataclass(frozen=True)
class PartAnatomy:
    """What the checkpoint holds beside the decoder."""

    name: str
    parameters: int
    weights_bytes: float


@dataclass(frozen=True)
class Anatomy:
    """What was understood of a model. `cache_bytes_per_token` is κ in the KV format `kv_cache`, before any window;
    `state_bytes` is what a request keeps however long it is; `weights_bytes` the decoder's as published.
    """

    model: Model
    features: tuple[str, ...]
    active_parameters: int
    weights_bytes: float
    kv_cache: str
    cache_bytes_per_token: float
    state_bytes: float
    groups: tuple[GroupAnatomy, ...]
    parts: tuple[PartAnatomy, ...]
    assumed: tuple[str, ...]
    not_modelled: tuple[str, ...]


def anatomy(model: Model, kv_cache: str = "bf16") -> Anatomy:
    """`model` taken apart; cache sizes in the format `kv_cache`."""
    value = bytes_per_kv_value(kv_cache)
    groups = tuple(_group(group, value) for group in model.groups)
    weights = checkpoint_weights(model)
    return Anatomy(
        model=model,
        features=model.features,
        active_parameters=model.active_parameters,
        weights_bytes=weights.decoder_bytes,
        kv_cache=kv_cache,
        cache_bytes_per_token=sum(group.cache_bytes_per_token for group in groups),
        state_bytes=model.state_bytes,
        groups=groups,
        parts=tuple(
            PartAnatomy(part.name, part.parameters, size)
            for part, size in zip(model.parts, weights.part_bytes, strict=True)
        ),
        assumed=model.assumed,
        not_modelled=model.not_modelled,
    )


def _group(group: LayerGroup, bytes_per_value: float) -> GroupAnatomy:
    return GroupAnatomy(
        layers=group.layers,
        attention=attention_words(group),
        query_heads=group.query_heads,
        kv_heads=group.kv_heads,
        head_dim=group.key_dim or group.latent_dim,
        window=group.window,
        index_topk=group.index_topk,
        feed_forward=group.feed_forward,
        experts=group.experts,
        experts_per_token=group.experts_per_token,
        shared_experts=group.shared_experts,
        expert_parameters=group.expert_parameters,
        cache_bytes_per_token=sum(stream.bytes_per_token(bytes_per_value) for stream in group_streams(group)),
        state_bytes=group.layers * (group.state_bytes or 0.0),
    )


def attention_words(group: LayerGroup) -> str:
    """What the attention of a group is called: MHA, GQA, MQA, MLA, fixed state or none."""
    if group.attention != "grouped":
        return _ATTENTION_WORDS[group.attention]
    if group.kv_heads == group.query_heads:
        return "MHA"
    return "MQA" if group.kv_heads == 1 else "GQA"

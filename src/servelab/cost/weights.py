"""Weights: how many bytes are held, how many a pass reads, and which experts it touches.

A pass over T tokens touches X(T) = E (1 − (1 − k / E)^T) of E experts a layer in expectation where each token is
routed to k of them, all alike. Under a skew the popularity of the experts falls as rank^−skew (Zipf); a token goes
through expert e with probability q_e (Σ q_e = k), and X(T) = Σ (1 − (1 − q_e)^T).
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import NamedTuple

from servelab.specs.deployment import Deployment
from servelab.specs.formats import bytes_per_weight
from servelab.specs.groups import LayerGroup
from servelab.specs.model import Model


class Experts(NamedTuple):
    """Routed experts of one layer group."""

    layers: int
    experts: int
    per_token: int
    parameters: int
    bytes: float


class Weights(NamedTuple):
    """Bytes of a model's weights in one format, over all devices."""

    decoder_bytes: float
    part_bytes: tuple[float, ...]
    multiplied_bytes: float  # the decoder without a table that is not the head as well
    routed: tuple[Experts, ...]

    @property
    def held_bytes(self) -> float:
        """W, all that a checkpoint holds: the decoder with every expert, and the parts beside it."""
        return self.decoder_bytes + sum(self.part_bytes)

    def touched(self, routed: Experts, tokens: float, skew: float) -> float:
        """How many of a layer's experts a pass over `tokens` tokens touches in expectation."""
        return touched_experts(routed.experts, routed.per_token, tokens, skew)

    def untouched_bytes(self, tokens: float, skew: float) -> float:
        """What a pass over `tokens` tokens need not read: the experts it does not touch."""
        if not self.routed:
            return 0.0
        return math.fsum(
            one.layers * (one.experts - touched_experts(one.experts, one.per_token, tokens, skew)) * one.bytes
            for one in self.routed
        )


def weights_of(deployment: Deployment, weights: str | None = None) -> Weights:
    """The weights of the deployment's model in its format, or in the one named."""
    return _weights(deployment.model, weights or deployment.weights, deployment.format_metadata_fraction)


def checkpoint_weights(model: Model) -> Weights:
    """The weights of `model` as published."""
    return _weights(model, None, 0.0)


@functools.lru_cache(maxsize=1024)
def _weights(model: Model, weights: str | None, metadata_fraction: float) -> Weights:
    size = bytes_per_weight(weights or model.checkpoint_format, metadata_fraction)
    own = weights is None
    read = model.parameters if model.tied_embeddings else model.parameters - model.table_parameters
    decoder, multiplied = model.parameters * size, read * size
    if own and model.checkpoint_bytes is not None:
        embedding = bytes_per_weight(model.embedding_format or model.checkpoint_format, metadata_fraction)
        unread = 0.0 if model.tied_embeddings else model.table_parameters * embedding
        decoder, multiplied = model.checkpoint_bytes, model.checkpoint_bytes - unread
    return Weights(
        decoder_bytes=decoder,
        multiplied_bytes=multiplied,
        part_bytes=tuple(
            part.weights_bytes if own and part.weights_bytes is not None else part.parameters * size
            for part in model.parts
        ),
        routed=tuple(_experts(group, size, own=own) for group in model.groups if group.experts),
    )


def _experts(group: LayerGroup, size: float, *, own: bool) -> Experts:
    parameters = group.expert_parameters or 0
    published = group.expert_bytes if own else None
    taken = parameters * size if published is None else published
    return Experts(group.layers, group.experts or 0, group.experts_per_token or 0, parameters, taken)


def touched_experts(experts: int, per_token: int, tokens: float, skew: float = 0.0) -> float:
    """X(T): how many of `experts` experts a pass over `tokens` tokens touches in expectation."""
    if per_token >= experts:
        return float(experts) if tokens else 0.0
    if not skew:
        return experts * -math.expm1(tokens * math.log1p(-per_token / experts))
    return _touched_under_skew(experts, per_token, tokens, skew)


@functools.lru_cache(maxsize=4096)
def _touched_under_skew(experts: int, per_token: int, tokens: float, skew: float) -> float:
    chances = routing_chances(experts, per_token, skew)
    return math.fsum(1.0 if chance >= 1 else -math.expm1(tokens * math.log1p(-chance)) for chance in chances)


@functools.lru_cache(maxsize=64)
def routing_chances(experts: int, per_token: int, skew: float) -> tuple[float, ...]:
    """The chance that a token goes through each expert, the most popular first; they sum to `per_token`.

    Proportional to rank^−skew, but for those that would go over 1: they are certain, and the rest share what is left.
    """
    shares = [rank**-skew for rank in range(1, experts + 1)]
    left = list(itertools.accumulate(reversed(shares)))[::-1]  # left[i] = what the experts from i on share
    for certain in range(per_token):
        scale = (per_token - certain) / left[certain]
        if shares[certain] * scale < 1:
            return (1.0,) * certain + tuple(share * scale for share in shares[certain:])
    return (1.0,) * per_token + (0.0,) * (experts - per_token)

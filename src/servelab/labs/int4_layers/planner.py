"""What a format buys in serving, as the planner sees it: bytes of a model, memory of a card, time per output token."""

from __future__ import annotations

import dataclasses
import functools

from servelab import api
from servelab.cost.estimate import Estimate
from servelab.cost.grid import Grid
from servelab.labs.grouped_query.settings import PRICES_USD_PER_HOUR
from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.model import Model
from servelab.specs.workload import Workload

PROMPT_TOKENS, OUTPUT_TOKENS = 1024, 256

#: Bits of a weight as published, and of embeddings, output head and spared layers.
PUBLISHED_BITS = 16

_BATCHES = tuple(round(2 ** (power / 4)) for power in range(33))


@functools.cache
def model(name: str) -> Model:
    """The catalogue's model."""
    return Model.load(name)


@functools.cache
def card(name: str) -> Accelerator:
    """The card's datasheet, at an illustrative price."""
    return dataclasses.replace(Accelerator.load(name), price_usd_per_hour=PRICES_USD_PER_HOUR[name])


@functools.cache
def shares(name: str) -> tuple[float, ...]:
    """The part of a block's weights that each of q, k, v, o, gate, up and down has; the last three are alike."""
    shape = model(name)
    block = (shape.parameters - shape.table_parameters - shape.head_parameters) / shape.layers
    query, keys = shape.hidden * shape.width, shape.hidden * shape.kv_heads * shape.head_dim
    inner = (block - 2 * query - 2 * keys) / 3
    return tuple(part / block for part in (query, keys, keys, query, inner, inner, inner))


def with_bits(name: str, bits_per_weight: float) -> Model:
    """The model with its blocks in so many bits a weight; embeddings and output head stay in bf16."""
    shape = model(name)
    outside = shape.table_parameters + shape.head_parameters
    held_bytes = (shape.parameters - outside) * bits_per_weight / 8 + outside * PUBLISHED_BITS / 8
    return dataclasses.replace(shape, checkpoint_bytes=held_bytes, embedding_format="bf16")


@functools.lru_cache(maxsize=64)
def estimated(model_name: str, card_name: str, batch: int, bits_per_weight: float) -> Estimate:
    """What the planner says of one batch of the lab's requests."""
    return api.estimate(_deployment(model_name, card_name, bits_per_weight), _workload(batch))


@functools.lru_cache(maxsize=64)
def over_batches(model_name: str, card_name: str, bits_per_weight: float) -> tuple[tuple[int, ...], Grid]:
    """The same for every batch from 1 to 256."""
    deployment = _deployment(model_name, card_name, bits_per_weight)
    return _BATCHES, api.grid(
        deployment, prompt_tokens=PROMPT_TOKENS, output_tokens=OUTPUT_TOKENS, batch=list(_BATCHES)
    )


def _deployment(model_name: str, card_name: str, bits_per_weight: float) -> Deployment:
    return Deployment(with_bits(model_name, bits_per_weight), card(card_name))


def _workload(batch: int) -> Workload:
    return Workload(PROMPT_TOKENS, OUTPUT_TOKENS, batch=batch)

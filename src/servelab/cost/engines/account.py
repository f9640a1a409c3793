"""Where a device's memory goes before the KV cache, engine by engine.

vLLM        utilization × memory, less weights, the profiling run's peak and what is not PyTorch's
SGLang      fraction × what is free before loading, less weights; activations and graphs live in the rest
TensorRT-LLM  fraction × what is free once weights and buffers are there
llama.cpp   all of the device; weights but the embedding table, compute buffers, and the whole context at once
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from servelab.cost.engines.answer import Term
from servelab.cost.engines.loaded import loaded_weights
from servelab.cost.engines.pool import pool
from servelab.cost.engines.profile import activation_peak
from servelab.cost.engines.start import Start
from servelab.specs.formats import bytes_per_weight
from servelab.units import parse

#: The driver's context on a card of so much memory; it grows with the root of that, as multiprocessors do. Read in
#: start-up logs of vLLM 0.6.4: 0.15 GiB of an 8 GB card, 0.35 of an RTX 3090, 0.73 of an H200.
_CONTEXT_BYTES, _CONTEXT_CARD_BYTES = parse("0.304 GiB", "B"), parse("24 GiB", "B")

#: Links faster than this, per direction, are NVLink or its like.
_NVLINK_BYTES_PER_S = 64e9

#: One captured graph of one layer, in bytes, and the sizes of batches that are captured: 0.91 GiB in 51 graphs of 32
#: layers (vLLM 0.19, Llama 3.1 8B), 0.51 to 1.85 GiB over 35 models.
_GRAPH_LAYER_BYTES = parse("0.57 MiB", "B")
_LARGEST_GRAPH, _SMALL_GRAPHS = 512, 3
_FINE_STEP, _COARSE_STEP, _COARSE_FROM = 8, 16, 256

#: What SGLang holds beside the weights once they are loaded.
_SGLANG_BESIDE_BYTES = parse("0.08 GiB", "B")


class Account(NamedTuple):
    """Bytes of one device. `budget` is what the engine may take; all else but `beyond` lies within it."""

    budget: float
    weights: tuple[Term, ...]
    activation: float
    graphs: float
    other: float
    beyond: float

    @property
    def weights_bytes(self) -> float:
        return math.fsum(term.bytes for term in self.weights)

    @property
    def room(self) -> float:
        """What is left for the cache; negative where nothing is."""
        return self.budget - math.fsum((self.weights_bytes, self.activation, self.graphs, self.other))


def account(start: Start) -> Account:
    """The account of the engine that starts."""
    return _ACCOUNTS[start.rules.engine](start)


def _vllm(start: Start) -> Account:
    rules = start.rules
    other = rules.other.alone + collectives_bytes(start) + _states_outside(start)
    if rules.profile in ("reserved", "allocated-and-context"):
        other += context_bytes(start)
    if rules.profile == "allocated":
        other = _states_outside(start)
    graphs = graph_bytes(start)
    return Account(
        budget=start.settings.gpu_memory_utilization * start.device_bytes,
        weights=tuple(loaded_weights(start)),
        activation=activation_peak(start),
        graphs=graphs if rules.graphs_in_budget else 0.0,
        other=other,
        beyond=0.0 if rules.graphs_in_budget else graphs,
    )


def _sglang(start: Start) -> Account:
    """Activation and graphs are what the share beyond the fraction is kept for."""
    free = start.device_bytes - context_bytes(start) - collectives_bytes(start)
    beyond = graph_bytes(start) + activation_peak(start)
    return Account(
        budget=start.settings.gpu_memory_utilization * free,
        weights=tuple(loaded_weights(start)),
        activation=0.0,
        graphs=0.0,
        other=_SGLANG_BESIDE_BYTES + _states_outside(start),
        beyond=beyond,
    )


def _tensorrt_llm(start: Start) -> Account:
    weights, activation = tuple(loaded_weights(start)), activation_peak(start)
    other, graphs = context_bytes(start) + collectives_bytes(start) + _states_outside(start), graph_bytes(start)
    taken = math.fsum(term.bytes for term in weights) + activation + other + graphs
    free = start.device_bytes - taken
    budget = taken + max(0.0, free) * start.settings.gpu_memory_utilization
    return Account(min(budget, start.device_bytes), weights, activation, graphs, other, 0.0)


def _llama_cpp(start: Start) -> Account:
    """The embedding table stays in the host's memory; where it is the head too, the device holds it for the head."""
    model, weights = start.model, loaded_weights(start)
    if not model.tied_embeddings:
        size = bytes_per_weight(model.embedding_format or start.deployment.weight_format, 0.0)
        weights.append(Term("embedding table", -model.table_parameters * size / start.ways, "stays with the host"))
    return Account(
        budget=start.device_bytes,
        weights=tuple(weights),
        activation=_compute_buffer(start),
        graphs=0.0,
        other=context_bytes(start) + _states_outside(start),
        beyond=0.0,
    )


def _compute_buffer(start: Start) -> float:
    """Without flash attention: scores of a batch against the whole context and their mask, and a copy of the values
    in fp32; with it the mask alone. At least the logits of a batch in fp32.
    """
    tokens, context = start.pass_tokens, start.max_model_len
    heads = max((group.query_heads or 0 for group in start.model.groups), default=0)
    values = max(((group.kv_heads or 1) * (group.value_dim or 0) for group in start.model.groups), default=0)
    scores = 4.0 * context * (tokens * (heads + 1) + values)
    if start.rules.profile == "flash":
        scores = 4.0 * context * tokens
    logits = 4.0 * tokens * (start.model.vocab_size or 0)
    return max(scores, logits)


_ACCOUNTS: dict[str, Callable[[Start], Account]] = {
    "vllm": _vllm,
    "sglang": _sglang,
    "tensorrt-llm": _tensorrt_llm,
    "llama.cpp": _llama_cpp,
}


def context_bytes(start: Start) -> float:
    """The driver's context on the device."""
    return _CONTEXT_BYTES * math.sqrt(start.device_bytes / _CONTEXT_CARD_BYTES)


def collectives_bytes(start: Start) -> float:
    """Buffers that devices exchange through; none on one device."""
    if start.ways == 1:
        return 0.0
    link, other = start.deployment.link, start.rules.other
    fast = link is not None and link > _NVLINK_BYTES_PER_S
    two = other.nvlink if fast else other.pcie
    if fast and start.in_switch and start.ways > 2:
        two += other.in_switch
    return two + other.doubling * (math.log2(start.ways) - 1)


def graph_bytes(start: Start) -> float:
    """CUDA graphs of every batch size that is captured: 1, 2, 4, every eighth to 256, every sixteenth to 512, but
    none beyond twice the sequences.
    """
    if start.settings.enforce_eager:
        return 0.0
    largest = min(_LARGEST_GRAPH, 2 * start.max_num_seqs)
    sizes = min(largest, _COARSE_FROM) // _FINE_STEP + max(0, largest - _COARSE_FROM) // _COARSE_STEP + _SMALL_GRAPHS
    return sizes * start.model.layers * _GRAPH_LAYER_BYTES


def _states_outside(start: Start) -> float:
    """States of as many requests as may run, where they are no part of the pool."""
    return pool(start).state_bytes_outside * start.max_num_seqs

"""Measurements taken apart for a fit: what each pass would take at the datasheet's rates, term by term.

The time of a pass under a profile follows from these quantities and the profile's terms alone (`pass_times`), so that a
fit evaluates thousands of measurements at once. They come from the same work as every estimate; a test holds both
together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from servelab.cost.calibrated import activation_s, linear_terms
from servelab.cost.collectives import all_reduces, exchanged_bytes, further_ranks
from servelab.cost.passes import Features, pass_work
from servelab.cost.roofline import peak_rates
from servelab.errors import SpecError
from servelab.fidelity.terms import CACHES, FORMATS, INDEX, SHARES, Vector, values
from servelab.specs.deployment import Deployment

Array = npt.NDArray[np.float64]

#: Decode passes looked at for the mean of all: enough where windows and bounds change on the way.
POINTS = 6


class Pass(NamedTuple):
    """Seconds at datasheet rates, and counts, of one pass."""

    math: float
    math_half: float
    expert_math: float
    expert_half: float
    data: float
    expert_data: float
    attention_math: float
    decode_math: float
    attention_data: float
    passes: float
    layers: float
    requests: float
    chunks: float
    logits: float
    activations: float
    all_reduces: float
    all_reduce_ranks: float
    link: float
    clients: float = 0.0


def pass_basis(deployment: Deployment, features: Features, context: float) -> Pass:
    """The quantities of one pass of `deployment`; raises SpecError where a rate is not known."""
    peak = peak_rates(deployment)
    if peak is None:
        raise SpecError(f"accelerator.flop_per_s.{deployment.compute_format}", "the rate is not known; give it")
    emitting = features.decode_tokens + features.emitting_chunks
    terms = linear_terms(deployment, features.tokens, emitting)
    attention = pass_work(deployment, features).stages.attention
    known, devices = deployment.accelerator.flop_per_s, deployment.tensor_parallel
    sixteen = known.get("bf16") or known.get("fp16") or peak.flop_per_s / devices
    compute, memory = peak.flop_per_s, peak.bytes_per_s
    alone = features._replace(chunk_tokens=0.0, chunk_pairs=0.0, chunk_reads=0.0, chunks=0.0, emitting_chunks=0.0)
    decodes = _decode_flop(deployment, alone, context) if features.decode_tokens else 0.0
    slow = min(compute, devices * sixteen)
    split = devices > 1
    if split and deployment.link is None:
        raise SpecError("accelerator.link_bytes_per_s", "the link is not known; give its rate")
    sent = exchanged_bytes(deployment, features.tokens) / devices / (deployment.link or 1.0) if split else 0.0
    return Pass(
        math=terms.flop / compute,
        math_half=terms.weights / compute,
        expert_math=terms.expert_flop / compute,
        expert_half=terms.expert_weights / compute,
        data=terms.bytes / memory,
        expert_data=terms.expert_bytes / memory,
        attention_math=(attention.flop.at(context) - decodes) / slow,
        decode_math=decodes / slow,
        attention_data=attention.bytes.at(context) / memory,
        passes=1.0,
        layers=float(deployment.model.layers),
        requests=features.requests,
        chunks=features.chunks,
        logits=features.requests * (deployment.model.vocab_size or 0),
        activations=features.tokens * activation_s(deployment),
        all_reduces=float(all_reduces(deployment)) if split else 0.0,
        all_reduce_ranks=float(all_reduces(deployment)) * further_ranks(deployment),
        link=sent,
    )


def _decode_flop(deployment: Deployment, features: Features, context: float) -> float:
    """FLOP of attention of the decodes alone; the chunks' sums within windows are taken out."""
    windowed = tuple((window, seen._replace(chunk_pairs=0.0, chunk_reads=0.0)) for window, seen in features.windowed)
    return pass_work(deployment, features._replace(windowed=windowed)).stages.attention.flop.at(context)


def prefill_basis(deployment: Deployment, batch: int, prompt: int) -> list[Pass]:
    """The prefill of a batch."""
    return [pass_basis(deployment, Features.prefill(batch, prompt, deployment.model.windows), 0.0)]


def decode_basis(deployment: Deployment, batch: int, prompt: int, output: int) -> list[Pass]:
    """Some decode passes of a batch, evenly spread: the mean of their times is that of all."""
    steps = max(output - 1, 1)
    count = min(POINTS, steps)
    contexts = [prompt + 1 + (steps - 1) * (2 * i + 1) / (2 * count) for i in range(count)]
    return [
        pass_basis(deployment, Features.decode(batch, round(at), deployment.model.windows), batch * at)
        for at in contexts
    ]


class Rows(NamedTuple):
    """Measurements as arrays. Row i takes Σ weight × pass time over its passes (`owner` == i), and took seconds[i].

    `format` is the place of its weights' format in FORMATS; `by_query_head` says that decodes read the cache anew for
    every query head; `correction` multiplies what the passes add up to.
    """

    passes: Array
    owner: npt.NDArray[np.int64]
    weight: Array
    seconds: Array
    format: npt.NDArray[np.int64]
    cache: npt.NDArray[np.int64]
    by_query_head: npt.NDArray[np.bool_]
    correction: Array

    def take(self, chosen: npt.NDArray[Any]) -> Rows:
        """The chosen rows (indices)."""
        places = np.full(len(self.seconds), -1)
        places[chosen] = np.arange(len(chosen))
        kept = places[self.owner] >= 0
        return Rows(
            self.passes[kept],
            places[self.owner[kept]],
            self.weight[kept],
            self.seconds[chosen],
            self.format[chosen],
            self.cache[chosen],
            self.by_query_head[chosen],
            self.correction[chosen],
        )


class Item(NamedTuple):
    """One measurement for a fit: passes with their weights, and the seconds that they took together."""

    passes: list[tuple[float, Pass]]
    seconds: float
    weights: str
    kv_cache: str
    by_query_head: bool
    correction: float = 1.0


def rows_of(items: list[Item]) -> Rows:
    """Measurements as arrays."""
    flat = [(index, weight, one) for index, item in enumerate(items) for weight, one in item.passes]
    return Rows(
        np.array([one for _, _, one in flat], dtype=float).reshape(-1, len(Pass._fields)),
        np.array([index for index, _, _ in flat], dtype=np.int64),
        np.array([weight for _, weight, _ in flat], dtype=float),
        np.array([item.seconds for item in items], dtype=float),
        np.array([FORMATS.index(item.weights) for item in items], dtype=np.int64),
        np.array([CACHES.index(item.kv_cache) for item in items], dtype=np.int64),
        np.array([item.by_query_head for item in items], dtype=bool),
        np.array([item.correction for item in items], dtype=float),
    )


_COMPUTE = INDEX["compute_utilization.bf16"]
_BANDWIDTH = INDEX["bandwidth_utilization.bf16"]
_CACHE = INDEX["attention_bandwidth_utilization.bf16"]
_DECODES = np.array([INDEX["decode_attention_utilization"], INDEX["query_head_utilization"]])

#: Parts of a pass that are simply a count or a time of it, and the term each is multiplied or divided by.
_SIMPLE = (
    ("passes", "pass_s"),
    ("layers", "layer_s"),
    ("requests", "sequence_s"),
    ("logits", "logit_s"),
    ("activations", "activation_utilization"),
    ("chunks", "prompt_s"),
    ("all_reduces", "all_reduce_s"),
    ("all_reduce_ranks", "all_reduce_rank_s"),
    ("link", "link_utilization"),
    ("clients", "request_s"),
)

#: What a client waits beside the engine: no pass at all.
CLIENT = Pass._make([0.0] * (len(Pass._fields) - 1) + [1.0])


def _parts(rows: Rows, terms: Vector) -> list[tuple[Any, Array]]:
    """Seconds of every pass by the term each part depends on: (place of the term, or places by pass; seconds).

    Of math and data only the longer side of each stage is there. Half a matrix's tokens depend on two terms, and come
    last: their seconds are in the first part as well.
    """
    of = Pass(*rows.passes.T)
    formats, caches = _COMPUTE + rows.format[rows.owner], _CACHE + rows.cache[rows.owner]
    bandwidths = formats - _COMPUTE + _BANDWIDTH
    half, expert = terms[INDEX["half_tokens"]], INDEX["expert_compute_utilization"]
    further = INDEX["expert_bandwidth_utilization"]
    dense_half, expert_half = half * of.math_half / terms[formats], half * of.expert_half / terms[expert]
    math, expert_math = of.math / terms[formats] + dense_half, of.expert_math / terms[expert] + expert_half
    data, expert_data = of.data / terms[bandwidths], of.expert_data / terms[further]
    prompts, decodes = INDEX["attention_compute_utilization"], _DECODES[rows.by_query_head[rows.owner].astype(int)]
    seen, once = of.attention_math / terms[prompts], of.decode_math / terms[decodes]
    moved = of.attention_data / terms[caches]
    by_math, by_pairs = math + expert_math >= data + expert_data, seen + once >= moved
    simple = [
        (
            INDEX[term],
            getattr(of, part) / terms[INDEX[term]] if "util" in term else getattr(of, part) * terms[INDEX[term]],
        )
        for part, term in _SIMPLE
    ]
    return [
        (formats, math * by_math),
        (expert, expert_math * by_math),
        (bandwidths, data * ~by_math),
        (further, expert_data * ~by_math),
        (prompts, seen * by_pairs),
        (decodes, once * by_pairs),
        (caches, moved * ~by_pairs),
        *simple,
        (INDEX["half_tokens"], (dense_half + expert_half) * by_math),
    ]


def predicted(rows: Rows, vector: Vector) -> Array:
    """Seconds of every row under the terms of `vector`."""
    times = sum(seconds for _, seconds in _parts(rows, values(vector))[:-1])
    total: Array = np.bincount(rows.owner, rows.weight * times, len(rows.seconds)) * rows.correction
    return total


def slopes(rows: Rows, vector: Vector) -> tuple[Array, Array]:
    """Logarithms of the rows' seconds, and how they change with every entry of `vector`.

    A part c × t changes by itself with the logarithm of t; a part c / s by −(1 − s) of itself with the log odds of s.
    """
    terms, count = values(vector), len(rows.seconds)
    factors = np.where(SHARES, terms - 1, 1.0)
    total, table = np.zeros(count), np.zeros((count, len(vector)))
    parts = _parts(rows, terms)
    for index, (places, seconds) in enumerate(parts):
        weighted = rows.weight * seconds
        if index < len(parts) - 1:
            total += np.bincount(rows.owner, weighted, count)
        if np.ndim(places):
            flat = np.bincount(rows.owner * len(vector) + places, weighted * factors[places], table.size)
            table += flat.reshape(table.shape)
        else:
            table[:, places] += np.bincount(rows.owner, weighted * factors[places], count)
    return np.log(total * rows.correction), table / total[:, None]

"""One pass of the model: from its features to the work of its stages.

A pass is described by its features alone: n decode tokens whose contexts sum to S (each context counts the token
itself), and prefill chunks, chunk j being c_j tokens at offset s_j. For a given n and given chunks, the work of every
stage is affine in S: these coefficients are what planning, simulation and calibration share.

    linear     FLOP = 2 P T              bytes = W + 4 L T h
    attention  FLOP = 4 L width A        bytes = κ (K + T) + 4 L T h
    T = n + Σ c_j        A = S + Σ (s_j c_j + c_j (c_j + 1) / 2)        K = S + Σ (s_j + c_j)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from servelab.cost.work import Affine, Work
from servelab.specs.deployment import Deployment
from servelab.specs.formats import ACTIVATION_BYTES, bytes_per_kv_value, bytes_per_weight


class Features(NamedTuple):
    """A pass without its summed context S: decode tokens, and sums over its prefill chunks.

    `emitting_chunks` counts the chunks that complete their prompt, each of which emits a token.
    """

    decode_tokens: float = 0.0
    chunk_tokens: float = 0.0
    chunk_pairs: float = 0.0
    chunk_reads: float = 0.0
    emitting_chunks: float = 0.0

    @classmethod
    def of(cls, decode_tokens: int, chunks: Iterable[tuple[int, int]], emitting_chunks: int = 0) -> Features:
        """The features of `decode_tokens` and chunks of (offset, length)."""
        pairs = list(chunks)
        return cls(
            float(decode_tokens),
            float(sum(length for _, length in pairs)),
            float(sum(offset * length + length * (length + 1) // 2 for offset, length in pairs)),
            float(sum(offset + length for offset, length in pairs)),
            float(emitting_chunks),
        )

    @classmethod
    def prefill(cls, batch: int, prompt_tokens: int) -> Features:
        """`batch` whole prompts of the same length."""
        tokens = float(batch) * prompt_tokens
        return cls(0.0, tokens, tokens * (prompt_tokens + 1) / 2, tokens, float(batch))

    @property
    def tokens(self) -> float:
        """T, the tokens processed."""
        return self.decode_tokens + self.chunk_tokens


class Stages(NamedTuple):
    """The work of a pass by stage."""

    linear: Work
    attention: Work


def stages(deployment: Deployment, features: Features) -> Stages:
    """The work of one pass, summed over devices, as functions of S."""
    model, tokens = deployment.model, features.tokens
    activations = 2 * ACTIVATION_BYTES * model.layers * tokens * model.hidden
    linear = Work(
        Affine(2.0 * model.parameters * tokens),
        Affine(weights_bytes(deployment) + activations),
    )
    per_pair = 4.0 * model.layers * model.width
    per_token = held_kv_bytes_per_token(deployment)
    attention = Work(
        Affine(per_pair * features.chunk_pairs, per_pair),
        Affine(per_token * (features.chunk_reads + tokens) + activations, per_token),
    )
    return Stages(linear, attention)


def least_work(deployment: Deployment, features: Features) -> Work:
    """What no implementation avoids: the FLOP and bytes under the floor of a pass.

    Every weight but the embedding table is used and read once (tied: read for the head), the head only where a token
    is emitted, the cache is read; nothing for activations. Without a vocabulary all weights count.
    """
    model, tokens = deployment.model, features.tokens
    table, head = model.table_parameters, model.head_parameters
    output = table if model.tied_embeddings else head
    body = model.parameters - table - head
    emitting = features.decode_tokens + features.emitting_chunks
    per_pair = 4.0 * model.layers * model.width
    per_token = kv_bytes_per_token(deployment, deployment.kv_cache)
    read = model.parameters if model.tied_embeddings else model.parameters - table
    return Work(
        Affine(2.0 * body * tokens + 2.0 * output * emitting + per_pair * features.chunk_pairs, per_pair),
        Affine(
            read * _weight_size(deployment, deployment.weight_format) + per_token * features.chunk_reads,
            per_token,
        ),
    )


def weights_bytes(deployment: Deployment, weights: str | None = None) -> float:
    """W, the bytes of all weights in the deployment's format, or in the one named."""
    return deployment.model.parameters * _weight_size(deployment, weights or deployment.weight_format)


def _weight_size(deployment: Deployment, weights: str) -> float:
    return bytes_per_weight(weights, deployment.format_metadata_fraction)


def kv_bytes_per_token(deployment: Deployment, kv_cache: str) -> float:
    """κ, the KV cache of one token in bytes: keys and values of every layer and KV head, each head once."""
    model = deployment.model
    return 2.0 * model.layers * model.kv_heads * model.head_dim * bytes_per_kv_value(kv_cache)


def held_kv_bytes_per_token(deployment: Deployment) -> float:
    """κ as all devices hold and read it together: more than κ where KV heads are replicated."""
    ways = kv_ways(deployment, deployment.tensor_parallel)
    return kv_bytes_per_token(deployment, deployment.kv_cache) * deployment.tensor_parallel / ways


def kv_ways(deployment: Deployment, degree: int) -> int:
    """How many ways `degree` devices split the cache: a device holds at least one KV head."""
    return min(degree, deployment.model.kv_heads)

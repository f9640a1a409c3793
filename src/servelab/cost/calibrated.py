"""What a profile puts in the place of the textbook's constants.

    linear     math  (FLOP + half_tokens × 2 × weights touched) / (N × peak × compute share)
               data  (bytes of weights touched, without the embedding table, + 4 L T h) / (N × bandwidth × share)
    attention  math and data as in the textbook, at shares of their own: data by the format of the cache, math in 16-bit
               formats, that of decodes apart from that of prompts
    overhead   pass + L × layer + requests × (sequence + vocabulary × logit) + chunks × prompt
               + T × 8 L h / (bandwidth of one device × activation share)

The head counts for tokens that are emitted only. An efficiency u T / (T + half_tokens) makes math affine in T, so that
the time of a pass stays a sum over stages of the longer of two affine sides. Routed experts have shares of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from servelab.cost.weights import weights_of
from servelab.cost.work import Affine, Work
from servelab.specs.deployment import Deployment
from servelab.specs.formats import ACTIVATION_BYTES
from servelab.specs.profile import Profile


class LinearTerms(NamedTuple):
    """The linear stage of a pass, apart: what all tokens go through, and what routed experts do.

    `weights` and `expert_weights` count 2 FLOP for every weight that the pass touches: what one token more would take
    if it went through all of them. Numbers, or arrays over many passes.
    """

    flop: Any
    weights: Any
    bytes: Any
    expert_flop: Any
    expert_weights: Any
    expert_bytes: Any


def linear_terms(deployment: Deployment, tokens: float, emitting: float) -> LinearTerms:
    """The terms of a pass over `tokens` tokens, `emitting` of which go through the head."""
    held = weights_of(deployment)
    skew = deployment.expert_skew
    touched = [one.layers * held.touched(one, tokens, skew) for one in held.routed]
    return terms_of(deployment, tokens, emitting, touched)


def terms_of(deployment: Deployment, tokens: Any, emitting: Any, touched: list[Any]) -> LinearTerms:
    """The same from the experts that are touched, over the layers of each group; tokens may be arrays."""
    model, held = deployment.model, weights_of(deployment)
    table, head = model.table_parameters, model.head_parameters
    routed = float(sum(one.layers * one.per_token * one.parameters for one in held.routed))
    all_routed = float(sum(one.layers * one.experts * one.bytes for one in held.routed))
    body = float(model.active_parameters - table - head) - routed
    last = float(head or table)
    activations = 2 * ACTIVATION_BYTES * model.layers * model.hidden
    return LinearTerms(
        flop=2.0 * body * tokens + 2.0 * last * emitting,
        weights=2.0 * (body + last),
        bytes=held.multiplied_bytes - all_routed + activations * tokens,
        expert_flop=2.0 * routed * tokens,
        expert_weights=sum(2.0 * one.parameters * count for one, count in zip(held.routed, touched, strict=True)),
        expert_bytes=sum(one.bytes * count for one, count in zip(held.routed, touched, strict=True)),
    )


def timed_attention(attention: Work, decodes: Affine, kv_cache: str, profile: Profile) -> Work:
    """The attention stage as it is paid for: decodes at a share of their own, in terms of that of prompts."""
    more = profile.attention_compute_utilization / profile.decode_share(kv_cache) - 1
    flop = attention.flop
    return attention._replace(flop=Affine(flop.at_zero + more * decodes.at_zero, flop.slope + more * decodes.slope))


def timed_linear(terms: LinearTerms, weights: str, profile: Profile) -> Work:
    """The linear stage as it is paid for, with weights of that format."""
    flop, moved = timed(terms, weights, profile)
    return Work(Affine(flop), Affine(moved))


def timed(terms: LinearTerms, weights: str, profile: Profile) -> tuple[Any, Any]:
    """FLOP and bytes as they are paid for, in terms of a dense layer's shares."""
    half = profile.half_tokens
    slower = profile.compute_share(weights) / profile.expert_compute_utilization
    further = profile.bandwidth_share(weights) / profile.expert_bandwidth_utilization
    flop = terms.flop + half * terms.weights + slower * (terms.expert_flop + half * terms.expert_weights)
    return flop, terms.bytes + further * terms.expert_bytes


def overhead_s(deployment: Deployment, tokens: Any, requests: Any, chunks: Any) -> Any:
    """Time of a pass beside its stages: over so many tokens, for so many requests, `chunks` of them prompts.

    The textbook's is a constant. With a profile there is the host's (a pass, its layers, each sequence and prompt), the
    logits of each request, and what is done to activations between matrices, which every device does to all of them.
    """
    profile = deployment.calibration
    if profile is None:
        return deployment.pass_overhead_s
    model = deployment.model
    fixed = profile.pass_s + profile.layer_s * model.layers
    sequence = profile.sequence_s + profile.logit_s * (model.vocab_size or 0)
    token = activation_s(deployment) / profile.activation_utilization
    return fixed + sequence * requests + profile.prompt_s * chunks + token * tokens


def activation_s(deployment: Deployment) -> float:
    """Time to read and write a token's activations once for attention and once for feed-forward, at the datasheet."""
    model = deployment.model
    return 4 * ACTIVATION_BYTES * model.layers * model.hidden / deployment.accelerator.bandwidth_bytes_per_s

"""What a profile puts in the place of the textbook's constants.

    linear     math  (FLOP + half_tokens × 2 × weights touched) / (N × peak × compute share)
               data  (bytes of weights touched, without the embedding table, + 4 L T h) / (N × bandwidth × share)
    attention  math and data as in the textbook, at shares of their own; math in 16-bit formats
    overhead   pass + L × layer + requests × sequence + chunks × prompt

The head counts for tokens that are emitted only. An efficiency u T / (T + half_tokens) makes math affine in T, so that
the time of a pass stays a sum over stages of the longer of two affine sides. Work on routed experts is divided by
expert_utilization.
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


def timed_work(terms: LinearTerms, profile: Profile) -> Work:
    """The linear stage as it is paid for under `profile`."""
    flop, moved = timed(terms, profile)
    return Work(Affine(flop), Affine(moved))


def timed(terms: LinearTerms, profile: Profile) -> tuple[Any, Any]:
    """FLOP and bytes as they are paid for."""
    half, share = profile.half_tokens, profile.expert_utilization
    flop = terms.flop + half * terms.weights + (terms.expert_flop + half * terms.expert_weights) / share
    return flop, terms.bytes + terms.expert_bytes / share


def overhead_s(deployment: Deployment, requests: Any, chunks: Any) -> Any:
    """Fixed time of a pass with so many requests, `chunks` of them prompts; the textbook's is a constant."""
    profile = deployment.calibration
    if profile is None:
        return deployment.pass_overhead_s
    fixed = profile.pass_s + profile.layer_s * deployment.model.layers
    return fixed + profile.sequence_s * requests + profile.prompt_s * chunks

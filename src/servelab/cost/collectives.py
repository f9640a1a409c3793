"""Communication between devices: ring all-reduces of tensor parallelism."""

from __future__ import annotations

from servelab.specs.deployment import Deployment
from servelab.specs.formats import ACTIVATION_BYTES


def communication_s(deployment: Deployment, tokens: float) -> float:
    """Time two all-reduces per layer take for `tokens` tokens, nothing overlapped; the link must be known for N > 1.

    2 L × (latency + 2 (N − 1) / N × T × h × 2 bytes / link), with link = its datasheet rate one way × utilisation.
    """
    devices = deployment.tensor_parallel
    if devices == 1:
        return 0.0
    if deployment.link is None:
        raise ValueError("communication needs a known link")
    latency, share = link_terms(deployment)
    one = latency + _payload_bytes(deployment, tokens) / (deployment.link * share)
    return all_reduces(deployment) * one


def all_reduces(deployment: Deployment) -> int:
    """All-reduces of a pass: two a layer, or under a profile as many as the model's layers have."""
    each = 2 if deployment.calibration is None else deployment.model.all_reduces_per_layer
    return each * deployment.model.layers


def exchanged_bytes(deployment: Deployment, tokens: float) -> float:
    """What all devices together send in these all-reduces, each one way."""
    return all_reduces(deployment) * deployment.tensor_parallel * _payload_bytes(deployment, tokens)


def _payload_bytes(deployment: Deployment, tokens: float) -> float:
    """What one device sends in one all-reduce; nothing where it is alone."""
    devices = deployment.tensor_parallel
    return 2 * (devices - 1) / devices * tokens * deployment.model.hidden * ACTIVATION_BYTES


def link_terms(deployment: Deployment) -> tuple[float, float]:
    """Fixed seconds of an all-reduce, and the share of the link's rate that it reaches."""
    profile = deployment.calibration
    if profile is None:
        return deployment.all_reduce_latency_s, deployment.link_utilization
    return profile.all_reduce_s + further_ranks(deployment) * profile.all_reduce_rank_s, profile.link_utilization


def further_ranks(deployment: Deployment) -> int:
    """Devices of an all-reduce beyond the two that its fixed time is of."""
    return max(deployment.tensor_parallel - 2, 0)

"""Memory of one device, and what would fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from servelab.cost.streams import streams
from servelab.cost.weights import weights_of
from servelab.specs.deployment import TENSOR_PARALLEL_DEGREES, Deployment, split_refusal
from servelab.specs.fields import LARGEST_COUNT
from servelab.specs.formats import ACTIVATION_BYTES, bytes_per_kv_value
from servelab.specs.workload import Workload

#: Changes of one format that are tried when a deployment does not fit.
_SMALLER_WEIGHTS = ("fp8", "int8", "int4")
_SMALLER_KV = ("fp8",)


@dataclass(frozen=True)
class Memory:
    """Bytes on one device. The whole prompt + output budget of every request is counted in the cache."""

    weights_bytes: float
    kv_cache_bytes: float
    workspace_bytes: float
    reserve_bytes: float
    total_bytes: float
    capacity_bytes: float

    @property
    def fits(self) -> bool:
        """Whether it all goes in."""
        return self.total_bytes <= self.capacity_bytes


@dataclass(frozen=True)
class FormatChange:
    """A change of one format: `field` is "weights" or "kv_cache"."""

    field: str
    format: str


@dataclass(frozen=True)
class WouldFit:
    """What would fit, each all else equal; None where nothing does.

    `formats` are the single format changes that are enough, where the deployment does not fit as it is.
    """

    batch: int | None
    prompt_tokens: int | None
    tensor_parallel: int | None
    formats: tuple[FormatChange, ...]


class Cache(NamedTuple):
    """Part of the KV cache that is split alike: bytes of a token, and how many tokens stay (None: all)."""

    bytes_per_token: float
    ways: int
    kept: int | None


class MemoryPlan(NamedTuple):
    """What a device's memory depends on, ready to be varied."""

    weights_bytes: float  # W, over all devices
    caches: tuple[Cache, ...]
    state_bytes: float  # of a request, whole on each device
    devices: int
    workspace_bytes_per_prompt_token: float  # over all devices
    reserve_bytes: float
    capacity_bytes: float

    @classmethod
    def of(cls, deployment: Deployment) -> MemoryPlan:
        return cls(
            weights_of(deployment).held_bytes,
            caches(deployment, deployment.tensor_parallel, deployment.kv_cache),
            deployment.model.state_bytes,
            deployment.tensor_parallel,
            deployment.workspace_buffers * deployment.model.hidden * ACTIVATION_BYTES,
            deployment.reserve_bytes,
            deployment.accelerator.memory_bytes,
        )

    def parts(self, prompt: int, output: int, batch: int) -> tuple[float, float, float]:
        """Weights, KV cache (states included) and workspace of one device."""
        kv_cache, tokens = self.state_bytes * batch, prompt + output
        for per_token, ways, kept in self.caches:
            kv_cache += per_token * (tokens if kept is None else min(tokens, kept)) * batch / ways
        return (
            self.weights_bytes / self.devices,
            kv_cache,
            self.workspace_bytes_per_prompt_token * batch * prompt / self.devices,
        )

    def total(self, prompt: int, output: int, batch: int) -> float:
        weights, kv_cache, workspace = self.parts(prompt, output, batch)
        return weights + kv_cache + workspace + self.reserve_bytes

    def fits(self, prompt: int, output: int, batch: int) -> bool:
        return self.total(prompt, output, batch) <= self.capacity_bytes


def caches(deployment: Deployment, devices: int, kv_cache: str) -> tuple[Cache, ...]:
    """The parts of the KV cache as `devices` devices split them, in the format `kv_cache`."""
    value = bytes_per_kv_value(kv_cache)
    return tuple(
        Cache(stream.bytes_per_token(value), stream.ways(devices), stream.kept if deployment.free_windows else None)
        for stream in streams(deployment.model)
    )


def device_memory(plan: MemoryPlan, workload: Workload) -> Memory:
    """Memory of one device: weights W / N, cache Σ κ min(p + o, window) b / ways + states, workspace, reserve."""
    p, o, b = workload.prompt_tokens, workload.output_tokens, workload.batch
    weights, kv_cache, workspace = plan.parts(p, o, b)
    total = weights + kv_cache + workspace + plan.reserve_bytes
    return Memory(weights, kv_cache, workspace, plan.reserve_bytes, total, plan.capacity_bytes)


def would_fit(deployment: Deployment, plan: MemoryPlan, workload: Workload) -> WouldFit:
    """The largest batch, the longest prompt, the fewest devices (up to 8) and the format changes that would do."""
    p, o, b = workload.prompt_tokens, workload.output_tokens, workload.batch
    return WouldFit(
        batch=_largest(lambda batch: plan.total(p, o, batch), plan.capacity_bytes),
        prompt_tokens=_largest(lambda prompt: plan.total(prompt, o, b), plan.capacity_bytes),
        tensor_parallel=_fewest_devices(deployment, plan, workload),
        formats=() if plan.fits(p, o, b) else _enough(deployment, plan, workload),
    )


def _fewest_devices(deployment: Deployment, plan: MemoryPlan, workload: Workload) -> int | None:
    for degree in TENSOR_PARALLEL_DEGREES:
        if split_refusal(deployment.model, degree, deployment.replicates):
            continue
        split = plan
        if degree != plan.devices:
            split = plan._replace(devices=degree, caches=caches(deployment, degree, deployment.kv_cache))
        if split.fits(workload.prompt_tokens, workload.output_tokens, workload.batch):
            return degree
    return None


def _enough(deployment: Deployment, plan: MemoryPlan, workload: Workload) -> tuple[FormatChange, ...]:
    p, o, b = workload.prompt_tokens, workload.output_tokens, workload.batch
    weights = [
        FormatChange("weights", name)
        for name in _SMALLER_WEIGHTS
        if plan._replace(weights_bytes=weights_of(deployment, name).held_bytes).fits(p, o, b)
    ]
    kv_cache = [
        FormatChange("kv_cache", name)
        for name in _SMALLER_KV
        if plan._replace(caches=caches(deployment, plan.devices, name)).fits(p, o, b)
    ]
    return (*weights, *kv_cache)


def _largest(total: Callable[[int], float], capacity: float) -> int | None:
    """The largest count whose total, which never falls, stays within `capacity`; None where 1 does not.

    Most totals grow in a straight line, which gives it but for rounding; where rounding or a window that is freed
    bends the line, the interval is halved instead.
    """
    at_one, at_many = total(1), total(LARGEST_COUNT)
    if at_one > capacity:
        return None
    if at_many <= capacity:
        return LARGEST_COUNT
    slope = (at_many - at_one) / (LARGEST_COUNT - 1)
    guess = min(max(1, 1 + int((capacity - at_one) / slope)), LARGEST_COUNT - 1)
    if total(guess) <= capacity < total(guess + 1):
        return guess
    low, high = 1, LARGEST_COUNT
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if total(middle) <= capacity else (low, middle)
    return low

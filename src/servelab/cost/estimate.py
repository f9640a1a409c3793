"""The estimate: memory, both phases, latencies, rates and cost of one batch on one deployment.

Counted: the weights' and attention's math and data movement, activations, all-reduces, a fixed overhead a pass.
Left out: queueing, network, tokenisation, sampling, overlap of communication with anything, kernels that reach less
(or more) than the assumed utilisations. It is an analytical model and no benchmark.
"""

from __future__ import annotations

import functools
import math
import sys
from dataclasses import dataclass
from typing import Any

from servelab.cost.interval import Calibration, Intervals, calibration_of, intervals
from servelab.cost.memory import Memory, MemoryPlan, WouldFit, device_memory, would_fit
from servelab.cost.phases import Phase, Speed, decode_phase, prefill_phase
from servelab.cost.roofline import Rates, knee, peak_rates, refuse_beyond_numbers, slowest_rate
from servelab.specs.deployment import TENSOR_PARALLEL_DEGREES, Deployment, split_refusal
from servelab.specs.fields import as_data, as_json
from servelab.specs.model import Model
from servelab.specs.workload import Workload


@dataclass(frozen=True)
class SplitOption:
    """A tensor-parallel degree, and why it is not allowed where it is not."""

    degree: int
    allowed: bool
    reason: str | None


@dataclass(frozen=True)
class Estimate:
    """The answer for one deployment and workload. What cannot be said is None.

    Where it does not fit, every performance figure is None; where a rate is unknown too, and `missing` names it.
    `model_features` names what the model has beyond dense layers all alike and the figures count, `not_modelled`
    what it has and they do not. With a profile `interval` holds what 80 % of measurements lie between, and
    `calibration` says what stands behind it; both are None for the textbook's figures.
    """

    deployment: Deployment
    workload: Workload
    fits: bool
    memory: Memory
    would_fit: WouldFit
    prefill: Phase | None
    decode: Phase | None
    knee_flop_per_byte: float | None
    ttft_s: float | None
    tpot_s: float | None
    e2e_s: float | None
    output_tokens_per_s: float | None
    decode_tokens_per_s: float | None
    request_tokens_per_s: float | None
    cost_usd_per_million_output_tokens: float | None
    missing: tuple[str, ...]
    tensor_parallel_options: tuple[SplitOption, ...]
    model_features: tuple[str, ...]
    not_modelled: tuple[str, ...]
    interval: Intervals | None
    calibration: Calibration | None

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain data."""
        data: dict[str, Any] = as_data(self)
        return data

    def to_json(self) -> str:
        """The estimate as every door prints it: compact, counts as whole numbers, all else as floats."""
        return as_json(self)


@dataclass(frozen=True)
class _Latency:
    """The figures that follow from the two phases; all None where there are none."""

    ttft_s: float | None = None
    tpot_s: float | None = None
    e2e_s: float | None = None
    output_tokens_per_s: float | None = None
    decode_tokens_per_s: float | None = None
    request_tokens_per_s: float | None = None
    cost_usd_per_million_output_tokens: float | None = None


_NO_LATENCY = _Latency()


def estimate(deployment: Deployment, workload: Workload) -> Estimate:
    """Memory, bottleneck, latency and throughput of `workload` on `deployment`.

    Raises SpecError where the rates are so small that a time is beyond all numbers.
    """
    plan = MemoryPlan.of(deployment)
    memory = device_memory(plan, workload)
    peak = peak_rates(deployment)
    missing = _missing(deployment, peak)
    speed = Speed.of(deployment, peak) if peak else None
    prefill = decode = balance = None
    latency = _NO_LATENCY
    if speed:
        balance = _knee(deployment, speed.effective)
        if memory.fits and not missing:
            prefill, decode = prefill_phase(deployment, speed, workload), decode_phase(deployment, speed, workload)
            latency = _latency(deployment, workload, prefill, decode)
    return Estimate(
        deployment=deployment,
        workload=workload,
        fits=memory.fits,
        memory=memory,
        would_fit=would_fit(deployment, plan, workload),
        prefill=prefill,
        decode=decode,
        knee_flop_per_byte=balance,
        **vars(latency),
        missing=missing,
        tensor_parallel_options=_split_options(deployment.model, deployment.replicates),
        model_features=deployment.model.features,
        not_modelled=deployment.model.not_modelled,
        interval=intervals(deployment, latency.ttft_s, latency.tpot_s, latency.output_tokens_per_s),
        calibration=calibration_of(deployment),
    )


def _missing(deployment: Deployment, peak: Rates | None) -> tuple[str, ...]:
    """What to give so that performance can be answered."""
    missing = [] if peak else [f"accelerator.flop_per_s.{deployment.compute_format}"]
    if deployment.tensor_parallel > 1 and deployment.link is None:
        missing.append("accelerator.link_bytes_per_s")
    return tuple(missing)


def _latency(deployment: Deployment, workload: Workload, prefill: Phase, decode: Phase) -> _Latency:
    steps = workload.output_tokens - 1
    ttft = prefill.time_s
    tpot = decode.time_s / steps if steps else None
    e2e = ttft + decode.time_s
    refuse_beyond_numbers(deployment, e2e)
    rate = _per_second(workload.batch * workload.output_tokens, e2e)
    price = deployment.accelerator.price_usd_per_hour
    cost = None if price is None else deployment.tensor_parallel * price / 3600 / rate * 1e6
    refuse_beyond_numbers(deployment, cost)
    return _Latency(
        ttft_s=ttft,
        tpot_s=tpot,
        e2e_s=e2e,
        output_tokens_per_s=rate,
        decode_tokens_per_s=None if tpot is None else _per_second(workload.batch, tpot),
        request_tokens_per_s=None if tpot is None else _per_second(1, tpot),
        cost_usd_per_million_output_tokens=cost,
    )


def _per_second(amount: float, seconds: float) -> float:
    """A rate; times are above zero, since a pass moves bytes, but for those too small for a float."""
    return amount / max(seconds, math.ulp(0.0))


def _knee(deployment: Deployment, rates: Rates) -> float:
    """The knee; a rate that a utilisation takes below the smallest float would divide by zero, and is refused."""
    ratio = knee(rates) if slowest_rate(deployment, rates) >= sys.float_info.min else math.inf
    refuse_beyond_numbers(deployment, ratio)
    return ratio


@functools.lru_cache(maxsize=1024)
def _split_options(model: Model, replicates: bool) -> tuple[SplitOption, ...]:
    reasons = ((n, split_refusal(model, n, replicates)) for n in TENSOR_PARALLEL_DEGREES)
    return tuple(SplitOption(n, reason is None, reason) for n, reason in reasons)

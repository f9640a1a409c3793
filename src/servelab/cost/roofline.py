"""The roofline: how fast all devices together compute and move bytes, and where the two meet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from servelab.cost.collectives import link_terms
from servelab.cost.work import Bound, Steps, Work, bounded_time
from servelab.errors import SpecError
from servelab.specs.deployment import Deployment


class Rates(NamedTuple):
    """Rates of all devices together."""

    flop_per_s: float
    bytes_per_s: float

    def bound(self, work: Work, steps: Steps) -> Bound:
        """Time of `work` over a run of passes at these rates, by what bounds it."""
        return self.spend(work, steps).bound

    def spend(self, work: Work, steps: Steps) -> Spent:
        """FLOP, bytes and time of `work` over a run of passes.

        Most runs have one bound throughout, and then take what it takes for all of the run's FLOP or bytes.
        """
        flop, moved = work
        passes, first, last, middle = steps.passes, steps.first, steps.last, steps.middle
        flop_total = passes * (flop.at_zero + flop.slope * middle)
        moved_total = passes * (moved.at_zero + moved.slope * middle)
        compute, memory = self.flop_per_s, self.bytes_per_s
        starts = (flop.at_zero + flop.slope * first) / compute >= (moved.at_zero + moved.slope * first) / memory
        ends = (flop.at_zero + flop.slope * last) / compute >= (moved.at_zero + moved.slope * last) / memory
        if starts != ends:
            bound = bounded_time(flop.over(compute), moved.over(memory), steps)
        else:
            bound = Bound(flop_total / compute, 0.0) if starts else Bound(0.0, moved_total / memory)
        return Spent(flop_total, moved_total, bound)


class Spent(NamedTuple):
    """What a run of passes takes."""

    flop: float
    bytes: float
    bound: Bound


def peak_rates(deployment: Deployment) -> Rates | None:
    """Datasheet peaks of the compute format and of memory bandwidth; None where the compute rate is unknown."""
    device = deployment.accelerator
    flop_per_s = device.flop_per_s.get(deployment.compute_format)
    if flop_per_s is None:
        return None
    devices = deployment.tensor_parallel
    return Rates(devices * flop_per_s, devices * device.bandwidth_bytes_per_s)


def effective_rates(deployment: Deployment, peak: Rates) -> Rates:
    """Peaks times the utilisations: what the plan counts on, with a profile for the linear stage."""
    profile = deployment.calibration
    if profile is not None:
        weights = deployment.weight_format
        return Rates(
            peak.flop_per_s * profile.compute_share(weights), peak.bytes_per_s * profile.bandwidth_share(weights)
        )
    return Rates(
        peak.flop_per_s * deployment.compute_utilization,
        peak.bytes_per_s * deployment.bandwidth_utilization,
    )


def attention_rates(deployment: Deployment, peak: Rates) -> Rates:
    """The same for attention, which a profile rates apart and at the accelerator's 16-bit peak."""
    profile = deployment.calibration
    if profile is None:
        return effective_rates(deployment, peak)
    known = deployment.accelerator.flop_per_s
    sixteen = known.get("bf16") or known.get("fp16")
    flop_per_s = min(peak.flop_per_s, deployment.tensor_parallel * sixteen) if sixteen else peak.flop_per_s
    return Rates(
        flop_per_s * profile.attention_compute_utilization,
        peak.bytes_per_s * profile.cache_share(deployment.kv_cache),
    )


def knee(rates: Rates) -> float:
    """FLOP per byte above which math bounds a stage and below which memory does."""
    return rates.flop_per_s / rates.bytes_per_s


def slowest_rate(deployment: Deployment, rates: Rates) -> float:
    """The smallest of the rates that times are divided by, the link's too where there is one."""
    slowest = min(rates)
    if deployment.tensor_parallel > 1 and deployment.link is not None:
        slowest = min(slowest, deployment.link * link_terms(deployment)[1])
    return slowest


def refuse_beyond_numbers(deployment: Deployment, *figures: float | None) -> None:
    """JSON has no infinity: say which input leads there instead."""
    if all(figure is None or math.isfinite(figure) for figure in figures):
        return
    field, value, _ = min(_divisors(deployment), key=lambda divisor: math.log(divisor[1]) - math.log(divisor[2]))
    raise SpecError(field, f"{value:g} leads to figures beyond all numbers; give what a real device has")


def _divisors(deployment: Deployment) -> Iterator[tuple[str, float, float]]:
    """What times are divided by: field, value, and what is usual."""
    device, compute = deployment.accelerator, deployment.compute_format
    yield f"accelerator.flop_per_s.{compute}", device.flop_per_s[compute], 1e14
    yield "accelerator.bandwidth_bytes_per_s", device.bandwidth_bytes_per_s, 1e12
    yield "compute_utilization", deployment.compute_utilization, 1.0
    yield "bandwidth_utilization", deployment.bandwidth_utilization, 1.0
    if deployment.tensor_parallel > 1 and deployment.link is not None:
        yield "link_bytes_per_s", deployment.link, 1e11
        yield "link_utilization", deployment.link_utilization, 1.0

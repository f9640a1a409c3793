"""The roofline: how fast all devices together compute and move bytes, and where the two meet."""

from __future__ import annotations

from typing import NamedTuple

from servelab.cost.work import Bound, Steps, Work, bounded_time
from servelab.specs.deployment import Deployment


class Rates(NamedTuple):
    """Rates of all devices together."""

    flop_per_s: float
    bytes_per_s: float

    def bound(self, work: Work, steps: Steps) -> Bound:
        """Time of `work` over a run of passes at these rates, by what bounds it."""
        return bounded_time(work.flop.over(self.flop_per_s), work.bytes.over(self.bytes_per_s), steps)


def peak_rates(deployment: Deployment) -> Rates | None:
    """Datasheet peaks of the compute format and of memory bandwidth; None where the compute rate is unknown."""
    device = deployment.accelerator
    flop_per_s = device.flop_per_s.get(deployment.compute_format)
    if flop_per_s is None:
        return None
    devices = deployment.tensor_parallel
    return Rates(devices * flop_per_s, devices * device.bandwidth_bytes_per_s)


def effective_rates(deployment: Deployment, peak: Rates) -> Rates:
    """Peaks times the utilisations: what the plan counts on."""
    return Rates(
        peak.flop_per_s * deployment.compute_utilization,
        peak.bytes_per_s * deployment.bandwidth_utilization,
    )


def knee(rates: Rates) -> float:
    """FLOP per byte above which math bounds a stage and below which memory does."""
    return rates.flop_per_s / rates.bytes_per_s

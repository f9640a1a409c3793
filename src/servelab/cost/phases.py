"""Phases: prefill and decode as sums of passes, by stage and by what bounds each pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from servelab.cost.collectives import communication_s
from servelab.cost.passes import Features, least_work, stages
from servelab.cost.roofline import Rates, effective_rates
from servelab.cost.work import Bound, Steps, Work
from servelab.specs.deployment import Deployment
from servelab.specs.model import Model
from servelab.specs.workload import Workload


@dataclass(frozen=True)
class Stage:
    """One stage of a phase, summed over its passes: work over all devices, and time.

    `math_s` and `data_s` are what math alone and data movement alone would take; pass by pass the longer one counts.
    """

    flop: float
    bytes: float
    time_s: float
    math_s: float
    data_s: float
    intensity_flop_per_byte: float | None
    bound: str | None


@dataclass(frozen=True)
class Phase:
    """Prefill (one pass) or decode (output_tokens − 1 passes)."""

    time_s: float
    floor_s: float
    flop: float
    bytes: float
    intensity_flop_per_byte: float | None
    linear: Stage
    attention: Stage
    communication_s: float
    overhead_s: float
    bottleneck: str | None


def prefill_phase(deployment: Deployment, peak: Rates, workload: Workload) -> Phase:
    """One pass over all prompts."""
    features = Features.prefill(workload.batch, workload.prompt_tokens, deployment.model.windows)
    return _phase(deployment, peak, [Run(features, Steps(0.0))])


def decode_phase(deployment: Deployment, peak: Rates, workload: Workload) -> Phase:
    """Pass i = 1 … o − 1 decodes one token of each request at context p + i."""
    return _phase(deployment, peak, decode_runs(deployment.model, workload))


class Run(NamedTuple):
    """Passes of the same features whose summed context grows as `steps` says."""

    features: Features
    steps: Steps


def decode_runs(model: Model, workload: Workload) -> list[Run]:
    """The decode passes in runs, within each of which work is affine in S: all contexts reach a window together."""
    first, last = workload.prompt_tokens + 1, workload.prompt_tokens + workload.output_tokens - 1
    batch, runs = workload.batch, []
    ends = [window for window in model.windows if first <= window < last]
    for end in (*ends, last):
        steps = Steps(float(batch) * first, float(batch), end - first + 1)
        runs.append(Run(Features.decode(batch, first, model.windows), steps))
        first = end + 1
    return runs


def _phase(deployment: Deployment, peak: Rates, runs: list[Run]) -> Phase:
    """All passes of `runs`, which process the same number of tokens each."""
    rates = effective_rates(deployment, peak)
    linear, attention, floor = _Total(), _Total(), Bound(0.0, 0.0)
    for features, steps in runs:
        work = stages(deployment, features)
        linear.add(work.linear, rates, steps)
        attention.add(work.attention, rates, steps)
        floor = floor.plus(peak.bound(least_work(deployment, features), steps))
    passes = sum(steps.passes for _, steps in runs)
    communication = passes * communication_s(deployment, runs[0].features.tokens)
    overhead = passes * deployment.pass_overhead_s
    flop, moved = linear.flop + attention.flop, linear.bytes + attention.bytes
    return Phase(
        time_s=overhead + linear.bound.time_s + attention.bound.time_s + communication,
        floor_s=floor.time_s,
        flop=flop,
        bytes=moved,
        intensity_flop_per_byte=_ratio(flop, moved),
        linear=linear.stage(rates, any_pass=passes > 0),
        attention=attention.stage(rates, any_pass=passes > 0),
        communication_s=communication,
        overhead_s=overhead,
        bottleneck=_bottleneck(linear.bound, attention.bound, communication, overhead) if passes else None,
    )


class _Total:
    """One stage summed over runs of passes."""

    def __init__(self) -> None:
        self.flop = self.bytes = 0.0
        self.bound = Bound(0.0, 0.0)

    def add(self, work: Work, rates: Rates, steps: Steps) -> None:
        self.flop += work.flop.total(steps)
        self.bytes += work.bytes.total(steps)
        self.bound = self.bound.plus(rates.bound(work, steps))

    def stage(self, rates: Rates, *, any_pass: bool) -> Stage:
        bound = self.bound
        return Stage(
            flop=self.flop,
            bytes=self.bytes,
            time_s=bound.time_s,
            math_s=self.flop / rates.flop_per_s,
            data_s=self.bytes / rates.bytes_per_s,
            intensity_flop_per_byte=_ratio(self.flop, self.bytes),
            bound=("compute" if bound.compute_s >= bound.memory_s else "memory") if any_pass else None,
        )


def _bottleneck(linear: Bound, attention: Bound, communication: float, overhead: float) -> str:
    """The largest share of a phase's time; ties go to the first in this order."""
    shares = {
        "compute": linear.compute_s + attention.compute_s,
        "memory": linear.memory_s + attention.memory_s,
        "communication": communication,
        "overhead": overhead,
    }
    return max(shares, key=shares.__getitem__)


def _ratio(flop: float, moved: float) -> float | None:
    return flop / moved if moved else None

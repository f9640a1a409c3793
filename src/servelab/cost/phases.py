"""Phases: prefill and decode as sums of passes, by stage and by what bounds each pass."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

from servelab.cost.calibrated import overhead_s
from servelab.cost.collectives import communication_s
from servelab.cost.passes import Features, pass_work
from servelab.cost.roofline import Rates, attention_rates, effective_rates
from servelab.cost.work import Bound, Steps, Work
from servelab.specs.deployment import Deployment
from servelab.specs.model import Model
from servelab.specs.workload import Workload

#: How far two sums of the same terms may lie apart.
_ROUNDING = 1e-12


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


class Speed(NamedTuple):
    """Rates of all devices: the datasheet's, and what the plan counts on."""

    peak: Rates
    effective: Rates
    attention: Rates

    @classmethod
    def of(cls, deployment: Deployment, peak: Rates) -> Speed:
        """What `deployment` counts on."""
        return cls(peak, effective_rates(deployment, peak), attention_rates(deployment, peak))


def prefill_phase(deployment: Deployment, speed: Speed, workload: Workload) -> Phase:
    """One pass over all prompts."""
    features = Features.prefill(workload.batch, workload.prompt_tokens, deployment.model.windows)
    return phase_of(deployment, speed, [Run(features, Steps(0.0))])


def decode_phase(deployment: Deployment, speed: Speed, workload: Workload) -> Phase:
    """Pass i = 1 … o − 1 decodes one token of each request at context p + i."""
    return phase_of(deployment, speed, decode_runs(deployment.model, workload))


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


def phase_of(deployment: Deployment, speed: Speed, runs: list[Run]) -> Phase:
    """All passes of `runs`, which process the same number of tokens each."""
    peak, rates, attention_speed = speed
    works = [(pass_work(deployment, features), steps) for features, steps in runs]
    linear, linear_bound = _stage([(work.timed.linear, steps) for work, steps in works], rates)
    attention, attention_bound = _stage([(work.timed.attention, steps) for work, steps in works], attention_speed)
    if deployment.calibration is not None:
        linear = _as_done(linear, [(work.stages.linear, steps) for work, steps in works])
        attention = _as_done(attention, [(work.stages.attention, steps) for work, steps in works])
    passes = sum(steps.passes for _, steps in runs)
    communication = passes * communication_s(deployment, runs[0].features.tokens)
    features = runs[0].features
    overhead = passes * overhead_s(deployment, features.tokens, features.requests, features.chunks)
    flop, moved = linear.flop + attention.flop, linear.bytes + attention.bytes
    time = overhead + linear.time_s + attention.time_s + communication
    floor = sum(peak.bound(work.least, steps).time_s for work, steps in works)
    return Phase(
        time_s=time,
        floor_s=_but_for_rounding(floor, time),
        flop=flop,
        bytes=moved,
        intensity_flop_per_byte=_ratio(flop, moved),
        linear=linear,
        attention=attention,
        communication_s=communication,
        overhead_s=overhead,
        bottleneck=_bottleneck(linear_bound, attention_bound, communication, overhead) if passes else None,
    )


def _but_for_rounding(floor: float, time: float) -> float:
    """A time at its floor may come out a rounding step below it; anything more would be a defect, and shows."""
    return min(floor, time) if floor <= time * (1 + _ROUNDING) else floor


def _stage(works: list[tuple[Work, Steps]], rates: Rates) -> tuple[Stage, Bound]:
    """One stage over all runs, and what bounds its passes."""
    flop, moved, bound = rates.spend(*works[0])
    passes = works[0][1].passes
    for work, steps in works[1:]:
        more = rates.spend(work, steps)
        flop, moved, bound, passes = flop + more.flop, moved + more.bytes, bound.plus(more.bound), passes + steps.passes
    stage = Stage(
        flop=flop,
        bytes=moved,
        time_s=bound.time_s,
        math_s=flop / rates.flop_per_s,
        data_s=moved / rates.bytes_per_s,
        intensity_flop_per_byte=_ratio(flop, moved),
        bound=("compute" if bound.compute_s >= bound.memory_s else "memory") if passes else None,
    )
    return stage, bound


def _as_done(stage: Stage, works: list[tuple[Work, Steps]]) -> Stage:
    """The stage with the FLOP and bytes of its work, not what is paid for them."""
    flop, moved = (sum(getattr(work, name).total(steps) for work, steps in works) for name in ("flop", "bytes"))
    return dataclasses.replace(stage, flop=flop, bytes=moved, intensity_flop_per_byte=_ratio(flop, moved))


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

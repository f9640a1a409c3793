"""How sure a calibrated figure is: the profile it comes from, and the interval 80 % of measurements fall into."""

from __future__ import annotations

from dataclasses import dataclass

from servelab.specs.deployment import Deployment
from servelab.specs.profile import Profile


@dataclass(frozen=True)
class Interval:
    """A figure's 80 % interval, in the figure's unit."""

    low: float
    high: float


@dataclass(frozen=True)
class Intervals:
    """The intervals of the figures that have one; None where the figure is absent."""

    ttft_s: Interval | None
    tpot_s: Interval | None
    output_tokens_per_s: Interval | None


@dataclass(frozen=True)
class Calibration:
    """What stands behind a calibrated estimate.

    `status` is "calibrated" (measured on this accelerator), "carried over" (measured on `carried_from`, taken over by
    the ratio of the datasheets) or "uncalibrated" (nothing was measured that is near it). `half_width` is the larger
    side of the TPOT's interval (the TTFT's without one) as a share of the figure.
    """

    profile: str
    engine: str
    accelerator: str
    generation: str
    status: str
    carried_from: str | None
    half_width: float | None
    rows: int
    models: int
    sources: tuple[str, ...]


def calibration_of(deployment: Deployment) -> Calibration | None:
    """What stands behind the estimates of `deployment`; None for the textbook's."""
    profile = deployment.calibration
    if profile is None:
        return None
    spread = _spread(deployment, profile, "tpot_s") or _spread(deployment, profile, "ttft_s")
    return Calibration(
        profile=profile.id,
        engine=profile.engine,
        accelerator=profile.accelerator,
        generation=profile.generation,
        status=_status(profile),
        carried_from=profile.carried_from,
        half_width=max(1 - spread[0], spread[1] - 1) if spread else None,
        rows=profile.rows,
        models=profile.models,
        sources=profile.sources,
    )


def _status(profile: Profile) -> str:
    if not profile.is_calibrated:
        return "uncalibrated"
    return "carried over" if profile.carried_from else "calibrated"


def intervals(
    deployment: Deployment, ttft_s: float | None, tpot_s: float | None, output_tokens_per_s: float | None
) -> Intervals | None:
    """The intervals of an estimate's figures; None for the textbook's, which has none."""
    profile = deployment.calibration
    if profile is None:
        return None
    return Intervals(
        _around(_spread(deployment, profile, "ttft_s"), ttft_s),
        _around(_spread(deployment, profile, "tpot_s"), tpot_s),
        _around(_spread(deployment, profile, "output_tokens_per_s"), output_tokens_per_s),
    )


def _spread(deployment: Deployment, profile: Profile, metric: str) -> tuple[float, float] | None:
    """The ratios of a metric, wider for a mixture of experts, whose routing is not known."""
    pair = profile.spread.get(metric)
    if pair is None or not any(group.experts for group in deployment.model.groups):
        return pair
    factor = profile.expert_spread_factor
    return pair[0] ** factor, pair[1] ** factor


def _around(pair: tuple[float, float] | None, figure: float | None) -> Interval | None:
    return None if pair is None or figure is None else Interval(figure * pair[0], figure * pair[1])

"""Why one estimate differs from another: what changed, where the seconds went, and what bounds it now.

The difference of a phase is the sum of the differences of its four parts (linear stage, attention stage,
communication, overhead), each with its bytes and FLOP and with what bound it before and after.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from servelab.cost.estimate import Estimate
from servelab.cost.phases import Phase, Stage
from servelab.cost.sentences import fit_sentence, phase_sentence
from servelab.specs.fields import as_data, as_json

_FIGURES = (
    "ttft_s",
    "tpot_s",
    "e2e_s",
    "output_tokens_per_s",
    "decode_tokens_per_s",
    "request_tokens_per_s",
    "cost_usd_per_million_output_tokens",
)


@dataclass(frozen=True)
class Change:
    """One input that differs; `field` is its dotted path in the question."""

    field: str
    before: str | int | float | bool | None
    after: str | int | float | bool | None


@dataclass(frozen=True)
class FigureChange:
    """One figure before and after; `ratio` is after ÷ before, None where one of them is absent or zero."""

    figure: str
    before: float | None
    after: float | None
    ratio: float | None


@dataclass(frozen=True)
class PhasePart:
    """One part of a phase before and after; work and bounds are those of a stage, else 0 and None."""

    part: str
    before_s: float
    after_s: float
    difference_s: float
    before_bytes: float
    after_bytes: float
    before_flop: float
    after_flop: float
    before_bound: str | None
    after_bound: str | None


@dataclass(frozen=True)
class PhaseChange:
    """A phase before and after, the mean of its passes: prefill is one pass, decode output_tokens − 1.

    `difference_s` is exactly the sum of the parts' differences. `next_limit` is the largest part that the present
    bottleneck does not account for: what would bound the phase next.
    """

    phase: str
    before_s: float
    after_s: float
    difference_s: float
    parts: tuple[PhasePart, ...]
    before_bottleneck: str
    after_bottleneck: str
    next_limit: str
    sentence: str


@dataclass(frozen=True)
class Explanation:
    """What changed between two questions, and what that did. `sentence` says the most of it in one."""

    changes: tuple[Change, ...]
    before_fits: bool
    after_fits: bool
    figures: tuple[FigureChange, ...]
    prefill: PhaseChange | None
    decode: PhaseChange | None
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data."""
        data: dict[str, Any] = as_data(self)
        return data

    def to_json(self) -> str:
        """The explanation as every door prints it."""
        return as_json(self)


def explain(before: Estimate, after: Estimate) -> Explanation:
    """Why `after` differs from `before`: inputs, figures, and each phase part by part."""
    prefill = _phase_change("prefill", before, after)
    decode = _phase_change("decode", before, after)
    return Explanation(
        changes=_changes(before, after),
        before_fits=before.fits,
        after_fits=after.fits,
        figures=tuple(_figure(name, getattr(before, name), getattr(after, name)) for name in _FIGURES),
        prefill=prefill,
        decode=decode,
        sentence=fit_sentence(before, after) or _most_changed(prefill, decode),
    )


def _most_changed(*phases: PhaseChange | None) -> str:
    """The sentence of the phase whose passes changed by the largest factor."""
    known = [phase for phase in phases if phase]
    return max(known, key=lambda phase: abs(math.log(phase.after_s / phase.before_s))).sentence


def _figure(name: str, before: float | None, after: float | None) -> FigureChange:
    return FigureChange(name, before, after, after / before if before and after else None)


def _changes(before: Estimate, after: Estimate) -> tuple[Change, ...]:
    old = _inputs(before)
    return tuple(
        Change(field, old.get(field), value) for field, value in _inputs(after).items() if value != old.get(field)
    )


def _inputs(estimate: Estimate) -> dict[str, Any]:
    """The question as dotted fields; another model or accelerator counts as one change of its name."""
    deployment, workload = estimate.deployment, estimate.workload
    named = {"deployment.model": deployment.model.name, "deployment.accelerator": deployment.accelerator.name}
    for field in fields(deployment):
        if field.name not in ("model", "accelerator"):
            named[f"deployment.{field.name}"] = getattr(deployment, field.name)
    for field in fields(workload):
        named[f"workload.{field.name}"] = getattr(workload, field.name)
    return named


def _phase_change(phase: str, before: Estimate, after: Estimate) -> PhaseChange | None:
    old, new = getattr(before, phase), getattr(after, phase)
    if old is None or new is None or old.bottleneck is None or new.bottleneck is None:
        return None
    old_passes, new_passes = passes_of(before, phase), passes_of(after, phase)
    parts = tuple(
        _part(name, old, new, (old_passes, new_passes)) for name in ("linear", "attention", "communication", "overhead")
    )
    return PhaseChange(
        phase=phase,
        before_s=old.time_s / old_passes,
        after_s=new.time_s / new_passes,
        difference_s=math.fsum(part.difference_s for part in parts),
        parts=parts,
        before_bottleneck=old.bottleneck,
        after_bottleneck=new.bottleneck,
        next_limit=next_limit(new),
        sentence=phase_sentence(phase, before, after, parts, next_limit(new)),
    )


def passes_of(estimate: Estimate, phase: str) -> int:
    """How many passes a phase has."""
    return 1 if phase == "prefill" else estimate.workload.output_tokens - 1


def _part(name: str, before: Phase, after: Phase, passes: tuple[int, int]) -> PhasePart:
    old, new = _side(name, before, passes[0]), _side(name, after, passes[1])
    return PhasePart(
        part=name,
        before_s=old[0],
        after_s=new[0],
        difference_s=new[0] - old[0],
        before_bytes=old[1],
        after_bytes=new[1],
        before_flop=old[2],
        after_flop=new[2],
        before_bound=old[3],
        after_bound=new[3],
    )


def _side(name: str, phase: Phase, passes: int) -> tuple[float, float, float, str | None]:
    """Seconds, bytes and FLOP of one part a pass, and its bound."""
    if name in ("linear", "attention"):
        stage: Stage = getattr(phase, name)
        return stage.time_s / passes, stage.bytes / passes, stage.flop / passes, stage.bound
    return getattr(phase, f"{name}_s") / passes, 0.0, 0.0, None


def next_limit(phase: Phase) -> str:
    """The largest limit of another kind than the bottleneck, in words."""
    limits = {
        ("compute", "the math of the linear stage"): phase.linear.math_s,
        ("compute", "the math of attention"): phase.attention.math_s,
        ("memory", "the memory traffic of the linear stage"): phase.linear.data_s,
        ("memory", "the memory traffic of attention"): phase.attention.data_s,
        ("communication", "communication"): phase.communication_s,
        ("overhead", "the fixed overhead of a pass"): phase.overhead_s,
    }
    others = {words: seconds for (kind, words), seconds in limits.items() if kind != phase.bottleneck}
    return max(others, key=others.__getitem__)

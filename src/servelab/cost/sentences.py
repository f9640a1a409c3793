"""One sentence about a difference: what is moved or computed instead, what bound it, what that did, what is next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from servelab.cost.roofline import effective_rates, peak_rates
from servelab.units import show, show_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from servelab.cost.estimate import Estimate
    from servelab.cost.explain import PhasePart

#: A change smaller than this share is none worth words.
_NOTHING = 0.005

_SUBJECT = {"prefill": ("Prefill", "TTFT", ""), "decode": ("Decode", "TPOT", " a step")}


def fit_sentence(before: Estimate, after: Estimate) -> str | None:
    """What is to say where one of the two has no figures of speed, or nothing that is counted differs."""
    if before.fits != after.fits:
        if before.fits:
            return f"It no longer fits: {_excess(after)} too much on each device, so no speed can be told."
        held, room = show(after.memory.total_bytes, "B"), show(after.memory.capacity_bytes, "B")
        return f"Now it fits, in {held} of {room}; before, {_excess(before)} was too much."
    if not after.fits:
        return f"Neither fits: {_excess(after)} too much on each device instead of {_excess(before)}."
    missing = before.missing or after.missing
    return f"There is no speed to compare: give {' and '.join(missing)}." if missing else None


def _excess(estimate: Estimate) -> str:
    return show(estimate.memory.total_bytes - estimate.memory.capacity_bytes, "B")


def phase_sentence(phase: str, before: Estimate, after: Estimate, parts: Sequence[PhasePart], next_limit: str) -> str:
    """The difference of one phase, a pass on average."""
    subject, figure, each = _SUBJECT[phase]
    old_s, new_s = sum(part.before_s for part in parts), sum(part.after_s for part in parts)
    if not _differs(old_s, new_s):
        return f"{subject} hardly changes: {figure} stays at {show(new_s, 's')}."
    bound = _bound_words(getattr(before, phase).bottleneck, getattr(after, phase).bottleneck)
    cause = _cause(before, after, parts, each)
    moved = f"{figure} {'falls' if new_s < old_s else 'rises'} {show_ratio(old_s, new_s)}"
    return f"{subject} {cause}; {bound}, so {moved}; next is {next_limit}."


def _differs(before: float, after: float) -> bool:
    return abs(after - before) > _NOTHING * max(before, after)


def _bound_words(before: str, after: str) -> str:
    return (
        f"it was {before}-bound and still is" if before == after else f"it was {before}-bound and is now {after}-bound"
    )


def _cause(before: Estimate, after: Estimate, parts: Sequence[PhasePart], each: str) -> str:
    """What happened to the resource behind the largest difference.

    Where time falls, what bound it before was relieved; where it rises, what bounds it now has grown.
    """
    largest = max(parts, key=lambda part: abs(part.difference_s))
    if largest.part == "communication":
        return f"exchanges activations for {show(largest.after_s, 's')} instead of {show(largest.before_s, 's')}{each}"
    if largest.part == "overhead":
        return f"pays {show(largest.after_s, 's')} of overhead instead of {show(largest.before_s, 's')}{each}"
    resource = largest.before_bound if largest.difference_s < 0 else largest.after_bound
    old_rate, new_rate = _rates(before, resource), _rates(after, resource)
    if resource == "memory":
        amounts = sum(part.before_bytes for part in parts), sum(part.after_bytes for part in parts)
        return _amounts_and_rates("moves", "reads", amounts, (old_rate, new_rate), "B", each)
    amounts = sum(part.before_flop for part in parts), sum(part.after_flop for part in parts)
    return _amounts_and_rates("computes", "computes", amounts, (old_rate, new_rate), "FLOP", each)


def _amounts_and_rates(
    same: str, other: str, amounts: tuple[float, float], rates: tuple[float, float], unit: str, each: str
) -> str:
    """Such as: reads 6.65 GB instead of 18.5 GB a step; moves the same 18.5 GB a step at 3.84 TB/s instead of …"""
    faster = f"at {show(rates[1], f'{unit}/s')} instead of {show(rates[0], f'{unit}/s')}"
    if not _differs(*amounts):
        return f"{same} the same {show(amounts[1], unit)}{each} {faster}"
    instead = f"{other} {show(amounts[1], unit)} instead of {show(amounts[0], unit)}{each}"
    return f"{instead} {faster}" if _differs(*rates) else instead


def _rates(estimate: Estimate, resource: str | None) -> float:
    """Effective rate of all devices together."""
    peak = peak_rates(estimate.deployment)
    assert peak is not None  # noqa: S101 - an estimate with phases has rates
    rates = effective_rates(estimate.deployment, peak)
    return rates.bytes_per_s if resource == "memory" else rates.flop_per_s

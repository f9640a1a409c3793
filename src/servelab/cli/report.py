"""An estimate as text for a terminal."""

from __future__ import annotations

from itertools import zip_longest

from servelab.cli.tables import table
from servelab.cost.estimate import Estimate
from servelab.cost.explain import Change, Explanation, PhaseChange, PhasePart
from servelab.cost.interval import Calibration, Interval
from servelab.cost.memory import Memory, WouldFit
from servelab.cost.phases import Phase
from servelab.units import show, show_ratio

_BAR_CELLS = 40

#: A change by a smaller share would show as 0.0 %.
_SAME = 0.0005
_BOUND_WORDS = {
    "compute": "bound by math",
    "memory": "bound by memory bandwidth",
    "communication": "bound by communication",
    "overhead": "bound by the fixed overhead of a pass",
}


def report(estimate: Estimate) -> str:
    """Fit, latency, throughput, bottlenecks; sections separated by a blank line."""
    sections = [_question(estimate), _memory(estimate)]
    if not estimate.fits:
        sections.append(_would_fit(estimate.would_fit))
    elif estimate.missing:
        sections.append(f"No performance figures: give {' and '.join(estimate.missing)}.")
    else:
        sections += [_latency(estimate), _phases(estimate)]
    if estimate.not_modelled:
        sections.append("\n".join(("Not modelled:", *(f"  {what}" for what in estimate.not_modelled))))
    sections.append(stands(estimate.calibration))
    return "\n\n".join(sections)


def _question(estimate: Estimate) -> str:
    deployment, workload = estimate.deployment, estimate.workload
    devices = f"{deployment.tensor_parallel} × {deployment.accelerator.name}"
    requests = f"{workload.batch:,} {'request' if workload.batch == 1 else 'requests'}"
    return (
        f"{deployment.model.name} ({deployment.weight_format}, KV {deployment.kv_cache}) on {devices}\n"
        f"{requests} of {workload.prompt_tokens:,} tokens in and {workload.output_tokens:,} out"
    )


def _memory(estimate: Estimate) -> str:
    memory, fits = estimate.memory, estimate.fits
    parts = (
        ("weights", memory.weights_bytes),
        ("KV cache", memory.kv_cache_bytes),
        ("workspace", memory.workspace_bytes),
        ("reserve", memory.reserve_bytes),
    )
    free = memory.capacity_bytes - memory.total_bytes
    lines = ["Will it fit? " + ("Yes." if fits else f"No: {show(-free, 'B')} too much on each device.")]
    lines += [_bar(name, size, memory) for name, size in parts]
    if fits:
        lines.append(_bar("free", free, memory))
    lines.append(f"  {'total':<10}{show(memory.total_bytes, 'B'):>9} of {show(memory.capacity_bytes, 'B')}")
    if fits:
        lines.append(_most(estimate.would_fit))
    return "\n".join(lines)


def _bar(name: str, size: float, memory: Memory) -> str:
    cells = round(_BAR_CELLS * size / max(memory.total_bytes, memory.capacity_bytes))
    return f"  {name:<10}{show(size, 'B'):>9} {'█' * cells}".rstrip()


def _most(would: WouldFit) -> str:
    """The most that fits, each all else equal."""
    return f"  The most that fits: a batch of {would.batch or 0:,}, or prompts of {would.prompt_tokens or 0:,} tokens."


def _would_fit(would: WouldFit) -> str:
    options = []
    if would.batch:
        options.append(f"a batch of up to {would.batch:,}")
    if would.prompt_tokens:
        options.append(f"prompts of up to {would.prompt_tokens:,} tokens")
    if would.tensor_parallel:
        options.append(f"{would.tensor_parallel} devices (--tp {would.tensor_parallel})")
    flags = {"weights": "--weights", "kv_cache": "--kv"}
    options += [f"{flags[change.field]} {change.format}" for change in would.formats]
    if not options:
        return "No single change is enough: try several at once, such as --tp 8 --weights int4, or a larger device."
    return "Any one of these would fit:\n" + "\n".join(f"  {option}" for option in options)


def _figures(estimate: Estimate) -> tuple[tuple[str, float | None, str], ...]:
    return (
        ("time to first token", estimate.ttft_s, "s"),
        ("time per output token", estimate.tpot_s, "s"),
        ("end to end", estimate.e2e_s, "s"),
        ("output tokens, all requests", estimate.output_tokens_per_s, "tok/s"),
        ("decode alone", estimate.decode_tokens_per_s, "tok/s"),
        ("one request", estimate.request_tokens_per_s, "tok/s"),
        ("cost per million output tokens", estimate.cost_usd_per_million_output_tokens, "USD"),
    )


def _latency(estimate: Estimate) -> str:
    known = estimate.interval
    within = (known.ttft_s, known.tpot_s, None, known.output_tokens_per_s) if known else ()
    lines = zip_longest(_figures(estimate), within)
    return "\n".join(
        f"  {name:<32}{_shown(value, unit):>14}{_between(one, unit)}" for (name, value, unit), one in lines
    )


def _between(interval: Interval | None, unit: str) -> str:
    return "" if interval is None else f"   80 %: {show(interval.low, unit)} to {show(interval.high, unit)}"


def _width(half_width: float | None) -> str:
    """Half an interval: in per cent, as a factor where it is as wide as the figure."""
    if half_width is None:
        return ""
    return f", up to {1 + half_width:.1f}× off" if half_width >= 1 else f", ± {half_width:.1%}".replace("%", " %")


def stands(calibration: Calibration | None) -> str:
    """What stands behind figures: the textbook, or measurements and how far they lie apart."""
    if calibration is None:
        return "Analytical model, not a benchmark."
    width = _width(calibration.half_width)
    if calibration.status == "uncalibrated":
        return f"Uncalibrated{width}: nothing was measured near {calibration.engine} on {calibration.accelerator}."
    carried = f", carried over from {calibration.carried_from}" if calibration.carried_from else ""
    fitted = f"{calibration.rows:,} measurements of {calibration.models:,} models"
    return f"Calibrated{width}: {calibration.engine} on {calibration.accelerator}{carried}, fitted to {fitted}."


def _phases(estimate: Estimate) -> str:
    named = (("Prefill", estimate.prefill), ("Decode", estimate.decode))
    return "\n".join(_phase(name, phase) for name, phase in named if phase and phase.bottleneck)


def _phase(name: str, phase: Phase) -> str:
    bound = _BOUND_WORDS[phase.bottleneck or "overhead"]
    return (
        f"{name} is {bound}: {show(phase.time_s, 's')} in all, {show(phase.linear.time_s, 's')} linear, "
        f"{show(phase.attention.time_s, 's')} attention, {show(phase.communication_s, 's')} communication, "
        f"{show(phase.overhead_s, 's')} overhead; no less than {show(phase.floor_s, 's')} on this hardware."
    )


def comparison(before: Estimate, after: Estimate, explanation: Explanation) -> str:
    """Two estimates side by side, and why they differ."""
    lines = [explanation.sentence, "", *(_change(change) for change in explanation.changes), ""]
    rows: list[tuple[str, ...]] = [("", "against", "this", "change")]
    for (name, old, unit), (_, new, _) in zip(_figures(before), _figures(after), strict=True):
        rows.append((name, _shown(old, unit), _shown(new, unit), _moved(old, new)))
    for phase in (explanation.prefill, explanation.decode):
        rows += _phase_rows(phase) if phase else []
    stand = dict.fromkeys(stands(one.calibration) for one in (before, after))
    return "\n".join([*lines, table(rows), "", *stand])


def _change(change: Change) -> str:
    old, new = ("default" if value is None else value for value in (change.before, change.after))
    return f"  {change.field.partition('.')[2]}: {old} → {new}"


def _phase_rows(phase: PhaseChange) -> list[tuple[str, ...]]:
    """A phase and its parts; a step of decode on average."""
    head = "Prefill" if phase.phase == "prefill" else "Decode, a step"
    whole = (head, show(phase.before_s, "s"), show(phase.after_s, "s"), _seconds(phase.difference_s))
    rows: list[tuple[str, ...]] = [("", "", "", ""), whole]
    for part in phase.parts:
        if part.before_s or part.after_s:
            name = f"  {part.part}{_bounds(part)}"
            rows.append((name, show(part.before_s, "s"), show(part.after_s, "s"), _seconds(part.difference_s)))
    return rows


def _bounds(part: PhasePart) -> str:
    if part.after_bound is None:
        return ""
    words = part.after_bound if part.after_bound == part.before_bound else f"{part.before_bound} → {part.after_bound}"
    return f" ({words})"


def _seconds(difference: float) -> str:
    return f"{'+' if difference > 0 else '−' if difference < 0 else ''}{show(abs(difference), 's')}"


def _shown(value: float | None, unit: str) -> str:
    return "—" if value is None else show(value, unit)


def _moved(before: float | None, after: float | None) -> str:
    if not before or not after:
        return ""
    if abs(after - before) < _SAME * before:
        return "same"
    return f"{show_ratio(before, after)} {'higher' if after > before else 'lower'}"

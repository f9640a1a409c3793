"""A run as text for a terminal: figures, sparklines over time, and what the slow requests waited for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from servelab.cli.report import stands
from servelab.cost.interval import calibration_of
from servelab.sim.blame import blame_ttft, over_time
from servelab.sim.run import Run
from servelab.units import show

_CELLS = 60
_BARS = " ▁▂▃▄▅▆▇█"
_PART_WORDS = {
    "wait_slots_s": "waiting for a free slot",
    "wait_blocks_s": "waiting for blocks",
    "wait_order_s": "waiting for its turn",
    "prefill_s": "prefill",
    "recompute_s": "preempted and recomputed",
}
_LATENCIES = (
    ("time to first token", "ttft"),
    ("time per output token", "tpot"),
    ("gap between tokens", "itl"),
    ("end to end", "e2e"),
    ("of it, in the queue", "queue"),
)
_SPREAD = ("mean", "p50", "p90", "p99")


def report(run: Run) -> str:
    """Question, latencies, rates, the run over time, the blame; sections separated by a blank line."""
    sections = [_question(run), _latencies(run.summary), _rates(run.summary), _over_time(run), _blame(run)]
    sections.append(_stands(run))
    return "\n\n".join(section for section in sections if section)


def _stands(run: Run) -> str:
    """What the step times come from."""
    calibration = calibration_of(run.system) if run.system else None
    if calibration is None:
        return "A simulation of the scheduler with analytical step times, not a benchmark."
    return f"A simulation of the scheduler. Its step times: {stands(calibration)}"


def _question(run: Run) -> str:
    scheduler, system = run.scheduler, run.system
    what = "step times of your own"
    if system:
        what = f"{system.model.name} on {system.tensor_parallel} × {system.accelerator.name}"
    admission = "reserve" if scheduler.policy == "static" else scheduler.admission
    return (
        f"{what}: {scheduler.policy} batching, {admission} admission, {run.kv_blocks:,} blocks of "
        f"{scheduler.block_size} tokens\n{run.requests.rows:,} requests in {run.steps:,} passes, "
        f"{show(run.summary['makespan_s'] or 0.0, 's')} from first arrival to last token"
    )


def _latencies(summary: dict[str, Any]) -> str:
    lines = [f"  {'':<24}" + "".join(f"{name:>10}" for name in _SPREAD)]
    for words, name in _LATENCIES:
        cells = "".join(f"{_figure(summary[f'{name}_{point}_s'], 's'):>10}" for point in _SPREAD)
        lines.append(f"  {words:<24}{cells}")
    return "\n".join(lines)


def _rates(summary: dict[str, Any]) -> str:
    figures = [
        ("output tokens", summary["output_tokens_per_s"], "tok/s"),
        ("requests", summary["requests_per_s"], "/s"),
        ("batch, mean", summary["batch_mean"], ""),
        ("cost per million output tokens", summary["cost_usd_per_million_output_tokens"], "USD"),
        ("goodput", summary["goodput_requests_per_s"], "/s"),
    ]
    lines = [f"  {name:<32}{_figure(value, unit):>14}" for name, value, unit in figures if value is not None]
    shares = [
        ("busy", summary["busy_fraction"]),
        ("KV cache used, mean", summary["kv_occupancy_mean"]),
        ("KV cache used, peak", summary["kv_occupancy_peak"]),
        ("requests within targets", summary["slo_attainment"]),
    ]
    lines += [f"  {name:<32}{value:>14.1%}" for name, value in shares if value is not None]
    lines += [f"  {name:<32}{summary[name]:>14,}" for name in ("preemptions", "rejections") if summary[name]]
    return "\n".join(lines)


def _over_time(run: Run) -> str:
    columns = (("running", "running"), ("waiting", "waiting"), ("KV blocks", "kv_blocks"))
    lines = []
    for words, name in columns:
        values = over_time(run.timeline, name, _CELLS)
        if values:
            lines.append(f"  {words:<10}{sparkline(values)} up to {show(max(values), '')}")
    return "\n".join(lines)


def sparkline(values: Sequence[float]) -> str:
    """A row of bars, the tallest for the largest value; a blank is zero."""
    top = max(values)
    if top <= 0:
        return _BARS[0] * len(values)
    return "".join(_BARS[0 if value <= 0 else max(1, round(value / top * 8))] for value in values)


def _blame(run: Run) -> str:
    blame = blame_ttft(run.requests)
    if blame is None:
        return "No request was served: each needs more blocks than the whole cache has."
    least = 0.05 * blame.ttft_s
    shares = [f"{show(part, 's')} {_PART_WORDS[name]}" for name, part in blame.parts if part >= least]
    ahead = [f"{show(part, 's')} {_PART_WORDS[name]}" for name, part in blame.ahead if part >= least]
    behind = f" Those ahead of it spent {' and '.join(ahead)}." if ahead else ""
    whose = f"The request at the p{blame.percent:g} rank waited {show(blame.ttft_s, 's')} for its first token"
    return f"{whose}: {', '.join(shares)}.{behind}"


def _figure(value: float | None, unit: str) -> str:
    return "—" if value is None else show(value, unit)

"""Writes the answers about several schedulers, in as few digits as a picture and its table need."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic_core import to_json

from servelab.errors import SpecError
from servelab.server.comparing import Compared
from servelab.sim.blame import e2e_parts, request_at, ttft_parts, waited_ahead
from servelab.sim.differences import differences
from servelab.sim.distributions import FIGURES, distribution
from servelab.sim.recording import PHASES, Life, Recording, without_stalls
from servelab.sim.results import PARTS
from servelab.sim.tables import Column
from servelab.sim.view import Shown, passes, preempted, row_at, shown
from servelab.sim.window import SERIES, Span, series
from servelab.specs.fields import as_data

#: Digits of a time that is told, and of a mean.
_DECIMALS, _FIGURES = 6, 6

#: Pieces of a life that are told, at most.
MOST_PIECES = 5_000


def text_of(answer: Any) -> str:
    """An answer as JSON: written seven times as fast as by Python's own writer, which its size calls for."""
    return to_json(answer).decode()


def comparison(
    compared: Sequence[Compared], trace: tuple[str | None, str | None], bins: int, rows: int
) -> dict[str, Any]:
    """The whole of the runs; `trace` is the name of its format and its digest, where the requests are of one."""
    recordings = [one.recording for one in compared if one.recording]
    arrivals, end_s = recordings[0].run.requests, max(recording.end_s for recording in recordings)
    places = [index for index, one in enumerate(compared) if one.recording]
    return {
        "format": trace[0],
        "trace_digest": trace[1],
        "requests": arrivals.rows,
        "prompt_tokens": int(arrivals["prompt_tokens"].sum()),
        "output_tokens": int(arrivals["output_tokens"].sum()),
        "first_arrival_s": float(arrivals["arrival_s"][0]),
        "last_arrival_s": float(max(recording.run.requests["arrival_s"][-1] for recording in recordings)),
        "end_s": end_s,
        "runs": [_run(one) for one in compared],
        "distributions": {figure: _distribution(compared, figure) for figure in FIGURES},
        "words": [
            {"text": told.text, "figure": told.figure, "schedulers": [places[run] for run in told.runs]}
            for told in differences([recording.run for recording in recordings])
        ],
        "window": window(compared, whole_span(compared, bins), rows),
    }


def _run(compared: Compared) -> dict[str, Any]:
    head: dict[str, Any] = {"scheduler": as_data(compared.scheduler), "refusal": None}
    refusal, recording = compared.refusal, compared.recording
    if recording is None:
        assert refusal is not None  # noqa: S101 - one or the other
        nothing = dict.fromkeys(("summary", "steps", "kv_blocks", "end_s", "blame"))
        return head | {"refusal": {"field": refusal.field or "body", "message": refusal.message}} | nothing
    run = recording.run
    blame = {"mean": _mean_blame(recording), "slow_ttft": _slow(recording, "ttft"), "slow_e2e": _slow(recording, "e2e")}
    return head | {
        "summary": run.summary,
        "steps": run.steps,
        "kv_blocks": run.kv_blocks,
        "end_s": recording.end_s,
        "blame": blame,
    }


_PARTS_OF = {"ttft": ttft_parts, "e2e": e2e_parts}


def _mean_blame(recording: Recording) -> dict[str, Any] | None:
    requests, summary = recording.run.requests, recording.run.summary
    if summary["ttft_mean_s"] is None:
        return None
    means = {
        figure: {name: float(np.nanmean(part)) for name, part in parts(requests).items()}
        for figure, parts in _PARTS_OF.items()
    }
    return {
        "ttft_s": summary["ttft_mean_s"],
        "e2e_s": summary["e2e_mean_s"],
        "ttft_parts": _parts(means["ttft"]),
        "e2e_parts": _parts(means["e2e"]),
    }


def _slow(recording: Recording, figure: str) -> dict[str, Any] | None:
    requests = recording.run.requests
    at = request_at(requests, f"{figure}_s", 99)
    if at is None:
        return None
    parts = {name: float(part[at]) for name, part in _PARTS_OF[figure](requests).items()}
    total_s = float(requests[f"{figure}_s"][at])
    return {"request": at, "total_s": total_s, "parts": _parts(parts), "ahead": waited_ahead(requests, at)}


def _parts(parts: Mapping[str, float]) -> dict[str, float]:
    """All seven, those that a figure does not have as 0."""
    return {name: parts.get(name, 0.0) for name in PARTS}


def _distribution(compared: Sequence[Compared], figure: str) -> dict[str, Any]:
    found = distribution([one.recording.run for one in compared if one.recording], figure)
    counts = iter(found.counts)
    each = [next(counts).tolist() if one.recording else None for one in compared]
    return {"edges_s": significant(found.edges_s, 9), "counts": each if len(found.edges_s) else []}


def whole_span(compared: Sequence[Compared], bins: int) -> Span:
    """From 0 to the last thing that happens in any run; a second where nothing takes time."""
    return Span(0.0, max(one.recording.end_s for one in compared if one.recording) or 1.0, bins)


def window(compared: Sequence[Compared], span: Span, rows: int) -> dict[str, Any]:
    """A stretch of time under every scheduler."""
    recordings = [one.recording for one in compared if one.recording]
    requests = shown(recordings, span, rows)
    columns = recordings[0].run.requests
    return {
        "start_s": span.start_s,
        "end_s": span.end_s,
        "bins": span.bins,
        "requests": {
            "first": requests.first,
            "last": requests.last,
            "every": requests.every,
            "count": requests.size,
            "request": requests.request.tolist(),
            "prompt_tokens": columns["prompt_tokens"][requests.request].tolist(),
            "output_tokens": columns["output_tokens"][requests.request].tolist(),
        },
        "runs": [_window(one.recording, span, requests) if one.recording else None for one in compared],
    }


def _window(recording: Recording, span: Span, requests: Shown) -> dict[str, Any]:
    integrals, columns = series(recording, span), recording.run.requests
    stretches, (count, rows) = preempted(recording, span, requests), passes(recording, span)
    names = ("arrival_s", "admitted_s", "first_token_s", "finished_s")
    return {
        "bins": {name: significant(integrals[name] / span.bin_s) for name in SERIES},
        "totals": {f"{name}_s": float(integrals[name].sum()) for name in SERIES},
        "requests": {name: rounded(columns[name][requests.request]) for name in names},
        "preempted": {
            "request": stretches.request.tolist(),
            "start_s": rounded(stretches.start_s),
            "end_s": rounded(stretches.end_s),
        },
        "pass_count": count,
        "passes": rows
        and {name: (rounded if name.endswith("_s") else significant)(column) for name, column in rows.items()},
    }


def life(recording: Recording, request: int) -> dict[str, Any]:
    """What one request went through. Raises SpecError where there is no such request."""
    columns = recording.run.requests
    if request >= columns.rows:
        raise SpecError("request", f"{request:,} is out of range; give 0 to {columns.rows - 1:,}")
    row: dict[str, Any] = {name: columns[name][request].item() for name in columns}
    told = {name: None if isinstance(value, float) and np.isnan(value) else value for name, value in row.items()}
    parts = {name: told.pop(name) for name in PARTS}
    whole = recording.life(request)
    merged = len(whole.phase) > MOST_PIECES
    return {
        "request": request,
        **told,
        "parts": None if told["rejected"] else parts,
        "life": _life(without_stalls(whole) if merged else whole),
        "merged": merged,
    }


def _life(whole: Life) -> dict[str, Any]:
    phases = [PHASES[phase] for phase in whole.phase.tolist()]
    return {"phase": phases, "start_s": whole.start_s.tolist(), "end_s": whole.end_s.tolist()}


def step(recording: Recording, at_s: float, move: int) -> dict[str, Any]:
    """One row of the timeline."""
    timeline, row = recording.run.timeline, row_at(recording, at_s, move)
    if row is None:
        return {"row": None, "rows": timeline.rows} | dict.fromkeys([*timeline, "kv_occupancy"])
    values: dict[str, Any] = {name: timeline[name][row].item() for name in timeline}
    occupancy = values["kv_blocks"] / recording.run.kv_blocks
    return {"row": row, "rows": timeline.rows, **values, "kv_occupancy": occupancy}


def rounded(times: Column) -> list[float | None]:
    """Times to the microsecond, None for what is none."""
    column = np.round(times, _DECIMALS).tolist()
    return [None if math.isnan(value) else value for value in column] if np.isnan(times).any() else column


def significant(values: Column, figures: int = _FIGURES) -> list[float]:
    """Values to so many figures, but to no more than nine decimals."""
    size = np.floor(np.log10(np.maximum(np.abs(values), 1e-9)))
    scale = 10.0 ** np.clip(figures - 1 - size, 0, 9)
    short: list[float] = (np.round(values * scale) / scale).tolist()
    return short

"""From what results files say to results on deployments of the catalogue, checked against what hardware can do."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from servelab import api
from servelab.errors import SpecError
from servelab.fidelity.resolve import resolve
from servelab.fidelity.results.found import Found, LeftOut, ResultsError, Runs
from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.model import Model
from servelab.specs.result import Result
from servelab.specs.workload import Workload
from servelab.units import show

#: Clocks and datasheets are good to about this share; a figure further under its floor is none.
_UNDER = 0.97
#: Nothing that works is slower than the textbook by this factor: it is a thousand where a unit is wrong.
_OVER = 200.0


@dataclass(frozen=True)
class Given:
    """What is said beside the files, in place of what they say; None leaves it to them."""

    model: Model | None = None
    accelerator: Accelerator | None = None
    engine: str | None = None
    tensor_parallel: int | None = None
    weights: str | None = None
    kv_cache: str | None = None


@dataclass(frozen=True)
class Resolved:
    """Results to calibrate with, the runs left out with the reason, and what was taken for granted."""

    results: tuple[Result, ...]
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]


def resolve_runs(runs: Runs, given: Given) -> Resolved:
    """The results in `runs`. Raises ResultsError where a model, accelerator or engine is named nowhere, where a
    deployment cannot be, or where a figure is beyond what the hardware can do.
    """
    results: list[Result] = []
    remarks: list[str] = []
    for found in runs.found:
        deployment, said = _deployment(found, given)
        remarks += said
        _check(found, deployment)
        results.append(Result(deployment, found.load, found.metrics, found.source))
    return Resolved(tuple(results), tuple(runs.left_out), tuple(dict.fromkeys(remarks)))


def _deployment(found: Found, given: Given) -> tuple[Deployment, Sequence[str]]:
    """What ran, and what was taken for granted of it."""
    setup = found.setup
    if setup.engine is None and given.engine is None:
        raise ResultsError(found.source, "it does not say which engine ran; give --engine, such as vllm")
    if given.engine is not None:
        setup = dataclasses.replace(setup, engine=given.engine)
    if given.tensor_parallel is not None:
        setup = dataclasses.replace(setup, tensor_parallel=given.tensor_parallel)
    try:
        resolved = resolve(setup, given.model, given.accelerator)
        if resolved.deployment is None:
            raise ResultsError(found.source, resolved.missing[0].sentence)
        formats = {name: value for name in ("weights", "kv_cache") if (value := getattr(given, name)) is not None}
        return dataclasses.replace(resolved.deployment, **formats), resolved.remarks
    except ResultsError:
        raise
    except SpecError as error:
        raise ResultsError(found.source, f"{error.field.replace('_', '-')} {error.message}".strip()) from None


def _check(found: Found, deployment: Deployment) -> None:
    """Refuse a latency under the floor of one request alone, or beyond all reason: another unit, or another device."""
    load = found.load
    alone = api.estimate(_roomy(deployment), Workload(load.prompt_tokens, load.output_tokens))
    steps = max(1, load.output_tokens - 1)
    for metric, phase, count in (("ttft_s", alone.prefill, 1), ("tpot_s", alone.decode, steps)):
        if metric not in found.metrics or phase is None or not phase.time_s:
            continue
        measured, floor_s, textbook_s = found.metrics[metric], phase.floor_s / count, phase.time_s / count
        if measured < _UNDER * floor_s:
            raise ResultsError(
                found.source,
                f"{metric} is {show(measured, 's')}, and {show(floor_s, 's')} is the least that the hardware of"
                f" {deployment.tensor_parallel} × {deployment.accelerator.name} allows; give the units that its tool"
                " writes, the accelerator it ran on (--accelerator, --tp), and runs without a cached prefix",
            )
        paced = metric == "tpot_s" or load.regime in ("static_batch", "single_stream")
        if paced and measured > _OVER * textbook_s * (load.at_once or 1):
            raise ResultsError(
                found.source,
                f"{metric} is {show(measured, 's')}, {measured / textbook_s:,.0f} times what one request takes;"
                " give the units that its tool writes",
            )


def _roomy(deployment: Deployment) -> Deployment:
    """The deployment with the memory it takes: what ran did fit, whatever is set aside in a plan."""
    memory = dataclasses.replace(deployment.accelerator, memory_bytes=1e21, memory_reported_bytes=None)
    return dataclasses.replace(deployment, accelerator=memory)

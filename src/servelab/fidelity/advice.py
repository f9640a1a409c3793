"""Which further runs would tell most: what the fit leaves open, and what a run would close of it.

The covariance of the fitted terms says how uncertain any figure still is: a figure whose logarithm has the slopes h by
the terms has the variance h Σ h. A run with slopes G and the usual noise s turns Σ into

    Σ − Σ Gᵀ (G Σ Gᵀ + s²)⁻¹ G Σ

before it is measured, whatever comes out. Of all candidates the one comes first that leaves the least variance over
the first token and the time of a token of usual loads; the next is chosen as if that one had been measured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from servelab.fidelity.basis import Array, rows_of, slopes
from servelab.fidelity.calibrate import Calibrated, items_of
from servelab.fidelity.engines import generation
from servelab.fidelity.predict import is_simulated
from servelab.fidelity.replay import Run
from servelab.specs.deployment import Deployment
from servelab.specs.result import Load, Result

#: Loads that people ask about, and those that may be advised.
_PROMPTS, _BATCHES, _OUTPUT = (128, 1_024, 8_192), (1, 8, 32, 128), 128
_METRICS = ("ttft_s", "tpot_s")
#: Runs of one thing lie about so far apart, as a share.
_NOISE = 0.05
#: Of a normal spread 80 % lies within so many standard deviations.
_WITHIN = 1.28
_MOST = 3


@dataclass(frozen=True)
class Narrowing:
    """The 80 % half-width of a figure over usual loads, as a share: as it is, and after a run."""

    metric: str
    before_fraction: float
    after_fraction: float


@dataclass(frozen=True)
class NextRun:
    """A run to measure next: its load, what it would narrow, and a command that measures it with the engine's own tool.

    What it narrows counts the runs before it in the list as measured.
    """

    load: Load
    narrows: tuple[Narrowing, ...]
    command: str


def next_runs(fit: Calibrated, results: Sequence[Result]) -> tuple[NextRun, ...]:
    """The runs that would narrow the intervals most, the best first; empty where no run can tell more."""
    deployment = dataclasses.replace(results[0].deployment, profile=fit.profile)
    loads = [load for load in _loads(deployment) if not is_simulated(_run(deployment, load))]
    tables = {load: table for load in loads if (table := _slopes(deployment, load, fit)) is not None}
    if not tables:
        return ()
    done = {(result.load.prompt_tokens, result.load.at_once) for result in results}
    open_ = [load for load in tables if (load.prompt_tokens, load.batch) not in done]
    covariance = fit.covariance
    found: list[NextRun] = []
    while open_ and len(found) < _MOST:
        best = min(open_, key=lambda load: _left(_after(covariance, tables[load]), tables.values()))
        after = _after(covariance, tables[best])
        found.append(NextRun(best, _narrowings(covariance, after, tables), _command(deployment, best)))
        covariance = after
        open_.remove(best)
    return tuple(found)


def _loads(deployment: Deployment) -> Iterator[Load]:
    longest = deployment.model.context_length or 10**9
    batches = (1,) if deployment.engine == "llama.cpp" else _BATCHES
    for prompt in _PROMPTS:
        for batch in batches:
            if prompt + _OUTPUT <= longest:
                yield Load("static_batch", prompt, _OUTPUT, batch=batch)


def _run(deployment: Deployment, load: Load) -> Run:
    return Run(deployment, load, generation(deployment.engine or "vllm", ""), "fixed")


def _slopes(deployment: Deployment, load: Load, fit: Calibrated) -> Array | None:
    """How the logarithms of the load's figures move with the terms, a row a figure; None where it has none."""
    run = _run(deployment, load)
    items = [item for metric in _METRICS if (item := items_of(run, metric, 1.0, fit.vector))]
    return slopes(rows_of(items), fit.vector)[1] if len(items) == len(_METRICS) else None


def _after(covariance: Array, table: Array) -> Array:
    """The covariance once a run with these slopes is measured."""
    gain = covariance @ table.T
    noise = _NOISE**2 * np.eye(len(table))
    after: Array = covariance - gain @ np.linalg.solve(table @ gain + noise, gain.T)
    return after


def _left(covariance: Array, tables: Iterable[Array]) -> float:
    """The variance that stays, over all figures of all loads."""
    return float(sum(np.einsum("ij,jk,ik->", table, covariance, table) for table in tables))


def _narrowings(before: Array, after: Array, tables: dict[Load, Array]) -> tuple[Narrowing, ...]:
    return tuple(
        Narrowing(metric, _width(before, tables, place), _width(after, tables, place))
        for place, metric in enumerate(_METRICS)
    )


def _width(covariance: Array, tables: dict[Load, Array], place: int) -> float:
    """The half-width of one figure over all loads: of the mean variance, as a share."""
    rows = np.array([table[place] for table in tables.values()])
    variance = float(np.einsum("ij,jk,ik->i", rows, covariance, rows).mean())
    return float(np.expm1(_WITHIN * np.sqrt(max(variance, 0.0))))


def _command(deployment: Deployment, load: Load) -> str:
    """How the engine's own tool measures a load like that."""
    prompt, output, batch = load.prompt_tokens, load.output_tokens, load.batch or 1
    if deployment.engine == "llama.cpp":
        return f"llama-bench -m MODEL.gguf -p {prompt} -n {output} -d 0,{prompt} -o json"
    if deployment.engine == "sglang":
        lengths = f"--batch-size {batch} --input-len {prompt} --output-len {output}"
        return f"python -m sglang.bench_one_batch --model-path MODEL {lengths} --result-filename results.jsonl"
    lengths = f"--random-input-len {prompt} --random-output-len {output}"
    traffic = f"--max-concurrency {batch} --num-prompts {8 * batch}"
    return f"vllm bench serve --model MODEL --dataset-name random {lengths} {traffic} --ignore-eos --save-result"

"""What users call: composes the layers below. The public names of `servelab` come from here and from specs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from servelab.cost.anatomy import Anatomy, anatomy
from servelab.cost.estimate import Estimate
from servelab.cost.estimate import estimate as _estimate
from servelab.cost.weights import checkpoint_weights
from servelab.errors import SpecError, shown
from servelab.specs.catalog.listing import ModelSource, model_source
from servelab.specs.deployment import Deployment
from servelab.specs.fields import AmountOrZero
from servelab.specs.model import Model
from servelab.specs.references import model_by_id
from servelab.specs.workload import Workload

if TYPE_CHECKING:
    from servelab.cost.engines import EngineMemory
    from servelab.cost.explain import Explanation
    from servelab.cost.grid import Grid
    from servelab.sim.link import StepTime
    from servelab.sim.run import Run
    from servelab.specs.engines import EngineSettings
    from servelab.specs.scheduler import Scheduler
    from servelab.specs.traffic import Traffic


@dataclass(frozen=True)
class ModelAnswer:
    """What was understood of a model, and where it was read if it is one of the catalogue."""

    entry: ModelSource | None
    understood: Anatomy


def estimate(deployment: Deployment, workload: Workload) -> Estimate:
    """Will it fit, what bounds it, how fast is it, what does it cost: one batch on one deployment.

    Seconds, bytes, FLOP and tokens throughout. Analytical (docs/model.md says how each figure comes about and what is
    left out), not a benchmark. Raises SpecError where the inputs lead beyond all numbers.
    """
    for name, value, kind in (("deployment", deployment, Deployment), ("workload", workload, Workload)):
        if not isinstance(value, kind):
            raise SpecError(name, f"{shown(value)} is no {kind.__name__}; give sl.{kind.__name__}(…)")
    return _estimate(deployment, workload)


def catalogue_model(name: str) -> ModelAnswer:
    """The model of the catalogue with that id, alias or Hugging Face id, taken apart; raises UnknownName."""
    return ModelAnswer(model_source(name), anatomy(model_by_id(name)))


def understood(model: Model) -> ModelAnswer:
    """Any model taken apart: groups of layers, parts, cache of a token, what was assumed and what is not modelled."""
    return ModelAnswer(None, anatomy(model))


def checkpoint_bytes(model: Model) -> float:
    """Bytes of all weights of a checkpoint, in its own format."""
    return checkpoint_weights(model).held_bytes


def explain(before: Estimate, after: Estimate) -> Explanation:
    """Why `after` differs from `before`: what changed, part by part in seconds and bytes, and in one sentence."""
    from servelab.cost.explain import explain as _explain

    return _explain(before, after)


def grid(deployment: Deployment, *, prompt_tokens: Any, output_tokens: Any, batch: Any) -> Grid:
    """The estimates of many workloads at once: arrays (or numbers) that broadcast, in and out.

    Equal to `estimate` workload by workload, NaN where that says None. Raises SpecError where an element is no whole
    number from 1 to 1e15.
    """
    from servelab.cost.grid import grid as _grid

    return _grid(deployment, prompt_tokens=prompt_tokens, output_tokens=output_tokens, batch=batch)


def engine_memory(  # noqa: PLR0913 - the settings an engine is started with, by their own names
    deployment: Deployment,
    engine: str = "vllm",
    *,
    version: str | None = None,
    gpu_memory_utilization: float = 0.9,
    max_model_len: int | None = None,
    max_num_batched_tokens: int | None = None,
    max_num_seqs: int | None = None,
    enforce_eager: bool = False,
    device_memory_bytes: float | None = None,
) -> EngineMemory:
    """What a start of `engine` does with each device's memory: weights, activations, graphs, and the KV cache left.

    Bytes of one device. `gpu_memory_utilization` is the engine's own share: mem_fraction_static for SGLang,
    free_gpu_memory_fraction for TensorRT-LLM; llama.cpp has none. What is None follows from engine, model and device;
    `version=None` is the newest checked. docs/engine-memory.md says how each figure comes about and how far off it
    was on start-up logs. Raises SpecError where a setting is out of bounds or the version cannot be read.
    """
    from servelab.specs.engines import EngineSettings

    settings = EngineSettings(
        engine=engine,
        version=version,
        gpu_memory_utilization=gpu_memory_utilization,
        max_model_len=max_model_len,
        max_num_batched_tokens=max_num_batched_tokens,
        max_num_seqs=max_num_seqs,
        enforce_eager=enforce_eager,
        device_memory_bytes=device_memory_bytes,
    )
    return memory_of(deployment, settings)


def memory_of(deployment: Deployment, settings: EngineSettings) -> EngineMemory:
    """`engine_memory` of settings that are a record already."""
    from servelab.cost.engines import engine_memory as _engine_memory

    _expect("deployment", deployment, Deployment)
    return _engine_memory(deployment, settings)


def simulate(  # noqa: PLR0913 - three nouns, two targets, two ways to wait
    system: Deployment | StepTime,
    traffic: Traffic,
    scheduler: Scheduler,
    *,
    ttft_target_s: float | None = None,
    tpot_target_s: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    wait_for_compiler: bool = True,
) -> Run:
    """Requests through the scheduler of one replica, pass by pass: where their time goes, what the replica yields.

    `system` is a deployment, or `step_time(n, context_sum, chunks)`: any function that gives the seconds of a pass from
    its decode tokens, the sum of their contexts, and its prefill chunks as (offset, length); the scheduler must then
    say how many KV blocks there are. `progress(done, requests)` is called now and then; what it raises ends the run.
    With `wait_for_compiler` false, a run is compiled where the compiled engine is ready, whatever its length.
    docs/simulate.md defines every rule and figure. Raises SpecError where the inputs do not go together.
    """
    from servelab.cost.cache import kv_blocks
    from servelab.cost.steps import step_costs
    from servelab.sim.results import Targets
    from servelab.sim.run import Options
    from servelab.sim.run import simulate as run
    from servelab.specs.scheduler import Scheduler
    from servelab.specs.traffic import Traffic

    _expect("traffic", traffic, Traffic)
    _expect("scheduler", scheduler, Scheduler)
    seconds = AmountOrZero("seconds")
    targets = Targets(
        *(
            None if value is None else seconds.check(name, value)
            for name, value in (("ttft_target_s", ttft_target_s), ("tpot_target_s", tpot_target_s))
        )
    )
    options = Options(targets, progress, wait_for_compiler)
    if not isinstance(system, Deployment):
        return run(system, traffic, scheduler, _given_blocks(system, scheduler), options)
    answer = run(step_costs(system), traffic, scheduler, kv_blocks(system, scheduler), options)
    return _priced(answer, system)


def _expect(name: str, value: object, kind: type[Any]) -> None:
    if not isinstance(value, kind):
        raise SpecError(name, f"{shown(value)} is no {kind.__name__}; give sl.{kind.__name__}(…)")


def _given_blocks(step_time: object, scheduler: Scheduler) -> int:
    if not callable(step_time):
        raise SpecError("system", f"{shown(step_time)} is neither; give a Deployment or a function of step times")
    if scheduler.kv_blocks is None:
        raise SpecError("kv_blocks", "nothing given; a function of step times says nothing of memory, so give a number")
    return scheduler.kv_blocks


def _priced(run: Run, deployment: Deployment) -> Run:
    """The run with what a million output tokens cost; None without a price."""
    price, rate = deployment.accelerator.price_usd_per_hour, run.summary["output_tokens_per_s"]
    dollars_per_s = None if price is None else deployment.tensor_parallel * price / 3600
    cost = None if dollars_per_s is None or not rate else dollars_per_s / rate * 1e6
    summary = run.summary | {"cost_usd_per_million_output_tokens": cost}
    return dataclasses.replace(run, summary=summary, system=deployment)

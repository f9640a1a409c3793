"""What a profile says of a measured run: in closed form where one batch ran, through the simulator under load.

A batch beyond the cache ran in waves and is simulated too. A run that cannot be predicted gives no figure.
"""

from __future__ import annotations

import dataclasses

from servelab.cost.phases import Speed, decode_phase, prefill_phase
from servelab.cost.roofline import peak_rates
from servelab.errors import SpecError
from servelab.fidelity.engines import Generation, generation
from servelab.fidelity.measured import Measured, model_named, sources
from servelab.fidelity.replay import Played, Run, overflows, play
from servelab.specs.accelerator import Accelerator
from servelab.specs.deployment import Deployment
from servelab.specs.profile import Profile
from servelab.specs.result import Load
from servelab.specs.workload import Workload
from servelab.units import parse

#: Where the datasheet names no link between devices they are taken to talk over PCIe 5.0 with 16 lanes.
_HOST_BUS = parse("63 GB/s", "B/s")

#: Experts this unevenly used are the same few for all requests, as they are where all requests are one and the same.
_SAME_EXPERTS = 10.0

#: Loads, as the simulator sees them.
_SIMULATED = ("closed_loop", "open_loop")


def generation_of(row: Measured) -> Generation:
    """The generation of the row's engine."""
    return generation(row.engine, row.version)


def run_of(row: Measured, profile: Profile | str) -> Run:
    """The run that the row tells of, with step times from `profile`. Raises SpecError where it cannot be."""
    model = model_named(row.model)
    own = row.weights == model.checkpoint_format
    accelerator, source = Accelerator.load(row.accelerator), sources()[row.source]
    deployment = Deployment(
        model,
        accelerator,
        tensor_parallel=row.tensor_parallel,
        weights=None if own else row.weights,
        kv_cache=row.kv_cache,
        replicate_kv_heads=True,
        link_bytes_per_s=_HOST_BUS if accelerator.link_bytes_per_s is None else None,
        expert_skew=_SAME_EXPERTS if row.engine in source.alike else 0.0,
        format_metadata_fraction=source.beside_fraction.get(row.weights, Deployment.format_metadata_fraction),
        profile=profile,
    )
    load = Load(
        row.regime,
        max(row.prompt_tokens or 1, 1),
        max(row.output_tokens or 1, 1),
        batch=row.batch if row.regime == "static_batch" else None,
        concurrency=row.batch if row.regime == "closed_loop" else None,
        requests_per_s=row.rate_per_s,
        requests=row.requests if row.regime in _SIMULATED else None,
    )
    return Run(deployment, load, generation_of(row), row.lengths)


def predict(row: Measured, profile: Profile | str) -> float | None:
    """The row's figure under `profile`, in its unit; None where there is none."""
    try:
        run = run_of(row, profile)
        figures = closed_form(run) if not is_simulated(run) else played_figures(run, play(run), row.statistic)
    except SpecError:
        return None
    return figures.get(row.metric)


def is_simulated(run: Run) -> bool:
    """Whether only the simulator can tell: under load, or beyond the cache."""
    return run.load.regime in _SIMULATED or overflows(run)


def played_figures(run: Run, played: Played, statistic: str) -> dict[str, float]:
    """The figures of a simulated run by the row's metrics; medians where those were measured.

    Under load they are measured at the client, who also waits for what is not the engine's (request_s).
    """
    figures = dict(played.figures)
    if statistic == "median":
        figures |= {name: figures[f"{name[:-2]}_median_s"] for name in ("ttft_s", "tpot_s") if name in figures}
    profile = run.deployment.calibration
    if profile is not None and run.load.regime in _SIMULATED:
        figures |= {name: figures[name] + profile.request_s for name in ("ttft_s", "e2e_s") if name in figures}
    return figures


def closed_form(run: Run) -> dict[str, float]:
    """The figures of one batch. It ran, so that it is not asked whether it fits."""
    prefill_s, decode_s = batch_times(run.deployment, run.load)
    batch, steps = run.load.batch or 1, run.load.output_tokens - 1
    whole = prefill_s + decode_s
    figures = {
        "ttft_s": prefill_s,
        "e2e_s": whole,
        "prefill_tokens_per_s": batch * run.load.prompt_tokens / prefill_s,
        "output_tokens_per_s": batch * run.load.output_tokens / whole,
        "requests_per_s": batch / whole,
    }
    if steps:
        figures |= {"tpot_s": decode_s / steps, "decode_tokens_per_s": batch * steps / decode_s}
    return figures


def batch_times(deployment: Deployment, load: Load) -> tuple[float, float]:
    """Seconds of the prefill and of all decode passes of one batch."""
    peak = peak_rates(deployment)
    if peak is None:
        raise SpecError(f"accelerator.flop_per_s.{deployment.compute_format}", "the rate is not known; give it")
    if deployment.tensor_parallel > 1 and deployment.link is None:
        raise SpecError("accelerator.link_bytes_per_s", "the link is not known; give its rate")
    workload = Workload(load.prompt_tokens, load.output_tokens, batch=load.batch or 1)
    speed = Speed.of(deployment, peak)
    return prefill_phase(deployment, speed, workload).time_s, decode_phase(deployment, speed, workload).time_s


def with_profile(run: Run, profile: Profile | str) -> Run:
    """The same run under another profile."""
    return run._replace(deployment=dataclasses.replace(run.deployment, profile=profile))

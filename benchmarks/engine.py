"""How fast the traffic engine is: requests per second of one core, warm, best of five, and fresh processes.

Llama-3.1-8B on one H100, prompts uniform 256–768, outputs exponential of mean 256, at most 256 sequences.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import servelab as sl
from benchmarks.clock import reference_seconds
from servelab.cost.cache import kv_blocks
from servelab.cost.steps import step_costs
from servelab.sim import compiled
from servelab.sim.build import Load, fresh_engine

DEPLOYMENT = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
COSTS = step_costs(DEPLOYMENT)
REQUESTS = 100_000
_ROWS = 65_536
_SCRIPT = (
    "import servelab as sl;"
    "t = sl.Traffic.poisson(20, {}, sl.Lengths.uniform(256, 768), sl.Lengths.exponential(256));"
    "sl.simulate(sl.Deployment('llama-3.1-8b', 'h100-sxm-80gb'), t, sl.Scheduler())"
)


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar."""
    compiled.run()
    for rate in (5, 20, 40):
        yield _per_s(f"engine alone, {rate} requests/s offered", lambda rate=rate: kernel(traffic(rate)), 3e6)
    for rate in (5, 20, 40):
        yield _per_s(f"`simulate` with its tables, {rate} requests/s", lambda rate=rate: whole(traffic(rate)), 1.5e6)
    tight = sl.Scheduler(kv_blocks=3_500)
    share = whole_run(traffic(40), tight).summary["preemptions"] / REQUESTS
    yield _per_s(f"under memory pressure, {share:.0%} preemptions", lambda: kernel(traffic(40), tight), 3e5)
    for policy in ("static", "continuous"):
        scheduler = sl.Scheduler(policy=policy)
        yield _per_s(f"{policy}, 20 requests/s", lambda scheduler=scheduler: kernel(traffic(20), scheduler), 1.5e6)
    yield "a Python step function", f"{python_passes_per_s():,.0f} passes/s", "≥ 20,000 passes/s"
    yield from _scaling()
    yield from _fresh_processes()
    yield from _azure()
    yield "memory of the engine's state", f"{bytes_a_request():.0f} bytes a request", "≤ 300"


def traffic(rate: float, requests: int = REQUESTS, mean_output: float = 256) -> sl.Traffic:
    return sl.Traffic.poisson(rate, requests, sl.Lengths.uniform(256, 768), sl.Lengths.exponential(mean_output))


def kernel(load: sl.Traffic, scheduler: sl.Scheduler | None = None) -> Callable[[], float]:
    """Seconds of the compiled engine alone: its state is made outside the clock."""
    run, scheduler = compiled.run(), scheduler or sl.Scheduler()
    columns = Load(load.arrival_s, load.prompt_tokens, load.output_tokens, load.output_limit_tokens)

    def once() -> float:
        blocks = kv_blocks(DEPLOYMENT, scheduler)
        state = fresh_engine(columns, scheduler, blocks, COSTS, _ROWS, compiled=True)
        start = time.process_time()
        while run(state, _ROWS):
            pass
        return time.process_time() - start

    return once


def whole_run(load: sl.Traffic, scheduler: sl.Scheduler | None = None) -> sl.Run:
    return sl.simulate(DEPLOYMENT, load, scheduler or sl.Scheduler())


def whole(load: sl.Traffic) -> Callable[[], float]:
    """Seconds of `simulate`, every column of both tables looked at."""

    def once() -> float:
        start = time.process_time()
        run = whole_run(load)
        for table in (run.requests, run.timeline):
            for name in table:
                table[name]
        return time.process_time() - start

    return once


def python_passes_per_s() -> float:
    load = traffic(20, 500)
    scheduler = sl.Scheduler(kv_blocks=29_000)

    def once() -> float:
        start = time.process_time()
        run = sl.simulate(lambda n, context_sum, chunks: 0.006 + 5e-8 * context_sum, load, scheduler)
        return (time.process_time() - start) / run.steps

    return 1 / min(once() for _ in range(5))


def bytes_a_request() -> float:
    load = traffic(20, 50_000)
    columns = Load(load.arrival_s, load.prompt_tokens, load.output_tokens, load.output_limit_tokens)
    state = fresh_engine(columns, sl.Scheduler(), 29_000, COSTS, 1, compiled=True)
    return sum(array.nbytes for part in state for array in part) / 50_000


def best(once: Callable[[], float]) -> float:
    return min(once() for _ in range(5))


def _per_s(what: str, make: Callable[[], Callable[[], float]], bar: float) -> tuple[str, str, str]:
    """A rate, with the reference loop of the moment beside it: other work on the machine slows both."""
    seconds = best(make())
    beside = reference_seconds() * 1e3
    return what, f"{REQUESTS / seconds:,.0f}/s (reference {beside:.0f} ms)", f"≥ {bar:,.0f}/s"


def _scaling() -> Iterator[tuple[str, str, str]]:
    small, large = (best(kernel(traffic(20, count))) for count in (100_000, 1_000_000))
    yield "ten times the requests (1,000,000)", f"{large / small:.1f} times the time", "≤ 11"
    short, long = (best(kernel(traffic(1, 50_000, mean))) for mean in (256, 2560))
    yield "ten times the output", f"{long / short:.1f} times the time", "≤ 2"


def _fresh_processes() -> Iterator[tuple[str, str, str]]:
    yield "fresh process, 1,000 requests", f"{min(_cpu(1_000) for _ in range(5)):.2f} s CPU", "≤ 0.8 s"
    warm = min(_cpu(100_000) for _ in range(5))
    yield "fresh process, 100,000, warm cache", f"{warm:.2f} s CPU", "≤ 1.6 s"
    with tempfile.TemporaryDirectory() as folder:
        yield "fresh process, 100,000, compiling", f"{_cpu(100_000, NUMBA_CACHE_DIR=folder):.1f} s CPU", "≤ 10 s"


def _cpu(requests: int, **variables: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", _SCRIPT.format(requests)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=os.environ | variables)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _azure() -> Iterator[tuple[str, str, str]]:
    path = Path(os.environ.get("SERVELAB_REFERENCE_DATA", "")) / "traces" / "AzureLLMInferenceTrace_conv.csv"
    if not path.is_file():
        return

    def once() -> float:
        start = time.process_time()
        whole_run(sl.Traffic.load(path))
        return time.process_time() - start

    yield "Azure conversation trace, read and simulated", f"{best(once):.3f} s", "≤ 0.15 s"

"""How fast and how large the answers about three policies side by side are, on loopback.

Llama-3.1-8B on one H100, prompts log-normal of mean 512, outputs exponential of mean 256.
"""

from __future__ import annotations

import http.client
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.clock import reference_seconds

_POLICIES = ("static", "continuous", "chunked")

#: Answer with its seconds and bytes.
Answer = tuple[Any, float, int]
Ask = Callable[..., Answer]


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar."""
    command = [sys.executable, "-m", "servelab", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        connection = http.client.HTTPConnection(server.stdout.readline().strip().removeprefix("http://"))

        def ask(path: str, **question: Any) -> Answer:
            start = time.perf_counter()
            connection.request("POST", f"/api/compare{path}", json.dumps(question))
            response = connection.getresponse()
            body = response.read()
            taken = time.perf_counter() - start
            assert response.status == 200, body
            return json.loads(body), taken, len(body)

        _wait_for_compiler(ask)
        yield _moves(ask)
        yield from _long_run(ask)
        yield from _long_run(ask, kv_blocks=3_500)
        server.terminate()


def question(requests: int, rate: float, seed: int = 0, kv_blocks: int | None = None) -> dict[str, Any]:
    return {
        "deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"},
        "traffic": {
            "requests_per_s": rate,
            "requests": requests,
            "prompt": {"kind": "lognormal", "mean": 512, "sigma": 0.8},
            "output": {"kind": "exponential", "mean": 256},
            "seed": seed,
        },
        "schedulers": [{"policy": policy, "kv_blocks": kv_blocks} for policy in _POLICIES],
        "ttft_target_s": 0.2,
        "tpot_target_s": 0.02,
    }


def _wait_for_compiler(ask: Ask) -> None:
    """Ask anew until the answers are as quick as they get."""
    for seed in itertools.count(1_000):
        if ask("", **question(2_000, 10, seed))[1] < 0.5:
            return


def _moves(ask: Ask) -> tuple[str, str, str]:
    """A control is moved: every answer is simulated anew."""
    answers = [ask("", **question(2_000, 10, seed)) for seed in range(20)]
    times = sorted(taken for _, taken, _ in answers)
    size = max(size for *_, size in answers)
    what = "2,000 requests × 3 policies, each anew, median of 20"
    found = f"{statistics.median(times) * 1e3:.0f} ms (slowest {times[-1] * 1e3:.0f} ms), {size / 1e3:.0f} kB"
    return what, f"{found} (reference {reference_seconds() * 1e3:.0f} ms)", "≤ 60 ms"


def _long_run(ask: Ask, **more: Any) -> Iterator[tuple[str, str, str]]:
    asked = question(100_000, 20, **more)
    whole, first, size = ask("", **asked)
    lost = sum(run["summary"]["preemptions"] for run in whole["runs"])
    what = f"100,000 requests × 3 policies, {lost:,} preemptions"
    yield f"{what}: first answer", f"{first * 1e3:.0f} ms, {size / 1e3:.0f} kB", "≤ 400 kB"
    rng, times, sizes = random.Random(1), [], []
    for width in (0.5, 5.0, 50.0, 500.0) * 10:
        start = rng.uniform(0, whole["end_s"] - width)
        _, taken, size = ask("/window", **asked, window={"start_s": start, "end_s": start + width})
        times.append(taken)
        sizes.append(size)
    found = f"{statistics.median(times) * 1e3:.0f} ms (slowest {max(times) * 1e3:.0f} ms), ≤ {max(sizes) / 1e3:.0f} kB"
    yield f"{what}: 40 windows of 0.5 to 500 s", found, "≤ 100 ms, ≤ 400 kB"
    looks = [ask("/request", **asked, scheduler=1, request=rng.randrange(100_000))[1] for _ in range(20)]
    yield f"{what}: the life of a request", f"{statistics.median(looks) * 1e3:.0f} ms", "≤ 100 ms"

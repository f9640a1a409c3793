"""How fast each door answers."""

from __future__ import annotations

import http.client
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import servelab as sl
from benchmarks.clock import best_seconds, command_cpu_seconds

ESTIMATE = ("estimate", "llama-3.1-8b", "h100-sxm-80gb", "--json")
BODY = json.dumps(
    {
        "deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"},
        "workload": {"prompt_tokens": 1024, "output_tokens": 256, "batch": 16},
    }
)


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar."""
    yield "CPU time of `servelab --help`", f"{command_cpu_seconds('--help'):.2f} s", "≤ 0.3 s"
    yield "CPU time of `servelab estimate … --json`", f"{command_cpu_seconds(*ESTIMATE):.2f} s", "≤ 0.6 s"
    yield "one `sl.estimate`", f"{estimate_seconds() * 1e6:.0f} µs", "≤ 150 µs"
    median, slow = post_seconds()
    yield "POST /api/estimate on loopback, median of 500", f"{median * 1e3:.2f} ms (p99 {slow * 1e3:.2f} ms)", "≤ 5 ms"


def estimate_seconds() -> float:
    """One call, deployment and workload at hand."""
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    workload = sl.Workload(1024, 256, batch=16)
    return best_seconds(lambda: sl.estimate(deployment, workload), repeat=10, number=1000)


def post_seconds() -> tuple[float, float]:
    """Median and 99th percentile of requests one after another on one connection."""
    command = [sys.executable, "-m", "servelab", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip().removeprefix("http://")
        connection = http.client.HTTPConnection(address)
        times = sorted(_post(connection) for _ in range(600))
        server.terminate()
    return statistics.median(times), times[int(len(times) * 0.99)]


def _post(connection: http.client.HTTPConnection) -> float:
    start = time.perf_counter()
    connection.request("POST", "/api/estimate", BODY, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200
    return time.perf_counter() - start

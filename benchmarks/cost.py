"""How fast figures over arrays are, and how much memory they take."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

_PROGRAM = """
import resource, time
import numpy as np
import servelab as sl
deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
random = np.random.default_rng(0)
asked = {
    "prompt_tokens": random.integers(1, 8192, 1_000_000),
    "output_tokens": random.integers(1, 1024, 1_000_000),
    "batch": random.integers(1, 256, 1_000_000),
}
times = []
for _ in range(7):
    start = time.perf_counter()
    sl.grid(deployment, **asked)
    times.append(time.perf_counter() - start)
print(1e6 / min(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar. A process of its own, so that its memory is the grid's."""
    command = [sys.executable, "-c", _PROGRAM]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rate, memory = map(float, printed.split())
    what = "`sl.grid`, a million workloads at random, one core"
    yield what, f"{rate / 1e6:.1f} million/s in {memory / 1e6:.0f} MB", "≥ 5 million/s in ≤ 200 MB"

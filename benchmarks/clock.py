"""How things are timed: the best of several runs, and the processor time of whole commands."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable


def best_seconds(call: Callable[[], object], *, repeat: int = 5, number: int = 1) -> float:
    """Wall seconds of one call, the best of `repeat` rounds of `number` calls."""
    rounds = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(number):
            call()
        rounds.append((time.perf_counter() - start) / number)
    return min(rounds)


def reference_seconds() -> float:
    """A fixed loop of plain Python, to compare machines and moments by: a million additions."""

    def loop() -> int:
        total = 0
        for number in range(1_000_000):
            total += number
        return total

    return best_seconds(loop)


def command_cpu_seconds(*arguments: str, repeat: int = 5) -> float:
    """User and system seconds of `servelab ARGUMENTS`, the best of `repeat` runs in fresh processes."""
    runs = []
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "servelab", *arguments], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        runs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(runs)

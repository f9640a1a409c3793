"""`python -m benchmarks`: every figure, as rows of a table."""

from __future__ import annotations

import platform

from benchmarks import compare, cost, doors, engine, labs, models, page, reading
from benchmarks.clock import reference_seconds


def main() -> None:
    print(f"Python {platform.python_version()}, reference loop {reference_seconds() * 1e3:.1f} ms\n")
    print("| what | measured | bar |\n| --- | --- | --- |")
    for module in (doors, cost, models, reading, page, compare, engine, labs):
        for what, measured, bar in module.rows():
            print(f"| {what} | {measured} | {bar} |", flush=True)


main()

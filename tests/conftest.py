"""Shared by all tests: where third-party reference data is, round-numbered toys, how Hypothesis runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import servelab as sl

pytest_plugins = ["tests.shelves"]

_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)

# The same commit gives the same answer every time; `make search` looks at other cases, and at more of them.
settings.register_profile("same", _PATIENT, derandomize=True)
settings.register_profile("search", _PATIENT, max_examples=1000)
settings.load_profile(os.environ.get("SERVELAB_CASES", "same"))


@pytest.fixture
def reference_data() -> Path:
    """The folder of third-party files; the test skips where it is not there."""
    folder = os.environ.get("SERVELAB_REFERENCE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("SERVELAB_REFERENCE_DATA names no folder")
    return Path(folder)


@pytest.fixture
def toy_model() -> sl.Model:
    """500 weights in 1 layer; one head of 1: the KV cache of a token is 4 bytes in bf16."""
    return sl.Model("toy", 500, layers=1, query_heads=1, kv_heads=1, head_dim=1)


@pytest.fixture
def toy_accelerator() -> sl.Accelerator:
    """1 MB at 1,000 bytes/s and 1,000 FLOP/s: a byte or a FLOP is a millisecond."""
    return sl.Accelerator("toy", 1e6, 1000, {"bf16": 1000}, link_bytes_per_s=1000, price_usd_per_hour=3600)


@pytest.fixture
def toy(toy_model: sl.Model, toy_accelerator: sl.Accelerator) -> sl.Deployment:
    """The toys together with nothing assumed: full utilisation, no overhead, no reserve."""
    return sl.Deployment(
        toy_model,
        toy_accelerator,
        compute_utilization=1,
        bandwidth_utilization=1,
        pass_overhead_s=0,
        reserve_bytes=0,
        link_utilization=1,
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests had no reference data to read."""
    skipped = terminalreporter.stats.get("skipped", [])
    wanting = [report for report in skipped if "SERVELAB_REFERENCE_DATA" in str(report.longrepr)]
    terminalreporter.write_line(f"{len(wanting)} tests skipped for want of SERVELAB_REFERENCE_DATA")

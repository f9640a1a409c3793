"""Simulations asked for over HTTP: each in a thread of its own, ended when nobody waits for it any more."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from fastapi import Request

from servelab import api
from servelab.errors import SpecError
from servelab.server.requests import SimulateRequest
from servelab.server.work import Look, done
from servelab.specs.references import naming

#: Most requests whose tables one answer may hold.
MOST_ROWS = 100_000


@dataclass(frozen=True)
class HistogramAnswer:
    """Gaps between tokens, in bins at most 1 % wide."""

    lower_s: list[float]
    upper_s: list[float]
    count: list[int]


@dataclass(frozen=True)
class RunAnswer:
    """A run: figures by name, and the columns of the two tables where they were asked for."""

    summary: dict[str, float | int | None]
    steps: int
    kv_blocks: int
    itl_histogram: HistogramAnswer
    requests: dict[str, list[float | int | bool | None]] | None = None
    timeline: dict[str, list[float]] | None = None


async def answer(request: SimulateRequest, connection: Request) -> str | None:
    """The run as JSON; None where the client went away before it was done."""
    if request.tables and request.traffic.requests > MOST_ROWS:
        raise SpecError(
            "traffic.requests",
            f"tables of {request.traffic.requests:,} requests are too large; ask for {MOST_ROWS:,} or leave tables out",
        )
    return await done(functools.partial(_simulate, request), connection)


def _simulate(request: SimulateRequest, look: Look) -> str:
    from servelab.sim import compiled
    from servelab.sim.run import PLAIN_REQUESTS
    from servelab.specs.traffic import Traffic

    if request.traffic.requests > PLAIN_REQUESTS:
        compiled.prepare()
    with naming("traffic"):
        traffic = Traffic.of(request.traffic)
    targets = {"ttft_target_s": request.ttft_target_s, "tpot_target_s": request.tpot_target_s}
    with naming("deployment"):
        run = api.simulate(
            request.deployment, traffic, request.scheduler, **targets, progress=look, wait_for_compiler=False
        )
    return run.to_json(tables=request.tables)

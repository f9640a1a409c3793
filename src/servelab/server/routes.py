"""The routes of the API."""

from __future__ import annotations

import dataclasses
from typing import Any

from fastapi import APIRouter, Request, Response

from servelab import api
from servelab.cost.engines import EngineMemory
from servelab.cost.estimate import Estimate
from servelab.cost.explain import Explanation
from servelab.server import simulations
from servelab.server.accuracy import router as accuracy
from servelab.server.answers import Problems, Splits, Sweep
from servelab.server.bodies import json_body
from servelab.server.catalogue import router as catalogue
from servelab.server.compare_routes import router as comparisons
from servelab.server.labs import router as labs
from servelab.server.reading import router as reading
from servelab.server.requests import EstimateRequest, ExplainRequest, MemoryRequest, SimulateRequest, SweepRequest
from servelab.server.room import router as room
from servelab.server.starters import router as starters
from servelab.specs.deployment import TENSOR_PARALLEL_DEGREES, split_refusal
from servelab.specs.fields import as_json
from servelab.specs.references import naming

_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problems, "description": "The Host or Origin is another server's."},
    422: {"model": Problems, "description": "A field is bad; its sentence says what to give."},
    503: {"model": Problems, "description": "The answer took too long."},
}

router = APIRouter(responses=_REFUSALS)
router.include_router(catalogue)
router.include_router(labs)
router.include_router(comparisons)
router.include_router(starters)
router.include_router(reading)
router.include_router(accuracy)
router.include_router(room)


@router.get("/healthz", tags=["server"])
async def healthz() -> dict[str, str]:
    """Whether the server answers."""
    return {"status": "ok"}


@router.post("/api/estimate", tags=["estimate"], response_model=Estimate)
async def estimate(request: EstimateRequest) -> Response:
    """Memory, bottleneck, latency, throughput and cost of one batch on one deployment."""
    return json_body(_estimate(request).to_json())


@router.post("/api/explain", tags=["estimate"], response_model=Explanation)
async def explain(request: ExplainRequest) -> Response:
    """Why the estimate after a change differs from the one before it."""
    return json_body(api.explain(_estimate(request.before, "before."), _estimate(request.after, "after.")).to_json())


@router.post("/api/memory", tags=["estimate"], response_model=EngineMemory)
async def memory(request: MemoryRequest) -> Response:
    """What a start of an inference engine leaves for its KV cache, or why it refuses, and what would help."""
    return json_body(api.memory_of(request.deployment, request.settings).to_json())


@router.post("/api/simulate", tags=["simulate"], response_model=simulations.RunAnswer)
async def simulate(request: SimulateRequest, connection: Request) -> Response:
    """Traffic through the scheduler of one replica: latencies, where they come from, throughput, cost.

    A client that goes away ends its simulation.
    """
    text = await simulations.answer(request, connection)
    return Response(status_code=499) if text is None else json_body(text)


@router.post("/api/sweep", tags=["estimate"], response_model=Sweep)
async def sweep(request: SweepRequest) -> Response:
    """The estimates of one question for many values of one field of its workload."""
    asked: dict[str, Any] = dataclasses.asdict(request.workload) | {request.field: request.values}
    found = Sweep.of(request.field, request.values, api.grid(request.deployment, **asked))
    return json_body(as_json(found))


@router.post("/api/splits", tags=["estimate"], response_model=Splits)
async def splits(request: EstimateRequest) -> Response:
    """The estimates of one question for every tensor-parallel degree up to 8 that the model allows."""
    deployment = request.deployment
    allowed = [n for n in TENSOR_PARALLEL_DEGREES if not split_refusal(deployment.model, n, deployment.replicates)]
    questions = (
        EstimateRequest(dataclasses.replace(deployment, tensor_parallel=degree), request.workload) for degree in allowed
    )
    return json_body(f'{{"estimates":[{",".join(_estimate(question).to_json() for question in questions)}]}}')


def _estimate(request: EstimateRequest, within: str = "") -> Estimate:
    """The estimate; a refusal names its field from the body on."""
    with naming(f"{within}deployment"):
        return api.estimate(request.deployment, request.workload)

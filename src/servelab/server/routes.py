"""The routes of the API."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from servelab import api
from servelab.cost.estimate import Estimate
from servelab.server.catalogue import router as catalogue
from servelab.server.requests import EstimateRequest, Problems

_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problems, "description": "The Host or Origin is another server's."},
    422: {"model": Problems, "description": "A field is bad; its sentence says what to give."},
    503: {"model": Problems, "description": "The answer took too long."},
}

router = APIRouter(responses=_REFUSALS)
router.include_router(catalogue)


@router.get("/healthz", tags=["server"])
async def healthz() -> dict[str, str]:
    """Whether the server answers."""
    return {"status": "ok"}


@router.post("/api/estimate", tags=["estimate"], response_model=Estimate)
async def estimate(request: EstimateRequest) -> Response:
    """Memory, bottleneck, latency, throughput and cost of one batch on one deployment."""
    return _json(api.estimate(request.deployment, request.workload).to_json())


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")

"""The routes of the API."""

from __future__ import annotations

from fastapi import APIRouter, Response

from servelab import api
from servelab.cost.estimate import Estimate
from servelab.server.catalogue import router as catalogue
from servelab.server.requests import EstimateRequest

router = APIRouter()
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

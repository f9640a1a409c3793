"""The routes of the API."""

from __future__ import annotations

import functools
import json
from typing import Any

from fastapi import APIRouter, Response

from servelab import api
from servelab.cost.estimate import Estimate
from servelab.server.requests import EstimateRequest, Problems
from servelab.specs.catalog import listing

_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problems, "description": "The Host or Origin is another server's."},
    422: {"model": Problems, "description": "A field is bad; its sentence says what to give."},
    503: {"model": Problems, "description": "The answer took too long."},
}

router = APIRouter(responses=_REFUSALS)


@router.get("/healthz", tags=["server"])
async def healthz() -> dict[str, str]:
    """Whether the server answers."""
    return {"status": "ok"}


@router.get("/api/models", tags=["catalogue"])
def models() -> Response:
    """The models of the catalogue, with their sources."""
    return _json(_catalogue("model"))


@router.get("/api/accelerators", tags=["catalogue"])
def accelerators() -> Response:
    """The accelerators of the catalogue, with the source of every number."""
    return _json(_catalogue("accelerator"))


@router.post("/api/estimate", tags=["estimate"], response_model=Estimate)
async def estimate(request: EstimateRequest) -> Response:
    """Memory, bottleneck, latency, throughput and cost of one batch on one deployment."""
    return _json(api.estimate(request.deployment, request.workload).to_json())


@functools.cache
def _catalogue(kind: str) -> str:
    document: dict[str, Any] = {f"{kind}s": listing.rows(kind)}
    return json.dumps(document, separators=(",", ":"), allow_nan=False)


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")

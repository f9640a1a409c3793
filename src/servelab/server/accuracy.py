"""The route of the report on accuracy."""

from __future__ import annotations

import asyncio
import functools

from fastapi import APIRouter, Response

from servelab.fidelity.accuracy import Accuracy, accuracy
from servelab.server.bodies import json_body

router = APIRouter(tags=["accuracy"])


@router.get("/api/accuracy", response_model=Accuracy)
async def report() -> Response:
    """How far predictions are from open measurements: scores by kind and group, every row, and what was left out.

    The profiles behind the predictions were fitted with each row's model left out.
    """
    return json_body(await asyncio.to_thread(_report))


@functools.cache
def _report() -> str:
    return accuracy().to_json()

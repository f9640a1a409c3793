"""Where to begin: starting points for traffic, and the slots that need none."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Response

from servelab.server.bodies import json_body
from servelab.server.compare_requests import SlotsRequest
from servelab.sim.slots import Schedule, continuous, static
from servelab.specs.fields import as_json
from servelab.specs.presets import PRESETS, Preset

router = APIRouter()


@dataclass(frozen=True)
class SlotsAnswer:
    """The same requests through the same slots, in batches and continuously."""

    lengths: tuple[int, ...]
    slots: int
    static: Schedule
    continuous: Schedule


@dataclass(frozen=True)
class Presets:
    """Every starting point."""

    presets: tuple[Preset, ...]


@router.get("/api/traffic-presets", tags=["simulate"], response_model=Presets)
async def presets() -> Response:
    """Starting points for traffic: requests, limits, targets."""
    return json_body(as_json(Presets(PRESETS)))


@router.post("/api/slots", tags=["simulate"], response_model=SlotsAnswer)
async def share_slots(request: SlotsRequest) -> Response:
    """Requests through a few slots, one iteration at a time: static against continuous batching. No hardware in it."""
    lengths, count = request.lengths, request.slots
    found = SlotsAnswer(lengths, count, static(lengths, count), continuous(lengths, count))
    return json_body(as_json(found))

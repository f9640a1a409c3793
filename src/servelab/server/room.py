"""The routes about what goes on in the research room: one batch on its way, and training in its smallest form."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Response

from servelab.cost.training import LEARNING_RATE, TrainingMemory, TrainingStep, descent, training_memory
from servelab.cost.walk import Walk, walk
from servelab.server.bodies import json_body
from servelab.server.room_requests import TrainingRequest, WalkRequest
from servelab.specs.fields import as_json
from servelab.specs.references import naming

router = APIRouter()


@dataclass(frozen=True)
class TrainingAnswer:
    """A weight on its way to its answer, round by round, and the memory that a real run of the model takes."""

    learning_rate: float
    steps: tuple[TrainingStep, ...]
    memory: TrainingMemory


@router.post("/api/walk", tags=["estimate"], response_model=Walk)
async def tell_passes(request: WalkRequest) -> Response:
    """One batch pass by pass: what the prefill and a few decode passes move, and what the cache then holds."""
    with naming("deployment"):
        return json_body(as_json(walk(request.deployment, request.workload, request.passes)))


@router.post("/api/training", tags=["training"], response_model=TrainingAnswer)
async def train(request: TrainingRequest) -> Response:
    """Gradient descent on a classifier of one weight, and what a real run keeps of each parameter of the model.

    No model runs. The classifier says nothing of the model chosen, neither its size nor its quality.
    """
    steps = descent(request.start_weight, request.rounds)
    memory = training_memory(request.model, request.accelerator)
    return json_body(as_json(TrainingAnswer(LEARNING_RATE, steps, memory)))

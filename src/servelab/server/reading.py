"""The routes that read logs and commands, and write commands. Nothing of them is kept, run or sent anywhere."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response

from servelab.fidelity.commands.write import CommandLine, command_line
from servelab.fidelity.read import read
from servelab.fidelity.reading import Reading
from servelab.server.bodies import json_body
from servelab.server.requests import MemoryRequest, ReadRequest

router = APIRouter(tags=["read"])


@router.post("/api/read", response_model=Reading)
async def read_text(request: ReadRequest) -> Response:
    """What a start-up log, a command, a compose file or a manifest says of a deployment's memory, beside what is
    predicted: the causes that apply, and what to change. Which of them the text is, it tells by itself.
    """
    # in a thread: a log of megabytes takes its time
    reading = await asyncio.to_thread(read, request.text, model=request.model, accelerator=request.accelerator)
    return json_body(reading.to_json())


@router.post("/api/command", response_model=CommandLine)
async def write_command(request: MemoryRequest) -> Response:
    """The command that starts an engine with a deployment, each flag explained."""
    return json_body(command_line(request.deployment, request.settings).to_json())

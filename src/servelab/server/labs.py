"""The routes of the labs: what there is, and a run of one."""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any

from fastapi import APIRouter, Request, Response

from servelab.errors import UnknownName
from servelab.labs.cards import LabList, lab_list
from servelab.labs.lab import Lab
from servelab.labs.play import LabAnswer, LabFailed, Wish, play_json
from servelab.labs.result import Setup
from servelab.labs.shelf import shelf
from servelab.server.answers import Problems
from servelab.server.bodies import json_body, refusal
from servelab.server.lab_requests import RunLabRequest, SetupRequest
from servelab.sim import compiled
from servelab.specs.fields import as_json
from servelab.specs.references import naming

_LOG = logging.getLogger("servelab")

_REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"model": Problems, "description": "There is no such lab."},
    500: {"model": Problems, "description": "The lab itself failed."},
}

#: Runs of one lab at once; those whose client has gone meanwhile never start.
_PLACES = 2

router = APIRouter(tags=["labs"])


@router.get("/api/labs", response_model=LabList)
async def labs() -> Response:
    """The labs: controls, events, tiles, charts, missions and words of each, what could not be loaded, and paths."""
    return json_body(await asyncio.to_thread(_labs))


@router.post("/api/labs/{lab}/run", response_model=LabAnswer, responses=_REFUSALS)
async def run(lab: str, request: RunLabRequest, connection: Request) -> Response:
    """One run of a lab: its figures and charts, with what changed where a set-up before is given."""
    try:
        found = await asyncio.to_thread(lambda: shelf().find(lab))
    except UnknownName as error:
        return refusal(404, "lab", error.message)
    places = _places(asyncio.get_running_loop(), found.id)
    await places.acquire()
    if await connection.is_disconnected():
        places.release()
        return Response(status_code=499)
    work = asyncio.create_task(asyncio.to_thread(_play, found, request))
    work.add_done_callback(lambda done: _left(done, places))
    try:
        return json_body(await asyncio.shield(work))
    except LabFailed as failure:
        _LOG.exception("a lab failed")
        return refusal(500, "lab", str(failure))


def _left(work: asyncio.Task[str], places: asyncio.Semaphore) -> None:
    """Free the place when the thread is done, not when its client is gone: a lab that hangs takes no more of them."""
    places.release()
    if not work.cancelled():
        work.exception()  # taken note of, where nobody waits for it any more


def _play(lab: Lab, request: RunLabRequest) -> str:
    compiled.prepare()
    wish = Wish(
        charts=request.charts,
        before=None if request.before is None else _setup(lab, request.before, "before"),
        mission=request.mission,
        reveal=request.reveal,
    )
    return play_json(lab, _setup(lab, request), wish)


def _setup(lab: Lab, asked: SetupRequest, within: str = "") -> Setup:
    with naming(within):
        return lab.setup(asked.settings, asked.events, asked.seed)


@functools.cache
def _labs() -> str:
    """The list, written once; whoever asks for it will soon run one, so that then the engine is compiled."""
    answer = as_json(lab_list(shelf()))
    compiled.prepare()
    return answer


@functools.lru_cache(maxsize=64)
def _places(loop: asyncio.AbstractEventLoop, lab: str) -> asyncio.Semaphore:
    return asyncio.Semaphore(_PLACES)

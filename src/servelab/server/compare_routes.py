"""The routes about several schedulers. Each is asked the whole question; runs asked for lately are not repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response

from servelab.server.bodies import json_body
from servelab.server.compare_answers import Comparison, RequestLife, Step, Window
from servelab.server.compare_requests import MOVES, CompareRequest, LifeRequest, StepRequest, WindowRequest
from servelab.server.limits import SLOW_PATHS
from servelab.server.work import Look, done, told

if TYPE_CHECKING:
    from collections.abc import Callable

router = APIRouter()

#: A stream ends by itself this long before it would be cut off.
_MARGIN_S = 2.0

_LINES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The comparison. With `progress`, lines of JSON: any number of {done, of}, then the comparison "
        "or, where it was refused by then, {detail}.",
        "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
    }
}


@router.post("/api/compare", tags=["simulate"], response_model=Comparison, responses=_LINES)
async def compare(request: CompareRequest, connection: Request) -> Response:
    """The same requests under up to four schedulers, side by side. A client that goes away ends its simulations."""
    from servelab.server import compare_json, comparing

    def work(look: Look) -> str:
        compared = comparing.compare(request, look)
        trace = comparing.known_by(comparing.trace_of(request))
        return compare_json.text_of(compare_json.comparison(compared, trace, request.bins, request.rows))

    if request.progress:
        return await told(work, connection, SLOW_PATHS["/api/compare"] - _MARGIN_S)
    return await _answer(work, connection)


@router.post("/api/compare/window", tags=["simulate"], response_model=Window)
async def window(request: WindowRequest, connection: Request) -> Response:
    """A part of the runs, closer."""
    from servelab.server import compare_json, comparing
    from servelab.sim.window import Span

    def work(look: Look) -> str:
        compared, asked = comparing.compare(request, look), request.window
        span = compare_json.whole_span(compared, request.bins)
        span = Span(asked.start_s, asked.end_s, request.bins) if asked else span
        return compare_json.text_of(compare_json.window(compared, span, request.rows))

    return await _answer(work, connection)


@router.post("/api/compare/request", tags=["simulate"], response_model=RequestLife)
async def life(request: LifeRequest, connection: Request) -> Response:
    """What one request went through under one of the schedulers, piece by piece."""
    from servelab.server import compare_json, comparing

    def work(look: Look) -> str:
        recording = comparing.one_of(request, request.scheduler, look)
        return compare_json.text_of(compare_json.life(recording, request.request))

    return await _answer(work, connection)


@router.post("/api/compare/step", tags=["simulate"], response_model=Step)
async def step(request: StepRequest, connection: Request) -> Response:
    """One row of the timeline of one of the schedulers: that of a time, or the one after or before it."""
    from servelab.server import compare_json, comparing

    def work(look: Look) -> str:
        recording = comparing.one_of(request, request.scheduler, look)
        move = (0, 1, -1)[MOVES.index(request.move)]
        return compare_json.text_of(compare_json.step(recording, request.at_s, move))

    return await _answer(work, connection)


async def _answer(work: Callable[[Look], str], connection: Request) -> Response:
    text = await done(work, connection)
    return Response(status_code=499) if text is None else json_body(text)

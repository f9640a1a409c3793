"""Every refusal in one shape, whoever refuses: {"detail": [{"field": …, "message": …}]}."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from servelab.errors import ServelabError, SpecError, UnknownName, shown
from servelab.server.bodies import json_body, refusal
from servelab.server.limits import problem
from servelab.server.requests import known_fields

#: A part of a path comes from the body, and may be as long.
_PART = 100


def install(app: FastAPI) -> None:
    """Make `app` answer every error in the one shape; what is not expected says nothing of its inside."""
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(ServelabError, _on_refusal)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_defect)


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type only
    detail = [
        dict(zip(("field", "message"), plain(_route(request), entry), strict=True)) for entry in error.errors()[:20]
    ]
    return json_body(json.dumps({"detail": detail}, separators=(",", ":")), 422)


async def _on_refusal(request: Request, error: Exception) -> Response:
    return refusal(422, *field_and_message(error))


def field_and_message(error: Exception) -> tuple[str, str]:
    """The field that a refusal is about, `body` for the whole, and its sentence."""
    return (error.field or "body", error.message) if isinstance(error, SpecError) else ("body", str(error))


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    path = shown(request.url.path)
    if error.status_code == 404:
        return refusal(404, "path", f"there is nothing at {path}; the API is described at /api/openapi.json")
    if error.status_code == 405:
        message = f"{path} does not answer {request.method}; see /api/openapi.json"
        return json_body(problem("method", message), 405, error.headers)
    if error.status_code == 400:  # a body that FastAPI cannot parse in a way it did not foresee
        return refusal(422, "body", "the body cannot be read; send one JSON object")
    return refusal(error.status_code, "body", str(error.detail))


async def _on_defect(request: Request, error: Exception) -> Response:
    return refusal(500, "body", "servelab failed on this request; its log says why")


def _route(request: Request) -> str:
    """The path of the request as its route declares it: /api/labs/{lab}/run."""
    return str(getattr(request.scope.get("route"), "path", request.url.path))


def plain(route: str, error: Any) -> tuple[str, str]:
    """Field and sentence of one pydantic error in the body of `route`."""
    path = [str(part)[:_PART] for part in error["loc"][error["loc"][:1] == ("body",) :]]
    kind = error["type"]
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, SpecError):
        return _joined([*path, cause.field]), cause.message
    if kind == "json_invalid":
        return "body", f"the body is no JSON ({error['ctx']['error']}); send one JSON object"
    if kind == "missing":
        return _joined(path), "nothing given; give a value"
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        unknown = UnknownName("", "field", path[-1], known_fields(route, path[:-1]))
        return _joined(path), unknown.message
    if isinstance(error.get("input"), str) and kind.startswith("string"):
        return _joined(path), f"{shown(error['input'])} is no such text; give printable characters"
    return _joined(path), f"{shown(error.get('input'))} is no object; give its fields"


def _joined(path: Sequence[str]) -> str:
    return ".".join(part for part in path if part) or "body"

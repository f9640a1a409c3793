"""The bodies of answers: JSON that is text already, and refusals in the one shape."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from servelab.server.limits import problem


def json_body(text: str | bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer whose body is `text` as it stands, not serialised again."""
    return Response(text, status_code=status, headers=headers, media_type="application/json")


def refusal(status: int, field: str, message: str) -> Response:
    """What is wrong with a field, in a sentence."""
    return json_body(problem(field, message), status)

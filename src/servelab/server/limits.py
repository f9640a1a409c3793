"""What a request may be, looked at before anything else runs, and the headers every answer carries."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from servelab.sim import compiled
from servelab.specs.jsontext import MAX_BYTES, refusal

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
ANSWER_SECONDS = 10.0

#: Until the engine is compiled: a server that has just started loads everything for the first time, and shares the
#: processor with the compiler. On a busy machine that takes longer, though nobody has asked for too much.
COLD_SECONDS = 120.0

#: Paths whose answers may take longer.
SLOW_PATHS = {
    "/api/simulate": 120.0,
    "/api/compare": 120.0,
    "/api/compare/window": 120.0,
    "/api/compare/request": 120.0,
    "/api/compare/step": 120.0,
}

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    b"content-security-policy": _POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}


def problem(field: str, message: str) -> bytes:
    """The body of every refusal: which field, and what to do."""
    return json.dumps({"detail": [{"field": field, "message": message}]}, separators=(",", ":")).encode()


class Limits:
    """Refuses a foreign Host or Origin (DNS rebinding, other sites' pages), a body too large or too deep, and an
    answer that takes too long.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Iterable[str] = LOOPBACK_HOSTS,
        seconds: float = ANSWER_SECONDS,
        cold_seconds: float = COLD_SECONDS,
    ) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.seconds = seconds
        self.cold_seconds = cold_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = _Answer(send)
        stranger = self._stranger(scope)
        if stranger:
            known = ", ".join(sorted(self.hosts))
            await answer.refuse(400, stranger, f"this server answers to {known} only; open it under one of these")
            return
        usual = self.seconds if compiled.is_ready() else self.cold_seconds
        seconds = max(usual, SLOW_PATHS.get(scope["path"], 0.0))
        try:
            async with asyncio.timeout(seconds):
                await self._answer(scope, receive, answer)
        except TimeoutError:
            await answer.refuse(503, "body", f"no answer within {seconds:g} s; ask for less at once")

    async def _answer(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        body = await _read(receive)
        if body is None:
            return
        reason = refusal(body)
        if reason:
            await answer.refuse(422, "body", f"the body is {reason}")
            return
        await self.app(_as_json(scope) if body else scope, _replay(body, receive), answer.send)

    def _stranger(self, scope: Scope) -> str | None:
        """The header that names another host than this server's: a rebound name, or another site's page."""
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or _without_port(hosts[0]) not in self.hosts:
            return "host"
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        if any(_without_port(origin.partition("://")[2]) not in self.hosts for origin in origins):
            return "origin"
        return None


def _without_port(host: str) -> str:
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()


def _as_json(scope: Scope) -> Scope:
    """A body is JSON whatever its sender calls it, as `curl --data` calls it a form."""
    others = [(name, value) for name, value in scope["headers"] if name != b"content-type"]
    return {**scope, "headers": [*others, (b"content-type", b"application/json")]}


class _Answer:
    """The way out: adds the headers, and knows whether an answer has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            present = {name.lower() for name, _ in message["headers"]}
            extra = [(name, value) for name, value in _HEADERS.items() if name not in present]
            message = {**message, "headers": [*message["headers"], *extra]}
        await self._send(message)

    async def refuse(self, status: int, field: str, message: str) -> None:
        if self._begun:
            return
        body = problem(field, message)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


async def _read(receive: Receive) -> bytes | None:
    """The whole body, or its first bytes over the limit; None where the client went away."""
    parts, size = [], 0
    while size <= MAX_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body", False):
            break
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive that hands out the body already read, then goes on as before."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay

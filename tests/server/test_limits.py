"""Time limits, against applications made to be slow."""

from __future__ import annotations

import asyncio
import json

import pytest

from servelab.server.limits import Limits
from servelab.sim import compiled

SCOPE = {"type": "http", "path": "/", "method": "POST", "headers": [(b"host", b"localhost")]}


@pytest.fixture(autouse=True)
def ready(monkeypatch):
    """The compiled engine is there, unless a test says otherwise."""
    monkeypatch.setattr(compiled, "is_ready", lambda: True)


def run(app, receive, **limits):
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(Limits(app, **{"seconds": 0.05, "cold_seconds": 60, **limits})(SCOPE, receive, send))
    return sent


async def whole_body():
    return {"type": "http.request", "body": b"{}", "more_body": False}


async def never(*_):
    await asyncio.Event().wait()


def test_an_answer_that_takes_too_long_is_given_up():
    start, body = run(never, whole_body)
    assert start["status"] == 503
    assert "no answer within 0.05 s" in json.loads(body["body"])["detail"][0]["message"]


def test_an_answer_may_take_longer_until_the_engine_is_compiled(monkeypatch):
    async def longer_than_usual(scope, receive, send):
        await asyncio.sleep(0.2)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    assert run(longer_than_usual, whole_body)[0]["status"] == 503
    monkeypatch.setattr(compiled, "is_ready", lambda: False)
    assert run(longer_than_usual, whole_body)[0]["status"] == 200
    start, body = run(never, whole_body, cold_seconds=0.1)
    assert start["status"] == 503
    assert "no answer within 0.1 s" in json.loads(body["body"])["detail"][0]["message"]


def test_a_body_that_never_ends_is_given_up():
    start, _ = run(never, never)
    assert start["status"] == 503


def test_nothing_is_added_to_an_answer_that_has_begun():
    async def begins_then_hangs(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await never()

    assert [message["status"] for message in run(begins_then_hangs, whole_body)] == [200]


def test_a_client_that_goes_away_is_not_answered():
    async def gone():
        return {"type": "http.disconnect"}

    assert run(never, gone) == []


def test_the_application_gets_the_body_whole():
    parts = [b'{"a":', b"1}"]
    seen = []

    async def in_parts():
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def application(scope, receive, send):
        seen.append((await receive())["body"])

    run(application, in_parts)
    assert seen == [b'{"a":1}']

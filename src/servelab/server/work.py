"""Work that takes a while: in a thread of its own, ended when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from fastapi import Request, Response
from starlette.responses import StreamingResponse

from servelab.errors import ServelabError
from servelab.server.limits import problem
from servelab.server.problems import field_and_message

Answer = TypeVar("Answer")

#: Is told how much of how much is done; raises where nobody waits any more.
Look = Callable[[int, int], None]

#: A run shorter than this says nothing of its progress; a longer one does so at this distance.
_TELL_S = 0.1


class Gone(Exception):
    """The client went away, or the answer took too long."""


class _Watch:
    """What the thread tells and is told."""

    def __init__(self) -> None:
        self.gone = threading.Event()
        self.progress: tuple[int, int] | None = None

    def look(self, done: int, of: int) -> None:
        self.progress = done, of
        if self.gone.is_set():
            raise Gone


async def done(work: Callable[[Look], Answer], connection: Request) -> Answer | None:
    """What `work` returns; None where the client went away before it was done."""
    watch, task, leaving = _start(work, connection)
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        _stop(watch, task, leaving)  # also where the time is up and this is cancelled


async def told(work: Callable[[Look], str], connection: Request, seconds: float) -> Response:
    """What `work` returns as the last of some lines of JSON, the others of which tell how far it has come.

    A refusal before the first line is an answer of its own; a later one, as after `seconds`, is the last line.
    """
    watch, task, leaving = _start(work, connection)
    try:
        await asyncio.wait({task, leaving}, timeout=_TELL_S, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()  # raises what it refused with
    except BaseException:
        _stop(watch, task, leaving)
        raise
    return StreamingResponse(_lines(watch, task, leaving, seconds), media_type="application/x-ndjson")


async def _lines(
    watch: _Watch, task: asyncio.Task[str], leaving: asyncio.Task[None], seconds: float
) -> AsyncIterator[str]:
    clock = asyncio.get_running_loop()
    until = clock.time() + seconds
    try:
        while not task.done() and not leaving.done():
            if clock.time() > until:
                yield problem("body", f"no answer within {seconds:g} s; ask for less at once").decode() + "\n"
                return
            if watch.progress:
                yield '{{"done":{},"of":{}}}\n'.format(*watch.progress)
            await asyncio.wait({task, leaving}, timeout=_TELL_S, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            yield _last_line(task) + "\n"
    finally:
        _stop(watch, task, leaving)


def _last_line(task: asyncio.Task[str]) -> str:
    try:
        return task.result()
    except ServelabError as error:
        return problem(*field_and_message(error)).decode()


def _start(
    work: Callable[[Look], Answer], connection: Request
) -> tuple[_Watch, asyncio.Task[Answer], asyncio.Task[None]]:
    watch = _Watch()
    task = asyncio.create_task(asyncio.to_thread(work, watch.look))
    return watch, task, asyncio.create_task(_disconnection(connection))


def _stop(watch: _Watch, task: asyncio.Task[Any], leaving: asyncio.Task[None]) -> None:
    watch.gone.set()
    leaving.cancel()
    task.add_done_callback(_forget)


async def _disconnection(connection: Request) -> None:
    """Return once the client has gone away."""
    while (await connection.receive())["type"] != "http.disconnect":
        pass


def _forget(task: asyncio.Task[Any]) -> None:
    """Take note of how abandoned work ended, so that nothing is logged about it."""
    if not task.cancelled():
        task.exception()

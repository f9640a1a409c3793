"""Starts the studio: binds, says where, opens the browser, serves until told to stop."""

from __future__ import annotations

import errno
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from servelab.errors import SpecError
from servelab.server.app import create_app
from servelab.server.limits import LOOPBACK_HOSTS

#: How many connections may wait to be accepted.
_BACKLOG = 2048

#: Where a server that is bound everywhere is reached from this machine.
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - looked up, not bound


def serve(host: str, port: int, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve the studio on `host`:`port` (0 picks a free port) until interrupted; `say` is told the address.

    Raises SpecError where the address cannot be had.
    """
    with _bind(host, port) as listener:
        name = f"[{host}]" if ":" in host else host
        app = create_app(hosts=(*LOOPBACK_HOSTS, name))
        address = f"http://{_EVERYWHERE.get(name, name)}:{listener.getsockname()[1]}"
        # log_config=None: what is worth a warning goes to stderr by logging's own last resort
        config = uvicorn.Config(app, log_config=None, log_level="warning", timeout_graceful_shutdown=2)
        server = _Announcing(config, lambda: _announce(address, browser=browser, say=say))
        server.run(sockets=[listener])


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # asyncio switches Nagle's delay (40 ms an answer) off only where the protocol is named
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
        except BaseException:
            listener.close()
            raise
    except (socket.gaierror, UnicodeError):
        raise SpecError("host", f"{host!r} is no address of this machine; use 127.0.0.1") from None
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            why = "in use" if error.errno == errno.EADDRINUSE else "not allowed"
            raise SpecError("port", f"{port} is {why}; choose another, or 0 for a free one") from None
        raise SpecError("host", f"{host!r} cannot be bound ({error.strerror}); use 127.0.0.1") from None
    return listener


class _Announcing(uvicorn.Server):
    """A server that calls back once it accepts connections."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()


def _announce(address: str, *, browser: bool, say: Callable[[str], None]) -> None:
    say(address)
    if browser:  # in a thread: some browsers are waited for until they close
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

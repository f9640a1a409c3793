"""The application: limits around, routes and the page inside."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import servelab
from servelab.server import problems
from servelab.server.limits import LOOPBACK_HOSTS, Limits
from servelab.server.routes import router

STATIC = Path(__file__).parents[1] / "static"


def create_app(*, hosts: Iterable[str] = LOOPBACK_HOSTS) -> FastAPI:
    """The studio's server, answering to `hosts` only."""
    app = FastAPI(
        title="servelab",
        version=servelab.__version__,
        summary="What serving a large language model will take, by an analytical model.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Limits, hosts=hosts)
    app.include_router(router)
    problems.install(app)
    _add_page(app)
    return app


def _add_page(app: FastAPI) -> None:
    """The built page, file by file, so that what is no file of it is an unknown path like any other."""
    if not (STATIC / "index.html").is_file():
        app.add_api_route("/", _no_page, include_in_schema=False)
        return
    for entry in sorted(STATIC.iterdir()):
        if entry.is_dir():
            app.mount(f"/{entry.name}", _Hashed(directory=entry))
        else:
            path = "/" if entry.name == "index.html" else f"/{entry.name}"
            app.add_api_route(path, _sender(entry), methods=["GET", "HEAD"], include_in_schema=False)


def _sender(file: Path) -> Callable[[], Awaitable[FileResponse]]:
    """A route that answers with `file`, which the browser asks for anew each time."""

    async def send() -> FileResponse:
        return FileResponse(file, headers={"cache-control": "no-cache"})

    return send


class _Hashed(StaticFiles):
    """Files whose names carry their hash: they may be kept for good."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


async def _no_page() -> Response:
    return Response("The page is not built; run `make web`, then start servelab again.\n", media_type="text/plain")

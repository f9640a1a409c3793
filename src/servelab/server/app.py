"""The application: limits around, routes and the page inside."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fastapi import FastAPI, Response
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
    if (STATIC / "index.html").is_file():
        app.mount("/", _Page(directory=STATIC, html=True))
    else:
        app.add_api_route("/", _no_page, include_in_schema=False)
    return app


class _Page(StaticFiles):
    """The built page; files whose name carries their hash may be kept for good, the rest is asked for again."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        kept = "public, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        response.headers["cache-control"] = kept
        return response


async def _no_page() -> Response:
    return Response("The page is not built; run `make web`, then start servelab again.\n", media_type="text/plain")

"""One server and one browser for all browser tests; for each a page that fails it when anything goes wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.web.driver import Server, Studio
from tests.web.install_browser import installed

FLAGS = [
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def sandbox() -> list[str]:
    """Chromium's own sandbox does not start for root."""
    return ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    process = Server()
    yield process
    process.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=installed(), args=[*FLAGS, *sandbox()])
        yield found
        found.close()


@pytest.fixture(scope="session")
def usual(browser: Browser, server: Server) -> Iterator[Studio]:
    """The page that tests without wishes of their own share, one after the other."""
    studio = Studio(browser, server.address)
    yield studio
    studio.context.close()


@pytest.fixture
def visit(browser: Browser, server: Server, usual: Studio) -> Iterator[Any]:
    """A function that opens the page: visit(link, **context options). Any option means a context of its own."""
    opened: list[Studio] = []

    def visit(link: str = "", prepare: Any = None, address: str | None = None, **context: Any) -> Studio:
        own = prepare or address or context or opened
        studio = Studio(browser, address or server.address, **context) if own else usual
        opened.append(studio)
        if prepare:
            prepare(studio)
        return studio.open(link)

    yield visit
    faults = [fault for studio in opened for fault in studio.unexpected()]
    for studio in opened:
        if studio is usual:
            studio.forget()
        else:
            studio.context.close()
    assert faults == []


@pytest.fixture
def studio(visit: Any) -> Studio:
    """The page on its working example."""
    return visit()

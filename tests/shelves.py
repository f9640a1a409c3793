"""A shelf with labs of others on it, for as long as a test takes."""

from __future__ import annotations

import sys

import pytest

from servelab.labs import shelf as shelves
from servelab.server import labs as door
from tests.labs.thirdparty import install


@pytest.fixture
def bring(tmp_path, monkeypatch):
    """`bring(name, module)` puts a distribution where Python finds it, and has the shelf read anew."""
    monkeypatch.syspath_prepend(str(tmp_path))
    brought = []

    def one(name="dicelab", **more):
        install(tmp_path, name, **more)
        brought.append(name)
        forget()

    yield one
    for name in brought:
        sys.modules.pop(name, None)
    forget()


def own_labs():
    """Ids of the labs that come with servelab, in their order."""
    return [name for name, placed in shelves.shelf().labs.items() if placed.source.startswith("servelab ")]


def forget():
    shelves.shelf.cache_clear()
    door._labs.cache_clear()

"""What is packed: the page and the catalogue are in, sources of the page and tests are not."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


def build(kind, folder):
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (packed,) = folder.iterdir()
    return packed


def test_a_wheel_ships_the_page_and_the_catalogue(tmp_path):
    names = zipfile.ZipFile(build("wheel", tmp_path)).namelist()
    assert {
        "servelab/static/index.html",
        "servelab/specs/catalog/models.toml",
        "servelab/specs/catalog/accelerators.toml",
        "servelab/specs/catalog/profiles.toml",
        "servelab/fidelity/measured/measurements.csv",
        "servelab/fidelity/measured/held_out.csv",
        "servelab/py.typed",
    } <= set(names)
    assert any(name.startswith("servelab/static/assets/") and name.endswith(".js") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "web/")) or "node_modules" in name]


def test_an_sdist_carries_the_built_page(tmp_path):
    with tarfile.open(build("sdist", tmp_path)) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"src/servelab/static/index.html", "web/package-lock.json", "hatch_build.py", "PKG-INFO"} <= set(names)
    assert not [name for name in names if "node_modules" in name]

"""What the page knows of the API is generated from it, and is up to date."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys

import pytest

from tests.web.driver import ROOT

API = ROOT / "web" / "src" / "api"


@pytest.mark.parametrize("name", ["schema.d.ts", "fields.json", "presets.json"])
def test_generated_files_are_what_the_api_gives(name, generated):
    assert (API / name).read_text(encoding="utf-8") == (generated / name).read_text(encoding="utf-8"), (
        "run `make schema` and commit what it writes"
    )


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    subprocess.run([sys.executable, ROOT / "web" / "scripts" / "generate.py", "--into", folder], check=True)
    return folder


def test_the_page_s_first_script_is_small():
    page = ROOT / "src" / "servelab" / "static"
    html = (page / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r'<script[^>]*src="/([^"]+)"', html)
    scripts += re.findall(r'<link rel="modulepreload"[^>]*href="/([^"]+)"', html)
    assert scripts
    assert sum(len(gzip.compress((page / name).read_bytes())) for name in scripts) <= 80_000
    assert "data:" not in html

"""How much the page weighs."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

STATIC = Path(__file__).parents[1] / "src" / "servelab" / "static"


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar."""
    yield "first JS, gzip", f"{first_script_bytes() / 1000:.1f} kB", "≤ 80 kB"


def first_script_bytes() -> int:
    """Every script that index.html names, compressed one by one."""
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r'(?:src|href)="\.?/?([^"]+\.js)"', page)
    return sum(len(gzip.compress((STATIC / name).read_bytes(), 9)) for name in scripts)

"""Quantities in and out of text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servelab.units import parse, show

SOURCES = Path(__file__).parents[1] / "src" / "servelab"


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("80 GB", "B", 80e9),
        ("80GiB", "B", 80 * 2**30),
        ("3.35 TB/s", "B/s", 3.35e12),
        ("989.4 TFLOP/s", "FLOP/s", 989.4e12),
        ("0.1 ms", "s", 1e-4),
        ("12 µs", "s", 12e-6),
        ("2e9 B", "B", 2e9),
        ("7 B", "B", 7.0),
    ],
)
def test_reads_what_people_write(text, unit, value):
    assert parse(text, unit) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("text", ["", "80", "GB", "80 GB/s", "80 gb", "-80 GB", "nan GB", "80 GX", "8 0 GB", "80 kiB"])
def test_refuses_what_is_no_quantity(text):
    with pytest.raises(ValueError, match="no quantity in B"):
        parse(text, "B")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (12.44e-3, "s", "12.4 ms"),
        (61.24e9, "B", "61.2 GB"),
        (5460.4, "tok/s", "5,460 tok/s"),
        (0.9996, "s", "1.00 s"),
        (999.6e6, "B", "1.00 GB"),
        (0.0, "s", "0 s"),
        (3.35e12, "B/s", "3.35 TB/s"),
        (1e-12, "s", "0.00100 ns"),
        (float("inf"), "s", "inf s"),
        (0.4653, "USD", "0.465 USD"),
        (8030261248, "parameters", "8.03 billion parameters"),
        (2e20, "tok/s", "2e+20 tok/s"),
        (124e6, "parameters", "124 million parameters"),
    ],
)
def test_shows_three_figures(value, unit, text):
    assert show(value, unit) == text


@given(st.floats(1e-3, 1e17), st.sampled_from(["B", "B/s", "FLOP/s"]))
def test_what_is_shown_reads_back_within_its_figures(value, unit):
    assert parse(show(value, unit).replace(",", ""), unit) == pytest.approx(value, rel=6e-3)


def test_no_other_module_converts_units():
    factor = re.compile(r"\b(1e-?0?[369]|1e-?12|1e-?15|1024|1000(?:\.0)?|1_000|1_000_000|2\s?\*\*\s?[1234]0)\b")
    allowed = {"units.py"}
    found = [
        f"{path.relative_to(SOURCES)}:{number}: {line.strip()}"
        for path in sorted(SOURCES.rglob("*.py"))
        if path.name not in allowed
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"[*/]\s*" + factor.pattern, line) and "per_million" not in line and "cost" not in line
    ]
    assert found == []

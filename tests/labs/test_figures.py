"""Figures in sentences of labs are those of the page, to the letter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from servelab.labs.figures import show

EXAMPLES = json.loads((Path(__file__).parents[2] / "web/src/ui/figures.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{one['value']} {one['unit']}" for one in EXAMPLES])
def test_a_figure_is_written_as_the_page_writes_it(example):
    assert show(example["value"], example["unit"]) == example["text"]


def test_the_examples_have_a_time_on_each_side_of_two_minutes():
    times = [one["text"] for one in EXAMPLES if one["unit"] == "s"]
    assert {"119 s", "2.00 min", "2.03 min", "27.2 min", "2.00 h"} <= set(times)


def test_what_a_float_only_nearly_is_rounds_as_it_is_read():
    assert show(0.3e-3, "s") == "300 µs"
    assert show(-0.0213, "fraction") == "-2.13 %"
    assert show(182.0, "") == "182"

"""Paths lead to what is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from servelab.errors import UnknownName
from servelab.labs.paths import PATHS, CourseStep
from servelab.labs.shelf import shelf

WEB = Path(__file__).resolve().parents[2] / "web" / "src"
OWN = [placed.lab for placed in shelf().labs.values() if placed.source.startswith("servelab ")]


def known():
    experiments, of_traffic = (
        [one["id"] for one in json.loads((WEB / "words" / f"{name}.json").read_text(encoding="utf-8"))]
        for name in ("experiments", "traffic-experiments")
    )
    pages = (WEB / "pages" / "pages.ts").read_text(encoding="utf-8")
    return {
        "lab": {lab.id for lab in OWN},
        "experiment": {*experiments, *(f"traffic/{name}" for name in of_traffic)},
        "mission": {f"{lab.id}/{mission.id}" for lab in OWN for mission in lab.missions},
        "page": set(re.findall(r'^  "?([a-z-]+)"?: page\(', pages, re.MULTILINE)),
    }


@pytest.mark.parametrize("path", PATHS, ids=[path.id for path in PATHS])
def test_every_step_leads_somewhere_once(path):
    there = known()
    steps = [(step.kind, step.id) for step in path.steps]
    assert len(set(steps)) == len(steps) >= 5
    for kind, name in steps:
        assert name in there[kind]
    assert {"mission", "page", "experiment"} <= {kind for kind, _ in steps}
    assert all(step.why and 0 < step.minutes <= 20 for step in path.steps)


def test_there_is_a_path_for_each_of_three():
    assert [path.id for path in PATHS] == ["student", "engineer", "manager"]
    with pytest.raises(UnknownName):
        CourseStep("labs", "grouped-query", "…", 3)

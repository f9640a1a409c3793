"""Labs are accessible and within their window, at every width, in both themes."""

from __future__ import annotations

import re

import pytest

from tests.web.lab import LAB, REJECTED, event, heads
from tests.web.mission import CATALOGUE

pytestmark = pytest.mark.browser

WIDTHS = (390, 768, 1280)
MISSION = f"{LAB}&lab-mission=two-halves"
HANDOUT = f"{MISSION}&lab-hide=seed&lab-view=handout"


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("link", [CATALOGUE, REJECTED, HANDOUT], ids=["catalogue", "rejected", "handout"])
def test_axe_finds_nothing_on_a_page_of_labs(visit, link, theme):
    studio = visit(link)
    studio.theme(theme)
    found = {}
    for width in WIDTHS:
        studio.resize(width)
        found[width] = studio.violations()
    assert found == {width: [] for width in WIDTHS}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_in_a_lab_and_in_what_opens(visit, theme):
    studio = visit(LAB)
    studio.theme(theme)
    heads(studio, "8").check()
    event(studio, "Burst").click()
    studio.control("button", "About: Arrivals").click()
    studio.control("button", "How to play").click()
    studio.page.get_by_role("button", name="The same as a table").first.click()
    studio.settled()
    found = {}
    for width in WIDTHS:
        studio.resize(width)
        found[width] = (studio.violations(), studio.sideways())
    assert found == {width: ([], 0) for width in WIDTHS}
    studio.control("button", "Formula: Throughput").click()
    assert studio.violations() == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_in_a_mission_and_its_dialog(visit, theme):
    studio = visit(f"{MISSION}&lab-hide=card&lab.kv_heads=4")
    studio.theme(theme)
    studio.page.get_by_role("button", name=re.compile("^Ask for a hint")).click()
    studio.control("button", "Read why it works").click()
    studio.settled()
    found = {}
    for width in WIDTHS:
        studio.resize(width)
        found[width] = (studio.violations(), studio.sideways())
    assert found == {width: ([], 0) for width in WIDTHS}
    studio.control("button", "Make a link for a class").click()
    assert studio.violations() == []


@pytest.mark.parametrize(
    "link",
    [CATALOGUE, LAB, REJECTED, MISSION, HANDOUT],
    ids=["catalogue", "lab", "rejected", "mission", "handout"],
)
def test_no_page_of_labs_scrolls_sideways(visit, link):
    studio = visit(link)
    over = {}
    for width in (390, 600, 768, 959, 960, 1280, 1920):
        studio.resize(width)
        over[width] = studio.sideways()
    assert over == dict.fromkeys(over, 0)


def test_a_phone_has_the_settings_in_a_sheet(visit):
    studio = visit(LAB)
    studio.resize(390, 844)
    studio.control("button", "Settings").click()
    studio.control("radio", "FP8").check()
    studio.settled()
    assert studio.violations() == []
    studio.control("button", "Done").click()
    assert studio.sideways() == 0

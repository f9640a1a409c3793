"""Accessible and within its window, at every width, in both themes."""

from __future__ import annotations

import json
import re

import pytest

from tests.web.driver import CONFIG, TOO_LARGE

pytestmark = pytest.mark.browser

WIDTHS = (390, 768, 1280)
KINDS = "#v=1&model=qwen3-next-80b-a3b-thinking&accelerator=rtx-4070"
HOOD = "#v=1&page=under-the-hood"
PREDICT = "#v=1&page=predict"


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("link", ["", TOO_LARGE, HOOD, PREDICT], ids=["fits", "does-not-fit", "hood", "predict"])
def test_axe_finds_nothing_on_a_page(visit, link, theme):
    studio = visit(link)
    studio.theme(theme)
    found = {}
    for width in WIDTHS:
        studio.resize(width)
        found[width] = studio.violations()
    assert found == {width: [] for width in WIDTHS}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_in_what_opens(visit, theme):
    studio = visit()
    studio.theme(theme)
    studio.allow("422")
    found = []
    studio.control("button", "Planning assumptions").click()
    studio.control("button", "Why not 3, 5, 6, 7?").click()
    studio.control("button", "About: Batch").click()
    studio.control("spinbutton", "Output").fill("")
    studio.control("spinbutton", "Batch").fill("0")
    studio.page.get_by_role("alert").nth(1).wait_for()
    found += studio.violations()
    studio.control("button", "Reset").click()
    studio.settled()
    studio.control("combobox", "Model").click()
    found += studio.violations()
    studio.press("Escape")
    studio.control("button", "Formula: Time per output token").click()
    studio.page.locator("math").first.wait_for()
    studio.control("button", "Where the inputs come from").click()
    found += studio.violations()
    studio.press("Escape", "?")
    found += studio.violations()
    studio.press("Escape", "ControlOrMeta+k")
    studio.control("combobox", "Search controls, actions and pages").fill("weights")
    found += studio.violations()
    studio.press("Escape")
    studio.control("button", "Pin as baseline").click()
    studio.control("combobox", "Weights format").select_option("int4")
    studio.settled()
    studio.page.get_by_role("table", name="One decode step, on average").wait_for()
    studio.control("button", "The same as a table").click()
    studio.control("radio", "Another a rate of your own").check()
    for width in WIDTHS:
        studio.resize(width)
        found += studio.violations()
        assert studio.sideways() == 0
    studio.resize(390, 844)
    studio.control("button", "Settings").click()
    found += studio.violations()
    assert found == []


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_in_forms_and_pickers(visit, theme, width):
    studio = visit(KINDS)
    studio.page.get_by_role("table", name=re.compile("What was understood")).wait_for()
    studio.theme(theme)
    studio.resize(width)
    studio.allow("422")
    found = studio.violations()
    if width < 960:
        studio.control("button", "Settings").click()
    studio.control("combobox", "Model").fill("moe")
    found += studio.violations()
    studio.press("Escape")
    studio.control("combobox", "Accelerator").fill("nothing like it")
    found += studio.violations()
    studio.press("Escape")
    studio.control("button", "Give your own figures").click()
    studio.control("textbox", "Memory").fill("much")
    studio.control("button", "Use this accelerator").click()
    studio.page.get_by_role("alert").wait_for()
    found += studio.violations()
    studio.press("Escape")
    studio.control("button", "Use a config.json").click()
    text = studio.control("textbox", "config.json")
    text.fill("{")
    studio.page.get_by_role("alert").wait_for()
    found += studio.violations()
    text.fill(json.dumps(CONFIG))
    studio.control("textbox", "Name").wait_for()
    found += studio.violations()
    assert (found, studio.sideways()) == ([], 0)


@pytest.mark.parametrize(
    "link", ["", TOO_LARGE, HOOD, PREDICT, KINDS], ids=["fits", "does-not-fit", "hood", "predict", "kinds"]
)
def test_nothing_scrolls_sideways(visit, link):
    studio = visit(link)
    over = {}
    for width in (390, 480, 600, 768, 959, 960, 1199, 1280, 1600, 1920):
        studio.resize(width)
        over[width] = studio.sideways()
    assert over == dict.fromkeys(over, 0)


def test_huge_values_stay_within_the_page(visit):
    studio = visit("#v=1&prompt_tokens=999999999&output_tokens=999999&batch=99999&reserve_bytes=1e20&page=studio")
    for width in (390, 1280):
        studio.resize(width)
        assert studio.sideways() == 0

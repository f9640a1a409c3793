"""A lab's set-up is part of the address; the palette reaches every lab and control; mishaps are said."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.lab import LAB, event, expect_pairs, heads, lab_of, run, shown

pytestmark = pytest.mark.browser

SET = "&lab.kv_heads=2&lab.requests_per_s=9.5&lab-events=burst%2Clong-documents&lab-seed=7"
ASKED = {"kv_heads": 2, "requests_per_s": 9.5, "events": ["burst", "long-documents"], "seed": 7}


def notices(studio):
    return studio.page.get_by_role("status", name="Notices")


def test_a_link_survives_a_reload(server, visit):
    studio = visit(LAB)
    heads(studio, "2").check()
    studio.control("spinbutton", "Arrivals").fill("9.5")
    event(studio, "Burst").click()
    event(studio, "Long-document day").click()
    studio.control("spinbutton", "Seed").fill("7")
    studio.settled()
    expect_pairs(studio, SET)
    studio.page.reload()
    studio.settled()
    assert shown(studio, lab_of(server)) == run(server, **ASKED)["tiles"]
    expect(event(studio, "Burst")).to_have_attribute("aria-pressed", "true")


def test_each_part_of_a_link_is_judged_on_its_own(server, visit):
    studio = visit(f"{LAB}&lab.kv_heads=3&lab.requests_per_s=8&lab.colour=blue&lab-events=flood&lab-seed=1.5")
    for bad in ("lab.kv_heads=3", "lab.colour=blue", "lab-events=flood", "lab-seed=1.5"):
        expect(notices(studio)).to_contain_text(bad)
    assert shown(studio, lab_of(server)) == run(server, requests_per_s=8.0)["tiles"]
    expect_pairs(studio, "&lab.requests_per_s=8")


def test_an_unknown_lab_leads_to_the_catalogue(visit):
    studio = visit("#v=1&page=labs&lab=perpetual-motion")
    expect(notices(studio)).to_contain_text("no lab called perpetual-motion")
    expect(studio.control("list", "Labs")).to_be_visible()


def test_back_walks_through_whole_edits(visit):
    studio = visit(LAB)
    arrivals = studio.control("spinbutton", "Arrivals")
    for text in ("8", "9", "10"):
        arrivals.fill(text)
    expect_pairs(studio, "&lab.requests_per_s=10")
    studio.control("radio", "FP8").check()
    expect_pairs(studio, "&lab.kv_cache=fp8&lab.requests_per_s=10")
    studio.page.go_back()
    expect(studio.control("radio", "BF16")).to_be_checked()
    studio.page.go_back()
    expect(arrivals).to_have_value("6")


def test_the_palette_opens_labs_and_reaches_their_controls(server, studio):
    title = lab_of(server)["title"]
    search = studio.control("combobox", "Search controls, actions and pages")
    studio.press("ControlOrMeta+k")
    search.fill(title)
    studio.page.get_by_role("group", name="Labs").get_by_role("option").click()
    expect(studio.page.get_by_role("heading", level=1, name=title)).to_be_visible()
    studio.press("ControlOrMeta+k")
    search.fill("arrivals")
    studio.press("Enter")
    expect(studio.control("spinbutton", "Arrivals")).to_be_focused()


def test_a_setting_that_cannot_be_used_is_said_at_its_control(visit):
    studio = visit(LAB)
    studio.allow("422")
    arrivals = studio.control("spinbutton", "Arrivals")
    arrivals.fill("900")
    expect(studio.page.get_by_role("alert")).to_contain_text("900")
    arrivals.fill("")
    expect(studio.page.get_by_role("alert")).to_contain_text("Give a number")
    arrivals.fill("7")
    expect(studio.page.get_by_role("alert")).to_have_count(0)


def test_without_an_answer_the_last_figures_stay(server, visit):
    studio = visit(LAB)
    studio.allow("net::ERR_FAILED")
    before = shown(studio, lab_of(server))
    studio.page.route("**/api/labs/**", lambda route: route.abort())
    studio.control("radio", "FP8").check()
    expect(notices(studio)).to_contain_text("did not answer")
    assert shown(studio, lab_of(server)) == before
    studio.page.unroute_all()
    studio.control("button", "Try again").click()
    expect(notices(studio)).to_be_empty()
    assert shown(studio, lab_of(server)) == run(server, kv_cache="fp8")["tiles"]

"""A lab on the page: its figures are the API's, every change runs it again and says what it did."""

from __future__ import annotations

import math
import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import plain
from tests.web.lab import LAB, REJECTED, expect_pairs, heads, lab_of, run, shown, tile
from tests.web.mission import CATALOGUE

pytestmark = pytest.mark.browser


def test_the_catalogue_leads_to_a_lab_and_back(server, studio):
    card = lab_of(server)
    studio.control("link", "Labs").click()
    expect(studio.control("heading", "Labs")).to_be_visible()
    item = studio.control("list", "Labs").get_by_role("listitem").filter(has_text=card["title"])
    for text in (card["lesson"], card["evidence"]["label"], f"about {card['minutes']}"):
        expect(item).to_contain_text(text)
    item.get_by_role("link").click()
    expect(studio.page.get_by_role("heading", level=1, name=card["title"])).to_be_visible()
    expect(studio.page.get_by_role("main")).to_be_focused()
    expect(studio.page).to_have_title(f"{card['title']} · servelab")
    expect_pairs(studio, "")
    studio.page.go_back()
    expect(studio.control("list", "Labs")).to_be_visible()
    studio.page.go_forward()
    studio.control("button", "All labs").click()
    expect(studio.control("list", "Labs")).to_be_visible()


@pytest.mark.parametrize(
    ("link", "asked"),
    [
        ("", {}),
        (
            "&lab.kv_heads=8&lab.kv_cache=fp8&lab.requests_per_s=7.5",
            {"kv_heads": 8, "kv_cache": "fp8", "requests_per_s": 7.5},
        ),
        ("&lab-events=burst&lab-seed=3", {"events": ["burst"], "seed": 3}),
    ],
)
def test_tiles_are_the_answers_of_the_api(server, visit, link, asked):
    studio = visit(f"{LAB}{link}")
    answer = run(server, **asked)
    assert shown(studio, lab_of(server)) == answer["tiles"]
    expect(studio.page.get_by_role("main")).to_contain_text(answer["headline"])
    for remark in answer["remarks"]:
        expect(studio.control("list", "What to notice")).to_contain_text(remark)


#: However slow the machine, nothing comes between them.
TWO_KEYS_AT_ONCE = """slider => { for (let press = 0; press < 2; press++)
  slider.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true})) }"""


def test_a_moved_slider_runs_the_lab_again_and_says_what_it_did(server, visit):
    studio = visit(LAB)
    slider = studio.control("slider", "Arrivals, slider")
    slider.evaluate(TWO_KEYS_AT_ONCE)
    studio.settled()
    answer = run(server, requests_per_s=7.0, before={})
    expect_pairs(studio, "&lab.requests_per_s=7")
    card = lab_of(server)
    assert shown(studio, card) == answer["tiles"]
    # Both moves are one edit, compared with the set-up before it.
    expect(studio.page.get_by_text(answer["changes"]["summary"], exact=True)).to_be_visible()
    for entry in card["tiles"]:
        change = answer["changes"]["tiles"][entry["id"]]
        said = plain(tile(studio, entry["title"]).inner_text())
        assert plain(change["words"]) in said
        assert ("better" in said, "worse" in said) == (change["verdict"] == "better", change["verdict"] == "worse")


def test_a_figure_that_a_better_choice_turned_red_says_why(server, visit):
    studio = visit(LAB)
    heads(studio, "8").check()
    studio.settled()
    card, changes = lab_of(server), run(server, kv_heads=8, before={})["changes"]["tiles"]
    red = {entry["title"]: changes[entry["id"]]["why"] for entry in card["tiles"] if changes[entry["id"]]["why"]}
    assert len(red) >= 2
    for title, why in red.items():
        expect(tile(studio, title)).to_contain_text("worse")
        expect(tile(studio, title)).to_have_accessible_description(why)


def test_undo_redo_and_reset_stay_within_the_lab(visit):
    studio = visit(f"{LAB}&batch=41")
    arrivals = studio.control("spinbutton", "Arrivals")
    arrivals.fill("12")
    studio.settled()
    studio.control("radio", "FP8").check()
    studio.settled()
    studio.page.get_by_role("main").focus()
    studio.press("ControlOrMeta+z")
    expect(studio.control("radio", "BF16")).to_be_checked()
    studio.press("ControlOrMeta+z")
    expect(arrivals).to_have_value("6")
    studio.control("button", "Redo").click()
    expect(arrivals).to_have_value("12")
    studio.control("button", "Reset").click()
    studio.settled()
    expect(arrivals).to_have_value("6")
    expect(studio.page).to_have_url(re.compile("#v=1&page=labs&batch=41&lab=grouped-query$"))
    studio.control("link", "Studio").click()
    expect(studio.control("spinbutton", "Batch")).to_have_value("41")


def test_a_pinned_set_up_stays_what_everything_is_compared_with(server, visit):
    studio = visit(LAB)
    studio.control("button", "Pin this set-up").click()
    studio.control("radio", "FP8").check()
    studio.settled()
    studio.control("spinbutton", "Arrivals").fill("12")
    studio.settled()
    summary = run(server, kv_cache="fp8", requests_per_s=12.0, before={})["changes"]["summary"]
    expect(studio.page.get_by_text(summary, exact=True)).to_be_visible()
    studio.control("button", "Unpin").click()
    expect(studio.page.get_by_text(summary, exact=True)).not_to_be_visible()


def test_a_bar_is_a_set_up_to_try(server, visit):
    studio = visit(LAB)
    studio.page.get_by_role("button", name=re.compile("^KV heads 4:")).press("Enter")
    studio.settled()
    expect_pairs(studio, "&lab.kv_heads=4")
    assert shown(studio, lab_of(server)) == run(server, kv_heads=4)["tiles"]
    expect(studio.page.get_by_role("button", name=re.compile("^KV heads 4:"))).to_have_attribute("aria-pressed", "true")


def test_charts_are_read_by_keyboard_and_as_tables(server, visit):
    studio = visit(LAB)
    chart = run(server)["charts"]["timeline"]
    reader = studio.control("slider", "Every request: a request to read")
    reader.press("End")
    expect(reader).to_have_attribute("aria-valuetext", re.compile(f"^Request {len(chart['start']):,}"))
    line = studio.page.get_by_role("slider", name=re.compile("^KV cache in use: a place"))
    line.press("Home")
    expect(line).to_have_attribute("aria-valuetext", re.compile("in use"))
    section = studio.page.get_by_role("region", name="Every request", exact=True)
    section.get_by_role("button", name="The same as a table").click()
    table = studio.page.get_by_role("table", name="Every request")
    assert table.get_by_role("row").count() == 25
    section.get_by_role("button", name="Later rows").click()
    expect(table.get_by_role("rowheader").first).to_have_text("25")


def test_a_formula_opens_with_the_current_values(server, visit):
    studio = visit(LAB)
    entry = next(entry for entry in lab_of(server)["tiles"] if entry["id"] == "output_tokens_per_s")
    studio.control("button", f"Formula: {entry['title']}").click()
    dialog = studio.page.get_by_role("dialog", name=entry["title"])
    expect(dialog).to_contain_text(entry["formula"])
    expect(dialog).to_contain_text(str(run(server)["tiles"][entry["id"]]))


def test_where_everything_is_rejected_the_page_says_so_and_helps(server, visit):
    studio = visit(REJECTED)
    refusal = run(server, card="rtx-4090", events=["memory-squeeze"])["refusal"]
    screen = studio.page.get_by_role("region", name=refusal["title"])
    expect(screen).to_contain_text(refusal["reason"])
    assert refusal["kind"] == "all-rejected"
    assert tile(studio, "Throughput").count() == 0
    remedies = studio.page.get_by_role("group", name="What would help").get_by_role("button")
    assert remedies.all_inner_texts() == [remedy["label"] for remedy in refusal["remedies"]]
    remedies.first.click()
    expect(screen).not_to_be_visible()
    studio.settled()
    expect(tile(studio, "Throughput")).to_be_visible()


def test_a_mission_is_begun_in_its_lab_and_left_for_it(server, visit):
    studio = visit(LAB)
    mission = lab_of(server)["missions"][0]
    studio.control("link", mission["title"]).click()
    studio.settled()
    expect(studio.control("status", f"Result: {mission['title']}")).to_contain_text("No star now")
    heads(studio, "8").check()
    studio.settled()
    studio.control("button", "Leave the mission").click()
    expect_pairs(studio, "&lab.kv_heads=8")
    expect(studio.control("link", mission["title"])).to_be_visible()


def test_a_chart_and_its_table_are_read_one_by_one(server, visit):
    studio = visit(f"{CATALOGUE}&lab=deploy")
    charts = run(server, "deploy")["charts"]
    points, requests = len(charts["pass"]["x"]), len(charts["timeline"]["start"])
    assert requests > 48

    def far(count):
        return max(1, math.floor(count / 20 + 0.5))

    def at(reader, place):
        expect(reader).to_have_attribute("aria-valuenow", str(place))

    line = studio.control("slider", "What a pass of decodes waits for: a place to read")
    expect(line).to_have_attribute("aria-valuemax", str(points))
    line.focus()
    middle = points // 2 + 1
    at(line, middle)
    keys = {"ArrowUp": middle + 1, "PageDown": middle + 1 - far(points), "End": points, "ArrowRight": points}
    for key, place in keys.items():
        studio.press(key)
        at(line, place)
    studio.press("Home")
    at(line, 1)
    expect(line).to_have_attribute("aria-valuetext", re.compile(r"^1: the whole pass \d"))

    rows = studio.control("slider", "Every request: a request to read")
    rows.focus()
    at(rows, 1)
    for key, place in {"ArrowDown": 2, "PageDown": 2 + far(requests), "PageUp": 2, "ArrowUp": 1}.items():
        studio.press(key)
        at(rows, place)
    line.focus()
    expect(rows).to_have_attribute("aria-valuetext", "no request chosen")
    rows.hover()
    expect(rows).to_have_attribute("aria-valuetext", re.compile("^Request "))

    section = studio.page.get_by_role("region", name="Every request", exact=True)
    section.get_by_role("button", name="The same as a table").click()
    expect(section).to_contain_text(f"1 to 24 of {requests}")
    expect(section.get_by_role("button", name="Earlier rows")).to_be_disabled()
    section.get_by_role("button", name="Later rows").click()
    expect(section).to_contain_text(f"25 to 48 of {requests}")
    section.get_by_role("button", name="Earlier rows").click()
    expect(section).to_contain_text(f"1 to 24 of {requests}")

"""What teachers have: a link that hides controls, and a mission as a sheet of paper."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import expect

from tests.web.driver import plain
from tests.web.lab import lab_of, run, shown
from tests.web.mission import CATALOGUE, graded, link, mission_of, result, solved

pytestmark = pytest.mark.browser

TWO_HALVES = "grouped-query/two-halves"
LONG_DAY = "grouped-query/long-document-day"
HIDDEN = "hidden by the link that led here and cannot be changed"


def begun(server, mission):
    """The API's answer to a mission's set-up."""
    return run(server, "grouped-query", mission["events"], mission["seed"], **mission["settings"])


def test_a_link_for_a_class_is_made_in_a_dialog(server, visit):
    lab, mission = mission_of(server, LONG_DAY)
    studio = visit(CATALOGUE)
    studio.control("button", "Make a link for a class").click()
    dialog = studio.page.get_by_role("dialog", name="Make a link for a class")
    dialog.get_by_role("combobox", name="Mission", exact=True).select_option(mission["key"])
    told = dialog.get_by_role("status", name="What the class will see")
    expect(told).to_contain_text("Nothing is hidden")
    dialog.get_by_role("checkbox", name="Card").check()
    expect(told).to_contain_text(f"Card is {HIDDEN}")
    made = dialog.get_by_role("textbox", name="The link", exact=True).input_value()
    assert unquote(made) == f"{studio.address}/{link(lab, mission, rest='&lab-hide=card')}"
    for free in ("KV heads", "KV format"):
        dialog.get_by_role("checkbox", name=free).check()
    expect(told).to_contain_text("leave at least one control")


def test_what_a_link_hides_is_out_of_sight_and_stays(server, visit):
    lab, mission = mission_of(server, LONG_DAY)
    studio = visit(link(lab, mission, rest="&lab-hide=card,kv_heads"))
    assert studio.control("combobox", "Card").count() == 0
    assert studio.page.get_by_role("radiogroup", name="KV heads").count() == 0
    expect(studio.page.get_by_role("complementary", name="Settings")).to_contain_text(HIDDEN)
    figures = begun(server, mission)["tiles"]
    assert shown(studio, lab_of(server)) == figures
    # A bar of a chart is a set-up to try; what it would change is hidden, so it is said and nothing moves.
    studio.page.get_by_role("button", name=re.compile("^KV heads 4:")).press("Enter")
    expect(studio.page.get_by_role("status", name="Notices")).to_contain_text("has to stay here, and did: KV heads")
    studio.settled()
    assert shown(studio, lab_of(server)) == figures
    studio.control("radio", "FP8").check()
    studio.settled()
    studio.page.reload()
    studio.settled()
    assert studio.control("combobox", "Card").count() == 0
    expect(studio.control("radio", "FP8")).to_be_checked()


def test_each_part_of_a_link_for_a_class_is_judged_on_its_own(server, visit):
    lab, mission = mission_of(server, LONG_DAY)
    studio = visit(link(lab, mission, rest="&lab-hide=card,colour&lab.card=h200-sxm-141gb&lab-seed=4"))
    notices = studio.page.get_by_role("status", name="Notices")
    for bad in ("lab-hide=colour", "lab.card=h200-sxm-141gb", "lab-seed=4"):
        expect(notices).to_contain_text(bad)
    assert shown(studio, lab_of(server)) == begun(server, mission)["tiles"]
    studio.open(f"{CATALOGUE}&lab={lab}&lab-mission=nowhere&lab-hide=seed")
    expect(notices).to_contain_text("lab-mission=nowhere")
    expect(result(studio, mission)).to_have_count(0)
    assert studio.control("spinbutton", "Seed").count() == 0


def test_a_hand_out_holds_the_question_and_not_the_answer(server, visit):
    lab, mission = mission_of(server, TWO_HALVES)
    studio = visit(solved(server, lab, mission))
    studio.control("button", "Printable hand-out").click()
    sheet = studio.page.get_by_role("article", name=mission["title"])
    expect(sheet).to_contain_text(mission["goal"])
    said = plain(sheet.inner_text())
    for star in mission["stars"]:
        assert star.lower() in said.lower()
    for entry in lab_of(server)["controls"]:
        assert entry["label"] in said
    reveal = graded(server, lab, mission)["reveal"]
    for answer in (*(hint["text"] for hint in mission["hints"]), *re.split(r"(?<=[.!?]) ", plain(reveal))):
        assert answer not in said
    columns = studio.page.get_by_role("columnheader").all_inner_texts()
    assert columns[0] == "What I changed"
    assert columns[-1] == "Stars"
    studio.control("button", "Back to the mission").click()
    expect(result(studio, mission)).to_contain_text("3 of 3")


def test_a_hand_out_looks_right_on_paper(server, visit):
    lab, mission = mission_of(server, TWO_HALVES)
    studio = visit(link(lab, mission, rest="&lab-view=handout"))
    page = studio.page
    page.emulate_media(media="print", color_scheme="dark", reduced_motion="reduce")
    for gone in (page.get_by_role("banner"), studio.control("button", "Print"), page.get_by_role("navigation")):
        expect(gone).not_to_be_visible()
    expect(page.get_by_role("article", name=mission["title"])).to_be_visible()
    expect(page.locator("html")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator("html")).to_have_css("color", "rgb(16, 20, 28)")
    paper = page.pdf(format="A4", prefer_css_page_size=True)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 2
    page.emulate_media(media="screen", color_scheme="dark", reduced_motion="reduce")
    expect(page.get_by_role("banner")).to_be_visible()

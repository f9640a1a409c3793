"""Missions on the page: played from the catalogue, opened in order, kept in this browser."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import plain
from tests.web.lab import heads, run
from tests.web.mission import CATALOGUE, KEPT, graded, link, missions_of, result, solved, stars
from tests.web.test_mishaps import BLOCKED

pytestmark = pytest.mark.browser


def cards(studio):
    return studio.page.get_by_role("region", name="Missions", exact=True)


def mission_link(studio, mission):
    return cards(studio).get_by_role("link", name=mission["title"], exact=True)


def test_a_newcomer_plays_the_first_mission_with_nothing_but_the_page(server, visit):
    (lab, mission), (_, second) = missions_of(server)[:2]
    studio = visit(CATALOGUE)
    assert mission_link(studio, second).count() == 0
    expect(cards(studio)).to_contain_text(f"Opens with a star in {mission['title']}")
    mission_link(studio, mission).click()
    studio.settled()
    expect(studio.page.get_by_role("heading", level=1)).to_have_text(mission["title"])
    expect(result(studio, mission)).to_contain_text("No star now")
    expect(studio.page.get_by_role("main")).to_contain_text("set-up is loaded, and it misses the goal")
    begun = graded(server, lab, mission)
    rows = studio.page.get_by_role("region", name="What earns stars").get_by_role("listitem")
    assert rows.count() == len(mission["stars"])
    for row, wants in zip(rows.all(), begun["present"], strict=True):
        said = " ".join(plain(row.inner_text()).split())
        # A quiet figure is told only where it is broken.
        for want in [one for one in wants if not one["quiet"] or not one["met"]]:
            assert f"now {plain(want['now'])} wanted {plain(want['wanted'])}" in said
    hints = studio.control("list", "Hints")
    ask = studio.page.get_by_role("button", name=re.compile("^(Ask for a|Another) hint"))
    helping = [hint["text"] for hint in mission["hints"] if hint["star"] == 1]
    for shown, text in enumerate(helping, start=1):
        expect(ask).to_contain_text("for star 1")
        ask.click()
        expect(hints.get_by_role("listitem")).to_have_count(shown)
        expect(hints.get_by_role("listitem").last).to_contain_text(text)
    expect(ask).to_have_count(0)
    expect(studio.page.get_by_text("No further hint for star 1.")).to_be_focused()
    assert studio.page.get_by_role("region", name="Why it works").count() == 0
    # The goal alone: one star, and the way on.
    heads(studio, "4").check()
    studio.settled()
    answer = graded(server, lab, mission, kv_heads=4)
    assert answer["earned"] == 1
    expect(result(studio, mission)).to_contain_text("1 of 3 stars now")
    expect(ask).to_contain_text("for star 2")
    studio.control("button", "Read why it works").click()
    expect(studio.page.get_by_role("region", name="Why it works")).to_contain_text(plain(answer["reveal"]))
    studio.control("button", f"Next mission: {second['title']}").click()
    studio.settled()
    expect(studio.page.get_by_role("heading", level=1)).to_have_text(second["title"])
    expect(studio.page.get_by_role("main")).to_be_focused()
    assert studio.page.evaluate("scrollY") == 0
    assert studio.control("list", "Hints").count() == 0


def test_the_best_answer_is_explained_and_kept(server, visit):
    lab, mission = missions_of(server)[0]
    solution = graded(server, lab, mission)["solution"]
    studio = visit(solved(server, lab, mission))
    expect(result(studio, mission)).to_contain_text("3 of 3 stars now")
    expect(studio.page.get_by_role("region", name="Why it works")).to_contain_text(
        plain(graded(server, lab, mission, **solution)["reveal"])
    )
    studio.control("button", "Load mission set-up").click()
    expect(result(studio, mission)).to_contain_text("No star now")
    expect(studio.page.get_by_role("main")).to_contain_text("Best so far: 3 of 3 stars")
    expect(studio.page.get_by_role("button", name="Next mission: ")).to_be_visible()
    expect(studio.control("button", "Read why it works")).to_be_visible()
    assert stars(studio) == {mission["key"]: 3}


def test_missions_open_in_order_and_stay_open(server, visit):
    every = missions_of(server)
    (lab, first), (_, second), (_, third) = every[:3]
    studio = visit(solved(server, lab, first))
    expect(result(studio, first)).to_contain_text("3 of 3")
    studio.control("button", "All labs").click()
    expect(mission_link(studio, second)).to_be_visible()
    studio.page.reload()
    studio.settled()
    expect(mission_link(studio, second)).to_be_visible()
    assert mission_link(studio, third).count() == 0
    progress = studio.page.get_by_role("group", name="Your progress")
    expect(progress).to_contain_text(f"3 of {sum(len(one['stars']) for _, one in every)}")


def test_tabs_lose_nothing_of_one_another(server, visit):
    (lab, first), (_, second) = missions_of(server)[:2]
    one = visit(CATALOGUE, viewport={"width": 1280, "height": 800})
    other = one.context.new_page()
    other.goto(f"{one.address}/{CATALOGUE}")
    expect(other.locator("html")).to_have_attribute("data-drawn", "true")
    # Written by one without knowing of the other, before either has heard.
    other.evaluate(f"localStorage.setItem('{KEPT}', JSON.stringify({json.dumps({second['key']: 2})}))")
    one.open(solved(server, lab, first))
    expect(result(one, first)).to_contain_text("3 of 3")
    assert stars(one) == {first["key"]: 3, second["key"]: 2}
    catalogue = other.get_by_role("region", name="Missions", exact=True)
    expect(catalogue).to_contain_text("3 of 3 stars")
    expect(catalogue).to_contain_text("2 of 3 stars")


def test_stars_are_carried_in_a_file(server, visit, tmp_path):
    lab, mission = missions_of(server)[0]
    studio = visit(solved(server, lab, mission))
    expect(result(studio, mission)).to_contain_text("3 of 3")
    studio.control("button", "All labs").click()
    with studio.page.expect_download() as waiting:
        studio.control("button", "Save as a file").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    assert json.loads(file.read_text())["stars"] == {mission["key"]: 3}
    studio.control("button", "Forget all stars").click()
    progress = studio.page.get_by_role("group", name="Your progress")
    expect(progress).to_contain_text("0 of")
    assert stars(studio) == {}
    field = studio.page.get_by_label("Bring in a file")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    field.set_input_files(wrong)
    expect(studio.page.get_by_role("alert")).to_contain_text("holds something else than stars")
    field.set_input_files(file)
    expect(studio.control("status", "Stars from a file")).to_contain_text("1 mission has more stars now")
    expect(studio.page.get_by_role("alert")).to_have_count(0)
    assert stars(studio) == {mission["key"]: 3}
    expect(progress).to_contain_text("3 of")


def test_forgotten_stars_can_be_brought_back(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(solved(server, lab, mission))
    expect(result(studio, mission)).to_contain_text("3 of 3")
    studio.control("button", "All labs").click()
    studio.control("button", "Forget all stars").click()
    studio.control("button", "Bring them back").click()
    expect(studio.page.get_by_role("group", name="Your progress")).to_contain_text("3 of")
    assert stars(studio) == {mission["key"]: 3}


def test_stars_count_for_this_visit_where_nothing_is_kept(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(solved(server, lab, mission), prepare=lambda studio: studio.page.add_init_script(BLOCKED))
    expect(result(studio, mission)).to_contain_text("3 of 3")
    studio.control("button", "All labs").click()
    expect(mission_link(studio, missions_of(server)[1][1])).to_be_visible()


def test_the_question_of_a_mission_cannot_be_changed(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(link(lab, mission))
    for fixed in ("Arrivals", "Seed"):
        assert studio.control("spinbutton", fixed).count() == 0
    kept = studio.page.get_by_role("region", name="Part of the mission’s question")
    expect(kept).to_contain_text("Arrivals")
    studio.control("button", "Leave the mission").click()
    expect(result(studio, mission)).to_have_count(0)
    expect(studio.control("spinbutton", "Arrivals")).to_be_visible()
    assert run(server, **mission["settings"])["tiles"]
    expect(studio.page).to_have_url(re.compile(f"lab={lab}$"))


def test_back_leads_out_of_a_mission_and_forward_into_it(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(CATALOGUE)
    mission_link(studio, mission).click()
    expect(studio.page).to_have_url(re.compile(f"lab={lab}&lab-mission={mission['id']}$"))
    studio.page.go_back()
    expect(mission_link(studio, mission)).to_be_visible()
    studio.page.go_forward()
    expect(result(studio, mission)).to_contain_text("No star now")


def test_the_palette_opens_missions_and_helps_in_them(server, studio):
    (_, first), (_, second) = missions_of(server)[:2]
    search = studio.control("combobox", "Search controls, actions and pages")
    group = studio.page.get_by_role("group", name="Missions", exact=True)
    studio.press("ControlOrMeta+k")
    search.fill(second["title"])
    assert group.count() == 0
    search.fill(first["title"])
    group.get_by_role("option").click()
    expect(result(studio, first)).to_contain_text("No star now")
    studio.press("ControlOrMeta+k")
    search.fill("ask for a hint")
    studio.press("Enter")
    expect(studio.control("list", "Hints").get_by_role("listitem")).to_have_count(1)


def test_a_path_is_chosen_followed_and_kept(server, visit):
    paths = server.get("/api/labs")["paths"]
    studio = visit(CATALOGUE)
    studio.control("radio", paths[1]["title"]).check()
    steps = studio.control("list", paths[1]["title"]).get_by_role("listitem")
    assert steps.count() == len(paths[1]["steps"])
    expect(steps.first).to_contain_text("Begin here")
    steps.first.get_by_role("link").click()
    expect(studio.page).to_have_url(re.compile("#v=1$"))
    studio.control("link", "Labs").click()
    expect(studio.control("radio", paths[1]["title"])).to_be_checked()
    expect(steps.first).to_contain_text("done")
    expect(steps.nth(1)).to_contain_text("Go on here")


def test_an_experiment_of_the_catalogue_leads_to_it(visit):
    studio = visit(CATALOGUE)
    studio.control("list", "Under traffic").get_by_role("link").first.click()
    studio.settled()
    expect(studio.page.get_by_role("heading", name="Predict, run, understand")).to_be_visible()
    expect(studio.page.locator("[data-experiment]").first).to_be_in_viewport()

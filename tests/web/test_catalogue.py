"""The catalogue: one place to begin, what was done and what was only met, and missions as their labs' chains."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.web.driver import plain
from tests.web.mission import CATALOGUE, KEPT, link, missions_of

pytestmark = pytest.mark.browser


def progress(studio):
    return studio.page.get_by_role("group", name="Your progress")


def keep(studio, stars):
    """Have these stars in this browser."""
    studio.page.add_init_script(f"localStorage.setItem('{KEPT}', {json.dumps(json.dumps(stars))})")


def test_there_is_one_place_to_begin_the_next_step_of_the_path(server, visit):
    student, engineer = server.get("/api/labs")["paths"][:2]
    studio = visit(CATALOGUE)
    button = progress(studio).get_by_role("button", name="Begin: Studio", exact=True)
    expect(button).to_have_accessible_description(
        f"Step 1 of {len(student['steps'])} for a student: a page, about 10 minutes"
    )
    expect(studio.page.get_by_text("Begin here", exact=True)).to_have_count(1)
    studio.control("radio", engineer["title"]).check()
    button.click()
    expect(studio.page).to_have_url(f"{studio.address}/#v=1")
    studio.control("link", "Labs").click()
    second = engineer["steps"][1]
    assert second["kind"] == "page"
    go = progress(studio).get_by_role("button", name="Go on: Traffic", exact=True)
    expect(go).to_have_accessible_description(
        f"Step 2 of {len(engineer['steps'])} for an engineer: a page, about {second['minutes']} minutes"
    )
    expect(studio.page.get_by_text("Go on here", exact=True)).to_have_count(1)


def test_a_lab_that_was_only_met_in_a_mission_is_not_done(server, visit):
    student = server.get("/api/labs")["paths"][0]
    lab, mission = missions_of(server)[0]
    title = next(one["title"] for one in server.get("/api/labs")["labs"] if one["id"] == lab)
    at = next(i for i, step in enumerate(student["steps"]) if (step["kind"], step["id"]) == ("lab", lab))
    studio = visit(link(lab, mission))
    studio.control("button", "All labs").click()
    step = studio.control("list", student["title"]).get_by_role("listitem").nth(at)
    expect(step).to_contain_text(title)
    expect(step).to_contain_text("met in a mission")
    expect(step).not_to_contain_text(", done")
    step.get_by_role("link").click()
    studio.control("button", "All labs").click()
    expect(step).to_contain_text(", done")
    expect(step).not_to_contain_text("met in a mission")


def test_a_closed_step_leads_to_the_mission_that_opens_it(server, visit):
    every = {one["key"]: one for _, one in missions_of(server)}
    student = server.get("/api/labs")["paths"][0]
    at, key = next(
        (i, step["id"])
        for i, step in enumerate(student["steps"])
        if step["kind"] == "mission" and every[step["id"]]["after"]
    )
    first = every[key]
    while first["after"]:
        first = every[first["after"][0]]
    studio = visit(CATALOGUE)
    step = studio.control("list", student["title"]).get_by_role("listitem").nth(at)
    expect(step).to_contain_text(every[key]["title"])
    step.get_by_role("link", name=first["title"], exact=True).click()
    expect(studio.page.get_by_role("heading", level=1)).to_have_text(first["title"])


def test_missions_stand_as_the_chains_of_their_labs(server, visit):
    labs = [one for one in server.get("/api/labs")["labs"] if one["missions"]]
    studio = visit(CATALOGUE)
    for lab in labs:
        items = studio.control("list", f"Missions: {lab['title']}").get_by_role("listitem")
        expect(items).to_have_count(len(lab["missions"]))
        for item, mission in zip(items.all(), lab["missions"], strict=True):
            expect(item).to_contain_text(mission["title"])
            assert item.get_by_role("link").count() == (0 if mission["after"] else 1)


def test_a_mission_tells_its_symptom_and_once_it_has_a_star_its_lesson(server, visit):
    (_, first), (_, second) = missions_of(server)[:2]
    studio = visit(CATALOGUE, prepare=lambda studio: keep(studio, {first["key"]: 1}))
    said = plain(studio.page.get_by_role("region", name="Missions", exact=True).inner_text())
    assert (first["teaches"] in said, first["symptom"] in said) == (True, False)
    for _, other in missions_of(server)[1:]:
        assert (other["teaches"] in said, other["symptom"] in said) == (False, True), other["key"]
    assert second["title"] in said


def test_predictions_lead_to_the_experiments(visit):
    studio = visit(CATALOGUE)
    expect(progress(studio)).to_contain_text("said before the model answers")
    progress(studio).get_by_role("button", name="predictions made").click()
    heading = studio.page.get_by_role("heading", level=2, name="Experiments", exact=True)
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport()

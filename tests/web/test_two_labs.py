"""The labs of rounded weights and of long contexts on the page, from their controls to a mission's stars."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.driver import plain, shown_bytes, three, until
from tests.web.lab import lab_of, run, shown
from tests.web.mission import CATALOGUE, graded, link, mission_of, result, stars

pytestmark = pytest.mark.browser

#: Of each lab: a setting to change, and a figure of a chart as its table writes it.
CHANGES: dict[str, tuple[dict[str, Any], str, Any]] = {
    "int4-layers": ({"bits": 8}, "layers", lambda data: three(100 * data["series"]["now"][0], "%", {"": 0})),
    "long-context": ({"target_tokens": 16384}, "memory", lambda data: shown_bytes(data["series"]["kv"][1])),
}
LABS = sorted(CHANGES)


def put(studio, card, name, value):
    """Set a control as a visitor does: press an option, choose it from a list, or write a number."""
    control = next(one for one in card["controls"] if one["id"] == name)
    if control["kind"] == "slider":
        studio.control("spinbutton", control["label"]).fill(str(value))
        return
    label = next(choice["label"] for choice in control["choices"] if choice["value"] == value)
    group = studio.page.get_by_role("radiogroup", name=control["label"], exact=True)
    if group.count():
        group.get_by_role("radio", name=label, exact=True).check()
    else:
        studio.control("combobox", control["label"]).select_option(label=label)


@pytest.mark.parametrize("lab", LABS)
def test_tiles_and_charts_follow_a_control(server, visit, lab):
    card = lab_of(server, lab)
    change, chart, figure = CHANGES[lab]
    studio = visit(f"{CATALOGUE}&lab={lab}")
    assert shown(studio, card) == run(server, lab)["tiles"]
    title = next(one["title"] for one in card["charts"] if one["id"] == chart)
    section = studio.page.get_by_role("region", name=title, exact=True)
    section.get_by_role("button", name="The same as a table").click()
    table = studio.page.get_by_role("table", name=title)
    (name, value), after = next(iter(change.items())), run(server, lab, **change)
    before, later = (figure(one["charts"][chart]) for one in (run(server, lab), after))
    assert before != later
    expect(table).to_contain_text(re.compile(re.escape(before).replace(r"\ ", r"\s")))
    put(studio, card, name, value)
    expect(studio.page).to_have_url(re.compile(rf"lab\.{name}={value}$"))
    assert until(studio.page, lambda: shown(studio, card) == after["tiles"])
    expect(table).to_contain_text(re.compile(re.escape(later).replace(r"\ ", r"\s")))
    expect(studio.page.get_by_role("main")).to_contain_text(after["headline"])


@pytest.mark.parametrize("lab", LABS)
def test_its_story_is_read_from_the_top_of_the_page(server, visit, lab):
    story = next(page for page in lab_of(server, lab)["pages"] if page["role"] == "explanation")
    studio = visit(f"{CATALOGUE}&lab={lab}")
    studio.control("button", story["title"]).click()
    heading = studio.control("heading", story["title"])
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport()
    told = studio.page.get_by_role("region", name=story["title"], exact=True)
    figures = [block for block in story["blocks"] if block["kind"] == "figure"]
    assert told.get_by_role("figure").count() == len(figures)
    for figure in told.get_by_role("figure").all():
        figure.scroll_into_view_if_needed()
        expect(figure).not_to_contain_text("Drawing …")
        expect(figure).not_to_contain_text("could not draw")
        expect(figure.get_by_role("button", name="Try this set-up")).to_be_visible()


@pytest.mark.parametrize("lab", LABS)
def test_axe_finds_nothing_and_nothing_is_wider_than_a_phone(visit, lab):
    studio = visit(f"{CATALOGUE}&lab={lab}")
    found = {}
    for theme, width in (("dark", 1280), ("light", 390)):
        studio.theme(theme)
        studio.resize(width)
        studio.settled()
        found[theme] = (studio.violations(), studio.sideways())
    assert found == {"dark": ([], 0), "light": ([], 0)}


@pytest.mark.parametrize("key", ["int4-layers/one-layer", "long-context/thirty-two-thousand"])
def test_a_mission_is_played_to_its_stars(server, visit, key):
    lab, mission = mission_of(server, key)
    card = lab_of(server, lab)
    begun = {**card["defaults"]["settings"], **mission["settings"]}
    solution = {name: value for name, value in graded(server, lab, mission)["solution"].items() if value != begun[name]}
    studio = visit(link(lab, mission))
    expect(result(studio, mission)).to_contain_text("No star now")
    for name, value in solution.items():
        put(studio, card, name, value)
    expect(result(studio, mission)).to_contain_text("3 of 3 stars now")
    why = studio.page.get_by_role("region", name="Why it works")
    expect(why).to_contain_text(plain(graded(server, lab, mission, **solution)["reveal"]).replace("`", ""))
    assert stars(studio) == {key: 3}

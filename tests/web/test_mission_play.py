"""What a mission offers whoever plays it: how, what is idle, the answer on request, and all of it by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import plain
from tests.web.lab import heads, lab_of, run
from tests.web.mission import CATALOGUE, graded, link, mission_of, missions_of, result, solved, stars

pytestmark = pytest.mark.browser

GIVE_UP = "Give up"
FLAT_GAPS = "deploy/flat-gaps"


def test_giving_up_is_asked_once_and_leads_to_an_answer_to_try(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(link(lab, mission))
    why = studio.page.get_by_role("region", name="Why it works")
    studio.control("button", GIVE_UP).click()
    expect(studio.control("button", "Read the answer")).to_be_focused()
    expect(studio.control("group", GIVE_UP)).to_contain_text("can still be earned")
    studio.control("button", "Keep trying").click()
    expect(studio.control("button", GIVE_UP)).to_be_focused()
    assert why.count() == 0
    studio.control("button", GIVE_UP).click()
    studio.control("button", "Read the answer").click()
    expect(why).to_contain_text(plain(graded(server, lab, mission)["reveal"]))
    expect(studio.control("heading", "Why it works")).to_be_focused()
    expect(studio.control("button", "All missions")).to_be_visible()
    expect(studio.page.get_by_role("button", name=re.compile("hint"))).to_have_count(0)
    assert stars(studio) == {}
    studio.control("button", "Try this answer").click()
    expect(result(studio, mission)).to_contain_text("3 of 3 stars now")
    expect(studio.control("button", "Try this answer")).to_have_count(0)
    assert stars(studio) == {mission["key"]: 3}


def test_who_gives_up_is_led_on_in_the_same_lab(server, visit):
    every = missions_of(server)
    lab, mission = mission_of(server, FLAT_GAPS)
    (_, second), (_, third) = [pair for pair in every if pair[0] == lab][1:3]
    studio = visit(link(lab, mission))
    studio.control("button", GIVE_UP).click()
    studio.control("button", "Read the answer").click()
    panel = studio.page.get_by_role("region", name="What earns stars")
    expect(panel).to_contain_text(f"“{second['title']}” comes next and opens with a star here")
    further = every[every.index((lab, mission)) :] + every
    elsewhere = next(one for other, one in further if other != lab and not one["after"])
    expect(panel.get_by_role("button", name="Meanwhile, in ")).to_contain_text(elsewhere["title"])
    studio.control("button", "Try this answer").click()
    expect(result(studio, mission)).to_contain_text("3 of 3 stars now")
    studio.control("button", f"Next mission: {second['title']}").click()
    expect(studio.page.get_by_role("heading", level=1)).to_have_text(second["title"])
    studio.control("button", GIVE_UP).click()
    studio.control("button", "Read the answer").click()
    expect(panel).to_contain_text(f"“{third['title']}” comes next and opens with a star here")


def test_hints_open_in_sight_and_are_folded_once_their_star_is_earned(server, visit):
    lab, mission = mission_of(server, FLAT_GAPS)
    first, second, further, _ = mission["hints"]
    assert [first["star"], second["star"], further["star"]] == [1, 1, 2]
    studio = visit(link(lab, mission), viewport={"width": 1280, "height": 900})
    hints = studio.control("list", "Hints").get_by_role("listitem")
    for hint in (first, second):
        studio.page.get_by_role("button", name=re.compile("^(Ask for a|Another) hint")).click()
        expect(hints.last).to_contain_text(hint["text"])
        expect(hints.last).to_be_in_viewport(ratio=1)
    folded = studio.control("button", "2 hints for stars that are earned")
    assert folded.count() == 0
    studio.control("combobox", "Batching").select_option(label="Chunked")
    studio.control("spinbutton", "Chunk").fill("256")
    studio.press("Enter")
    expect(result(studio, mission)).to_contain_text("1 of 3 stars now")
    expect(folded).to_have_attribute("aria-expanded", "false")
    expect(studio.control("list", "Hints")).to_have_count(0)
    expect(studio.page.get_by_text(first["text"])).not_to_be_visible()
    studio.page.get_by_role("button", name=re.compile("^Another hint")).click()
    expect(hints).to_have_count(1)
    expect(hints).to_contain_text(further["text"])
    expect(hints).to_be_in_viewport(ratio=1)
    folded.click()
    expect(studio.page.get_by_text(first["text"])).to_be_visible()
    studio.control("button", "Load mission set-up").click()
    expect(hints).to_have_count(3)


def test_how_to_play_tells_of_the_mission_and_not_of_the_lab(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(link(lab, mission))
    studio.control("button", "How to play").click()
    main = studio.page.get_by_role("main")
    for said in ("Now is the figure of your set-up", "the hatched side", "You can change KV heads and KV format."):
        expect(main).to_contain_text(said)
    walk = next(page for page in lab_of(server)["pages"] if page["role"] == "how-to-play")
    steps = [plain(item) for block in walk["blocks"] for item in block["items"] or ()]
    assert steps
    said = plain(main.inner_text())
    assert [step for step in steps if step in said] == []


def test_a_mission_has_one_button_that_starts_it_again(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(link(lab, mission, {"kv_heads": 4}))
    assert studio.control("button", "Reset").count() == 0
    studio.control("button", "Load mission set-up").click()
    expect(heads(studio, str(mission["settings"].get("kv_heads", 32)))).to_be_checked()
    expect(result(studio, mission)).to_contain_text("No star now")


def test_figures_stand_in_columns_that_no_change_moves(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(link(lab, mission))
    panel = studio.page.get_by_role("region", name="What earns stars")

    def places():
        figures = {word: panel.get_by_text(word, exact=True).all() for word in ("now", "wanted")}
        columns = {word: {round(one.bounding_box()["x"]) for one in all_} for word, all_ in figures.items()}
        tops = [one.bounding_box()["y"] for one in figures["now"]]
        return columns, [round(top - tops[0]) for top in tops]

    expect(panel).to_contain_text("not yet")
    begun = places()
    assert [len(places) for places in begun[0].values()] == [1, 1]
    heads(studio, "16").check()
    studio.control("radio", "FP8").check()
    expect(result(studio, mission)).to_contain_text("3 of 3 stars now")
    assert places() == begun


def test_all_missions_leads_to_the_missions_of_the_catalogue(server, visit):
    lab, mission = missions_of(server)[0]
    studio = visit(solved(server, lab, mission))
    studio.control("button", "All missions").click()
    heading = studio.page.get_by_role("heading", level=2, name="Missions", exact=True)
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport()


def test_a_control_without_effect_is_idle_and_says_why(server, visit):
    lab, mission = mission_of(server, FLAT_GAPS)
    idle = next(one for one in lab_of(server, lab)["controls"] if one["id"] == "chunk_tokens")["idle"]
    studio = visit(link(lab, mission))
    settings = studio.page.get_by_role("complementary", name="Settings")
    expect(studio.control("spinbutton", "Chunk")).to_be_disabled()
    expect(studio.control("slider", "Chunk, slider")).to_be_disabled()
    expect(settings).to_contain_text(idle["words"])
    studio.control("combobox", "Batching").select_option(label="Chunked")
    expect(studio.control("spinbutton", "Chunk")).to_be_enabled()
    expect(studio.control("slider", "Chunk, slider")).to_be_enabled()
    expect(settings).not_to_contain_text(idle["words"])


def test_options_locked_settings_and_figures_are_explained(server, visit):
    lab, mission = mission_of(server, FLAT_GAPS)
    card = lab_of(server, lab)
    controls = {one["id"]: one for one in card["controls"]}
    studio = visit(link(lab, mission))
    settings = studio.page.get_by_role("complementary", name="Settings")
    studio.control("button", "About: Batching").click()
    for option in controls["policy"]["choices"]:
        expect(settings.get_by_text(f"{option['label']}: {option['words']}", exact=True)).to_be_visible()
    kept = controls["at_once"]
    studio.control("button", f"About: {kept['label']}").click()
    expect(settings.get_by_text(kept["help"])).to_be_visible()
    wanted = mission["wants"][0][0]["tile"]
    title = next(tile["title"] for tile in card["tiles"] if tile["id"] == wanted)
    panel = studio.page.get_by_role("region", name="What earns stars")
    about = panel.get_by_role("button", name=f"About: {title}", exact=True).first
    about.click()
    expect(about).to_have_attribute("aria-expanded", "true")
    expect(panel.locator(f"#{about.get_attribute('aria-controls')}")).to_be_visible()


def tab_to(studio, target, key="Tab"):
    """Walk to it as who has a keyboard only does."""
    for _ in range(300):
        if target.count() == 1 and target.evaluate("node => node === document.activeElement"):
            return
        studio.press(key)
    raise AssertionError(f"no way by keyboard to {target}")


def test_a_mission_is_played_by_keyboard_alone(server, visit):
    (_, mission), (_, second) = missions_of(server)[:2]
    studio = visit(CATALOGUE)
    group = studio.page.get_by_role("region", name="Missions", exact=True)
    tab_to(studio, group.get_by_role("link", name=mission["title"], exact=True))
    studio.press("Enter")
    expect(studio.page.get_by_role("heading", level=1)).to_have_text(mission["title"])
    expect(result(studio, mission)).to_contain_text("No star now")
    # The settings stand before the main part, which has the focus.
    expect(studio.page.get_by_role("main")).to_be_focused()
    tab_to(studio, heads(studio, "32"), "Shift+Tab")
    studio.press("ArrowLeft")
    expect(heads(studio, "16")).to_be_checked()
    tab_to(studio, studio.control("radio", "BF16"))
    studio.press("ArrowRight")
    expect(result(studio, mission)).to_contain_text("3 of 3 stars now")
    tab_to(studio, studio.control("button", f"Next mission: {second['title']}"))
    studio.press("Enter")
    expect(studio.page.get_by_role("heading", level=1)).to_have_text(second["title"])
    expect(studio.page.get_by_role("main")).to_be_focused()


def test_what_would_change_the_question_is_no_remedy(server, visit):
    lab, mission = mission_of(server, "long-context/thirty-two-thousand")
    answer = run(server, lab, mission["events"], mission["seed"], **mission["settings"])
    remedies = answer["refusal"]["remedies"]
    may = [remedy["label"] for remedy in remedies if not remedy["settings"].keys() & set(mission["fixed"])]
    assert 0 < len(may) < len(remedies)
    studio = visit(link(lab, mission))
    expect(studio.control("group", "What would help").get_by_role("button")).to_have_text(may)

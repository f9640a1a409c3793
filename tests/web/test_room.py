"""The research room: stations and actions by button, by key and in the picture; figures are those of the API."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import TOO_LARGE, plain, question, shown_bytes, shown_rate, shown_seconds
from tests.web.room import NO_WEBGL, flat, letters, lines, region, said, settled, station, stored

pytestmark = pytest.mark.browser

STATIONS = ("Weights", "GPU compute", "HBM and cache", "Interconnect", "Training bench")
PHONE = {"width": 390, "height": 844}
SPREAD = "#v=1&tensor_parallel=2"


def walked(server, **changes):
    return server.ask("walk", question(**changes))["passes"]


def test_stations_and_runs_by_keyboard_alone(server, visit):
    studio = flat(visit)
    first, last = walked(server)[0], walked(server)[-1]
    for name in STATIONS:
        station(studio, name).focus()
        studio.press("Enter")
        expect(station(studio, name)).to_have_attribute("aria-pressed", "true")
        expect(region(studio).get_by_role("heading", name=name, level=3)).to_be_visible()
        expect(said(studio)).to_contain_text(name)
        expect(region(studio).locator("math").first).to_be_visible()
    studio.control("button", "Try a change").focus()
    studio.press("Space")
    studio.control("button", "Run a request").focus()
    studio.press("Enter")
    for words in (
        shown_seconds(first["phase"]["time_s"]),
        "bound by arithmetic",
        shown_seconds(last["phase"]["time_s"]),
        "bound by memory traffic",
        shown_seconds(last["end_s"]),
    ):
        expect(said(studio)).to_contain_text(words)
    assert lines(studio) == {
        "Tokens out of each request": ("1", "256"),
        "Cache in use of each device": (shown_bytes(first["kv_cache_bytes"]), shown_bytes(last["kv_cache_bytes"])),
        "Blocks of each request": ("64", "80"),
    }
    passes = region(studio).get_by_role("group", name="Passes of the batch")
    expect(passes).to_contain_text("Decode step 255")
    studio.control("button", "Previous pass").focus()
    studio.press("Enter", "Enter")
    expect(passes).to_contain_text(f"Decode step {walked(server)[-3]['number']}")
    studio.control("button", "Release KV memory").focus()
    studio.press("Enter")
    expect(said(studio)).to_contain_text("gave back what they held")
    assert lines(studio)["Blocks of each request"][1] == "0"
    expect(passes).to_have_count(0)
    studio.control("button", "Generate tokens").focus()
    studio.press("Enter")
    expect(passes).to_contain_text("Decode step 1")
    assert lines(studio)["Tokens out of each request"] == ("1", "2")
    assert studio.figure("Time per output token")[1] == server.estimate()["tpot_s"]


def test_a_change_is_guessed_made_explained_and_taken_back(server, visit):
    studio = flat(visit)
    before, after, why = server.estimate(), server.estimate(weights="int8"), server.explain(weights="int8")
    studio.control("button", "Try a change").click()
    studio.control("button", "Weights of 8 bits").press("Enter")
    studio.control("radio", "It falls").press("Space")
    studio.page.get_by_role("radio", name=re.compile("^clearly")).press("Space")
    assert studio.figure("Time per output token")[1] == before["tpot_s"]
    studio.control("button", "Run it").press("Enter")
    outcome = region(studio).get_by_role("group", name="Prediction and result")
    expect(outcome).to_be_focused()
    expect(outcome).to_contain_text("Right, in direction and size.")
    expect(outcome).to_contain_text(why["sentence"])
    assert lines(studio) == {
        "Weights": tuple(shown_bytes(side["memory"]["weights_bytes"]) for side in (before, after)),
        "Memory": tuple(
            f"{shown_bytes(side['memory']['capacity_bytes'] - side['memory']['total_bytes'])} free"
            for side in (before, after)
        ),
        "Time per output token": tuple(shown_seconds(side["tpot_s"]) for side in (before, after)),
        "Output throughput": tuple(shown_rate(side["output_tokens_per_s"]) for side in (before, after)),
    }
    settled(studio)
    assert studio.figure("Time per output token")[1] == after["tpot_s"]
    expect(studio.control("combobox", "Weights format")).to_have_value("int8")
    expect(studio.control("button", "Weights of 8 bits")).to_have_attribute("aria-pressed", "true")
    expect(said(studio)).to_contain_text(shown_bytes(after["memory"]["weights_bytes"]))
    studio.control("button", "Take it back").press("Enter")
    settled(studio)
    assert studio.figure("Time per output token")[1] == before["tpot_s"]
    expect(region(studio).locator("[data-guess]")).to_have_count(0)


def test_shards_come_and_go_without_a_guess(server, visit):
    studio = flat(visit, SPREAD)
    studio.control("button", "Try a change").click()
    studio.control("button", "Add 2 GPU shards").click()
    studio.control("button", "Do it without a guess").click()
    settled(studio)
    expect(studio.control("radio", "4")).to_be_checked()
    assert lines(studio)["Devices"] == ("2", "4")
    moved = lines(studio)["Weights of each device"]
    sides = [server.estimate(tensor_parallel=n)["memory"]["weights_bytes"] for n in (2, 4)]
    assert moved == tuple(map(shown_bytes, sides))
    studio.control("button", "Remove 2 GPU shards").click()
    studio.control("button", "Leave it").click()
    expect(studio.control("radio", "4")).to_be_checked()


def test_what_does_not_fit_runs_nothing_and_shows_by_how_much(visit):
    studio = flat(visit, TOO_LARGE)
    expect(region(studio).get_by_role("img", name=re.compile("lacks .* of memory"))).to_be_visible()
    studio.control("button", "Try a change").click()
    studio.control("button", "Run a request").click()
    expect(said(studio)).to_contain_text("Does not fit in memory. No request can run.")
    studio.control("button", "Weights of 4 bits").click()
    settled(studio)
    assert lines(studio)["Memory"][0].endswith("too much")
    expect(studio.control("combobox", "Weights format")).to_have_value("int4")


def test_one_weight_is_trained_stage_by_stage(server, visit):
    studio = flat(visit)
    studio.control("radio", "Training").press("Space")
    stands = region(studio).get_by_role("group", name="Where training stands")
    expect(stands).to_contain_text("the weight is 0.000")
    studio.control("button", "Next stage").press("Enter")
    expect(stands).to_contain_text("a probability of 0.500")
    expect(said(studio)).to_contain_text("a probability of 0.500")
    for _ in range(3):
        studio.control("button", "Next stage").press("Enter")
    expect(stands).to_contain_text("from 0.000 to 0.250")
    plot = region(studio).get_by_role("img", name=re.compile("^Probability and loss"))
    for probability in ("0.562", "0.615"):
        studio.control("button", "Whole round").press("Enter")
        expect(plot).to_have_accessible_name(re.compile(f"the probability is {probability}"))
    studio.control("slider", "Start weight").fill("-3")
    expect(stands).to_contain_text("the weight is −3.000")
    studio.control("button", "To the end").press("Enter")
    run = {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb", "start_weight": -3}
    trained = server.ask("training", run)
    expect(plot).to_have_accessible_name(re.compile(f"the probability is {trained['steps'][-1]['probability']:.3f}"))
    table = region(studio).get_by_role("table", name="Memory of a real training run")
    expect(
        table.get_by_role("row", name="Together").get_by_title(f"{trained['memory']['total_bytes']:.0f} B")
    ).to_be_visible()
    kept = [plain(row).split("\t")[1] for row in table.locator("tbody tr").all_inner_texts()]
    assert kept == ["2", "4", "4", "8", "18"]
    notes = region(studio).get_by_role("list", name="What this mode is not")
    for words in ("No language model runs", "quality of any model", "no relation to the size", "inference"):
        expect(notes).to_contain_text(words)


def test_a_link_leads_to_a_place_in_the_room(visit):
    studio = flat(visit, "#v=1&room.mode=training&room.station=memory&room.weight=-1.5&room.door=open")
    expect(studio.page.get_by_role("status", name="Notices")).to_contain_text("room.door=open")
    expect(studio.control("radio", "Training")).to_be_checked()
    expect(station(studio, "HBM and cache")).to_have_attribute("aria-pressed", "true")
    expect(studio.control("slider", "Start weight")).to_have_value("-1.5")
    station(studio, "Weights").click()
    link = "#v=1&room.mode=training&room.station=weights&room.weight=-1.5"
    expect(studio.page).to_have_url(f"{studio.address}/{link}")
    studio.page.reload()
    settled(studio)
    expect(station(studio, "Weights")).to_have_attribute("aria-pressed", "true")
    expect(studio.control("radio", "Training")).to_be_checked()


def test_a_folded_room_fetches_nothing_and_stays_folded(visit):
    asked = []
    studio = flat(visit)
    studio.page.on("request", lambda request: asked.append(request.url))
    studio.control("button", "Fold the room away").click()
    expect(studio.control("heading", "The research room")).to_be_visible()
    studio.page.reload()
    studio.settled()
    expect(region(studio).get_by_role("button")).to_have_count(1)
    assert not [url for url in asked if "/api/walk" in url or "/assets/R" in url]
    studio.control("button", "Open the room").click()
    settled(studio)
    expect(station(studio, "Weights")).to_be_visible()


def test_the_tour_goes_by_keyboard_and_is_offered_once(visit):
    studio = flat(visit)
    studio.control("button", "Take the tour").press("Enter")
    for number in range(1, 8):
        expect(region(studio)).to_contain_text(f"Step {number} of 7")
        expect(region(studio).locator("#tour-step")).to_be_focused()
        if number < 7:
            studio.press("ArrowRight")
    expect(studio.control("radio", "Training")).to_be_checked()
    studio.press("ArrowLeft")
    expect(region(studio)).to_contain_text("Step 6 of 7")
    studio.press("Escape")
    expect(region(studio).locator("#tour-step")).to_have_count(0)
    expect(studio.control("button", "Take the tour")).to_have_count(0)
    assert "toured" in (stored(studio, "servelab.room-visit.v1") or "")
    studio.control("button", "Show me around").click()
    expect(region(studio)).to_contain_text("Step 1 of 7")


def test_the_palette_leads_into_the_room(visit):
    studio = flat(visit)
    for words in ("generate tokens", "how to read the room"):
        studio.press("ControlOrMeta+k")
        expect(studio.control("combobox", "Search controls, actions and pages")).to_be_focused()
        studio.page.keyboard.type(words)
        expect(studio.page.get_by_role("option", name=re.compile(words, re.IGNORECASE)).first).to_be_visible()
        studio.press("Enter")
    expect(studio.page.get_by_role("dialog", name="How to read this room")).to_be_visible()
    expect(studio.page.get_by_role("dialog")).to_contain_text("logarithm of the bytes")
    studio.press("Escape")
    expect(said(studio)).to_contain_text("Step 1 makes 16")


def test_on_a_phone_the_answer_comes_first_and_the_room_on_request(visit):
    studio = visit(prepare=lambda studio: studio.page.add_init_script(NO_WEBGL), room=True, viewport=PHONE)
    studio.settled()
    assert studio.page.get_by_role("heading", level=1).bounding_box()["y"] < PHONE["height"] / 2
    studio.control("button", "Open the room").click()
    expect(station(studio, "Overview")).to_be_visible()
    studio.page.reload()
    expect(station(studio, "Overview")).to_be_visible()
    assert studio.sideways() == 0


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_in_the_room(visit, theme):
    studio = flat(visit, "#v=1&room.mode=training&room.station=memory")
    studio.theme(theme)
    found = {}
    for width in (390, 768, 1280):
        studio.resize(width)
        found[width] = (studio.violations(), studio.sideways())
        assert min(letters(studio)) >= 12
    studio.control("radio", "Inference").check()
    studio.control("button", "Try a change").click()
    studio.control("button", "Run a request").click()
    studio.control("button", "Weights of 4 bits").click()
    expect(region(studio).locator("[data-guess]")).to_be_visible()
    studio.control("button", "Show me around").click()
    found["changing"] = (studio.violations(), studio.sideways())
    assert found == dict.fromkeys(found, ([], 0))

"""The traffic page: what it draws is what the API says, and every way through it works by hand and by key."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.web.driver import EXAMPLE, Server, Studio, plain, shown_seconds

pytestmark = pytest.mark.browser

POLICIES = ("static", "continuous", "chunked")
#: Few requests, so that every answer is there at once.
PAGE = "#v=1&page=traffic&traffic.requests=120"


def question(server: Server, **changes: Any) -> dict[str, Any]:
    """What the page asks when it opens, with 120 requests, and some fields of the traffic changed."""
    chat = server.get("/api/traffic-presets")["presets"][0]
    traffic = {name: value for name, value in chat["traffic"].items() if value is not None} | {"requests": 120}
    limits = {name: value for name, value in chat["scheduler"].items() if name != "policy"}
    return {
        "deployment": EXAMPLE["deployment"],
        "traffic": traffic | changes,
        "schedulers": [{"policy": policy} | limits for policy in POLICIES],
        "ttft_target_s": chat["ttft_target_s"],
        "tpot_target_s": chat["tpot_target_s"],
    }


@pytest.fixture
def page(visit: Any) -> Studio:
    """The traffic page on its working example, with few requests."""
    return visit(PAGE)


def exact(cell: Locator) -> float:
    """A figure as hovering gives it."""
    return float((cell.locator("[title]").get_attribute("title") or "").split(" ")[0])


def test_slots_are_counted_as_one_steps_through_the_story(page):
    static, continuous = (
        page.page.get_by_role("table", name=f"{name}: who holds which slot") for name in ("Static", "Continuous")
    )
    following = page.control("button", "Next iteration")
    for _ in range(3):
        following.click()
    expect(page.page.get_by_text("Iteration 3 of 17")).to_be_visible()
    assert static.get_by_role("cell", name="idle", exact=True).count() == 1
    assert continuous.get_by_role("cell", name="idle", exact=True).count() == 0
    page.control("slider", "Iteration").press("End")
    expect(following).to_be_disabled()
    expect(page.page.get_by_text("17 iterations: 40 slots used, 28 idle")).to_be_visible()
    expect(page.page.get_by_text("12 iterations: 40 slots used, 8 idle")).to_be_visible()
    assert static.get_by_role("cell", name="idle", exact=True).count() == 28
    assert continuous.get_by_role("cell", name="idle", exact=True).count() == 8
    expect(page.page.get_by_text("The hardware controls do not change this picture")).to_be_visible()


def test_the_story_plays_by_itself_to_its_end(page):
    page.page.clock.install()
    page.control("button", "Play").first.click()
    page.page.clock.run_for(600 * 5)
    expect(page.page.get_by_text("Iteration 5 of 17")).to_be_visible()
    page.page.clock.run_for(600 * 20)
    expect(page.control("button", "Play again")).to_be_visible()


def test_the_table_of_figures_is_what_the_api_says(page, server):
    page.control("button", "All figures as a table").click()
    answer = server.ask("compare", question(server))
    table = page.page.get_by_role("table", name="Figures of the three policies on the same requests")
    for row in table.locator("tr[data-figure]").all():
        figure = row.get_attribute("data-figure")
        if figure == "steps":
            continue
        for i, cell in enumerate(row.get_by_role("cell").all()):
            value = answer["runs"][i]["summary"][figure]
            if value is not None:
                assert exact(cell) == value, figure
    card = page.page.get_by_role("article", name="Chunked", exact=True)
    assert shown_seconds(answer["runs"][2]["summary"]["ttft_p99_s"]) in plain(card.inner_text())


def test_the_table_of_the_timeline_is_what_the_api_says(page, server):
    window = server.ask("compare", question(server))["window"]
    page.control("button", "The same as a table").click()
    for i, policy in enumerate(POLICIES):
        page.page.get_by_label("Iterations of").select_option(policy)
        lives = window["runs"][i]["requests"]
        names = ("arrival_s", "admitted_s", "first_token_s", "finished_s")
        table = page.page.get_by_role("table", name=f"{policy.capitalize()}: 120 requests in sight")
        for k, row in enumerate(table.get_by_role("row").all()[1:]):
            cells = row.get_by_role("cell").all()
            assert row.get_by_role("rowheader").inner_text() == str(window["requests"]["request"][k])
            assert cells[0].inner_text() == f"{window['requests']['prompt_tokens'][k]:,}"
            assert [exact(cell) for cell in cells[2:]] == [lives[name][k] for name in names]
    page.control("button", "What it adds up to, as a table").click()
    for phase in ("queue_s", "prefill_s", "decode_s", "stalled_s", "preempted_s", "running_s", "waiting_s"):
        cells = page.page.locator(f"tr[data-total={phase}]").get_by_role("cell").all()
        assert [exact(cell) for cell in cells] == [run["totals"][phase] for run in window["runs"]]


def test_a_moment_is_sought_and_iterations_are_stepped_through(page, server):
    moment = page.control("slider", "Moment")
    moment.fill("1000")
    end = server.ask("compare", question(server))["end_s"]
    following = page.control("button", "Next iteration of this policy")
    said = page.page.get_by_role("status", name="Iteration")
    following.click()
    expect(said).to_contain_text("Row ")
    step = server.ask("compare/step", question(server) | {"scheduler": 2, "at_s": end / 2, "move": "here"})
    expect(said).to_contain_text(f"Row {step['row'] + 1:,} of {step['rows']:,}")
    following.click()
    expect(said).to_contain_text(f"Row {step['row'] + 2:,} of {step['rows']:,}")
    page.control("button", "Previous iteration of this policy").click()
    expect(said).to_contain_text(f"Row {step['row'] + 1:,} of {step['rows']:,}")
    moment.press("End")
    expect(moment).to_have_attribute("aria-valuetext", plain_moment(end))


def plain_moment(value: float) -> str:
    return f"{value:,.3f}".rstrip("0").ljust(len(f"{value:,.0f}") + 3, "0") + "\u00a0s"


def test_playing_goes_on_from_where_it_is_and_ends_with_the_run(page):
    transport = page.page.get_by_role("group", name="Go through time")
    transport.get_by_label("Speed").select_option("1000")
    play = transport.get_by_role("button", name="Play")
    play.click()
    expect(transport.get_by_role("button", name="Pause")).to_be_visible()
    expect(play).to_be_visible()
    assert page.control("slider", "Moment").input_value() == "2000"


def test_a_request_is_chosen_by_key_and_its_parts_are_those_of_the_api(page, server):
    charts = page.page.get_by_role("group", name="Requests over time")
    charts.focus()
    page.press("ArrowDown", "ArrowDown", "ArrowDown")
    one = page.page.get_by_role("region", name="One request")
    expect(one).to_contain_text("Request 2:")
    for i in range(3):
        life = server.ask("compare/request", question(server) | {"scheduler": i, "request": 2})
        line = one.get_by_role("listitem").nth(i)
        assert shown_seconds(life["e2e_s"]) in plain(line.inner_text())
    one.get_by_text("In parts").last.click()
    decode = one.get_by_role("listitem").last.locator("dl div", has_text="Decode").locator("dd")
    assert decode.get_attribute("title") == f"{life['parts']['decode_s']} s"
    page.press("Escape")


def test_keys_zoom_pan_and_show_all(page):
    charts = page.page.get_by_role("group", name="Requests over time")
    all_ = page.control("button", "All")
    expect(all_).to_be_disabled()
    charts.focus()
    page.press("+", "+", "ArrowRight", "-")
    expect(all_).to_be_enabled()
    page.press("0")
    expect(all_).to_be_disabled()
    page.press("?")
    expect(page.page.get_by_role("dialog", name="Keys")).to_contain_text("On the charts of the traffic page")


def test_settings_are_in_the_link_undone_and_reset(page, visit, server):
    rate = page.control("spinbutton", "Rate")
    rate.fill("35")
    page.page.get_by_label("Arrivals", exact=True).select_option("gamma")
    page.settled()
    page.control("spinbutton", "Burstiness").fill("0.1")
    page.settled()
    expect(page.page).to_have_url(re.compile(r"traffic\.burstiness=0\.1"))
    link = page.hash()
    assert "traffic.requests_per_s=35" in link
    again = visit(link, viewport={"width": 1280, "height": 800})
    expect(again.control("spinbutton", "Rate")).to_have_value("35")
    expect(again.control("spinbutton", "Burstiness")).to_have_value("0.1")
    answer = server.ask("compare", question(server, requests_per_s=35, process="gamma", burstiness=0.1))
    card = again.page.get_by_role("article", name="Continuous", exact=True)
    assert shown_seconds(answer["runs"][1]["summary"]["ttft_p99_s"]) in plain(card.inner_text())
    again.control("spinbutton", "Rate").fill("5")
    again.settled()
    again.control("button", "Undo").click()
    expect(again.control("spinbutton", "Rate")).to_have_value("35")
    again.control("button", "Redo").click()
    expect(again.control("spinbutton", "Rate")).to_have_value("5")
    again.settled()
    again.control("button", "Reset").click()
    expect(again.control("spinbutton", "Requests")).to_have_value("1000")


def test_a_bad_setting_of_a_link_spoils_nothing(visit):
    page = visit(f"{PAGE}&traffic.requests_per_s=fast&traffic.seed=3&traffic.colour=red")
    notice = page.page.get_by_role("status", name="Notices")
    expect(notice).to_contain_text("traffic.requests_per_s=fast, traffic.colour=red")
    expect(page.control("spinbutton", "Seed")).to_have_value("3")


def test_starting_points_set_everything(page):
    page.control("button", "Agents").click()
    page.settled()
    expect(page.page.get_by_label("Arrivals", exact=True)).to_have_value("clients")
    expect(page.control("button", "Agents")).to_have_attribute("aria-current", "true")


def test_the_hardware_is_the_studio_s(page):
    page.control("link", "Studio").click()
    page.page.get_by_label("Weights format", exact=True).select_option("fp8")
    page.settled()
    before = page.hash()
    page.control("link", "Traffic").click()
    page.settled()
    assert "weights=fp8" in page.hash()
    assert "weights=fp8" in before
    expect(page.page.get_by_text("Simulated traffic on Llama-3.1-8B and one H100 SXM5 80GB")).to_be_visible()
    page.control("button", "Undo").click()
    page.settled()


def test_pointing_at_a_request_tells_of_it(page):
    lane = page.page.get_by_role("group", name="Requests over time").locator("canvas").last
    lane.scroll_into_view_if_needed()
    told = page.page.get_by_role("region", name="One request")
    for nudge in range(60):  # a picture drawn anew under a pointer at rest tells nothing until it moves
        box = lane.bounding_box()
        page.page.mouse.move(box["x"] + box["width"] * 0.3 + nudge % 2, box["y"] + box["height"] * 0.5)
        if "Request 6" in told.inner_text():
            break
        page.page.wait_for_timeout(500)
    expect(told).to_contain_text("Request 6")


def test_an_experiment_is_predicted_run_and_scored(page):
    first = page.page.locator("[data-experiment]").first
    first.get_by_label("It falls").check()
    first.get_by_label("more: over 2.5 times").check()
    first.get_by_role("button", name="Run it").click()
    outcome = first.get_by_role("group", name="Prediction and result")
    expect(outcome).to_contain_text("You said")
    expect(outcome).to_contain_text("from")
    expect(page.page.get_by_role("status", name="Score")).to_contain_text("of 1 prediction")

"""Calibrated step times on the page: the label, intervals, the engine, what explains them, links and undo."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import until
from tests.web.lab import lab_of, run, shown

pytestmark = pytest.mark.browser

CALIBRATED = "#v=1&profile=auto"
DEPLOYMENTS = "#v=1&page=labs&lab=deploy&lab.card=h100-sxm-80gb"
WIDTHS = (390, 768, 1280)


@pytest.fixture(autouse=True, scope="module")
def report_is_there(server):
    """The server works the report out once and keeps it: no page waits for that."""
    server.get("/api/accuracy")


def standing(studio):
    return studio.page.locator(".provenance")


def interval(studio, name):
    return studio.tile(name).get_by_text(re.compile("80 % of measurements lie between"))


def test_a_press_brings_measured_step_times_and_undo_takes_them_back(visit, server):
    studio = visit()
    expect(standing(studio)).to_have_text("Analytical model · not a benchmark")
    studio.control("button", "Use calibrated step times").click()
    expect(standing(studio)).not_to_have_text("Analytical model · not a benchmark")
    studio.settled()
    answer = server.estimate(profile="auto", engine="vllm")
    expect(standing(studio)).to_contain_text(answer["calibration"]["status"])
    assert studio.figure("Time per output token")[1] == answer["tpot_s"]
    for name in ("Time to first token", "Time per output token", "Output throughput"):
        expect(interval(studio, name)).to_have_count(1)
    expect(interval(studio, "End to end")).to_have_count(0)
    expect(studio.page).to_have_url(re.compile("profile=auto"))
    studio.press("ControlOrMeta+z")
    expect(standing(studio)).to_have_text("Analytical model · not a benchmark")


def test_a_link_opens_calibrated_and_a_bad_profile_is_left_out(visit, server):
    studio = visit(CALIBRATED)
    expect(standing(studio)).to_contain_text("alibrated")
    expect(studio.control("button", "Back to the textbook")).to_be_visible()
    studio = visit("#v=1&profile=mine")
    expect(standing(studio)).to_have_text("Analytical model · not a benchmark")
    expect(studio.page.get_by_text("profile=mine")).to_be_visible()


def test_the_engine_is_chosen_under_the_assumptions(visit, server):
    studio = visit()
    studio.control("button", "Planning assumptions").click()
    expect(studio.control("spinbutton", "Compute utilisation")).to_be_visible()
    studio.control("combobox", "Step times").select_option("calibrated")
    engine = studio.control("combobox", "Calibrated for")
    expect(engine).to_have_value("vllm")
    expect(studio.control("spinbutton", "Compute utilisation")).to_have_count(0)
    engine.select_option("SGLang")
    expect(studio.page).to_have_url(re.compile("engine=sglang"))
    studio.settled()
    assert studio.figure("Time per output token")[1] == server.estimate(profile="auto", engine="sglang")["tpot_s"]
    studio.control("combobox", "Step times").select_option("textbook")
    expect(standing(studio)).to_have_text("Analytical model · not a benchmark")
    expect(engine).to_have_count(0)


def test_a_calibrated_figure_is_explained_by_what_was_measured(visit):
    studio = visit(f"{CALIBRATED}&tensor_parallel=2")
    studio.control("button", "Formula: Time per output token").click()
    dialog = studio.page.get_by_role("dialog", name="Time per output token")
    expect(dialog.get_by_text("as measured").first).to_be_visible()
    expect(dialog.get_by_text("80 % of measurements lie between")).to_be_visible()
    dialog.get_by_role("button", name="Accuracy", exact=True).click()
    expect(studio.page.get_by_role("heading", name="How far off are the figures?")).to_be_visible()
    studio.settled()


def test_a_lab_says_how_sure_a_run_is_and_takes_it_back(server, visit):
    """Its label is the lab's own again with the textbook, and what the run rests on is told in full meanwhile."""
    card = lab_of(server, "deploy")
    textbook, calibrated = (
        run(server, "deploy", card="h100-sxm-80gb", step_times=kind) for kind in ("textbook", "calibrated")
    )
    told = calibrated["evidence"]
    assert textbook["evidence"] is None
    studio = visit(DEPLOYMENTS)
    main = studio.page.get_by_role("main")
    expect(standing(studio)).to_have_text(card["evidence"]["label"])
    expect(main).not_to_contain_text(told["words"])
    choice = studio.page.get_by_role("radiogroup", name="Step times", exact=True)
    choice.get_by_role("radio", name="Calibrated", exact=True).check()
    expect(standing(studio)).to_have_text(told["label"])
    expect(main).to_contain_text(told["words"])
    expect(main).to_contain_text(calibrated["headline"])
    assert until(studio.page, lambda: shown(studio, card) == calibrated["tiles"])
    studio.press("ControlOrMeta+z")
    expect(standing(studio)).to_have_text(card["evidence"]["label"])
    expect(main).not_to_contain_text(told["words"])


def test_a_figure_of_a_lab_s_text_says_what_it_rests_on(server, visit):
    story = next(page for page in lab_of(server, "deploy")["pages"] if page["role"] == "explanation")
    (block,) = [one for one in story["blocks"] if "step_times" in (one["settings"] or {})]
    label = run(server, "deploy", **block["settings"])["evidence"]["label"]
    studio = visit("#v=1&page=labs&lab=deploy")
    figures = studio.page.get_by_role("region", name=story["title"], exact=True).get_by_role("figure")
    figure = figures.filter(has_text=block["caption"])

    def told():
        figure.scroll_into_view_if_needed()  # what is drawn above it may push it out of sight again
        return label in figure.inner_text()

    assert until(studio.page, told)
    assert label not in figures.first.inner_text()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(visit, theme):
    studio = visit(f"{CALIBRATED}&tensor_parallel=2")
    studio.theme(theme)
    studio.page.get_by_role("button", name="Planning assumptions").click()
    found = {}
    for width in reversed(WIDTHS):
        studio.resize(width)
        found[width] = (studio.violations(), studio.sideways())
    assert found == {width: ([], 0) for width in WIDTHS}

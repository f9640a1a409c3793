"""The page "Accuracy": scores, filters, the chart by keyboard, groups, links."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from servelab.fidelity import measured
from servelab.fidelity.accuracy import accuracy
from tests.web.driver import plain

pytestmark = pytest.mark.browser

PAGE = "#v=1&page=accuracy"
WIDTHS = (390, 768, 1280)


@pytest.fixture(autouse=True, scope="module")
def report_is_there(server):
    """The server works the report out once and keeps it: no page waits for that."""
    server.get("/api/accuracy")


def summary(studio):
    return studio.page.get_by_role("status").filter(has_text="predicted")


def reader(studio):
    return studio.page.get_by_role("slider", name=re.compile("Predicted against measured"))


def percent(value):
    return f"{100 * value:.1f} %"


def test_scores_are_those_of_the_library(visit):
    studio = visit(PAGE)
    for headline in accuracy().headlines:
        tile = studio.page.get_by_role("article", name=headline.title, exact=True)
        expect(tile).to_contain_text(percent(headline.score.median_fraction).replace(" ", "\u00a0"))
    expect(summary(studio)).to_contain_text(f"{len(measured.rows()):,}\u00a0rows")
    every = next(headline for headline in accuracy().headlines if headline.id == "all")
    assert percent(every.score.median_fraction) in plain(summary(studio).inner_text())


def test_filters_choose_rows_and_the_link_carries_them(visit):
    studio = visit(PAGE)
    vllm = [row for row in measured.rows() if row.engine == "vllm"]
    prefill = [row for row in vllm if row.phase == "prefill"]
    studio.control("combobox", "Engine").select_option("vllm")
    expect(summary(studio)).to_contain_text(f"{len(vllm):,}\u00a0rows")
    studio.control("combobox", "Phase").select_option("prefill")
    expect(summary(studio)).to_contain_text(f"{len(prefill):,}\u00a0rows")
    expect(studio.page).to_have_url(re.compile("accuracy-engine=vllm&accuracy-phase=prefill"))
    studio.page.reload()
    studio.settled()
    expect(summary(studio)).to_contain_text(f"{len(prefill):,}\u00a0rows")
    studio.control("button", "Show all").click()
    expect(summary(studio)).to_contain_text(f"{len(measured.rows()):,}\u00a0rows")


def test_the_chart_is_read_by_keyboard_the_furthest_off_first(visit):
    studio = visit(PAGE)
    slider = reader(studio)
    slider.focus()
    expect(slider).to_have_attribute("aria-valuenow", "1")
    first = slider.get_attribute("aria-valuetext") or ""
    assert "measured" in first
    assert "Source" in first
    studio.press("ArrowDown")
    expect(slider).to_have_attribute("aria-valuenow", "2")
    assert slider.get_attribute("aria-valuetext") != first
    studio.press("End")
    most = slider.get_attribute("aria-valuemax") or ""
    expect(slider).to_have_attribute("aria-valuenow", most)
    studio.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", first)


def test_the_textbook_is_shown_beside_the_profiles(visit):
    studio = visit(PAGE)
    every = next(headline for headline in accuracy().headlines if headline.id == "all")
    assert every.textbook is not None
    studio.page.get_by_role("radio", name="Textbook", exact=True).check()
    expect(summary(studio)).to_contain_text(percent(every.textbook.median_fraction).replace(" ", "\u00a0"))
    expect(studio.page).to_have_url(re.compile("accuracy-of=textbook"))


def test_another_figure_has_a_chart_and_a_table_of_its_own(visit):
    studio = visit(PAGE)
    rows = [row for row in measured.rows() if row.metric == "tpot_s"]
    studio.page.get_by_role("radio", name=re.compile("Time per output token")).check()
    table = studio.page.get_by_role("table", name=re.compile("Time per output token, measured and predicted"))
    expect(table).to_be_visible()
    expect(studio.page.get_by_text(f"1 to 12 of {len(rows):,}")).to_be_visible()
    studio.control("button", "Rows after").click()
    expect(studio.page.get_by_text(f"13 to 24 of {len(rows):,}")).to_be_visible()


def test_a_group_is_chosen_and_let_go_again(visit):
    studio = visit(PAGE)
    group = accuracy().groups[0]
    button = studio.page.get_by_role("button", name=re.compile("^Only these: ")).first
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(summary(studio)).to_contain_text(f"{group.score.rows:,}\u00a0rows")
    expect(studio.control("combobox", "Source")).to_have_value(group.source)
    button.click()
    expect(summary(studio)).to_contain_text(f"{len(measured.rows()):,}\u00a0rows")


def test_a_link_with_an_unknown_choice_says_so_and_keeps_the_rest(visit):
    studio = visit(f"{PAGE}&accuracy-engine=vllm&accuracy-source=nobody")
    expect(studio.control("combobox", "Engine")).to_have_value("vllm")
    expect(studio.control("combobox", "Source")).to_have_value("")
    expect(studio.page.get_by_text("accuracy-source=nobody")).to_be_visible()


def test_exclusions_are_listed_with_their_reasons(visit):
    studio = visit(PAGE)
    table = studio.page.get_by_role("table", name="Rows left out, by reason")
    for line in accuracy().excluded:
        expect(table.get_by_role("row", name=re.compile("^" + re.escape(line.reason)))).to_contain_text(
            f"{line.rows:,}"
        )


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(visit, theme):
    studio = visit(PAGE)
    studio.theme(theme)
    found = {}
    for width in WIDTHS:
        studio.resize(width)
        found[width] = (studio.violations(), studio.sideways())
    assert found == {width: ([], 0) for width in WIDTHS}

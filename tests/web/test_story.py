"""Baseline, undo and redo, palette and starting points, with a mouse and by keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import plain

pytestmark = pytest.mark.browser

WORDS = {
    "Time to first token": "ttft_s",
    "Time per output token": "tpot_s",
    "End to end": "e2e_s",
    "Output throughput": "output_tokens_per_s",
    "Cost per million": "cost_usd_per_million_output_tokens",
}


def against(before, after, field):
    """The comparison in words, made from the API's figures apart from the page."""
    ratio = after[field] / before[field]
    if abs(ratio - 1) < 0.0005:
        return "= as the baseline"
    lower = field != "output_tokens_per_s"
    good = (ratio < 1) == lower
    better, worse = ("faster", "slower") if field.endswith("_s") and lower else ("cheaper", "dearer")
    if not lower:
        better, worse = "more", "less"
    factor = max(ratio, 1 / ratio)
    amount = f"{factor:#.3g}×" if factor >= 1.1 else f"{abs(ratio - 1) * 100:#.3g} %"
    return f"{'▲' if ratio > 1 else '▼'} {amount} {better if good else worse} than the baseline"


def test_a_pinned_baseline_is_compared_with_in_words_and_explained(server, studio):
    studio.control("button", "Pin as baseline").click()
    expect(studio.page.get_by_role("region", name="What did the change do?")).to_contain_text("Nothing differs yet")
    studio.control("combobox", "Weights format").select_option("int4")
    studio.settled()
    before, after = server.estimate(), server.estimate(weights="int4")
    for tile, field in WORDS.items():
        assert against(before, after, field) in plain(studio.tile(tile).inner_text()).replace("\n", " ")
    region = studio.page.get_by_role("region", name="What did the change do?")
    explanation = server.explain(weights="int4")
    expect(region).to_contain_text(explanation["sentence"])
    expect(region).to_contain_text("Weights format: as published → int4")
    table = region.get_by_role("table", name="One decode step, on average")
    difference = explanation["decode"]["parts"][0]["difference_s"]
    expect(table.get_by_role("row", name="Linear layers").get_by_title(f"{difference}")).to_be_visible()
    studio.page.reload()
    studio.settled()
    expect(studio.tile("Time per output token")).to_contain_text("faster than the baseline")
    studio.control("button", "Unpin").click()
    expect(region).to_have_count(0)
    expect(studio.tile("Time per output token")).not_to_contain_text("baseline")


def test_reset_forgets_the_baseline_and_a_damaged_one_is_none(visit):
    studio = visit()
    studio.control("button", "Pin as baseline").click()
    studio.control("spinbutton", "Batch").fill("8")
    studio.settled()
    studio.control("button", "Reset").click()
    expect(studio.control("button", "Pin as baseline")).to_be_visible()
    studio.page.reload()
    studio.settled()
    expect(studio.control("button", "Pin as baseline")).to_be_visible()
    for text in ("v=1&batch=zero", "{}", "v=2"):
        studio.page.evaluate("text => localStorage.setItem('servelab.baseline.v1', text)", text)
        studio.page.reload()
        studio.settled()
        expect(studio.control("button", "Pin as baseline")).to_be_visible()


def test_undo_and_redo_by_button_and_by_key(server, studio):
    undo, redo = studio.control("button", "Undo"), studio.control("button", "Redo")
    expect(undo).to_be_disabled()
    studio.control("combobox", "Weights format").select_option("int4")
    studio.settled()
    studio.control("radio", "2").check()
    studio.settled()
    batch = studio.control("spinbutton", "Batch")
    batch.fill("41")
    studio.settled()
    batch.press("ControlOrMeta+z")  # in a text field the key is the field's own
    expect(studio.control("radio", "2")).to_be_checked()
    studio.page.get_by_role("main").focus()
    while studio.control("spinbutton", "Batch").input_value() != "16":
        studio.press("ControlOrMeta+z")
        studio.settled()
    studio.press("ControlOrMeta+z")
    expect(studio.control("radio", "1")).to_be_checked()
    studio.settled()
    assert studio.figure("End to end")[1] == server.estimate(weights="int4")["e2e_s"]
    undo.click()
    expect(studio.control("combobox", "Weights format")).to_have_value("")
    expect(undo).to_be_disabled()
    redo.click()
    expect(studio.control("combobox", "Weights format")).to_have_value("int4")
    studio.page.get_by_role("main").focus()
    studio.press("ControlOrMeta+Shift+z")
    expect(studio.control("radio", "2")).to_be_checked()
    studio.settled()
    studio.control("combobox", "KV cache format").select_option("fp8")
    expect(redo).to_be_disabled()


def run(studio, words):
    """Find a command by its words and run it, by keyboard alone."""
    studio.press("ControlOrMeta+k")
    search = studio.control("combobox", "Search controls, actions and pages")
    expect(search).to_be_focused()
    studio.page.keyboard.type(words)
    expect(search).to_have_attribute("aria-activedescendant", re.compile("."))
    studio.press("Enter")
    expect(studio.page.get_by_role("dialog")).to_have_count(0)


def test_the_palette_reaches_controls_actions_pages_and_experiments(studio):
    run(studio, "kv cache format")
    expect(studio.control("combobox", "KV cache format")).to_be_focused()
    run(studio, "all-reduce")
    expect(studio.control("spinbutton", "All-reduce latency")).to_be_focused()
    run(studio, "tensor parallel")
    expect(studio.control("radio", "1")).to_be_focused()
    run(studio, "light theme")
    expect(studio.page.locator("html")).to_have_attribute("data-theme", "light")
    run(studio, "pin this")
    expect(studio.page.get_by_role("region", name="What did the change do?")).to_be_visible()
    run(studio, "work per byte")
    expect(studio.page.get_by_role("heading", name="Work per byte")).to_be_focused()
    run(studio, "reset")
    run(studio, "under the hood")
    expect(studio.page.get_by_role("heading", level=1, name="Under the hood")).to_be_visible()
    run(studio, "fp8 arithmetic")
    expect(studio.page.get_by_role("heading", level=1, name="Predict, run, understand")).to_be_visible()
    expect(studio.page.get_by_role("heading", name="FP8 arithmetic")).to_be_in_viewport()
    run(studio, "batch")
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("Llama-3.1-8B")


def test_the_palette_says_what_it_found_and_closes_without_a_trace(studio):
    opener = studio.control("button", "Search controls and actions")
    opener.click()
    search = studio.control("combobox", "Search controls, actions and pages")
    options = studio.page.get_by_role("listbox", name="Controls, actions and pages").get_by_role("option")
    first = options.nth(0).get_attribute("id")
    expect(search).to_have_attribute("aria-activedescendant", first)
    studio.press("ArrowDown")
    expect(search).to_have_attribute("aria-activedescendant", options.nth(1).get_attribute("id"))
    studio.press("ArrowUp", "ArrowUp")
    expect(search).to_have_attribute("aria-activedescendant", options.last.get_attribute("id"))
    search.fill("xyzzy")
    expect(studio.page.get_by_text("Nothing matches “xyzzy”.")).to_be_visible()
    expect(studio.page.get_by_role("dialog").get_by_text("0 found")).to_be_attached()
    studio.press("Escape")
    expect(opener).to_be_focused()
    assert studio.hash() in ("", "#v=1")


@pytest.mark.parametrize(
    ("question", "heading", "link"),
    [
        ("Why is decode slow?", "What’s the bottleneck?", "#v=1&batch=1"),
        ("How many users fit?", "Will it fit?", "#v=1&prompt_tokens=4096&output_tokens=512"),
        ("What does sharing KV heads buy?", "What did the change do?", "#v=1&prompt_tokens=8192&batch=8"),
        ("When does a second GPU help?", "Split the model", "#v=1&tensor_parallel=2&link_bytes_per_s=31000000000"),
    ],
)
def test_a_starting_point_sets_scrolls_and_says_what_to_look_at(studio, question, heading, link):
    studio.control("spinbutton", "Output").fill("300")  # whatever was set before gives way
    studio.settled()
    studio.control("button", question).click()
    expect(studio.page).to_have_url(f"{studio.address}/{link}")
    studio.settled()
    expect(studio.page.get_by_role("heading", name=heading)).to_be_in_viewport()
    note = studio.page.get_by_role("note", name="What to look at")
    expect(note).to_contain_text(question)
    assert len(re.findall(r"[.:](?=\s|$)", note.inner_text())) >= 2
    studio.control("button", "Close this hint").click()
    expect(note).to_have_count(0)


def test_what_the_starting_points_say_is_so(server):
    """The claims of their sentences, asked of the API."""
    alone = server.estimate(batch=1)["decode"]["linear"]
    assert alone["data_s"] > 50 * alone["math_s"]
    slow = {"link_bytes_per_s": 31e9}
    one, two = server.estimate(**slow), server.estimate(**slow, tensor_parallel=2)
    assert two["ttft_s"] > one["ttft_s"]
    assert two["tpot_s"] < 0.6 * one["tpot_s"]
    assert server.estimate(prompt_tokens=8192, batch=8)["deployment"]["model"]["query_heads"] == 32

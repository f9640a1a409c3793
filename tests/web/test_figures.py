"""The numbers on the page are the API's, written as people write them."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.driver import PERFORMANCE, TILES, TOO_LARGE, plain, shown_bytes, shown_rate, shown_seconds, until

pytestmark = pytest.mark.browser


def test_the_working_example_shows_the_figures_of_the_api(server, studio):
    answer = server.estimate()
    expected = {
        "Time to first token": (shown_seconds(answer["ttft_s"]), answer["ttft_s"]),
        "Time per output token": (shown_seconds(answer["tpot_s"]), answer["tpot_s"]),
        "Output throughput": (shown_rate(answer["output_tokens_per_s"]), answer["output_tokens_per_s"]),
        "End to end": (shown_seconds(answer["e2e_s"]), answer["e2e_s"]),
        "Cost per million": (
            f"${answer['cost_usd_per_million_output_tokens']:.3f}",
            answer["cost_usd_per_million_output_tokens"],
        ),
    }
    assert {name: studio.figure(name) for name in TILES} == expected
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("Llama-3.1-8B")
    expect(studio.page.get_by_text("Analytical model · not a benchmark")).to_be_visible()


def test_each_time_has_its_floor_and_the_rates_beside_it(server, studio):
    answer = server.estimate()
    floor = shown_seconds(answer["prefill"]["floor_s"])
    assert f"Cannot be below {floor} on this hardware" in plain(studio.tile("Time to first token").inner_text())
    rates = plain(studio.tile("Output throughput").inner_text())
    assert shown_rate(answer["decode_tokens_per_s"]) in rates
    assert shown_rate(answer["request_tokens_per_s"]) in rates


def test_the_memory_table_is_the_api_s_memory(server, studio):
    memory = server.estimate()["memory"]
    table = studio.page.get_by_role("table", name="Memory of each device")
    rows = {"Weights": "weights", "KV cache": "kv_cache", "Workspace": "workspace", "Reserve": "reserve"}
    for name, field in {**rows, "Needed": "total"}.items():
        row = plain(table.get_by_role("row", name=name).inner_text())
        assert shown_bytes(memory[f"{field}_bytes"]) in row
    free = memory["capacity_bytes"] - memory["total_bytes"]
    assert shown_bytes(free) in plain(table.get_by_role("row", name="Free").inner_text())


def test_the_bottleneck_table_is_the_api_s_phases(server, studio):
    answer = server.estimate()
    studio.lay_out_all()
    step = studio.page.get_by_role("table", name="Where the time of one step, on average goes")
    row = plain(step.get_by_role("row", name="Linear layers Memory traffic").inner_text())
    assert shown_seconds(answer["decode"]["linear"]["data_s"] / 255) in row
    whole = plain(step.get_by_role("row", name="One step, on average").inner_text())
    assert shown_seconds(answer["tpot_s"]) in whole
    expect(studio.page.get_by_role("heading", name="Decode waits for memory")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_what_does_not_fit_has_no_performance_figure_anywhere(visit, width):
    studio = visit(viewport={"width": width, "height": 800})
    studio.page.goto(f"{studio.address}/{TOO_LARGE}")  # from a page full of figures, without a reload
    studio.settled()
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("Llama-3.1-70B")
    if width == 390:
        studio.control("button", "Settings").click()
    # What is read out comes a moment later.
    assert until(studio.page, lambda: PERFORMANCE.search(studio.text()) is None)
    for name in TILES:
        assert "Does not fit" in studio.tile(name).text_content()
    expect(studio.page.get_by_role("heading", name="No,")).to_be_attached()


def test_what_would_fit_is_a_button_that_applies_it(server, visit):
    studio = visit(TOO_LARGE)
    changes = studio.page.get_by_role("group", name="What would fit:").get_by_role("button").all_inner_texts()
    would = server.estimate(model="llama-3.1-70b", batch=64)["would_fit"]
    assert plain(changes[0]) == f"{would['tensor_parallel']} devices"
    assert {"Weights int4"} < set(map(plain, changes))
    studio.page.get_by_role("button", name="Weights int4").first.click()
    studio.settled()
    answer = server.estimate(model="llama-3.1-70b", batch=64, weights="int4")
    assert studio.figure("End to end")[1] == answer["e2e_s"]
    expect(studio.control("combobox", "Weights format")).to_have_value("int4")


def test_one_output_token_has_no_step(visit):
    studio = visit("#v=1&output_tokens=1")
    expect(studio.tile("Time per output token")).to_contain_text("there is no decode step")
    assert studio.figure("End to end") == studio.figure("Time to first token")


def test_an_unknown_rate_leaves_memory_answered_and_says_what_to_give(visit):
    studio = visit("#v=1&accelerator=v100-sxm2-32gb&compute=int4&weights=int8")
    expect(studio.page.get_by_text("The int4 compute rate of V100 SXM2 32GB is not known")).to_be_visible()
    expect(studio.page.get_by_role("heading", name="Yes, with")).to_be_visible()
    assert PERFORMANCE.search(studio.tile("Time to first token").inner_text()) is None


FORMULAS = {
    "Time to first token": ("TTFT", "ttft_s"),
    "Time per output token": ("TPOT", "tpot_s"),
    "Output throughput": ("throughput", "output_tokens_per_s"),
    "End to end": ("E2E", "e2e_s"),
    "Cost per million output tokens": ("cost", "cost_usd_per_million_output_tokens"),
    "memory for Weights": ("W", "weights_bytes"),
    "memory for KV cache": ("κ", "kv_cache_bytes"),
    "memory for Workspace": ("buffers", "workspace_bytes"),
    "memory for Reserve": ("constant", "reserve_bytes"),
    "knee of the roof": ("knee", "knee_flop_per_byte"),
    "throughput of a batch": ("throughput", "output_tokens_per_s"),
    "how Rate of one request comes about": ("throughput", "output_tokens_per_s"),
}


def test_every_number_opens_its_formula_with_the_current_values(server, studio):
    answer = server.estimate()
    for name, (formula, field) in FORMULAS.items():
        studio.control("button", f"Formula: {name}").click()
        dialog = studio.page.get_by_role("dialog")
        expect(dialog.locator("math").first).to_contain_text(formula)
        exact = {**answer, **answer["memory"]}[field]
        said = [float(word) for word in dialog.inner_text().split() if word.replace(".", "").isdigit()]
        assert exact in said
        studio.press("Escape")
        expect(dialog).to_be_hidden()
        expect(studio.control("button", f"Formula: {name}")).to_be_focused()


def test_copying_a_number_copies_it_exactly(server, visit):
    studio = visit(permissions=["clipboard-read"])
    studio.tile("End to end").get_by_title(" s").first.click(click_count=3)
    studio.press("ControlOrMeta+c")
    assert studio.page.evaluate("navigator.clipboard.readText()") == f"{server.estimate()['e2e_s']!r} s"

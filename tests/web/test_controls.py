"""Every control by role and name, by mouse and by keyboard alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import GROUND

pytestmark = pytest.mark.browser

PERCENT = ("Compute utilisation", "Bandwidth utilisation", "Integer format metadata", "Link utilisation")


def fill(studio, name, text):
    studio.control("spinbutton", name).fill(text)
    studio.settled()


def test_numbers_change_the_answer(server, studio):
    for name, field, value in [
        ("Prompt", "prompt_tokens", 2000),
        ("Output", "output_tokens", 77),
        ("Batch", "batch", 41),
    ]:
        fill(studio, name, str(value))
        assert f"{field}={value}" in studio.page.get_by_role("link", name="Studio", exact=True).get_attribute("href")
    answer = server.estimate(prompt_tokens=2000, output_tokens=77, batch=41)
    assert studio.figure("End to end")[1] == answer["e2e_s"]


def test_choices_change_the_answer(server, studio):
    studio.control("combobox", "Weights format").select_option("int4")
    studio.control("combobox", "KV cache format").select_option("fp8")
    studio.control("radio", "2").check()
    studio.settled()
    answer = server.estimate(weights="int4", kv_cache="fp8", tensor_parallel=2)
    assert studio.figure("Time per output token")[1] == answer["tpot_s"]
    studio.control("combobox", "Weights format").select_option("")
    studio.settled()
    assert studio.figure("End to end")[1] == server.estimate(kv_cache="fp8", tensor_parallel=2)["e2e_s"]


def test_assumptions_are_given_in_human_units(server, studio):
    studio.control("button", "Planning assumptions").click()
    fill(studio, "Compute utilisation", "45")
    fill(studio, "Bandwidth utilisation", "72.5")
    fill(studio, "Overhead per pass", "0.3")
    fill(studio, "Reserve per device", "3.5")
    fill(studio, "Workspace buffers", "4")
    fill(studio, "All-reduce latency", "12")
    fill(studio, "Link rate, one way", "300")
    studio.control("radio", "2").check()
    studio.settled()
    answer = server.estimate(
        compute_utilization=0.45,
        bandwidth_utilization=0.725,
        pass_overhead_s=0.0003,
        reserve_bytes=3.5e9,
        workspace_buffers=4,
        all_reduce_latency_s=12e-6,
        link_bytes_per_s=3e11,
        tensor_parallel=2,
    )
    assert studio.figure("End to end")[1] == answer["e2e_s"]
    assert "pass_overhead_s=0.0003&" in studio.page.get_by_role("link", name="Studio", exact=True).get_attribute("href")
    fill(studio, "Link rate, one way", "")
    assert studio.figure("End to end")[1] != answer["e2e_s"]


def test_every_assumption_has_its_control_and_every_control_its_help(studio):
    studio.control("button", "Planning assumptions").click()
    numbers = (
        *PERCENT,
        "Overhead per pass",
        "Reserve per device",
        "Workspace buffers",
        "Link rate, one way",
        "All-reduce latency",
    )
    for role, names in {
        "spinbutton": ("Prompt", "Output", "Batch", *numbers),
        "combobox": ("Model", "Accelerator", "Weights format", "KV cache format", "Compute format"),
        "checkbox": ("Replicate KV heads",),
        "radiogroup": ("Tensor parallel degree",),
    }.items():
        for name in names:
            control = studio.control(role, name)
            expect(control).to_have_accessible_description(re.compile(r"\w{3}.*\."))
            help_button = studio.control("button", f"About: {name}")
            help_button.click()
            expect(help_button).to_have_attribute("aria-expanded", "true")
    for name in PERCENT:
        expect(studio.control("spinbutton", name)).to_have_accessible_description(re.compile("^%"))


def test_degrees_the_model_forbids_are_disabled_with_their_reason(server, studio):
    for option in server.estimate()["tensor_parallel_options"]:
        radio = studio.control("radio", str(option["degree"]))
        if option["allowed"]:
            expect(radio).to_be_enabled()
        else:
            expect(radio).to_be_disabled()
            expect(radio).to_have_accessible_description(option["reason"])
    studio.control("button", "Why not 3, 5, 6, 7?").click()
    expect(studio.page.get_by_text("3 does not divide the 32 query heads").first).to_be_visible()


def test_the_keyboard_alone_is_enough(server, studio):
    studio.press("Tab")
    skip = studio.control("link", "Skip to results")
    expect(skip).to_be_focused()
    studio.press("Enter")
    expect(studio.page.get_by_role("main")).to_be_focused()

    model = studio.control("combobox", "Model")
    model.focus()
    studio.page.keyboard.type("qwen2.5 7b")
    studio.press("Enter")
    studio.settled()
    expect(model).to_have_value("Qwen2.5-7B")
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("Qwen2.5-7B")
    studio.press("ArrowDown", "ArrowDown", "Enter")
    studio.settled()
    expect(model).not_to_have_value("Qwen2.5-7B")
    chosen = model.input_value()
    studio.press("ArrowDown", "ArrowDown", "Escape")
    expect(model).to_have_value(chosen)

    studio.press("Tab")
    expect(studio.control("button", "Use a config.json")).to_be_focused()
    studio.press("Tab", "Tab")
    expect(studio.control("combobox", "Accelerator")).to_be_focused()
    studio.press("Tab")
    expect(studio.control("button", "Give your own figures")).to_be_focused()
    studio.press("Enter")
    form = studio.page.get_by_role("dialog", name="An accelerator of your own")
    expect(form).to_be_visible()
    studio.press("Escape")
    expect(form).to_be_hidden()
    expect(studio.control("button", "Give your own figures")).to_be_focused()
    studio.press("Tab", "Tab")
    expect(studio.control("radio", "1")).to_be_focused()
    studio.press("ArrowRight")
    studio.settled()
    expect(studio.page.get_by_role("heading", level=1)).to_contain_text("2 ×")

    slider = studio.control("slider", "Batch, slider")
    slider.focus()
    studio.press("ArrowRight")
    expect(studio.control("spinbutton", "Batch")).to_have_value("24")
    expect(slider).to_have_attribute("aria-valuetext", "24 requests")
    studio.press("Home")
    expect(studio.control("spinbutton", "Batch")).to_have_value("1")

    studio.press("?")
    dialog = studio.page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    studio.press("Escape")
    expect(dialog).to_be_hidden()
    expect(slider).to_be_focused()

    studio.control("button", "Reset").focus()
    studio.press("Enter")
    studio.settled()
    assert studio.figure("End to end")[1] == server.estimate()["e2e_s"]


def test_a_question_mark_in_a_text_field_is_text(studio):
    studio.control("combobox", "Model").focus()
    studio.press("?")
    expect(studio.page.get_by_role("dialog")).to_be_hidden()
    expect(studio.page.get_by_text("No model matches “?”.")).to_be_visible()


def test_a_bad_number_says_why_and_keeps_the_last_good_answer(studio):
    studio.allow("422")
    before = studio.figures()
    batch = studio.control("spinbutton", "Batch")
    alert = studio.page.get_by_role("alert")
    for text, sentence in [
        ("0", "0 is out of range"),
        ("1.5", "1.5 is not whole"),
        ("1e16", "10000000000000000 is out of range"),
    ]:
        batch.fill(text)
        expect(alert).to_contain_text(sentence)
        studio.settled(ready=False)
        expect(batch).to_have_attribute("aria-invalid", "true")
        assert alert.inner_text() in plain_description(batch)
        assert studio.figures() == before
        assert studio.hash() == "#v=1"
    fill(studio, "Batch", "16")
    expect(alert).to_have_count(0)
    expect(batch).to_have_attribute("aria-invalid", "false")


def plain_description(control):
    ids = control.get_attribute("aria-describedby").split()
    return " ".join(control.page.locator(f"[id='{name}']").text_content() for name in ids)


def test_an_empty_number_keeps_the_last_good_answer(studio):
    before = studio.figures()
    batch = studio.control("spinbutton", "Batch")
    batch.fill("")
    expect(studio.page.get_by_role("alert")).to_contain_text("Give a number")
    expect(batch).to_have_attribute("aria-invalid", "true")
    assert studio.settled().figures() == before
    studio.control("button", "Reset").click()
    expect(batch).to_have_value("16")
    expect(studio.page.get_by_role("alert")).to_have_count(0)


def test_a_model_that_forbids_the_degree_lowers_it_and_says_so(visit):
    studio = visit("#v=1&tensor_parallel=8")
    studio.allow("422")
    model = studio.control("combobox", "Model")
    model.fill("qwen2.5-7b")
    studio.press("Enter")
    studio.settled()
    expect(studio.control("radio", "4")).to_be_checked()
    expect(studio.page.get_by_role("status", name="Notices")).to_contain_text("Tensor parallel degree set to 4")


def test_on_a_phone_the_settings_are_a_sheet(server, visit):
    studio = visit(viewport={"width": 390, "height": 844}, has_touch=True)
    expect(studio.control("spinbutton", "Batch")).to_have_count(0)
    studio.control("button", "Settings").click()
    sheet = studio.page.get_by_role("dialog", name="Settings")
    expect(sheet).to_be_visible()
    model = studio.control("combobox", "Model")
    model.click()
    expect(model).to_have_attribute("aria-expanded", "true")
    studio.press("Escape")
    expect(model).to_have_attribute("aria-expanded", "false")
    expect(sheet).to_be_visible()
    fill(studio, "Batch", "8")
    studio.control("button", "Done").click()
    expect(sheet).to_be_hidden()
    assert studio.figure("End to end")[1] == server.estimate(batch=8)["e2e_s"]


def test_a_slider_goes_by_ratios(server, studio):
    slider = studio.control("slider", "Batch, slider")
    box = slider.bounding_box()
    thumb = 18  # its middle stands on the value, so the track is a thumb shorter than the control
    for share, batch in ((1, 1024), (0, 1), (9 / 19, 32)):
        across = thumb / 2 + share * (box["width"] - thumb)
        slider.click(position={"x": across, "y": box["height"] / 2})
        expect(studio.control("spinbutton", "Batch")).to_have_value(str(batch))
    assert studio.settled().figure("End to end")[1] == server.estimate(batch=32)["e2e_s"]


def test_the_theme_follows_the_system_until_it_is_chosen(studio):
    page = studio.page.locator("html")
    studio.theme("light")
    studio.control("button", "Switch to the dark theme").click()
    expect(page).to_have_css("background-color", GROUND["dark"])
    studio.page.reload()
    expect(page).to_have_css("background-color", GROUND["dark"])
    studio.control("button", "Switch to the light theme").click()
    expect(page).to_have_css("background-color", GROUND["light"])
    studio.theme("dark")

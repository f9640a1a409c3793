"""The address carries the configuration; a damaged one spoils nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def notices(studio):
    return studio.page.get_by_role("status", name="Notices")


def test_a_link_survives_a_reload_and_opens_elsewhere(server, visit):
    studio = visit(permissions=["clipboard-read", "clipboard-write"])
    studio.control("spinbutton", "Batch").fill("41")
    studio.control("combobox", "Weights format").select_option("int4")
    studio.settled()
    expect(studio.page).to_have_url(f"{server.address}/#v=1&weights=int4&batch=41")
    studio.control("button", "Share link").click()
    expect(studio.page.get_by_text("The link is on the clipboard.")).to_be_attached()
    link = studio.page.evaluate("navigator.clipboard.readText()")
    assert link == f"{server.address}/#v=1&weights=int4&batch=41"
    figures = studio.figures()
    studio.page.reload()
    assert studio.settled().figures() == figures
    assert visit(link.removeprefix(f"{server.address}/")).figures() == figures
    assert studio.figure("End to end")[1] == server.estimate(weights="int4", batch=41)["e2e_s"]


def test_one_bad_value_spoils_nothing_and_is_named(server, visit):
    studio = visit("#v=1&batch=41&weights=int3&prompt_tokens=2048&colour=blue")
    expect(notices(studio)).to_contain_text("weights=int3, colour=blue")
    assert studio.figure("End to end")[1] == server.estimate(batch=41, prompt_tokens=2048)["e2e_s"]
    expect(studio.page).to_have_url(f"{server.address}/#v=1&prompt_tokens=2048&batch=41")
    studio.control("button", "Dismiss this notice").click()
    expect(notices(studio)).to_be_empty()


def test_a_value_that_only_the_api_can_judge_is_put_back_and_named(server, visit):
    studio = visit("#v=1&batch=41&tensor_parallel=3", prepare=lambda studio: studio.allow("422"))
    expect(notices(studio)).to_contain_text("tensor_parallel=3")
    assert studio.figure("End to end")[1] == server.estimate(batch=41)["e2e_s"]


def test_a_link_of_another_version_says_so(server, visit):
    studio = visit("#v=99&batch=41")
    expect(notices(studio)).to_contain_text("v=99")


def test_back_and_forward_walk_through_whole_edits(studio):
    batch = studio.control("spinbutton", "Batch")
    for text in ("3", "32", "320"):
        batch.fill(text)
    expect(studio.page).to_have_url(f"{studio.address}/#v=1&batch=320")
    studio.control("combobox", "KV cache format").select_option("fp8")
    expect(studio.page).to_have_url(f"{studio.address}/#v=1&kv_cache=fp8&batch=320")
    studio.page.go_back()
    expect(studio.control("combobox", "KV cache format")).to_have_value("bf16")
    expect(batch).to_have_value("320")
    studio.page.go_back()
    expect(batch).to_have_value("16")
    studio.page.go_forward()
    expect(batch).to_have_value("320")
    studio.settled()


def test_an_address_typed_by_hand_is_taken(server, studio):
    studio.page.evaluate("location.hash = '#v=1&batch=2'")
    expect(studio.control("spinbutton", "Batch")).to_have_value("2")
    assert studio.settled().figure("End to end")[1] == server.estimate(batch=2)["e2e_s"]


def test_the_last_configuration_is_remembered_and_reset_forgets_it(visit):
    studio = visit()
    studio.control("spinbutton", "Batch").fill("8")
    studio.settled()
    studio.page.goto("about:blank")
    studio.open()
    expect(studio.control("spinbutton", "Batch")).to_have_value("8")
    studio.control("button", "Reset").click()
    studio.settled()
    expect(studio.control("spinbutton", "Batch")).to_have_value("16")
    studio.page.goto("about:blank")
    studio.open()
    expect(studio.control("spinbutton", "Batch")).to_have_value("16")


def test_pages_have_addresses_too_and_keep_the_configuration(studio):
    studio.control("spinbutton", "Batch").fill("8")
    studio.settled()
    studio.control("link", "Under the hood").click()
    expect(studio.page.get_by_role("heading", level=1, name="Under the hood")).to_be_visible()
    expect(studio.page).to_have_url(f"{studio.address}/#v=1&page=under-the-hood&batch=8")
    expect(studio.page.get_by_role("main")).to_be_focused()
    assert studio.page.locator("math").count() > 15
    studio.page.go_back()
    expect(studio.control("spinbutton", "Batch")).to_have_value("8")

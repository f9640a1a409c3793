"""What goes wrong around the page leaves it calm and whole."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.driver import Server
from tests.web.room import SLOW_PICTURE

pytestmark = pytest.mark.browser

BLOCKED = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })"


def test_with_storage_blocked_the_page_is_whole(server, visit):
    def block(studio):
        studio.page.add_init_script(BLOCKED)
        studio.allow(SLOW_PICTURE)  # nothing remembers that the room was folded away

    studio = visit(prepare=block)
    studio.control("spinbutton", "Batch").fill("8")
    studio.settled()
    assert studio.figure("End to end")[1] == server.estimate(batch=8)["e2e_s"]
    studio.control("button", "Pin as baseline").click()
    expect(studio.tile("End to end")).to_contain_text("as the baseline")
    studio.control("button", "Switch to the light theme").click()
    expect(studio.control("button", "Switch to the dark theme")).to_be_visible()
    studio.control("button", "Reset").click()
    studio.settled()
    expect(studio.control("spinbutton", "Batch")).to_have_value("16")


def test_a_closed_clipboard_offers_the_link_to_copy_by_hand(studio):
    studio.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('closed')) }")
    studio.control("button", "Share link").click()
    field = studio.page.get_by_role("textbox", name="The browser keeps its clipboard closed")
    expect(field).to_have_value(f"{studio.address}/#v=1")


def test_the_latest_answer_wins(server, studio):
    held = []

    def hold_the_first(route):
        if held:
            route.continue_()
        else:
            held.append(route)

    studio.page.route("**/api/estimate", hold_the_first)
    before = studio.figures()
    studio.control("spinbutton", "Batch").fill("2")
    studio.settled(ready=False)
    assert studio.figures() == before
    studio.control("spinbutton", "Batch").fill("3")
    studio.settled()
    assert len(held) == 1
    held[0].fulfill(json=server.estimate(batch=2))
    studio.page.wait_for_timeout(200)
    assert studio.figure("End to end")[1] == server.estimate(batch=3)["e2e_s"]


def test_a_stopped_server_gets_a_calm_notice_and_a_retry(visit):
    server = Server()
    studio = visit(address=server.address)
    studio.allow("ERR_CONNECTION_REFUSED")
    before = studio.figures()
    server.stop()
    studio.control("spinbutton", "Batch").fill("8")
    notice = studio.page.get_by_role("status", name="Notices")
    expect(notice).to_contain_text("The server did not answer")
    assert studio.figures() == before
    studio.settled(ready=False)
    again = Server(server.port)
    studio.control("button", "Try again").click()
    studio.settled()
    expect(notice).to_be_empty()
    assert studio.figure("End to end")[1] == again.estimate(batch=8)["e2e_s"]
    again.stop()


def test_a_server_that_is_missing_from_the_start_is_asked_again(visit, browser, server):
    def refuse_once(studio):
        studio.allow("Failed to load resource")
        studio.page.route("**/api/models", lambda route: route.abort(), times=1)
        studio.page.on("load", lambda page: page.get_by_role("button", name="Try again").click())

    studio = visit(prepare=refuse_once)
    assert studio.figure("End to end")[1] == server.estimate()["e2e_s"]


def test_a_server_error_is_no_answer(studio):
    studio.allow("500")
    studio.page.route("**/api/estimate", lambda route: route.fulfill(status=500, body="oops"), times=1)
    studio.control("spinbutton", "Batch").fill("8")
    expect(studio.page.get_by_role("status", name="Notices")).to_contain_text("The server did not answer")
    studio.control("button", "Try again").click()
    studio.settled()


def test_nothing_inline_and_nothing_evaluated(studio):
    policy = studio.page.request.get(f"{studio.address}/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert studio.page.evaluate("document.querySelectorAll('script:not([src]), [onclick], style').length") == 0


def test_a_part_that_cannot_be_fetched_says_so_and_leaves_the_rest_whole(visit):
    studio = visit(prepare=lambda studio: studio.page.route("**/assets/Further-*.js", lambda route: route.abort()))
    studio.allow("Failed to load resource")
    notice = studio.page.get_by_role("alert").filter(has_text="could not be fetched")
    expect(notice).to_be_visible()
    studio.control("spinbutton", "Batch").fill("8")
    studio.settled()
    expect(studio.control("heading", "Will it fit?")).to_be_visible()
    studio.page.unroute("**/assets/Further-*.js")
    notice.get_by_role("button", name="Load the page again").click()
    expect(studio.control("heading", "Work per byte")).to_be_attached()
    expect(studio.control("spinbutton", "Batch")).to_have_value("8")

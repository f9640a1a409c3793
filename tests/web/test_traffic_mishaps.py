"""What goes wrong on the traffic page: long runs, files that cannot be read, nothing served, no server."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.test_traffic import PAGE

pytestmark = pytest.mark.browser

TRACE = "arrival_s,prompt_tokens,output_tokens\n" + "".join(
    f"{i * 0.1:.1f},{100 + i},{20 + i % 7}\n" for i in range(60)
)

#: Drops a file on the page, as a visitor would.
_DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name, { type: 'text/csv' }));
  for (const type of ['dragover', 'drop'])
    window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def test_a_file_of_requests_is_dropped_on_the_page(visit, server):
    page = visit(PAGE)
    page.page.evaluate(_DROP, ["mine.csv", TRACE])
    expect(page.page.get_by_title("mine.csv")).to_be_visible()
    page.settled()
    expect(page.page.get_by_text("60 requests").first).to_be_visible()
    expect(page.control("spinbutton", "Rate")).to_have_count(0)
    page.page.get_by_role("button", name="Draw requests again").click()
    page.settled()
    expect(page.page.get_by_text("120 requests").first).to_be_visible()
    page.control("button", "Undo").click()
    expect(page.page.get_by_title("mine.csv")).to_be_visible()


def test_a_bad_line_is_named_beside_the_file(visit):
    page = visit(PAGE)
    page.allow("422")
    page.page.evaluate(_DROP, ["mine.csv", TRACE + "6.5,many,3\n"])
    alert = page.page.get_by_role("alert").filter(has_text="line 62")
    expect(alert).to_be_visible()
    expect(page.page.get_by_title("mine.csv")).to_be_visible()


def test_a_long_run_tells_how_far_it_is_and_is_cancelled(visit):
    page = visit(PAGE)
    page.page.route("**/api/compare", lambda route: None)
    page.control("spinbutton", "Rate").fill("33")
    cancel = page.page.get_by_role("button", name="Cancel")
    expect(page.page.get_by_role("progressbar", name="Progress of the run")).to_be_visible()
    cancel.click()
    notice = page.page.get_by_role("status", name="Notices")
    expect(notice).to_contain_text("The run was ended.")
    expect(cancel).to_have_count(0)
    page.page.unroute("**/api/compare")
    notice.get_by_role("button", name="Run it again").click()
    page.settled()
    expect(notice).not_to_contain_text("The run was ended.")


def test_where_the_weights_leave_no_room_it_says_what_would_fit(visit):
    page = visit("#v=1&page=traffic&model=llama-3.1-70b&traffic.requests=120")
    page.allow("422")
    refusal = page.page.get_by_role("alert").filter(has_text="There is no room for traffic")
    expect(refusal).to_contain_text("leave no room")
    refusal.get_by_role("button").first.click()
    page.settled()
    expect(page.page.get_by_role("article", name="Chunked", exact=True)).to_be_visible()


def test_where_everything_is_rejected_it_says_why(visit):
    page = visit(f"{PAGE}&traffic.kv_blocks=1")
    refusal = page.page.get_by_role("alert").filter(has_text="Nobody was served")
    expect(refusal).to_contain_text("Every request was rejected")
    refusal.get_by_role("button", name="Give the cache all that is left of the memory").click()
    page.settled()
    expect(page.page.get_by_role("article", name="Chunked", exact=True)).to_be_visible()


def test_a_refused_setting_keeps_the_last_figures(visit):
    page = visit(PAGE)
    page.allow("422")
    page.control("spinbutton", "Requests").fill("0")
    expect(page.page.get_by_role("alert").first).to_be_visible()
    expect(page.page.get_by_role("article", name="Chunked", exact=True)).to_be_visible()
    page.control("spinbutton", "Requests").fill("100")
    page.settled()


def test_without_the_server_the_last_figures_stay_and_a_retry_is_offered(visit):
    page = visit(PAGE)
    page.allow("ERR_FAILED")
    page.page.route("**/api/compare", lambda route: route.abort())
    page.control("spinbutton", "Rate").fill("3")
    notice = page.page.get_by_role("status", name="Notices")
    expect(notice).to_contain_text("The server did not answer.")
    expect(page.page.get_by_role("article", name="Chunked", exact=True)).to_be_visible()
    page.page.unroute("**/api/compare")
    notice.get_by_role("button", name="Try again").click()
    page.settled()
    expect(page.page.get_by_text("3 a second", exact=True)).to_be_visible()

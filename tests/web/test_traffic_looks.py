"""The traffic page is whole for everybody: with assistive technology, on a phone, on a wide screen, in both themes."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.web.driver import until
from tests.web.test_traffic import PAGE

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 768, 1280])
def test_axe_finds_nothing(visit, width, theme):
    page = visit(PAGE)
    page.resize(width)
    page.theme(theme)
    for name in ("All figures as a table", "The same as a table", "What it adds up to, as a table"):
        page.control("button", name).click()
    page.page.get_by_role("group", name="Requests over time").press("ArrowDown")
    expect(page.page.get_by_role("region", name="One request")).to_contain_text("Request 0:")
    assert page.violations() == []


def test_no_width_scrolls_sideways(visit):
    page = visit(PAGE)
    for width in (390, 480, 600, 768, 900, 960, 1024, 1280, 1600, 1920):
        page.resize(width)
        assert page.sideways() == 0, width


def test_the_pictures_are_really_drawn(visit):
    page = visit(PAGE)
    colours = """(canvas) => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) if (data[i + 3]) seen.add(data.slice(i, i + 3).join());
      return seen.size;
    }"""

    def drawn(lane, wanted):
        return until(page.page, lambda: lane.evaluate(colours) >= wanted)

    lanes = page.page.locator("canvas").all()
    assert len(lanes) == 12
    for i, lane in enumerate(lanes[:6] + lanes[9:]):
        lane.scroll_into_view_if_needed()
        # Requests in at least two phases; then running ones, and what they hold.
        assert drawn(lane, 2 if i < 3 else 1), i

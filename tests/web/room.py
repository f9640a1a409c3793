"""The research room as tests meet it: open, patient, and mostly flat, since its picture is drawn by software here."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.web.driver import Studio, plain

#: A browser without WebGL: the flat drawing takes the place of the picture.
NO_WEBGL = """
const context = HTMLCanvasElement.prototype.getContext
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return /^webgl/.test(kind) ? null : context.call(this, kind, ...rest)
}
"""
#: The size of every text that is shown in the room; indices of formulas are smaller by nature.
LETTERS = """(room) => [...room.querySelectorAll("*:not(math *)")]
  .filter((part) => part.checkVisibility() && [...part.childNodes].some((one) => one.nodeType === 3 && one.data.trim()))
  .map((part) => parseFloat(getComputedStyle(part).fontSize))"""
#: What Chromium says of a software renderer whose picture is looked at.
SLOW_PICTURE = "GPU stall due to ReadPixels"


def settled(studio: Studio) -> Studio:
    """Wait until the room shows the answer to the current settings."""
    studio.settled()
    expect(studio.page.locator("[data-room=settled]")).to_be_attached()
    return studio


def flat(visit: Any, link: str = "", **context: Any) -> Studio:
    """The page with the room open, where there is no WebGL."""
    studio = visit(link, prepare=lambda studio: studio.page.add_init_script(NO_WEBGL), room=True, **context)
    return settled(studio)


def drawn(visit: Any, link: str = "", script: str = "", **context: Any) -> Studio:
    """The page with the room open and its picture drawn, with nothing left to draw."""

    def prepare(studio: Studio) -> None:
        studio.allow(SLOW_PICTURE)
        studio.page.add_init_script(script)

    studio = visit(link, prepare=prepare, room=True, **context)
    settled(studio)
    expect(studio.page.locator("html")).to_have_attribute("data-room", "drawn")
    return studio


def region(studio: Studio) -> Locator:
    return studio.page.get_by_role("region", name="The research room")


def said(studio: Studio) -> Locator:
    """What the room tells assistive technology."""
    return studio.page.get_by_role("status", name="In the room")


def station(studio: Studio, name: str) -> Locator:
    return studio.page.get_by_role("group", name="Stations of the room").get_by_role(
        "button", name=re.compile(f"^{re.escape(name)}")
    )


def lines(studio: Studio) -> dict[str, tuple[str, str]]:
    """The figures that the last change moved: before and after."""
    rows = region(studio).get_by_role("table", name=re.compile("^What changed")).locator("tbody tr")
    expect(rows.first).to_be_visible()
    cells = [[plain(cell) for cell in row.locator("th, td").all_inner_texts()] for row in rows.all()]
    return {name: (before, after) for name, before, after in cells}


def letters(studio: Studio) -> list[float]:
    """Sizes of the texts in the room, in pixels."""
    return list(region(studio).evaluate(LETTERS))


def stored(studio: Studio, key: str) -> str | None:
    found = studio.page.evaluate(f"localStorage.getItem({json.dumps(key)})")
    return None if found is None else str(found)

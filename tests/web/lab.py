"""How the tests of the labs reach the page and the API."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.web.driver import Server, Studio

LAB = "#v=1&page=labs&lab=grouped-query"
#: A card whose memory the weights fill almost, with an event that takes the rest.
REJECTED = f"{LAB}&lab.card=rtx-4090&lab-events=memory-squeeze"


def lab_of(server: Server, lab: str = "grouped-query") -> dict[str, Any]:
    """What the API says of a lab."""
    return next(card for card in server.get("/api/labs")["labs"] if card["id"] == lab)


def run(
    server: Server, lab: str = "grouped-query", events: Any = (), seed: int = 0, before: Any = None, **settings: Any
) -> dict[str, Any]:
    """The API's answer to a lab's defaults with some settings changed."""
    body: dict[str, Any] = {"settings": settings, "events": list(events), "seed": seed}
    if before is not None:
        body["before"] = {"settings": before, "events": [], "seed": 0}
    return server.ask(f"labs/{lab}/run", body)


def tile(studio: Studio, title: str) -> Locator:
    return studio.page.get_by_role("article", name=title, exact=True)


def heads(studio: Studio, number: str) -> Locator:
    return studio.page.get_by_role("radiogroup", name="KV heads").get_by_role("radio", name=number, exact=True)


def event(studio: Studio, title: str) -> Locator:
    return studio.page.get_by_role("button", name=re.compile(f"^{title}"))


def shown(studio: Studio, card: dict[str, Any]) -> dict[str, float | None]:
    """Every tile's exact figure, None where there is none."""
    figures: dict[str, float | None] = {}
    for entry in card["tiles"]:
        article = tile(studio, entry["title"])
        if article.get_by_text("No figure").count():
            figures[entry["id"]] = None
        else:
            exact = article.get_by_role("paragraph").first.locator("[title]").get_attribute("title")
            figures[entry["id"]] = float((exact or "").split(" ")[0])
    return figures


def expect_pairs(studio: Studio, rest: str) -> None:
    """Wait until the address carries exactly these settings of the lab."""
    expect(studio.page).to_have_url(re.compile(re.escape(f"#v=1&page=labs&lab=grouped-query{rest}") + "$"))

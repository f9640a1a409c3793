"""How the tests of missions reach them: on the page, and at the API."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator

from tests.web.driver import Server, Studio

CATALOGUE = "#v=1&page=labs"
KEPT = "servelab.stars.v1"


def missions_of(server: Server) -> list[tuple[str, dict[str, Any]]]:
    """Every mission with its lab's id, in the order in which they open."""
    labs = server.get("/api/labs")["labs"]
    return sorted(((lab["id"], one) for lab in labs for one in lab["missions"]), key=lambda pair: pair[1]["order"])


def mission_of(server: Server, key: str) -> tuple[str, dict[str, Any]]:
    """The mission of that key, with its lab's id."""
    return next(pair for pair in missions_of(server) if pair[1]["key"] == key)


def graded(server: Server, lab: str, mission: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What the API says of a mission's set-up with some settings changed, its explanation included."""
    body = {"settings": {**mission["settings"], **changes}, "events": mission["events"], "seed": mission["seed"]}
    return server.ask(f"labs/{lab}/run", {**body, "charts": [], "mission": mission["id"], "reveal": True})["mission"]


def link(lab: str, mission: dict[str, Any], settings: dict[str, Any] | None = None, rest: str = "") -> str:
    """The address of a mission with some of its settings changed."""
    spelled = {
        name: str(value).lower() if isinstance(value, bool) else value for name, value in (settings or {}).items()
    }
    pairs = "".join(f"&lab.{name}={value}" for name, value in spelled.items())
    return f"{CATALOGUE}&lab={lab}&lab-mission={mission['id']}{rest}{pairs}"


def solved(server: Server, lab: str, mission: dict[str, Any]) -> str:
    """The address of a mission's three-star answer."""
    return link(lab, mission, graded(server, lab, mission)["solution"])


def result(studio: Studio, mission: dict[str, Any]) -> Locator:
    return studio.control("status", f"Result: {mission['title']}")


def stars(studio: Studio) -> Any:
    """What this browser keeps."""
    return studio.page.evaluate(f"JSON.parse(localStorage.getItem('{KEPT}') ?? '{{}}')")

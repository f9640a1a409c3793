"""A lab of somebody else's, installed beside servelab, is on the page as any other."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.labs.thirdparty import install
from tests.web.driver import Server
from tests.web.lab import event, lab_of, run, shown

pytestmark = pytest.mark.browser

DICE = "#v=1&page=labs&lab=dice"


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A server with two distributions more: one good, one that does not import."""
    folder = tmp_path_factory.mktemp("site")
    install(folder)
    install(folder, "brokenlab", "import a_module_that_is_nowhere\n")
    process = Server(PYTHONPATH=str(folder))
    yield process
    process.stop()


def test_it_is_in_the_catalogue_runs_and_renders(elsewhere, visit):
    studio = visit("#v=1&page=labs", address=elsewhere.address)
    card = lab_of(elsewhere, "dice")
    expect(studio.control("list", "Labs").get_by_role("listitem")).to_have_count(
        len(elsewhere.get("/api/labs")["labs"])
    )
    expect(studio.page.get_by_role("region", name="Installed, but not usable")).to_contain_text("brokenlab")
    studio.control("link", card["title"]).click()
    studio.settled()
    assert shown(studio, card) == run(elsewhere, "dice")["tiles"]
    studio.control("slider", "Dice, slider").press("ArrowRight")
    studio.control("switch", "Loaded").check()
    event(studio, "Earthquake").click()
    studio.settled()
    assert shown(studio, card) == run(elsewhere, "dice", ["quake"], dice=3, loaded=True)["tiles"]
    bars = studio.page.get_by_role("toolbar", name="Rolls by their mean: bars, left and right to move")
    expect(bars.get_by_role("button")).to_have_count(6)
    studio.control("button", "How to play").click()
    expect(studio.page.get_by_role("figure").get_by_role("toolbar")).to_be_attached()
    assert studio.violations() == []
    studio.resize(390)
    assert (studio.violations(), studio.sideways()) == ([], 0)


def test_its_refusal_is_a_screen_with_a_way_out(elsewhere, visit):
    studio = visit(f"{DICE}&lab.dice=0", address=elsewhere.address)
    screen = studio.page.get_by_role("region", name="No dice, no rolls")
    expect(screen).to_contain_text("There is nothing to roll.")
    studio.control("button", "Two dice").click()
    expect(screen).not_to_be_visible()
    expect(studio.control("spinbutton", "Dice")).to_have_value("2")

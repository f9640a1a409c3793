"""The picture of the room: it says what the buttons say, looks the same each time, and rests when nobody looks."""

from __future__ import annotations

import base64
import gzip
import re

import pytest
from playwright.sync_api import expect

from tests.web.driver import PATIENCE_S, PICTURE_PATIENCE_S, ROOT, until
from tests.web.room import drawn, letters, region, said, settled, station

#: Small, so that a software renderer has little to fill.
WINDOW = {"viewport": {"width": 700, "height": 700}}
ASSETS = ROOT / "src" / "servelab" / "static" / "assets"
LARGEST = 180_000
#: Bytes of its picture in this window: labels and dots alone, without the room around them, are a tenth of it.
LEAST_OF_A_ROOM = 40_000

COLOURS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }))
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d")
  context.drawImage(image, 0, 0)
  return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size
}"""
#: Time for frames, however long the browser takes for one.
THIRTY_FRAMES = """() => new Promise((done) => {
  let left = 30
  const go = () => (left-- ? requestAnimationFrame(go) : done())
  go()
})"""
#: Counts what the picture is drawn of.
COUNT_DRAWN = """
window.drawn = 0
for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) {
  const draw = WebGL2RenderingContext.prototype[name]
  WebGL2RenderingContext.prototype[name] = function (...how) {
    window.drawn += 1
    return draw.apply(this, how)
  }
}
"""
#: Keeps what pictures are drawn with.
KEEP_CONTEXTS = """
window.contexts = new Set()
const made = HTMLCanvasElement.prototype.getContext
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  const context = made.call(this, kind, ...rest)
  if (context && kind.startsWith("webgl")) window.contexts.add(context)
  return context
}
"""
IN_USE = "() => [...window.contexts].filter((context) => !context.isContextLost()).length"
#: Puts some parts of the stage out of sight, which leaves their places as they are, and all others back in sight.
PUT_AWAY = """(parts) => {
  for (const part of document.querySelectorAll("[data-frames] > *, .invitation"))
    part.style.visibility = part.matches(parts) ? "hidden" : ""
}"""
LABELS, CANVAS, NOTHING = ".tags, .invitation", ".tags, .invitation, canvas", ":not(*)"
HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true })
  document.dispatchEvent(new Event("visibilitychange"))
}"""


@pytest.fixture(autouse=True)
def patience():
    """The first frame takes a software renderer seconds, and minutes where it has to share its processor."""
    expect.set_options(timeout=PICTURE_PATIENCE_S * 1000)
    yield
    expect.set_options(timeout=PATIENCE_S * 1000)


def picture(studio):
    """What is drawn, without the rounded corners of its frame: a compositor may smooth those in more ways than one."""
    studio.page.evaluate("() => scrollTo(0, 0)")
    box = studio.page.locator("[data-frames]").bounding_box()
    inside = {"x": round(box["x"]) + 20, "y": round(box["y"]) + 20}
    return studio.page.screenshot(clip=inside | {"width": box["width"] // 1 - 40, "height": box["height"] // 1 - 40})


def colours(studio, without):
    """How many there are in the picture while some parts of it are out of sight."""
    studio.page.evaluate(PUT_AWAY, without)
    found = studio.page.evaluate(COLOURS, base64.b64encode(picture(studio)).decode())
    studio.page.evaluate(PUT_AWAY, NOTHING)
    return found


def frames(studio):
    return int(studio.page.locator("[data-frames]").get_attribute("data-frames"))


def phase(studio, name):
    """Wait until the picture is drawn, or would be if it were seen."""
    expect(studio.page.locator("html")).to_have_attribute("data-room", name)


@pytest.mark.browser
def test_a_click_in_the_picture_does_what_the_button_does(visit):
    studio = drawn(visit, **WINDOW)
    assert colours(studio, without=CANVAS) <= 3  # as a room in which nothing was drawn
    assert colours(studio, without=LABELS) > 200
    assert studio.violations() == []
    assert min(letters(studio)) >= 12
    label = studio.page.locator("[data-frames] .tags button", has_text="HBM and cache").bounding_box()
    studio.page.mouse.click(label["x"] + label["width"] / 2, label["y"] + label["height"] + 30)
    expect(station(studio, "HBM and cache")).to_have_attribute("aria-pressed", "true")
    expect(region(studio).get_by_role("heading", name="HBM and cache", level=3)).to_be_visible()
    by_click = said(studio).inner_text()
    phase(studio, "drawn")
    near = picture(studio)
    station(studio, "Overview").click()
    expect(said(studio)).to_contain_text("Overview")
    phase(studio, "drawn")
    station(studio, "HBM and cache").click()
    expect(said(studio)).to_have_text(by_click)
    phase(studio, "drawn")
    assert picture(studio) == near


@pytest.mark.browser
def test_three_fresh_visits_see_the_same_picture(visit):
    link = "#v=1&tensor_parallel=2&room.station=compute"
    seen = []
    for _ in range(3):
        studio = drawn(visit, link, **WINDOW)
        seen.append(picture(studio))
        studio.page.goto("about:blank")
    assert seen[0] == seen[1] == seen[2]


def parts_drawn(studio, deed):
    """How many things are drawn for a deed, which leaves the page where it is scrolled to."""
    before = frames(studio)
    studio.page.evaluate("() => { window.drawn = 0 }")
    deed()
    expect(studio.page.locator("[data-frames]")).not_to_have_attribute("data-frames", str(before))
    phase(studio, "drawn")
    return studio.page.evaluate("() => window.drawn")


@pytest.mark.browser
def test_a_pass_is_drawn_into_the_picture_that_stands(visit):
    studio = drawn(visit, script=COUNT_DRAWN, **WINDOW)
    studio.control("button", "Try a change").dispatch_event("click")
    for name in ("Run a request", "Previous pass", "Previous pass"):
        studio.control("button", name).dispatch_event("click")
        phase(studio, "drawn")
    back = parts_drawn(studio, lambda: studio.control("button", "Previous pass").dispatch_event("click"))
    assert 1 <= back <= 8
    over_what_stood = picture(studio)
    assert len(over_what_stood) > LEAST_OF_A_ROOM
    for width in (701, 700):
        assert parts_drawn(studio, lambda width=width: studio.resize(width, 700)) > 20
    assert picture(studio) == over_what_stood


@pytest.mark.browser
def test_nothing_is_drawn_for_nobody(visit):
    studio = drawn(visit, **WINDOW)
    before = frames(studio)
    assert before >= 1
    studio.page.evaluate(THIRTY_FRAMES)
    assert frames(studio) == before  # idle
    studio.page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    studio.page.evaluate(THIRTY_FRAMES)
    studio.page.evaluate("() => { location.hash = '#v=1&batch=8' }")
    phase(studio, "paused")  # scrolled away
    settled(studio)
    studio.page.evaluate(THIRTY_FRAMES)
    assert frames(studio) == before
    studio.page.evaluate(HIDE, True)
    studio.page.evaluate("() => scrollTo(0, 0)")
    studio.page.evaluate(THIRTY_FRAMES)
    assert frames(studio) == before  # hidden
    studio.page.evaluate(HIDE, False)
    phase(studio, "drawn")
    assert frames(studio) > before


@pytest.mark.browser
def test_a_room_that_is_folded_gives_back_what_it_was_drawn_with(visit):
    studio = drawn(visit, script=KEEP_CONTEXTS, **WINDOW)
    for _ in range(3):
        assert studio.page.evaluate(IN_USE) == 1
        studio.control("button", "Fold the room away").click()
        assert until(studio.page, lambda: studio.page.evaluate(IN_USE) == 0)
        studio.control("button", "Open the room").click()
        assert until(studio.page, lambda: studio.page.evaluate(IN_USE) == 1)
    assert studio.page.evaluate("() => window.contexts.size") >= 4
    phase(studio, "drawn")


def needed(name, known):
    """The script and all that it imports from the start."""
    if name not in known:
        known.add(name)
        text = (ASSETS / name).read_text(encoding="utf-8")
        for other in re.findall(r'(?:\bfrom|\bimport)\s*"\./([^"]+\.js)"', text):
            needed(other, known)
    return known


def test_the_picture_is_a_part_of_its_own_and_small_enough():
    page = (ASSETS.parent / "index.html").read_text(encoding="utf-8")
    first = set()
    for name in re.findall(r'/assets/([^"]+\.js)"', page):
        needed(name, first)
    panel = needed(next(ASSETS.glob("ResearchRoom-*.js")).name, set())
    scene = [name for name in needed(next(ASSETS.glob("Room-*.js")).name, set()) if name not in first | panel]
    assert scene
    assert sum(len(gzip.compress((ASSETS / name).read_bytes())) for name in scene) <= LARGEST
    assert not [name for name in first | panel if "WebGLRenderer" in (ASSETS / name).read_text(encoding="utf-8")]

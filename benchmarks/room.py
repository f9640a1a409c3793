"""How many frames the room draws, and what they leave to the page, measured inside a headless Chromium.

Run by hand on a quiet machine: `python -m benchmarks.room`. It needs the built page and a browser. The picture is drawn
by software here, on the same processor that answers the API.
"""

from __future__ import annotations

import gzip
import statistics
from collections.abc import Iterator

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.clock import reference_seconds
from benchmarks.page import STATIC
from tests.web.conftest import FLAGS, sandbox
from tests.web.driver import Server
from tests.web.install_browser import installed

VIEWPORT = {"width": 1280, "height": 900}
PATIENCE_MS = 300_000
SECONDS = 4

#: Frames a second over some seconds, while `during` is called every 50 ms.
_RATE = """async ([seconds, during]) => {
  const frames = () => Number(document.querySelector('[data-frames]').dataset.frames);
  const act = new Function(during);
  const [before, start] = [frames(), performance.now()];
  while (performance.now() - start < 1000 * seconds) {
    act();
    await new Promise((go) => setTimeout(go, 50));
  }
  return (1000 * (frames() - before)) / (performance.now() - start);
}"""
_TOUCH = """document.querySelector('[aria-label="Batch, slider"]').dispatchEvent(new Event('input', {bubbles: true}))"""
_MOVE = """document.querySelector('[aria-label="Batch, slider"]').dispatchEvent(
  new KeyboardEvent('keydown', {key: (window.moves = (window.moves ?? 0) + 1) % 2 ? 'ArrowRight' : 'ArrowLeft',
    bubbles: true, cancelable: true}))"""
_ANSWERS = """() => performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('/api/estimate')).map(({ duration }) => duration)"""


def rate(page: Page, during: str = "") -> float:
    """Frames a second."""
    return float(page.evaluate(_RATE, [SECONDS, during]))


def opened(browser: Browser, server: Server) -> Page:
    """The studio with the room drawn and nothing left to draw."""
    page = browser.new_page(viewport=VIEWPORT, reduced_motion="no-preference")
    page.set_default_timeout(PATIENCE_MS)
    page.goto(server.address)
    page.wait_for_selector("html[data-drawn=true][data-room=drawn] [data-frames]:not([data-frames='0'])")
    return page


def play(page: Page) -> None:
    """Let a run play, from its beginning. Where frames took too long the room moves no more, and draws nothing."""
    if page.get_by_role("button", name="Run a request").count() == 0:
        page.get_by_role("button", name="Try a change", exact=True).click()
    page.get_by_role("button", name="Run a request", exact=True).click()
    page.wait_for_timeout(500)


def rates(page: Page) -> Iterator[tuple[str, str, str]]:
    """Frames of one visit, situation by situation."""
    yield "nothing moves", f"{rate(page):.1f} frames/s", "0"
    play(page)
    rate(page)  # the quality finds its level first
    play(page)
    yield "a run plays", f"{rate(page):.1f} frames/s", "≥ 25"
    play(page)
    yield "a control moves every 50 ms meanwhile", f"{rate(page, _TOUCH):.1f} frames/s", "≤ 5"
    play(page)
    page.evaluate("performance.clearResourceTimings()")
    moved = rate(page, _MOVE)
    answers = page.evaluate(_ANSWERS)
    yield "a slider asks the API every 50 ms meanwhile", f"{moved:.1f} frames/s", "≤ 5"
    yield "an answer of the API then, median", f"{statistics.median(answers):.1f} ms", "≤ 20 ms"
    play(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_selector("html[data-room=paused], html[data-room=drawn]")
    yield "scrolled away", f"{rate(page):.1f} frames/s", "0"
    page.evaluate("scrollTo(0, 0)")
    play(page)
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true}),document.dispatchEvent(new Event('visibilitychange'))"
    )
    page.wait_for_selector("html[data-room=paused], html[data-room=drawn]")
    yield "hidden", f"{rate(page):.1f} frames/s", "0"


def script_bytes() -> int:
    """The picture's own scripts, compressed one by one."""
    found = [path.read_bytes() for path in (STATIC / "assets").glob("Room-*.js")]
    return sum(len(gzip.compress(script, 9)) for script in found)


def main() -> None:
    server = Server()
    print(f"reference loop {reference_seconds() * 1e3:.0f} ms\n\n| what | measured | bar |\n| --- | --- | --- |")
    print(f"| the picture's scripts, gzip | {script_bytes() / 1000:.0f} kB | ≤ 180 kB |", flush=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=[*FLAGS, *sandbox()])
        for what, measured, bar in rates(opened(browser, server)):
            print(f"| {what} | {measured} | {bar} |", flush=True)
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()

"""How long the page takes from a moved slider to repainted tiles and charts, measured inside a headless Chromium.

Run by hand on a quiet machine: `python -m benchmarks.page_speed`. It needs the built page and a browser.
"""

from __future__ import annotations

import statistics

from playwright.sync_api import Page, sync_playwright

from tests.web.conftest import FLAGS, sandbox
from tests.web.driver import Server
from tests.web.install_browser import installed

#: What a visitor would drag, and how often: each move changes the answer.
SLIDERS = ("Batch, slider", "Prompt, slider", "Output, slider")
MOVES = 40

#: One move: the key goes to the slider; the clock stops in the frame after the one in which tiles and charts agree.
_MOVE = """([name, key]) => new Promise((done) => {
  const slider = document.querySelector(`[aria-label="${name}"]`);
  const tile = () => document.querySelector('[data-figure="e2e"] .value').textContent;
  const before = tile();
  const start = performance.now();
  const painted = () => requestAnimationFrame(() => {
    const { ready, drawn } = document.documentElement.dataset;
    if (ready === 'true' && drawn === 'true' && tile() !== before)
      requestAnimationFrame(() => done(performance.now() - start));
    else painted();
  });
  slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  painted();
})"""


def milliseconds(page: Page, slider: str) -> list[float]:
    """Every move of one slider, up and down its stops."""
    keys = ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"] * (MOVES // 4)
    return [page.evaluate(_MOVE, [slider, key]) for key in keys]


def main() -> None:
    server = Server()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=[*FLAGS, *sandbox()])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.goto(server.address)
        page.wait_for_selector("html[data-drawn=true]")
        print("| slider | median | 95 % | bar |\n| --- | --- | --- | --- |")
        for slider in SLIDERS:
            milliseconds(page, slider)  # the first round warms both sides up
            times = sorted(milliseconds(page, slider))
            slow = times[int(0.95 * len(times)) - 1]
            print(
                f"| {slider.split(',')[0]} | {statistics.median(times):.0f} ms | {slow:.0f} ms | ≤ 100 ms |", flush=True
            )
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()

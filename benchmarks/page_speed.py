"""How long the page takes from a moved slider to repainted tiles and charts, measured inside a headless Chromium.

In the studio, and in the grouped-query lab, where each move runs two minutes of traffic again.

Run by hand on a quiet machine: `python -m benchmarks.page_speed`. It needs the built page and a browser.
"""

from __future__ import annotations

import statistics

from playwright.sync_api import Page, sync_playwright

from tests.web.conftest import FLAGS, sandbox
from tests.web.driver import Server
from tests.web.install_browser import installed

#: What a visitor would drag, by page, and a figure of that page that each move changes.
PAGES = {
    "": (("Batch, slider", "Prompt, slider", "Output, slider"), '[data-figure="e2e"] .value'),
    "#v=1&page=labs&lab=grouped-query&lab.kv_heads=8": (
        ("Arrivals, slider", "Prompt, slider"),
        '[aria-labelledby="lab-tile-output_tokens_per_s"] .value',
    ),
}
MOVES = 40

#: One move: the key goes to the slider; the clock stops in the frame after the one in which tiles and charts agree.
_MOVE = """([name, key, figure]) => new Promise((done) => {
  const slider = document.querySelector(`[aria-label="${name}"]`);
  const tile = () => document.querySelector(figure).outerHTML;
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


def milliseconds(page: Page, slider: str, figure: str) -> list[float]:
    """Every move of one slider, up and down its stops."""
    keys = ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"] * (MOVES // 4)
    return [page.evaluate(_MOVE, [slider, key, figure]) for key in keys]


def main() -> None:
    server = Server()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=[*FLAGS, *sandbox()])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        print("| slider | median | 95 % | bar |\n| --- | --- | --- | --- |")
        for link, (sliders, figure) in PAGES.items():
            page.goto("about:blank")
            page.goto(f"{server.address}/{link}")
            page.wait_for_selector("html[data-drawn=true]")
            for slider in sliders:
                milliseconds(page, slider, figure)  # the first round warms both sides up
                times = sorted(milliseconds(page, slider, figure))
                slow = times[int(0.95 * len(times)) - 1]
                where = "lab" if link else "studio"
                named = f"{slider.split(',')[0]}, {where}"
                print(f"| {named} | {statistics.median(times):.0f} ms | {slow:.0f} ms | ≤ 100 ms |", flush=True)
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()

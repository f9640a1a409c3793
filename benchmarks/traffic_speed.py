"""How quick the traffic page is in a headless Chromium: a control's move, a sought moment, panning and zooming.

Run by hand on a quiet machine: `python -m benchmarks.traffic_speed`. It needs the built page and a browser.
"""

from __future__ import annotations

import statistics

from playwright.sync_api import Page, sync_playwright

from tests.web.conftest import FLAGS, sandbox
from tests.web.driver import Server
from tests.web.install_browser import installed

MOVES = 20
FRAMES = 120

#: One move: the key goes to the slider; the clock stops in the frame after the one in which the page says it is drawn.
_MOVE = """(key) => new Promise((done) => {
  const slider = document.querySelector('[aria-label="Rate, slider"]');
  const start = performance.now();
  slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  let waited = false;
  const painted = () => requestAnimationFrame(() => {
    const drawn = document.documentElement.dataset.drawn === 'true';
    waited ||= !drawn;
    if (waited && drawn) done(performance.now() - start);
    else painted();
  });
  painted();
})"""

#: A sought moment, until the frame after the playhead has moved.
_SEEK = """(to) => new Promise((done) => {
  const slider = document.querySelector('[aria-label="Moment"]');
  const now = () => document.querySelector('.now')?.style.left;
  const before = now();
  const start = performance.now();
  slider.value = to;
  slider.dispatchEvent(new Event('input', { bubbles: true }));
  const painted = () => requestAnimationFrame(() => {
    if (now() !== before) requestAnimationFrame(() => done(performance.now() - start));
    else painted();
  });
  painted();
})"""

#: A gesture of so many frames, one step a frame: the lengths of the frames in milliseconds.
_GESTURE = """([kind, frames]) => new Promise((done) => {
  const lane = document.querySelector('[data-time-keys] canvas').parentElement;
  const box = lane.getBoundingClientRect();
  const at = { clientX: box.left + box.width / 2, clientY: box.top + 20, bubbles: true, cancelable: true };
  const times = [];
  let last = performance.now();
  let left = frames;
  const step = (now) => {
    times.push(now - last);
    last = now;
    const way = left > frames / 2 ? 1 : -1; // there and back
    const turn = kind === 'zoom' ? { deltaY: -12 * way, ctrlKey: true } : { deltaX: 8 * way };
    lane.dispatchEvent(new WheelEvent('wheel', { ...at, ...turn }));
    if (--left) requestAnimationFrame(step);
    else done(times.slice(1));
  };
  requestAnimationFrame(step);
})"""


def _open(page: Page, server: Server, requests: int) -> None:
    page.goto("about:blank")
    page.goto(f"{server.address}/#v=1&page=traffic&traffic.requests={requests}&traffic.requests_per_s=16")
    page.wait_for_selector("html[data-drawn=true]", timeout=120_000)
    page.locator("canvas").first.scroll_into_view_if_needed()


def _row(what: str, times: list[float], bar: str) -> None:
    times = sorted(times)
    slow = times[max(0, int(0.95 * len(times)) - 1)]
    print(f"| {what} | {statistics.median(times):.0f} ms | {slow:.0f} ms | {bar} |", flush=True)


def main() -> None:
    server = Server()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=[*FLAGS, *sandbox()])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        print("| what | median | 95 % | bar |\n| --- | --- | --- | --- |")
        _open(page, server, 2_000)
        keys = ["ArrowRight", "ArrowLeft"] * (MOVES // 2)
        for key in keys[:4]:
            page.evaluate(_MOVE, key)
        _row("a moved slider, 2,000 requests × 3", [page.evaluate(_MOVE, key) for key in keys], "≤ 200 ms")
        _open(page, server, 100_000)
        seeks = [page.evaluate(_SEEK, 100 + 83 * i) for i in range(MOVES)]
        _row("a sought moment, 100,000 × 3", seeks, "≤ 100 ms")
        zoomed = page.evaluate(_GESTURE, ["zoom", FRAMES])
        _row("a frame while one zooms, 100,000 × 3", zoomed, "≤ 33 ms")
        for _ in range(7):
            page.get_by_role("button", name="Zoom in", exact=True).click()
        page.wait_for_timeout(1_000)  # a hundredth of the run, fetched closer
        for kind in ("zoom", "pan"):
            times = page.evaluate(_GESTURE, [kind, FRAMES])
            _row(f"a frame while one {kind}s in a hundredth of it", times, "≤ 33 ms")
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()

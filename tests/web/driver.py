"""How the tests reach the page: a real server, and the page as a visitor meets it, by role and name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

ROOT = Path(__file__).parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
GROUND = {"light": "rgb(245, 246, 248)", "dark": "rgb(10, 13, 19)"}
VIEWPORT = {"width": 1280, "height": 800}
EXAMPLE = {
    "deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"},
    "workload": {"prompt_tokens": 1024, "output_tokens": 256, "batch": 16},
}
#: A config.json that is in no catalogue.
CONFIG = {
    "architectures": ["MistralForCausalLM"],
    "model_type": "mistral",
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "max_position_embeddings": 32768,
    "num_attention_heads": 16,
    "num_hidden_layers": 24,
    "num_key_value_heads": 4,
    "sliding_window": 1024,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
    "vocab_size": 32000,
}
TOO_LARGE = "#v=1&model=llama-3.1-70b&batch=64"
TILES = ("Time to first token", "Time per output token", "Output throughput", "End to end", "Cost per million")
#: The door of the research room as a visitor leaves it who has folded the room away.
FOLDED = "try { localStorage.setItem('servelab.room.v1', 'folded') } catch {}"
PERFORMANCE = re.compile(r"\d\s*(ns|µs|ms|s|min|h|days|tok/s)\b|\$\s*\d")


#: How long anything may take before a test gives up: a busy machine fails none.
PATIENCE_S = 60
#: Where the picture of the room is drawn by software.
PICTURE_PATIENCE_S = 300
expect.set_options(timeout=PATIENCE_S * 1000)


def question(**changes: Any) -> dict[str, Any]:
    """The page's example with some fields changed, as the API is asked."""
    body = {part: dict(fields) for part, fields in EXAMPLE.items()}
    for field, value in changes.items():
        body["workload" if field in body["workload"] else "deployment"][field] = value
    return body


class Server:
    """`servelab` as its own process."""

    def __init__(self, port: int = 0, **environment: str) -> None:
        command = [sys.executable, "-m", "servelab", "--port", str(port), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", self.address), f"no address, but {self.address!r}"

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1])

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_S)
        if self.process.stdout:
            self.process.stdout.close()

    def get(self, path: str) -> Any:
        """What the API answers to a GET."""
        with urllib.request.urlopen(f"{self.address}{path}", timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def estimate(self, **changes: Any) -> dict[str, Any]:
        """The API's answer to the page's example with some fields changed."""
        return self.ask("estimate", question(**changes))

    def explain(self, **changes: Any) -> dict[str, Any]:
        """Why the example with some fields changed differs from the example."""
        return self.ask("explain", {"before": question(), "after": question(**changes)})

    def ask(self, route: str, body: Any) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.address}/api/{route}", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)


class Studio:
    """The page in a browser context of its own, and everything that went wrong in it.

    The research room is folded away, as visitors may leave it, unless `room`: its picture costs a software renderer
    more than the rest of the page together, and only tests of the room look at it.
    """

    def __init__(self, browser: Browser, address: str, *, room: bool = False, **context: Any) -> None:
        self.address = address
        self.faults: list[str] = []
        self._allowed: list[str] = []
        options = {"viewport": VIEWPORT, "color_scheme": "dark", "reduced_motion": "reduce"}
        self.context = browser.new_context(**options | context)
        self.context.set_default_timeout(1000 * (PICTURE_PATIENCE_S if room else PATIENCE_S))
        if not room:
            self.context.add_init_script(FOLDED)
        self.page: Page = self.context.new_page()
        self.page.on("console", lambda message: self._heard(message.type, message.text))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("request", lambda request: self._asked(request.url))

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.faults.append(f"console {kind}: {text}")

    def _asked(self, url: str) -> None:
        if not url.startswith((self.address, "about:")):
            self.faults.append(f"request to {url}")

    def allow(self, text: str) -> None:
        """A fault with this text is part of the test: a browser logs every refused request."""
        self._allowed.append(text)

    def unexpected(self) -> list[str]:
        """What went wrong and was not part of the test."""
        return [fault for fault in self.faults if not any(text in fault for text in self._allowed)]

    def forget(self) -> None:
        """As good as a new context, and quicker: nothing open, stored, intercepted or counted."""
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.goto("about:blank")
        session = self.context.new_cdp_session(self.page)
        session.send("Storage.clearDataForOrigin", {"origin": self.address, "storageTypes": "all"})
        session.detach()
        self.page.set_viewport_size(VIEWPORT)
        self.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        self.faults.clear()
        self._allowed.clear()

    def open(self, link: str = "") -> Studio:
        self.page.goto(f"{self.address}/{link}")
        return self.settled()

    def settled(self, ready: bool = True) -> Studio:
        """Wait until tiles and charts show the answer to the current settings, or do not."""
        page = expect(self.page.locator("html"))
        page.to_have_attribute("data-ready", str(ready).lower())
        if ready:
            page.to_have_attribute("data-drawn", "true")
        return self

    def theme(self, mode: Any) -> None:
        """Let the system prefer this theme; the browser restyles the page a little later."""
        self.page.emulate_media(color_scheme=mode, reduced_motion="reduce")
        expect(self.page.locator("html")).to_have_css("background-color", GROUND[mode])

    def resize(self, width: int, height: int = 800) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def control(self, role: Any, name: str) -> Locator:
        return self.page.get_by_role(role, name=name, exact=True)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tile(self, name: str) -> Locator:
        return self.page.get_by_role("article", name=name)

    def figure(self, name: str) -> tuple[str, float]:
        """A tile's number as it is written, and exactly."""
        value = self.tile(name).locator("[title$=' s'], [title$=' tok/s'], [title$=' USD']").first
        exact = value.get_attribute("title") or ""
        return plain(value.inner_text()), float(exact.split(" ")[0])

    def figures(self) -> list[str]:
        return [self.figure(name)[0] for name in TILES]

    def text(self) -> str:
        """Everything the page says, what only assistive technology hears included."""
        spoken = "[...document.querySelectorAll('[title],[aria-label],[aria-valuetext]')].map(e =>"
        spoken += " [e.title, e.ariaLabel, e.getAttribute('aria-valuetext')].join(' '))"
        parts = self.page.evaluate(f"[document.title, document.body.textContent, ...{spoken}]")
        return plain("\n".join(parts))

    def hash(self) -> str:
        return self.page.evaluate("location.hash")

    def lay_out_all(self) -> None:
        """Sections out of sight too, which the page leaves for later."""
        self.page.evaluate("document.documentElement.style.setProperty('--out-of-sight', 'visible')")

    def violations(self) -> list[str]:
        """What axe finds wrong with the page as it stands."""
        self.lay_out_all()
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]

    def sideways(self) -> int:
        """By how many pixels the page is wider than its window."""
        self.lay_out_all()
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def until(page: Page, look: Callable[[], Any]) -> Any:
    """What `look` sees, as soon as it is anything; what it saw last where it never is."""
    for _ in range(10 * PATIENCE_S):
        if seen := look():
            return seen
        page.wait_for_timeout(100)
    return look()


def plain(text: str) -> str:
    return re.sub(r"[\u00a0\u202f]", " ", text)


def three(value: float, unit: str, prefixes: dict[str, int]) -> str:
    """Three significant figures with the largest prefix that leaves at least 1; written apart from the page's own."""
    rounded = Decimal(f"{value:.2e}")
    prefix, power = max(
        ((name, power) for name, power in prefixes.items() if abs(rounded) >= Decimal(10) ** power),
        key=lambda pair: pair[1],
    )
    scaled = rounded / Decimal(10) ** power
    digits = max(0, 2 - scaled.adjusted())
    return f"{scaled:,.{digits}f} {prefix}{unit}".strip()


def shown_seconds(value: float) -> str:
    return three(value, "s", {"n": -9, "µ": -6, "m": -3, "": 0})


def shown_rate(value: float) -> str:
    return three(value, "tok/s", {"": 0})


def shown_intensity(value: float) -> str:
    return three(value, "FLOP/B", {"": 0})


def shown_bytes(value: float) -> str:
    return three(value, "B", {"": 0, "k": 3, "M": 6, "G": 9, "T": 12})

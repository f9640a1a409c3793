"""How fast a lab answers a moved slider: a new set-up with every chart, compared with one that is remembered."""

from __future__ import annotations

import http.client
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.clock import best_seconds, reference_seconds
from servelab.labs.deploy import LAB as DEPLOY
from servelab.labs.grouped_query import LAB
from servelab.labs.int4_layers import LAB as ROUNDED
from servelab.labs.lab import Lab
from servelab.labs.long_context import LAB as LONG
from servelab.labs.play import Wish, play_json
from servelab.probe.quality import errors
from servelab.sim import compiled

SETUPS: dict[str, dict[str, Any]] = {
    "as it opens, 750 requests": {},
    "8 KV heads, 750 requests": {"kv_heads": 8},
    "20 requests/s, 2,400 requests": {"requests_per_s": 20, "kv_heads": 8},
    "20 requests/s, 32 KV heads, preempting": {"requests_per_s": 20},
}
BEFORE = {"requests_per_s": 1}

#: Of the lab of deployments.
DEPLOYED: dict[str, dict[str, Any]] = {
    "as it opens, 380 requests": {"requests_per_s": 3.0},
    "2,400 requests, the cache full": {"requests_per_s": 19.9, "output_tokens": 2048, "at_once": 512},
}

#: Of labs that draw nothing at random or little: what is set, and the setting that is moved a little, by how much.
DRAWN: dict[str, tuple[Lab, str, Callable[[int], float]]] = {
    "the INT4 lab, layers seen before": (ROUNDED, "batch", lambda move: 1 + move % 256),
    "the INT4 lab, new layers": (ROUNDED, "weight_strength", lambda move: 8 + 1e-6 * move),
    "the long-context lab": (LONG, "base", lambda move: 10_000 + move),
}

#: No two moves lead to the same set-up.
_MOVES = itertools.count(1)


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar."""
    compiled.run()
    for what, settings in SETUPS.items():
        seconds = best_seconds(lambda settings=settings: answer(settings), repeat=15)
        yield f"a run of the grouped-query lab, {what}", _shown(seconds), "≤ 50 ms"
    for what, settings in DEPLOYED.items():
        seconds = best_seconds(lambda settings=settings: deployed(settings), repeat=15)
        yield f"a run of the lab of deployments, {what}", _shown(seconds), "≤ 50 ms"
    for what, (lab, name, value) in DRAWN.items():
        seconds = best_seconds(lambda lab=lab, name=name, value=value: drawn(lab, name, value), repeat=15)
        yield f"a run of {what}", _shown(seconds), "≤ 100 ms"
    yield "the heads of a seed that is new", _shown(best_seconds(lambda: errors.__wrapped__(1))), "—"
    median, slow = post_seconds()
    what = "POST /api/labs/grouped-query/run on loopback, median of 100"
    yield what, f"{_shown(median)}, p95 {slow * 1e3:.1f} ms", "≤ 50 ms"


def moved(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings a hair's breadth from any asked for before."""
    return settings | {"uptraining_fraction": 1e-6 * next(_MOVES)}


def answer(settings: dict[str, Any]) -> str:
    """The bytes that a moved slider is answered with."""
    return play_json(LAB, LAB.setup(moved(settings)), Wish(before=LAB.setup(BEFORE)))


def deployed(settings: dict[str, Any]) -> str:
    """The bytes of a run of the lab of deployments, a hair's breadth from any asked for before."""
    rate = settings["requests_per_s"] + 1e-6 * next(_MOVES)
    return play_json(DEPLOY, DEPLOY.setup(settings | {"requests_per_s": rate}))


def drawn(lab: Lab, name: str, value: Callable[[int], float]) -> str:
    """The same of a lab whose setting `name` takes a value by the number of the move."""
    return play_json(lab, lab.setup({name: value(next(_MOVES))}), Wish(before=lab.setup({})))


def post_seconds() -> tuple[float, float]:
    """Median and 95th percentile of moves one after another on one connection, of 2,400 requests each."""
    command = [sys.executable, "-m", "servelab", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        connection = http.client.HTTPConnection(server.stdout.readline().strip().removeprefix("http://"))
        connection.request("GET", "/api/labs")
        connection.getresponse().read()
        while _post(connection) > 0.2:
            pass  # the compiled engine is not ready yet
        times = sorted(_post(connection) for _ in range(100))
        server.terminate()
    return statistics.median(times), times[95]


def _post(connection: http.client.HTTPConnection) -> float:
    settings = moved(SETUPS["20 requests/s, 2,400 requests"])
    body = json.dumps({"settings": settings, "before": {"settings": BEFORE}})
    start = time.perf_counter()
    connection.request("POST", "/api/labs/grouped-query/run", body)
    response = connection.getresponse()
    response.read()
    assert response.status == 200
    return time.perf_counter() - start


def _shown(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms (reference {reference_seconds() * 1e3:.0f} ms)"

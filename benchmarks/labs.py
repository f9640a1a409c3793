"""How fast a lab answers: from a set-up to the JSON with every chart, nothing remembered but the heads of the seed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from benchmarks.clock import best_seconds, reference_seconds
from servelab.labs.grouped_query import LAB
from servelab.labs.play import Wish, play
from servelab.probe.quality import errors
from servelab.sim import compiled
from servelab.specs.fields import as_json

#: No two moves lead to the same set-up.
_MOVES = itertools.count(1)


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar."""
    compiled.run()
    for what, settings in (
        ("as it opens, 750 requests", {}),
        ("8 KV heads, 750 requests", {"kv_heads": 8}),
        ("20 requests/s, 2,400 requests", {"requests_per_s": 20, "kv_heads": 8}),
        ("20 requests/s, 32 KV heads, preempting", {"requests_per_s": 20}),
    ):
        seconds = best_seconds(lambda settings=settings: answer(settings), repeat=15)
        yield f"a run of the grouped-query lab, {what}", _shown(seconds), "≤ 50 ms"
    yield "the heads of a seed that is new", _shown(best_seconds(lambda: errors.__wrapped__(1))), "—"


def answer(settings: dict[str, float]) -> str:
    """The bytes that a moved slider is answered with: the set-up before is remembered, this one is new."""
    moved = settings | {"uptraining_fraction": 1e-6 * next(_MOVES)}
    return as_json(play(LAB, LAB.setup(moved), Wish(before=LAB.setup({"requests_per_s": 1}))))


def _shown(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms (reference {reference_seconds() * 1e3:.0f} ms)"

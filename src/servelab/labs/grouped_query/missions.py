"""The missions of the lab: goals to reach with its controls, and what earns their stars."""

from __future__ import annotations

from servelab.labs.lab import Mission
from servelab.labs.result import Outcome

_PATIENCE_S = 2.0

TWO_HALVES = Mission(
    "two-halves",
    "Nobody waits, nobody notices",
    (
        "Let 99 of 100 requests have their first token within two seconds, on this card and with this traffic, and "
        "keep as much quality as you can."
    ),
    "two-halves",
    (
        "99 of 100 requests have their first token within 2 s",
        "quality is at least 90",
        "quality is at least 95",
    ),
    fixed=("requests_per_s", "prompt_tokens", "card", "origin", "uptraining_fraction"),
    hints=(
        "Requests wait for room in the cache. What makes a token smaller?",
        "There are two ways to halve a token's cache, and one of them costs less quality than the other.",
        "What do the two cost together?",
    ),
    reveal=(
        "16 KV heads in FP8 keep exactly as many bytes a token as 8 in BF16, so the wait is the same. But halving "
        "the heads once and the bytes once costs less than halving the heads twice: what pooling costs grows with "
        "every step, while rounding costs about a point, whatever the heads."
    ),
)

MISSIONS = (TWO_HALVES,)


def two_halves(outcome: Outcome) -> tuple[bool, ...]:
    """Nothing may be turned away, or the rest would wait less for it."""
    tiles = outcome.result.tiles
    ttft_s, quality = tiles["ttft_p99_s"], tiles["quality"] or 0.0
    in_time = ttft_s is not None and ttft_s <= _PATIENCE_S and not tiles["rejections"]
    return in_time, quality >= 90, quality >= 95


GRADES = {"two-halves": two_halves}

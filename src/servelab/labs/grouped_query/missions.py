"""The missions of the lab: goals to reach with its controls, and what earns their stars."""

from __future__ import annotations

from servelab.labs.changes import figure_text
from servelab.labs.missions import Mission, Star, Want
from servelab.labs.result import Outcome
from servelab.units import show


def _two_halves(begun: Outcome, answer: Outcome) -> str:
    old, new = begun.result, answer.result
    token = " to ".join(show(facts["kv_bytes_per_token"], "B") for facts in (old.facts, new.facts))
    held = " instead of ".join(f"{facts['capacity_tokens']:,.0f}" for facts in (new.facts, old.facts))
    waits = " instead of ".join(figure_text(result.tiles["ttft_p99_s"], "s") for result in (new, old))
    return (
        f"A token's cache went from {token}, so the cache holds {held} tokens, and the slowest in a hundred wait "
        f"{waits}. 16 KV heads in FP8 keep exactly as many bytes a token as 8 in BF16, so the wait is the same; but "
        "halving the heads once and the bytes once costs less than halving the heads twice: what pooling costs grows "
        "with every step, while rounding costs about a point, whatever the heads."
    )


TWO_HALVES = Mission(
    "two-halves",
    "Nobody waits, nobody notices",
    (
        "Let 99 of 100 requests have their first token within two seconds, on this card and with this traffic, and "
        "keep as much quality as you can."
    ),
    (
        Star(
            "99 of 100 requests have their first token within 2 s, and none is turned away",
            (Want("ttft_p99_s", at_most=2.0), Want("rejections", at_most=0)),
        ),
        Star("quality is at least 90", (Want("quality", at_least=90),)),
        Star("quality is at least 95", (Want("quality", at_least=95),)),
    ),
    teaches="Two ways to halve the cache cost differently; take a little of each.",
    fixed=("requests_per_s", "prompt_tokens", "card", "origin", "uptraining_fraction"),
    judged=("quality",),
    hints=(
        "Requests wait for room in the cache. What makes a token smaller?",
        "There are two ways to halve a token's cache, and one of them costs less quality than the other.",
        "What do the two cost together?",
    ),
    solution={"kv_heads": 16, "kv_cache": "fp8"},
    reveal=_two_halves,
)

MISSIONS = (TWO_HALVES,)

"""The missions of the lab: a context that must fit on a small card, and a ramp that is set up wrongly."""

from __future__ import annotations

from servelab.labs.changes import figure_text
from servelab.labs.figures import show
from servelab.labs.missions import Hint, Mission, Star, Want
from servelab.labs.result import Outcome


def _percent(outcome: Outcome, tile: str) -> str:
    return figure_text(outcome.result.tiles[tile], "fraction")


def _fit(begun: Outcome, answer: Outcome) -> str:
    old, new = begun.result, answer.result
    token = " instead of ".join(show(result.facts["kv_bytes_per_token"], "B") for result in (new, old))
    memory = " instead of ".join(show(result.tiles["total_bytes"] or 0, "B") for result in (new, old))
    return (
        f"A token of context keeps {token}, so everything takes {memory}. Stretching costs no byte: what decides "
        "whether a context fits is how many KV heads a model has, and in how many bytes they are kept. And it was "
        f"needed as well: {old.facts['slow']:.0f} of {old.facts['pairs']:.0f} pairs never went round in "
        f"{old.facts['trained_tokens']:,.0f} tokens. Now none goes beyond what it saw, with neighbours at "
        f"{_percent(answer, 'resolution')} of their distance. Interpolation would have brought them to an eighth, and "
        "NTK-aware would have left some pairs beyond."
    )


FIT = Mission(
    "thirty-two-thousand",
    "Thirty-two thousand tokens on a gaming card",
    (
        "Serve contexts of 32,768 tokens on an RTX 4090, with no pair beyond what it saw in training. Any of the "
        "models will do; suppose that all were trained at 4,096."
    ),
    (
        Star(
            "everything fits in 24 GB, and no pair meets an angle never seen",
            (Want("total_bytes", at_most=24e9), Want("unseen_fraction", at_most=0)),
        ),
        Star("neighbours keep 85 % of their resolution", (Want("resolution", at_least=0.85),)),
        Star("two such requests fit at once", (Want("largest_batch", at_least=2),)),
    ),
    symptom="A context of 32,768 tokens does not fit on the card, and the model never saw one as long.",
    teaches="Stretching positions costs no byte; KV heads and their format decide what fits.",
    minutes=5,
    settings={"card": "rtx-4090"},
    fixed=(
        "target_tokens",
        "headroom",
        "yarn_alpha",
        "yarn_beta",
        "trained_tokens",
        "base",
        "head_dim",
        "card",
        "batch",
    ),
    judged=("resolution", "largest_batch"),
    hints=(
        Hint("What takes the memory? Compare the cache with the weights.", 1),
        Hint("Models differ in how many KV heads they keep of every token. So do formats in their bytes.", 1),
        Hint("Look at what each method does to the fast pairs and to the slow ones.", 2),
        Hint("Two contexts need twice the cache. Which model keeps the least of a token?", 3),
    ),
    solution={"method": "yarn", "model": "qwen2.5-7b", "kv_cache": "fp8"},
    reveal=_fit,
)


def _ramp(begun: Outcome, answer: Outcome) -> str:
    old, new = begun.result, answer.result
    return (
        f"A ramp that begins at α = {old.facts['alpha']:g} turns leaves pairs partly alone that never went round: "
        f"{old.facts['unseen']:.0f} of them went up to {old.tiles['overreach'] or 0:.3g} times beyond training, and no "
        "factor mends that. A larger base slows every pair by its own share, and with a factor of "
        f"{new.facts['factor']:.3g} where the target takes {new.facts['needed']:.3g}, the last of the slow pairs stays "
        "within what it saw. What is more than that is paid nearby: attention over the nearest tokens changes by "
        f"{_percent(answer, 'nearby_change')}."
    )


RAMP = Mission(
    "wrong-ramp",
    "A ramp that begins too early",
    (
        "A runtime has YaRN built in with α = 0 and β = 2, and you cannot change these. Serve 65,536 tokens with it "
        "by what else it has: no pair beyond its training, and as little change nearby as you can."
    ),
    (
        Star(
            "no pair meets an angle never seen, and neighbours keep 85 % of their resolution",
            (Want("unseen_fraction", at_most=0), Want("resolution", at_least=0.85)),
        ),
        Star("attention nearby changes by at most 11.5 %", (Want("nearby_change", at_most=0.115),)),
        Star("by at most 10.5 %", (Want("nearby_change", at_most=0.105),)),
    ),
    symptom="The end of a long context turns to gibberish, and the runtime does not let you set what it stretches.",
    teaches="NTK-aware scaling stays within training only with a larger factor than it seems to take.",
    minutes=5,
    settings={
        "method": "yarn",
        "yarn_alpha": 0.0,
        "yarn_beta": 2.0,
        "trained_tokens": 8192,
        "target_tokens": 65_536,
        "model": "llama-3.1-8b",
        "card": "h100-sxm-80gb",
    },
    fixed=(
        *("target_tokens", "yarn_alpha", "yarn_beta", "trained_tokens", "base", "head_dim"),
        *("model", "card", "kv_cache", "batch"),
    ),
    judged=("nearby_change", "resolution"),
    hints=(
        Hint("Which pairs are above training at the target, and what does this ramp do to them?", 1),
        Hint("Another method slows every pair, and nearly keeps the slow ones within training. Nearly.", 2),
        Hint("A factor may be more than target / trained. How much more does it take?", 3),
    ),
    solution={"method": "ntk-aware", "headroom": 1.9},
    reveal=_ramp,
)

MISSIONS = (FIT, RAMP)

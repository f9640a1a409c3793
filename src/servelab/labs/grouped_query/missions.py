"""The missions of the lab: goals to reach with its controls, and what earns their stars."""

from __future__ import annotations

from servelab.labs.grouped_query import reveals
from servelab.labs.grouped_query.settings import BURST, LONG_DOCUMENTS
from servelab.labs.missions import Hint, Mission, Star, Want

_COST = "cost_usd_per_million_output_tokens"
_TRAFFIC, _MODEL = ("requests_per_s", "prompt_tokens"), ("origin", "uptraining_fraction")

_NONE_REJECTED = Want("rejections", at_most=0, quiet=True)

TWO_HALVES = Mission(
    "two-halves",
    "Nobody waits, nobody notices",
    (
        "Let 99 of 100 requests have their first token within two seconds, on this card and with this traffic, and "
        "keep as much quality as you can."
    ),
    (
        Star(
            "99 of 100 first tokens within 2 s",
            (Want("ttft_p99_s", at_most=2.0), _NONE_REJECTED),
        ),
        Star("quality is at least 90", (Want("quality", at_least=90),)),
        Star("quality is at least 95", (Want("quality", at_least=95),)),
    ),
    symptom="Nobody gets a first token within two seconds; some wait for two minutes.",
    teaches="Two ways to halve the cache cost differently; take a little of each.",
    fixed=(*_TRAFFIC, "card", *_MODEL),
    judged=("quality",),
    hints=(
        Hint("Requests wait for room in the cache. What makes the cache of a token smaller?", 1),
        Hint("There are two ways to halve a token's cache, and one of them costs less quality than the other.", 2),
        Hint("What do the two cost together?", 3),
    ),
    solution={"kv_heads": 16, "kv_cache": "fp8"},
    reveal=reveals.two_halves,
)

LONG_DOCUMENT_DAY = Mission(
    "long-document-day",
    "Stop the preemptions",
    (
        "Today every document is three times as long: prompts have 3,072 tokens instead of 1,024. In two minutes the "
        "server throws 13 running answers away, and the slowest in a hundred wait 84 seconds for a first word. Stop "
        "that, for as little money as you can. The documents are contracts, so quality must stay at 98 or above."
    ),
    (
        Star(
            "no preemption, 99 of 100 first tokens within 5 s, and quality of at least 98",
            (
                Want("preemptions", at_most=0),
                Want("ttft_p99_s", at_most=5.0),
                Want("quality", at_least=98),
                _NONE_REJECTED,
            ),
        ),
        Star("a million output tokens cost at most $1.60", (Want(_COST, at_most=1.6),)),
        Star("a million output tokens cost at most $0.90", (Want(_COST, at_most=0.9),)),
    ),
    symptom="Documents are longer today. Answers stop half-way and begin anew, and some people wait over a minute.",
    teaches="Preemptions mean too little room. A larger card and a smaller token give some each; both is cheap.",
    settings={"card": "a100-sxm-40gb", "requests_per_s": 2.0},
    events=(LONG_DOCUMENTS,),
    fixed=(*_TRAFFIC, *_MODEL),
    judged=("quality", _COST),
    hints=(
        Hint("Look at the cache in use: a request is preempted when the cache is full and answers still grow.", 1),
        Hint("A larger card has more room. Which of them is enough?", 1),
        Hint("Several cards are large enough. What does an hour of each cost?", 2),
        Hint("A cheaper card may be enough if a token keeps fewer bytes. Which way costs one point of quality?", 3),
    ),
    solution={"kv_cache": "fp8", "card": "a100-sxm-80gb"},
    reveal=reveals.long_documents,
)

THROUGH_THE_BURST = Mission(
    "through-the-burst",
    "Hold the burst",
    (
        "For twenty seconds twice as many people come, and a minute later the queue is still there. Somebody has made "
        "the cache smaller already, with 8 KV heads and FP8, and it did not help. Hold the slowest first token in a "
        "hundred under half a second, through the burst, with quality of at least 90."
    ),
    (
        Star(
            "99 of 100 first tokens within 0.5 s, and quality of at least 90",
            (Want("ttft_p99_s", at_most=0.5), Want("quality", at_least=90), _NONE_REJECTED),
        ),
        Star("a million output tokens cost at most $0.35", (Want(_COST, at_most=0.35),)),
        Star("quality is at least 95", (Want("quality", at_least=95),)),
    ),
    symptom="Twice as many people came for twenty seconds, and a minute later they still queue.",
    teaches="A queue in front of an empty cache waits for arithmetic, which no smaller cache can give.",
    settings={"card": "a100-sxm-80gb", "requests_per_s": 8.0, "kv_heads": 8, "kv_cache": "fp8"},
    events=(BURST,),
    fixed=(*_TRAFFIC, *_MODEL),
    judged=("quality", _COST),
    hints=(
        Hint("Is the cache ever full? If not, what do the waiting requests wait for?", 1),
        Hint("Prompts are computed, not read. Which figure of a card says how fast?", 2),
        Hint("Once the arithmetic suffices, how many heads does the cache have room for?", 3),
    ),
    solution={"card": "h100-sxm-80gb", "kv_heads": 16},
    reveal=reveals.burst,
)

CHEAPER_CARD = Mission(
    "cheaper-card",
    "Serve it on the cheaper card",
    (
        "The bill is $0.77 for a million output tokens, and finance asks for $0.40 or less. Keep 99 of 100 first "
        "tokens within 0.8 seconds, and quality of at least 90."
    ),
    (
        Star(
            "at most $0.40 a million output tokens, 99 of 100 first tokens within 0.8 s, and quality of at least 90",
            (
                Want(_COST, at_most=0.4),
                Want("ttft_p99_s", at_most=0.8),
                Want("quality", at_least=90),
                _NONE_REJECTED,
            ),
        ),
        Star("at most $0.35 a million output tokens", (Want(_COST, at_most=0.35),)),
        Star("at most $0.20 a million output tokens", (Want(_COST, at_most=0.2),)),
    ),
    symptom="A million output tokens cost $0.77, and finance wants to pay about half.",
    teaches="A small card lacks room, not pace for this traffic; a smaller token gives it room.",
    settings={"card": "h200-sxm-141gb", "requests_per_s": 5.0, "prompt_tokens": 512},
    fixed=(*_TRAFFIC, *_MODEL),
    judged=("quality", _COST),
    hints=(
        Hint("How much of the cache is in use at its peak? Whatever is not, you rent for nothing.", 1),
        Hint("On a small card the weights leave little. What else could be smaller than they are?", 2),
        Hint("Share and round together, and only as far as quality of 90 allows.", 3),
    ),
    solution={"card": "rtx-4090", "kv_heads": 8, "kv_cache": "fp8"},
    reveal=reveals.cheaper_card,
)

FEWER_HEADS = Mission(
    "fewer-heads",
    "Convert to fewer heads without losing the quality",
    (
        "The engine keeps its cache in BF16 alone, and you need room for 280,000 tokens on this card. The first "
        "attempt averaged all KV heads into one and trained nothing after that: quality is 0. Convert it so that "
        "quality is at least 80, with as little training as you can."
    ),
    (
        Star(
            "room for 280,000 tokens, and quality of at least 80",
            (Want("capacity_tokens", at_least=280_000), Want("quality", at_least=80)),
        ),
        Star("with at most 8 % of the pretraining", (Want("training_fraction", at_most=0.08),)),
        Star("with at most 5 % of the pretraining", (Want("training_fraction", at_most=0.05),)),
    ),
    symptom="A model was converted to save memory, and its answers are useless.",
    teaches="Share only as far as you need the room: training wins back less with every further step.",
    settings={"kv_heads": 1, "uptraining_fraction": 0.0},
    fixed=(*_TRAFFIC, "card", "kv_cache", "origin"),
    judged=("quality", "training_fraction"),
    hints=(
        Hint("More KV heads lose less. How many still leave the room that you need?", 1),
        Hint("Training after the conversion wins back part of the loss, the first per cent most.", 2),
        Hint("You may train less than you do. At which step does the quality still hold?", 3),
    ),
    solution={"kv_heads": 4, "uptraining_fraction": 0.05},
    reveal=reveals.fewer_heads,
)

MISSIONS = (TWO_HALVES, LONG_DOCUMENT_DAY, THROUGH_THE_BURST, CHEAPER_CARD, FEWER_HEADS)

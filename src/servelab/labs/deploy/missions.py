"""The missions of the lab: deployments that went wrong, and what earns the stars."""

from __future__ import annotations

from servelab.labs.deploy import reveals
from servelab.labs.deploy.settings import LONG_PROMPTS
from servelab.labs.missions import Hint, Mission, Star, Want

#: What no mission leaves open: how long a pass is taken to be, and what comes.
_GIVEN = ("step_times", "requests_per_s", "prompt_tokens", "output_tokens")

_COST = "cost_usd_per_million_output_tokens"

_NONE_REJECTED = Want("rejections", at_most=0, quiet=True)

FLAT_GAPS = Mission(
    "flat-gaps",
    "Keep the text flowing",
    (
        "One prompt in eight is a long document, and when one arrives, everybody who is reading sees the text stop for "
        "up to two seconds. Hold 99 of 100 gaps between tokens under a tenth of a second, and let newcomers wait no "
        "longer for it than they must."
    ),
    (
        Star(
            "99 of 100 gaps within 100 ms, 99 of 100 first tokens within 10 s",
            (Want("itl_p99_s", at_most=0.1), Want("ttft_p99_s", at_most=10.0), _NONE_REJECTED),
        ),
        Star("half of the first tokens within 1.1 s", (Want("ttft_p50_s", at_most=1.1),)),
        Star("half of the first tokens within 0.95 s", (Want("ttft_p50_s", at_most=0.95),)),
    ),
    symptom="When somebody brings a long document, everybody else's text stops for up to two seconds.",
    teaches="A pass lasts as long as the prompts in it. Small chunks keep it short; too small, and newcomers wait.",
    settings={"policy": "continuous", "requests_per_s": 2.0},
    events=(LONG_PROMPTS,),
    fixed=("size", "card", "cards", "weights", "kv_cache", "at_once", *_GIVEN),
    judged=("ttft_p50_s",),
    hints=(
        Hint("Continuous batching reads whole prompts between the decodes. Which policy mixes the two?", 1),
        Hint("How long is a pass with so many prompt tokens in it? The chunk decides.", 1),
        Hint("A small chunk makes a prompt take many passes. How large may it be before the gaps grow too long?", 2),
        Hint("Go up in small steps, and stop just below 100 ms.", 3),
    ),
    solution={"policy": "chunked", "chunk_tokens": 576},
    reveal=reveals.flat_gaps,
)

INT4_SLOWER = Mission(
    "int4-slower",
    "Find why INT4 made the big batch slower",
    (
        "The weights went to INT4, and more requests run at once in the memory that this freed. The slowest first "
        "tokens now come after 22 seconds and not 55; but the slowest answers take 149 ms a token and not 116. Find "
        "what a pass waits for. Bring 99 of 100 answers to 70 ms a token or less, and first tokens within a second."
    ),
    (
        Star(
            "99 of 100 answers at 70 ms a token or less, 99 of 100 first tokens within 1 s",
            (Want("tpot_p99_s", at_most=0.07), Want("ttft_p99_s", at_most=1.0), _NONE_REJECTED),
        ),
        Star("weights keep at least 8 bits", (Want("weight_bits", at_least=8),)),
        Star("a million output tokens cost at most $0.10", (Want(_COST, at_most=0.1),)),
    ),
    symptom="The weights became smaller, and since then every answer crawls.",
    teaches="A big batch waits for arithmetic and for its cache: what is multiplied or read faster helps it.",
    settings={
        "weights": "int4",
        "at_once": 512,
        "requests_per_s": 8.0,
        "prompt_tokens": 512,
        "output_tokens": 512,
    },
    fixed=("size", "card", "cards", "policy", "chunk_tokens", *_GIVEN),
    judged=("weight_bits", "kv_bits", _COST),
    hints=(
        Hint("Look at what a pass of decodes waits for. Where does this run stand: left or right of the crossing?", 1),
        Hint("A pass has two long parts, arithmetic and the cache. Shorten either of them.", 1),
        Hint("Which format of the weights makes the arithmetic itself faster on this card?", 2),
        Hint("The arithmetic is shorter now. What is left of a pass, and in how many bytes is it kept?", 3),
    ),
    solution={"weights": "fp8", "kv_cache": "fp8"},
    reveal=reveals.int4_slower,
)

LONG_CONTEXTS = Mission(
    "long-contexts",
    "Fit the 32k contexts",
    (
        "Contexts of 32,768 tokens, and twelve of them at once, on one L40S. Somebody shrank the weights to INT4 "
        "already: nine and a half fit. Make room for twelve, with first tokens within ten seconds, and weights as "
        "precise as you can."
    ),
    (
        Star(
            "the cache holds 12 × 32,768 tokens, and 99 of 100 first tokens come within 10 s",
            (Want("capacity_tokens", at_least=12 * 32_768), Want("ttft_p99_s", at_most=10.0), _NONE_REJECTED),
        ),
        Star("weights keep at least 8 bits", (Want("weight_bits", at_least=8),)),
        Star("weights keep 16 bits", (Want("weight_bits", at_least=16),)),
    ),
    symptom="Twelve people come with long documents, and nine and a half of them fit.",
    teaches="At long contexts the cache is the memory: shrink what every context has, not what is there once.",
    settings={"weights": "int4", "requests_per_s": 0.3, "prompt_tokens": 21_800, "output_tokens": 512},
    fixed=("size", "card", "cards", "policy", "chunk_tokens", "at_once", *_GIVEN),
    judged=("weight_bits", "kv_bits"),
    hints=(
        Hint("How many bytes does one context of 32,768 tokens keep, and how many do all the weights?", 1),
        Hint("INT4 weights gave 12 GB once. What would halving every context's cache give?", 2),
        Hint("With the cache halved, how precise may the weights be again?", 3),
    ),
    solution={"weights": "bf16", "kv_cache": "fp8"},
    reveal=reveals.long_contexts,
)

THE_BILL = Mission(
    "the-bill",
    "Serve the 70B on the cheaper cards",
    (
        "Eight H100 serve a 70B model at $23.20 an hour, day and night, for three requests in two seconds. Do it for "
        "$6.50 or less: 99 of 100 first tokens within two seconds, answers at four tokens a second or more, the "
        "cache in 16 bits."
    ),
    (
        Star(
            "at most $6.50 an hour, first tokens within 2 s and 250 ms a token for 99 of 100, 16 bits in the cache",
            (
                Want("price_usd_per_hour", at_most=6.5),
                Want("ttft_p99_s", at_most=2.0),
                Want("tpot_p99_s", at_most=0.25),
                Want("kv_bits", at_least=16),
                _NONE_REJECTED,
            ),
        ),
        Star("at most $4.50 an hour", (Want("price_usd_per_hour", at_most=4.5),)),
        Star("the weights keep at least 8 bits", (Want("weight_bits", at_least=8),)),
    ),
    symptom="$23.20 an hour, day and night, for three requests in two seconds.",
    teaches="Memory decides how many cards, bandwidth and arithmetic which, the link whether to split.",
    minutes=8,
    settings={"size": "70b", "card": "h100-sxm-80gb", "cards": 8, "requests_per_s": 1.5},
    fixed=("size", "policy", "chunk_tokens", "at_once", *_GIVEN),
    judged=("price_usd_per_hour", "weight_bits", "kv_bits"),
    hints=(
        Hint("What do the weights take in each format, and which cards hold that?", 1),
        Hint("Prompts wait for arithmetic. Which cards multiply in FP8 at twice the rate?", 1),
        Hint("One large card needs no link at all.", 2),
        Hint("How many bytes a weight does the largest card have room for?", 3),
    ),
    solution={"card": "h200-sxm-141gb", "cards": 1, "weights": "fp8"},
    reveal=reveals.the_bill,
)

MISSIONS = (FLAT_GAPS, INT4_SLOWER, LONG_CONTEXTS, THE_BILL)

"""The missions of the lab: a model that must fit, the one layer that breaks, and bits that buy no more speed."""

from __future__ import annotations

from servelab.labs.changes import figure_text
from servelab.labs.figures import show
from servelab.labs.missions import Hint, Mission, Star, Want
from servelab.labs.result import Outcome

_WORLD = ("weight_strength", "activation_strength", "outlier_fraction")


def _percent(outcome: Outcome, tile: str) -> str:
    return figure_text(outcome.result.tiles[tile], "fraction")


def _fit(begun: Outcome, answer: Outcome) -> str:
    old, new = (outcome.result.tiles for outcome in (begun, answer))
    sizes = " instead of ".join(show(tiles["weights_bytes"] or 0, "B") for tiles in (new, old))
    return (
        f"At {show(new['bits_per_weight'] or 0, 'bits')} a weight the model takes {sizes}, and with its cache and the "
        f"rest fills {show(new['total_bytes'] or 0, 'B')} of the card. Its worst layer is off by "
        f"{_percent(answer, 'worst_error')}. Eight bits would be exact enough for every layer and do not fit; four "
        "fit, and break the layers whose outliers stretch their grids. Scaling by activations costs no byte and takes "
        "most of the damage away; small groups with a zero point take the rest, for a few hundred megabytes."
    )


FIT = Mission(
    "thirty-two-billion",
    "Thirty-two billion in 24 gigabytes",
    (
        "Qwen2.5 32B in 4 bits must serve six requests at once on a single RTX 4090. Make it fit, and break none of "
        "its layers on the way."
    ),
    (
        Star(
            "it fits in 24 GB, and no layer's output is off by more than 20 %",
            (Want("total_bytes", at_most=24e9), Want("worst_error", at_most=0.20)),
        ),
        Star("no layer's output is off by more than 17 %", (Want("worst_error", at_most=0.17),)),
        Star("no layer's output is off by more than 13 %", (Want("worst_error", at_most=0.13),)),
    ),
    symptom="A model of 32 billion weights does not fit on the card that you have.",
    teaches="Scaling by activations costs no byte; small groups cost the last ones.",
    minutes=6,
    settings={"model": "qwen2.5-32b", "batch": 6, "granularity": "group-32"},
    fixed=("model", "card", "batch", "bits", "scale_bits", *_WORLD),
    judged=("worst_error", "total_bytes"),
    hints=(
        Hint("What do groups of 32 pay for their scales? A 32nd of 16 bits a weight, 32 billion times.", 1),
        Hint("Larger groups fit, and break layers: their outliers stretch a grid that more weights share.", 2),
        Hint("One of the controls makes the layers better and takes no memory at all. Then spend what is left.", 3),
    ),
    solution={"granularity": "group-128", "grid": "asymmetric", "scaling": "activation-aware"},
    reveal=_fit,
)


def _one_layer(begun: Outcome, answer: Outcome) -> str:
    old, new = (outcome.result for outcome in (begun, answer))
    kept = show(new.facts["kept_fraction"], "fraction")
    bits = " instead of ".join(f"{result.tiles['bits_per_weight'] or 0:.3g}" for result in (new, old))
    beside = " and a zero point in every grid" if answer.setup.settings.grid == "asymmetric" else ""
    return (
        f"{new.facts['kept']:.0f} of seven layers kept in bf16, {kept} of the weights{beside} take a block to {bits} "
        f"bits a weight, and its worst layer from {_percent(begun, 'worst_error')} to "
        f"{_percent(answer, 'worst_error')}. One layer was broken and the others were not: `down`, where outliers are "
        "strongest. Every further layer that is kept costs as much and mends what hardly needed it. A zero point, at 4 "
        "bits a channel, does more for the rest: where an outlier is on one side only, the grid need not reach as far "
        "on the other."
    )


ONE_LAYER = Mission(
    "one-layer",
    "One of seven is broken",
    (
        "Your kernel knows 4 bits and one scale an output channel, and nobody has samples to scale by. Mend what is "
        "broken, and spend no more bits than it takes."
    ),
    (
        Star(
            "no layer's output is off by more than 36 %, at 12 bits a weight or fewer",
            (Want("worst_error", at_most=0.36), Want("bits_per_weight", at_most=12.0)),
        ),
        Star("at 8 bits a weight or fewer", (Want("bits_per_weight", at_most=8.0),)),
        Star("no layer's output is off by more than 28 %", (Want("worst_error", at_most=0.28),)),
    ),
    symptom="Rounded to four bits the model talks nonsense, though most of its layers are hardly off.",
    teaches="An average hides the one layer that breaks; keep that one, and leave the others alone.",
    minutes=4,
    settings={"card": "l40s"},
    fixed=("bits", "granularity", "scaling", "model", "card", "batch", *_WORLD),
    judged=("bits_per_weight", "worst_error"),
    hints=(
        Hint("Look at the error of every layer, not at that of the block.", 1),
        Hint("Layers can be left as they are. How many of them have to be?", 2),
        Hint(
            "Outliers on one side stretch a symmetric grid on both. Which grid reaches only where they are?",
            3,
        ),
    ),
    solution={"kept_layers": 1, "grid": "asymmetric"},
    reveal=_one_layer,
)


def _no_samples(begun: Outcome, answer: Outcome) -> str:
    old, new = (outcome.result for outcome in (begun, answer))
    sharing = " instead of ".join(f"{result.facts['sharing']:,.0f}" for result in (new, old))
    return (
        f"{sharing} weights share a grid, so the worst layer is off by {_percent(answer, 'worst_error')} instead of "
        f"{_percent(begun, 'worst_error')}, at {new.tiles['bits_per_weight'] or 0:.3g} bits a weight. An outlier can "
        "only spoil its own group, and the smaller the groups, the fewer weights it takes along. What small groups "
        "cost is their scales; but a scale needs few digits, so keeping it in 8 bits halves that cost and hardly "
        "moves the error."
    )


NO_SAMPLES = Mission(
    "no-samples",
    "Nothing to calibrate on",
    (
        "The model is new, and nobody has samples of what goes through its layers: they are rounded as they are. Let "
        "no layer be off by more than 30 %, and waste no bits on it."
    ),
    (
        Star(
            "no layer's output is off by more than 30 %, at 5.2 bits a weight or fewer",
            (Want("worst_error", at_most=0.30), Want("bits_per_weight", at_most=5.2)),
        ),
        Star("at 4.7 bits a weight or fewer", (Want("bits_per_weight", at_most=4.7),)),
        Star(
            "at 4.4 bits a weight or fewer, and off by no more than 25 %",
            (Want("bits_per_weight", at_most=4.4), Want("worst_error", at_most=0.25)),
        ),
    ),
    symptom="A new model breaks when it is rounded, and nobody has samples of what goes through it.",
    teaches="Group size trades bits for error, and scales can be narrow.",
    settings={"granularity": "group-256", "scale_bits": 32, "card": "l40s"},
    fixed=("bits", "scaling", "model", "card", "batch", *_WORLD),
    judged=("bits_per_weight", "worst_error"),
    hints=(
        Hint("A layer breaks where an outlier stretches a grid. How many weights should share one?", 1),
        Hint("A zero point lets a grid reach only where its weights are.", 2),
        Hint("What does a group of 32 pay for its scale, and how many bits must that have?", 3),
    ),
    solution={"granularity": "group-32", "grid": "asymmetric", "scale_bits": 8},
    reveal=_no_samples,
)


def _slower(begun: Outcome, answer: Outcome) -> str:
    old, new = begun.result, answer.result
    batches = " instead of ".join(f"{result.facts['batch']:,.0f}" for result in (new, old))
    token, cost, error = (
        " instead of ".join(figure_text(result.tiles[tile], unit) for result in (new, old))
        for tile, unit in (
            ("tpot_s", "s"),
            ("cost_usd_per_million_output_tokens", "USD"),
            ("worst_error", "fraction"),
        )
    )
    return (
        "Fewer bits shorten the reading of weights and nothing else. Up to about 38 requests that is what a step of "
        "this card waits for, and another request is nearly free; beyond, every request adds its own arithmetic, and "
        f"a token only takes longer. Four bits made room for three times as many, and all were let in. With {batches} "
        f"requests in a step a token takes {token}, and a million cost {cost}. Left of the bend small groups are "
        f"nearly free too, at {show(new.tiles['bits_per_weight'] or 0, 'bits')} a weight, and the worst layer is off "
        f"by {error}."
    )


SLOWER = Mission(
    "slower-than-before",
    "INT4, and slower than before",
    (
        "Since the model was rounded to four bits its tokens take longer than in bf16, where 22 requests fit: four "
        "bits left room for 64, and all of them are let in. Bring a token below 13 ms, at no more than $0.23 for a "
        "million, and round as exactly as that allows."
    ),
    (
        Star(
            "a token takes at most 13 ms, a million cost at most $0.23, and no layer is off by more than 11 %",
            (
                Want("tpot_s", at_most=0.013),
                Want("cost_usd_per_million_output_tokens", at_most=0.23),
                Want("worst_error", at_most=0.11),
            ),
        ),
        Star("a million output tokens cost at most $0.20", (Want("cost_usd_per_million_output_tokens", at_most=0.2),)),
        Star("no layer is off by more than 9 %", (Want("worst_error", at_most=0.09),)),
    ),
    symptom="Rounding made the model smaller, and its tokens take longer than before.",
    teaches="Up to the bend of its line a batch is nearly free, and so is exactness; beyond it every request costs.",
    minutes=5,
    settings={"granularity": "group-64", "grid": "asymmetric", "scaling": "activation-aware", "batch": 64},
    fixed=("bits", "grid", "scale_bits", "scaling", "model", "card", *_WORLD),
    judged=("cost_usd_per_million_output_tokens", "worst_error"),
    hints=(
        Hint("Open the formula of the time per token: which part of it is the longest, and what is it bound by?", 1),
        Hint("Look at what the bits buy, by batch. Where does the line bend?", 1),
        Hint("Left of the bend another request is nearly free, and shares the price of the card.", 2),
        Hint("Left of the bend, what do smaller groups cost in time, and what do they win?", 3),
    ),
    solution={"batch": 24, "granularity": "group-32"},
    reveal=_slower,
)

MISSIONS = (ONE_LAYER, NO_SAMPLES, FIT, SLOWER)

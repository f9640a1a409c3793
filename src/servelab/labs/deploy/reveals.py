"""What the missions of the lab teach, in the figures of two runs: where they begin, and where they are solved.

The sentence that resolves the puzzle stands first. Figures of a remedy that would not have done come from a run of it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from servelab.labs.changes import figure_text
from servelab.labs.deploy.facts import facts
from servelab.labs.deploy.tiles import values
from servelab.labs.deploy.world import play
from servelab.labs.figures import show
from servelab.labs.grouped_query.settings import short_name
from servelab.labs.result import Outcome, Setup

_CONTEXT_TOKENS = 32_768

#: A chunk that is smaller than any that earns all stars.
_SMALL_CHUNK = 256

#: A cap on running requests that shortens the passes, at the newcomers' expense.
_CAP = 256


def flat_gaps(begun: Outcome, answer: Outcome) -> str:
    """A pass takes as long as the prompts in it."""
    old, new, chunk = begun.result.facts, answer.result.facts, answer.setup.settings.chunk_tokens
    whole_s, piece_s = (tokens * new["prefill_token_s"] for tokens in (old["longest_prompt_tokens"], chunk))
    small = _tried(begun, policy="chunked", chunk_tokens=_SMALL_CHUNK)
    return (
        "A pass lasts as long as the prompts in it. The longest prompt here has "
        f"{show(old['longest_prompt_tokens'], 'tokens')}, {show(whole_s, 's')} of arithmetic, and while it is read in "
        f"one piece nobody else gets a token. In chunks of {show(chunk, 'tokens')} a pass has at most "
        f"{show(piece_s, 's')} of it, and the longest gaps in a hundred are "
        f"{_instead(begun, answer, 'itl_p99_s', 's')}. Prompts take more passes, and the typical newcomer waits: half "
        f"of the first tokens come within {_instead(begun, answer, 'ttft_p50_s', 's')}, the slowest in a hundred "
        f"within {_instead(begun, answer, 'ttft_p99_s', 's')}. Chunks of {_SMALL_CHUNK} would leave gaps of "
        f"{figure_text(small['itl_p99_s'], 's')}, and half of the newcomers waiting longer than "
        f"{figure_text(small['ttft_p50_s'], 's')}."
    )


def int4_slower(begun: Outcome, answer: Outcome) -> str:
    """Smaller weights do not help who does not wait for weights."""
    old, new, now = begun.result.facts, answer.result.facts, answer.setup.settings
    wide, capped = _tried_facts(begun, weights="bf16"), _tried(begun, at_once=_CAP)
    cost = "cost_usd_per_million_output_tokens"
    return (
        f"In the room that INT4 freed {show(old['batch'], '')} requests run at once instead of "
        f"{show(wide['batch'], '')}, and every pass reads the cache of all of them: {_s(old, 'pass_cache_s')} instead "
        f"of {_s(wide, 'pass_cache_s')}. The weights are read in {_s(old, 'pass_weights_s')} instead of "
        f"{_s(wide, 'pass_weights_s')}, but a batch like this waits for {_s(old, 'pass_arithmetic_s')} of arithmetic, "
        "which INT4 leaves as it is: FP8 weights are multiplied in FP8 on this card, INT4 ones widened to BF16 first. "
        f"Weights in {now.weights.upper()} and a cache in {now.kv_cache.upper()} make it "
        f"{_s(new, 'pass_arithmetic_s')} of arithmetic and {_s(new, 'pass_cache_s')} of cache for "
        f"{show(new['batch'], '')} requests: the slowest tokens take {_instead(begun, answer, 'tpot_p99_s', 's')}, and "
        f"a million of them {_instead(begun, answer, cost, 'USD')}. Most at once was not it: with {_CAP} the slowest "
        f"take {figure_text(capped['tpot_p99_s'], 's')}, and first tokens {figure_text(capped['ttft_p99_s'], 's')}."
    )


def long_contexts(begun: Outcome, answer: Outcome) -> str:
    """The cache is what grows with the context."""
    old, new = begun.result.facts, answer.result.facts
    each = [show(_CONTEXT_TOKENS * facts["kv_bytes_per_token"], "B") for facts in (old, new)]
    fit = [f"{facts['capacity_tokens'] / _CONTEXT_TOKENS:.1f}" for facts in (old, new)]
    return (
        "Weights are there once, and the cache for every context: shrink what each of them has. A context of 32,768 "
        f"tokens keeps {each[1]} instead of {each[0]}, so {fit[1]} fit beside {show(new['weights_bytes'], 'B')} of "
        f"weights, instead of {fit[0]} beside {show(old['weights_bytes'], 'B')}. So at long contexts halve the cache "
        "first, and keep the weights as precise as the room allows. The slowest first tokens in a hundred come after "
        f"{_instead(begun, answer, 'ttft_p99_s', 's')}: that is arithmetic over the whole prompt, and no room changes "
        "it."
    )


def the_bill(begun: Outcome, answer: Outcome) -> str:
    """A token's time is bytes by bandwidth: buy only as much as the targets need."""
    old, new, settings = begun.result.facts, answer.result.facts, answer.setup.settings
    held = f"{show(new['weights_bytes'], 'B')} of weights"
    name = short_name(settings.card)
    cards = f"one {name} with {held}" if settings.cards == 1 else f"{settings.cards} × {name} with {held} each"
    exchange = (
        "one card exchanges nothing with others"
        if settings.cards == 1
        else f"exchange between the cards and overhead are {_s(new, 'pass_rest_s')} of it"
    )
    return (
        f"The set-up's cache was {show(old['occupancy_peak'], 'fraction')} taken at most, and its passes took "
        f"{_s(old, 'pass_s')}, faster than anybody asks: most of {show(old['price_usd_per_hour'], 'USD')} an hour was "
        f"paid for nothing. On {cards}, at {show(new['price_usd_per_hour'], 'USD')}, a pass takes {_s(new, 'pass_s')} "
        f"for {show(new['batch'], '')} requests, and {exchange}. The slowest first tokens in a hundred come after "
        f"{_instead(begun, answer, 'ttft_p99_s', 's')}, within the target. Fewer bytes a weight need fewer cards; FP8 "
        "halves the arithmetic of prompts too, where a card multiplies in it; and without a fast link, cards lose in "
        "every pass what they are cheaper by."
    )


@functools.lru_cache(maxsize=32)  # a remedy is the same for every answer to a mission
def _figures(setup: Setup) -> tuple[Mapping[str, Any], Mapping[str, float]]:
    played = play(setup.settings, setup.events, setup.seed)
    known = facts(played)
    return values(played, known), known


def _changed(outcome: Outcome, changes: Mapping[str, Any]) -> Setup:
    return dataclasses.replace(outcome.setup, settings=dataclasses.replace(outcome.setup.settings, **changes))


def _tried(outcome: Outcome, **changes: Any) -> Mapping[str, Any]:
    """The figures of another set-up of the same traffic."""
    return _figures(_changed(outcome, changes))[0]


def _tried_facts(outcome: Outcome, **changes: Any) -> Mapping[str, float]:
    """What else is known of another set-up of the same traffic."""
    return _figures(_changed(outcome, changes))[1]


def _s(found: Mapping[str, float], name: str) -> str:
    return show(found[name], "s")


def _instead(begun: Outcome, answer: Outcome, tile: str, unit: str) -> str:
    old, new = (figure_text(outcome.result.tiles[tile], unit) for outcome in (begun, answer))
    return f"{new} instead of {old}"

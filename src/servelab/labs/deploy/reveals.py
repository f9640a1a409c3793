"""What the missions of the lab teach, in the figures of two runs: where they begin, and where they are solved."""

from __future__ import annotations

from servelab.labs.changes import figure_text
from servelab.labs.deploy.settings import KV_BITS, WEIGHT_BITS
from servelab.labs.result import Outcome
from servelab.units import show

#: Bytes of a weight in int4 with its scales.
_INT4_BYTES = 0.525


def flat_gaps(begun: Outcome, answer: Outcome) -> str:
    """A pass takes as long as the prompts in it."""
    old, new, chunk = begun.result.facts, answer.result.facts, answer.setup.settings.chunk_tokens
    whole_s, piece_s = (tokens * new["prefill_token_s"] for tokens in (old["longest_prompt_tokens"], chunk))
    return (
        f"The longest prompt here has {old['longest_prompt_tokens']:,.0f} tokens, which are {show(whole_s, 's')} of "
        f"arithmetic. Prefilled in one piece, nobody who is reading gets a token meanwhile. In chunks of {chunk:,} "
        f"tokens a pass has at most {show(piece_s, 's')} of it, and the longest gaps in a hundred are "
        f"{_instead(begun, answer, 'itl_p99_s', 's')}. A newcomer's prompt now takes more passes, which others share: "
        f"half of the first tokens come within {_instead(begun, answer, 'ttft_p50_s', 's')}, the slowest in a hundred "
        f"after {_instead(begun, answer, 'ttft_p99_s', 's')}. Chunks too small starve the prompts, chunks too large "
        "stall the readers; between them both are served."
    )


def int4_slower(begun: Outcome, answer: Outcome) -> str:
    """Smaller weights do not help who does not wait for weights."""
    old, new = begun.result.facts, answer.result.facts
    settings = answer.setup.settings
    bf16_s = old["pass_weights_s"] * 2 / _INT4_BYTES
    return (
        f"INT4 made reading the weights cheap: {show(old['pass_weights_s'], 's')} a pass instead of about "
        f"{show(bf16_s, 's')} in BF16. But it left room for more requests: {show(old['decodes'], '')} run at once on "
        f"average. Their arithmetic takes {show(old['pass_arithmetic_s'], 's')}, longer than the weights, and is no "
        "less in INT4, which is widened to BF16 before it is multiplied; reading their cache takes "
        f"{show(old['pass_cache_s'], 's')} more. Of a token's time such passes are {show(old['decode_s'], 's')}, and "
        f"prompts of others add {show(old['stall_s'], 's')}, which is arithmetic too. The weights were not what "
        f"anybody waited for. Now weights have {WEIGHT_BITS[settings.weights]} bits and the cache "
        f"{KV_BITS[settings.kv_cache]}, {show(new['decodes'], '')} run at once, passes are "
        f"{show(new['decode_s'], 's')} of a token's time and prompts {show(new['stall_s'], 's')}; the slowest answers "
        f"in a hundred take {_instead(begun, answer, 'tpot_p99_s', 's')} a token. FP8 weights are multiplied in FP8 "
        "on this card, at twice the rate, so that every pass is shorter and fewer requests pile up. Real INT4 "
        "kernels also spend time on widening, which is not in this model; it would make the set-up slower still."
    )


def long_contexts(begun: Outcome, answer: Outcome) -> str:
    """The cache is what grows with the context."""
    old, new = begun.result.facts, answer.result.facts
    each = [32_768 * facts["kv_bytes_per_token"] for facts in (old, new)]
    fit = [facts["capacity_tokens"] / 32_768 for facts in (old, new)]
    return (
        f"A context of 32,768 tokens kept {show(each[0], 'B')} of cache, and {fit[0]:.1f} of them fitted beside "
        f"weights of {show(old['weights_bytes'], 'B')}. Weights are there once: whatever they give up is shared by "
        f"all. The cache is there for every context: keeping it in one byte a value makes each {show(each[1], 'B')}, "
        f"and {fit[1]:.1f} fit beside weights of {show(new['weights_bytes'], 'B')}. So at long contexts shrink the "
        "cache first, and keep the weights as precise as the room allows. The slowest first tokens in a hundred come "
        f"after {_instead(begun, answer, 'ttft_p99_s', 's')}; that is arithmetic over the whole prompt, and no room "
        "changes it."
    )


def the_bill(begun: Outcome, answer: Outcome) -> str:
    """A token's time is bytes by bandwidth: buy only as much as the targets need."""
    old, new, settings = begun.result.facts, answer.result.facts, answer.setup.settings
    held = f"{show(new['weights_bytes'], 'B')} of weights"
    cards = f"one card with {held}" if settings.cards == 1 else f"{settings.cards} cards with {held} each"
    exchange = (
        "One card exchanges nothing with others."
        if settings.cards == 1
        else f"Exchange between the cards and overhead are {show(new['pass_rest_s'], 's')} of it."
    )
    return (
        f"The set-up cost ${old['price_usd_per_hour']:.2f} an hour and used {show(100 * old['occupancy_peak'], '%')} "
        f"of its cache at most: most of what it paid for was idle. On {cards}, at ${new['price_usd_per_hour']:.2f} an "
        f"hour, a pass of {show(new['decodes'], '')} decodes takes {show(new['pass_s'], 's')}; the set-up's took "
        f"{show(old['pass_s'], 's')}, faster than the targets ask. {exchange} The slowest first tokens in a hundred "
        f"come after {_instead(begun, answer, 'ttft_p99_s', 's')}, within the target. Fewer bytes a weight need fewer "
        "cards to hold them, FP8 halves the arithmetic of prompts too where a card multiplies in it, and cards "
        "without a fast link lose in every pass what they were cheaper by."
    )


def _instead(begun: Outcome, answer: Outcome, tile: str, unit: str) -> str:
    old, new = (figure_text(outcome.result.tiles[tile], unit) for outcome in (begun, answer))
    return f"{new} instead of {old}"

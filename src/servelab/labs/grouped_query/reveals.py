"""What the missions of the lab teach, in the figures of two runs: where they begin, and where they are solved."""

from __future__ import annotations

from collections.abc import Mapping

from servelab.labs.changes import figure_text
from servelab.labs.grouped_query.settings import BYTES_PER_VALUE
from servelab.labs.result import Outcome
from servelab.units import show


def two_halves(begun: Outcome, answer: Outcome) -> str:
    """Room, and the two ways to it."""
    old, new = begun.result.facts, answer.result.facts
    token = f"from {show(old['kv_bytes_per_token'], 'B')} to {show(new['kv_bytes_per_token'], 'B')}"
    held = f"{new['capacity_tokens']:,.0f} tokens instead of {old['capacity_tokens']:,.0f}"
    return (
        f"A token's cache went {token}, so the cache holds {held}, and the slowest in a hundred wait "
        f"{_instead(begun, answer, 'ttft_p99_s', 's')}. 16 KV heads in FP8 keep exactly as many bytes a token as 8 in "
        "BF16, so the wait is the same; but halving the heads once and the bytes once costs less than halving the "
        "heads twice: what pooling costs grows with every step, while rounding costs a point at most, and less where "
        "heads are shared."
    )


def long_documents(begun: Outcome, answer: Outcome) -> str:
    """Preemptions are a matter of room, and rounding is the mildest way to it."""
    old, new = begun.result.facts, answer.result.facts
    return (
        f"The cache held {old['capacity_tokens']:,.0f} tokens, and the longest document with its answer needs "
        f"{old['longest_tokens']:,.0f}: answers grew until it was full, and {old['preemptions']:,.0f} times the "
        f"newest request lost all it had and began anew. Now it holds {new['capacity_tokens']:,.0f}, {_share(new)} of "
        "them are taken at most, and a million tokens cost "
        f"{_instead(begun, answer, 'cost_usd_per_million_output_tokens', 'USD')}. A larger card buys the same room by "
        "the hour. FP8 buys it for about a point of quality; halving the heads, which leaves as many bytes, would "
        "cost about three."
    )


def burst(begun: Outcome, answer: Outcome) -> str:
    """Prompts are arithmetic: no cache makes room for them."""
    old, new = begun.result.facts, answer.result.facts
    asked = 2 * begun.setup.settings.requests_per_s * begun.setup.settings.prompt_tokens
    at_most = [show(1 / facts["prefill_token_s"], "tokens/s") for facts in (old, new)]
    return (
        f"The cache was never full: it was {_share(old)} taken at most. In the burst {asked:,.0f} prompt tokens "
        f"arrive in a second, and the card computes at most {at_most[0]} if it does nothing else, so that the queue "
        f"grows while the burst lasts and long after. This card computes {at_most[1]}, and 99 of 100 have their first "
        f"token within {_instead(begun, answer, 'ttft_p99_s', 's')}. Sharing heads saves bytes, and prompts wait for "
        "arithmetic; so the quality that it cost bought nothing here and can be taken back, as far as the cache has "
        "room."
    )


def cheaper_card(begun: Outcome, answer: Outcome) -> str:
    """What the card costs, and what was idle on it."""
    old, new = begun.result, answer.result
    bytes_per_value = BYTES_PER_VALUE[answer.setup.settings.kv_cache]
    return (
        f"The set-up used {_share(old.facts)} of its cache at most: most of that card was paid for and idle. A "
        f"million output tokens now cost {_instead(begun, answer, 'cost_usd_per_million_output_tokens', 'USD')}. "
        f"After the weights the new card has {show(new.facts['room_bytes'], 'B')} for the cache instead of "
        f"{show(old.facts['room_bytes'], 'B')}; with {new.facts['kv_heads']:.0f} KV heads of {bytes_per_value} "
        f"{'byte' if bytes_per_value == 1 else 'bytes'} a value that is {new.facts['capacity_tokens']:,.0f} tokens, "
        f"{_share(new.facts)} of them taken at most. What a small card lacks is room, and room is what a smaller "
        f"token makes; its price is the time of a token, now {_instead(begun, answer, 'tpot_p50_s', 's')}."
    )


def fewer_heads(begun: Outcome, answer: Outcome) -> str:
    """Training wins back what averaging cost, the first of it cheapest."""
    new = answer.result
    return (
        f"Averaging alone leaves {new.facts['kv_heads']:.0f} KV heads with an output that is off by "
        f"{show(100 * new.facts['pooling'], '%')}; training for "
        f"{figure_text(new.tiles['training_fraction'], 'fraction')} of the pretraining leaves "
        f"{show(100 * new.facts['pooling_left'], '%')}, which is {figure_text(new.tiles['quality'], 'points')} on the "
        f"scale. The set-up stood at {figure_text(begun.result.tiles['quality'], 'points')}. Each further per cent of "
        "training wins back less than the one before, and one more halving of the heads costs more than it can win: "
        f"so stop sharing as soon as there is room, here for {new.facts['capacity_tokens']:,.0f} tokens, and train no "
        "longer than the goal asks."
    )


def _share(facts: Mapping[str, float]) -> str:
    return show(100 * facts["occupancy_peak"], "%")


def _instead(begun: Outcome, answer: Outcome, tile: str, unit: str) -> str:
    old, new = (outcome.result.tiles[tile] for outcome in (begun, answer))
    if unit == "USD":
        return f"${new:.3f} instead of ${old:.3f}"
    return f"{figure_text(new, unit)} instead of {figure_text(old, unit)}"

"""What the missions of the lab teach, in the figures of two runs: where they begin, and where they are solved.

The sentence that resolves the puzzle stands first. Figures of a remedy that would not have done come from a run of it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from servelab.labs.changes import figure_text
from servelab.labs.figures import show
from servelab.labs.grouped_query.played import play
from servelab.labs.grouped_query.settings import BYTES_PER_VALUE, KV_HEADS, Settings, short_name
from servelab.labs.grouped_query.tiles import values
from servelab.labs.result import Outcome, Setup
from servelab.probe import quality as probe
from servelab.probe.quality import Conversion

_COST = "cost_usd_per_million_output_tokens"


def two_halves(begun: Outcome, answer: Outcome) -> str:
    """Room, and the two ways to it."""
    old, new = begun.result.facts, answer.result.facts
    whole, half, quarter = ([_quality(begun, heads, name) for name in BYTES_PER_VALUE] for heads in (32, 16, 8))
    return (
        "Halving the heads once and the bytes once costs less than halving the heads twice: 16 KV heads in FP8 keep "
        f"as many bytes a token as 8 in BF16, at {half[1]} points of quality instead of {quarter[0]}. What pooling "
        f"costs grows with every step, and what rounding costs does not: it takes 32 heads from {whole[0]} to "
        f"{whole[1]}, and 16 from {half[0]} to {half[1]}. In this answer a token keeps "
        f"{_of(new, old, 'kv_bytes_per_token', 'B')}, so the cache holds {_of(new, old, 'capacity_tokens', 'tokens')}, "
        f"and the slowest in a hundred wait {_instead(begun, answer, 'ttft_p99_s', 's')}."
    )


def long_documents(begun: Outcome, answer: Outcome) -> str:
    """Preemptions are a matter of room, and room has two prices."""
    old, new = begun.result.facts, answer.result.facts
    rounded, larger = _tried(begun, kv_cache="fp8"), _tried(begun, card="a100-sxm-80gb")
    both, bigger = _tried(begun, kv_cache="fp8", card="a100-sxm-80gb"), _tried(begun, card="h100-sxm-80gb")
    return (
        f"The cheap way takes two halves: FP8 alone still preempts {rounded['preemptions']} times, the A100 with 80 GB "
        f"alone {larger['preemptions']} times, and both together {both['preemptions'] or 'never'}, at "
        f"{show(both[_COST] or 0, 'USD')} for a million output tokens. An H100 in BF16 has the room too, for "
        f"{show(bigger[_COST] or 0, 'USD')}. The set-up's cache holds {show(old['capacity_tokens'], 'tokens')}, and "
        f"the longest document with its answer needs {show(old['longest_tokens'], '')}: answers grow until it is full, "
        f"and the newest request loses all it had. This answer holds {show(new['capacity_tokens'], '')}, {_share(new)} "
        f"of them taken at most, and costs {_dollars(answer)} at {_points(answer)}."
    )


def burst(begun: Outcome, answer: Outcome) -> str:
    """Prompts are arithmetic: no cache makes room for them."""
    old, new = begun.result.facts, answer.result.facts
    was, now = (outcome.setup.settings for outcome in (begun, answer))
    asked = 2 * was.requests_per_s * was.prompt_tokens
    pace = [show(1 / facts["prefill_token_s"], "tokens/s") for facts in (old, new)]
    return (
        "A queue in front of an empty cache waits for arithmetic, and a smaller cache gives none. In the burst "
        f"{show(asked, '')} prompt tokens arrive in a second; the {short_name(was.card)} computes at most {pace[0]}, "
        f"the {short_name(now.card)} {pace[1]}, so 99 of 100 have their first token within "
        f"{_instead(begun, answer, 'ttft_p99_s', 's')}. The set-up's cache was {_share(old)} taken at most: sharing "
        "and rounding bought nothing, and their quality can be taken back as far as the cache has room. This answer "
        f"keeps {now.kv_heads} KV heads in {now.kv_cache.upper()}, {_share(new)} taken at most, at {_points(answer)} "
        f"and {_dollars(answer)} for a million output tokens."
    )


def cheaper_card(begun: Outcome, answer: Outcome) -> str:
    """What the card costs, and what was idle on it."""
    old, new = begun.result.facts, answer.result.facts
    was, now = (outcome.setup.settings for outcome in (begun, answer))
    size = BYTES_PER_VALUE[now.kv_cache]
    return (
        f"Most of the {short_name(was.card)} was paid for and idle: its cache was {_share(old)} taken at most, at "
        f"{_dollars(begun)} for a million output tokens. This answer costs {_dollars(answer)}. The "
        f"{short_name(now.card)} has {_of(new, old, 'room_bytes', 'B')} for the cache beside the weights; with "
        f"{now.kv_heads} KV heads of {size} {'byte' if size == 1 else 'bytes'} a value that is "
        f"{show(new['capacity_tokens'], 'tokens')}, {_share(new)} of them taken at most. What a small card lacks is "
        "room, and a smaller token makes it. The price is pace, half of the answers at "
        f"{_instead(begun, answer, 'tpot_p50_s', 's')} a token or less, and {_points(answer)} of quality."
    )


def fewer_heads(begun: Outcome, answer: Outcome) -> str:
    """Training wins back what averaging cost, the first of it cheapest."""
    new, heads = answer.result, answer.setup.settings.kv_heads
    share = figure_text(new.tiles["training_fraction"], "fraction")
    halved = KV_HEADS[max(0, KV_HEADS.index(heads) - 1)]
    alike, most = (
        _tried(answer, kv_heads=halved, **more)["quality"] or 0 for more in ({}, {"uptraining_fraction": 0.1})
    )
    return (
        "Stop sharing as soon as there is room: every further halving of the heads takes more training for the same "
        f"quality. Averaging alone leaves {heads} KV heads off by {show(new.facts['pooling'], 'fraction')}; training "
        f"for {share} of the pretraining leaves {show(new.facts['pooling_left'], 'fraction')}, which is "
        f"{_points(answer)}. {halved} KV head{'s' if halved > 1 else ''} would stand at {show(alike, '')} after as "
        f"much training, and at {show(most, '')} after the most there is, 10 %. The first per cent wins back the most, "
        "each further one less: train no longer than the goal asks. These heads have room for "
        f"{show(new.facts['capacity_tokens'], 'tokens')}."
    )


@functools.lru_cache(maxsize=32)  # a remedy is the same for every answer to a mission
def _figures(setup: Setup) -> Mapping[str, Any]:
    return values(play(setup.settings, setup.events, setup.seed))


def _tried(outcome: Outcome, **changes: Any) -> Mapping[str, Any]:
    """The figures of another set-up of the same traffic."""
    settings: Settings = dataclasses.replace(outcome.setup.settings, **changes)
    return _figures(dataclasses.replace(outcome.setup, settings=settings))


def _quality(begun: Outcome, heads: int, kv_cache: str) -> str:
    """Of a conversion of that mission's model to so many heads, in points."""
    settings = begun.setup.settings
    conversion = Conversion(heads, kv_cache, settings.uptraining_fraction, settings.origin == "trained")
    return show(probe.quality(conversion, begun.setup.seed), "")


def _share(facts: Mapping[str, float]) -> str:
    return show(facts["occupancy_peak"], "fraction")


def _points(outcome: Outcome) -> str:
    return figure_text(outcome.result.tiles["quality"], "points")


def _dollars(outcome: Outcome) -> str:
    return figure_text(outcome.result.tiles[_COST], "USD")


def _of(new: Mapping[str, float], old: Mapping[str, float], name: str, unit: str) -> str:
    return f"{show(new[name], unit)} instead of {show(old[name], unit)}"


def _instead(begun: Outcome, answer: Outcome, tile: str, unit: str) -> str:
    old, new = (figure_text(outcome.result.tiles[tile], unit) for outcome in (begun, answer))
    return f"{new} instead of {old}"

"""Set-ups that have no run to show: why, and what single change would give one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from servelab.labs.deploy.settings import CARDS, KV_BITS, WEIGHT_BITS, Settings
from servelab.labs.deploy.world import Played, capacity_tokens
from servelab.labs.figures import show
from servelab.labs.grouped_query.settings import CARD_NAMES, PRICES_USD_PER_HOUR
from servelab.labs.result import Refusal, Remedy


def refusal(played: Played, facts: Mapping[str, float]) -> Refusal | None:
    """Why nothing was served; None where something was."""
    settings = played.settings
    if played.traffic is None:
        came = f"At {settings.requests_per_s:g} requests/s no request arrived within the two minutes of this seed."
        return Refusal("no-traffic", "Nobody came", came, (Remedy("2 requests/s", {"requests_per_s": 2.0}),))
    if played.served:
        return None
    longest = int((played.traffic.prompt_tokens + played.traffic.output_tokens).max())
    remedies = tuple(_remedies(settings, longest))
    if not played.blocks:
        reason = (
            f"The weights are {show(facts['weights_bytes'], 'B')} on each card of "
            f"{show(played.deployment.accelerator.memory_bytes, 'B')}; with 2 GB for the runtime and a workspace "
            "beside them, no room is left for a cache."
        )
        return Refusal("nothing-fits", "Nothing fits", reason, remedies)
    reason = (
        f"The cache holds {played.capacity_tokens:,} tokens, and each of the {len(played.traffic):,} requests needs "
        "more."
    )
    return Refusal("all-rejected", "Every request is rejected", reason, remedies)


def _remedies(settings: Settings, longest_tokens: int) -> Iterator[Remedy]:
    """Single changes after which even the longest request fits, the mildest of each kind."""
    cheapest = sorted(PRICES_USD_PER_HOUR, key=lambda name: PRICES_USD_PER_HOUR[name])
    bits, kv_bits = WEIGHT_BITS[settings.weights], KV_BITS[settings.kv_cache]
    ways: list[tuple[str, list[Any], str]] = [
        ("weights", [name for name in WEIGHT_BITS if WEIGHT_BITS[name] < bits], "Weights in {}"),
        ("kv_cache", [name for name in KV_BITS if KV_BITS[name] < kv_bits], "Keep the cache in {}"),
        ("cards", [count for count in CARDS if count > settings.cards], "Split it over {} cards"),
        ("card", [name for name in cheapest if name != settings.card], "Take the {}"),
    ]
    for name, values, label in ways:
        for value in values:
            if capacity_tokens(dataclasses.replace(settings, **{name: value})) >= longest_tokens:
                words = CARD_NAMES.get(value, value.upper()) if isinstance(value, str) else value
                yield Remedy(label.format(words), {name: value})
                break

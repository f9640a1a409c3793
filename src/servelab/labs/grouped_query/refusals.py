"""Set-ups that have no run to show: why, and what single change would give one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from servelab.labs.figures import show
from servelab.labs.grouped_query import replica
from servelab.labs.grouped_query.played import Played
from servelab.labs.grouped_query.settings import (
    BYTES_PER_VALUE,
    CARD_NAMES,
    KV_HEADS,
    LONG_DOCUMENTS,
    MEMORY_SQUEEZE,
    PRICES_USD_PER_HOUR,
    Settings,
)
from servelab.labs.grouped_query.traffic import traffic
from servelab.labs.result import Refusal, Remedy

#: A change is worth offering when no more than this share of the requests is then rejected.
_FEW = 0.01

_SHORTER_PROMPTS = (2048, 1024, 512, 256, 128)


def refusal(played: Played) -> Refusal | None:
    """Why nothing was served; None where something was."""
    if played.traffic is None:
        return Refusal(
            "no-traffic",
            "Nobody came",
            f"At {played.settings.requests_per_s:g} requests/s no request arrived within the two minutes of this seed.",
            (Remedy("5 requests/s", {"requests_per_s": 5.0}),),
        )
    if played.served:
        return None
    room = replica.cache_bytes(played.settings.card, played.events)
    if not played.kv_blocks:
        missing = replica.BLOCK_TOKENS * played.kv_bytes_per_token - room
        reason = (
            f"The weights of {show(replica.WEIGHTS_BYTES, 'B')} leave no room for a single block of "
            f"{replica.BLOCK_TOKENS} tokens on this card: {show(missing, 'B')} are missing."
        )
        return Refusal("nothing-fits", "Nothing fits", reason, tuple(_remedies(played)))
    shortest = int((played.traffic.prompt_tokens + played.traffic.output_tokens).min())
    reason = (
        f"The cache holds {played.capacity_tokens:,} tokens, and the shortest of the {len(played.traffic):,} requests "
        f"needs {shortest:,} for its prompt and answer: all were turned away."
    )
    return Refusal("all-rejected", "Every request is rejected", reason, tuple(_remedies(played)))


def _remedies(played: Played) -> Iterator[Remedy]:
    """Single changes that let nearly all requests run, the mildest of each kind."""
    settings, events = played.settings, played.events
    titles = {MEMORY_SQUEEZE: "End the memory squeeze", LONG_DOCUMENTS: "Back to usual documents"}
    for event, title in titles.items():
        rest = tuple(one for one in events if one != event)
        if event in events and _serves(settings, rest, played.seed):
            yield Remedy(title, {}, rest)
    fewer = [heads for heads in reversed(KV_HEADS) if heads < settings.kv_heads]
    cheapest = sorted(PRICES_USD_PER_HOUR, key=lambda name: PRICES_USD_PER_HOUR[name])
    ways: list[tuple[str, list[Any], str]] = [
        ("kv_heads", fewer, "Share down to {}"),
        ("kv_cache", [name for name in BYTES_PER_VALUE if name != settings.kv_cache], "Keep the cache in {}"),
        ("card", [name for name in cheapest if name != settings.card], "Take the {}"),
        (
            "prompt_tokens",
            [tokens for tokens in _SHORTER_PROMPTS if tokens < settings.prompt_tokens],
            "Prompts of {} on average",
        ),
    ]
    for name, values, label in ways:
        for value in values:
            if _serves(dataclasses.replace(settings, **{name: value}), events, played.seed):
                yield Remedy(label.format(_named(value)), {name: value})
                break


def _named(value: Any) -> str:
    if isinstance(value, str):
        return CARD_NAMES.get(value, value.upper())
    if value in KV_HEADS:
        return f"{value} KV head{'s' if value > 1 else ''}"
    return f"{value:,} tokens"


def _serves(settings: Settings, events: tuple[str, ...], seed: int) -> bool:
    """Whether nearly all requests would be served."""
    requests = traffic(settings, events, seed)
    bytes_per_token = replica.kv_bytes_per_token(settings.kv_heads, settings.kv_cache)
    blocks = replica.kv_blocks(replica.cache_bytes(settings.card, events), bytes_per_token)
    if requests is None or not blocks:
        return False
    needed = -(-(requests.prompt_tokens + requests.output_tokens) // replica.BLOCK_TOKENS)
    return float(np.mean(needed > blocks)) <= _FEW

"""A context that does not fit on its card: why, and what single change would let it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from servelab.labs.figures import show
from servelab.labs.grouped_query.settings import CARD_NAMES, PRICES_USD_PER_HOUR
from servelab.labs.long_context.played import Played, estimated
from servelab.labs.long_context.settings import MODEL_NAMES, OUTPUT_TOKENS
from servelab.labs.result import Refusal, Remedy


def refusal(played: Played) -> Refusal | None:
    """Why nothing can be served; None where it can."""
    plan, settings = played.estimate, played.settings
    if plan.fits:
        return None
    over = plan.memory.total_bytes - plan.memory.capacity_bytes
    requests = f"{settings.batch:,} requests" if settings.batch > 1 else "one request"
    reason = (
        f"The KV cache of {requests} of {settings.target_tokens:,} tokens takes "
        f"{show(plan.memory.kv_cache_bytes, 'B')}, beside {show(plan.memory.weights_bytes, 'B')} of weights. With "
        f"workspace and reserve that is {show(over, 'B')} more than the card has."
    )
    return Refusal("nothing-fits", "The context does not fit", reason, tuple(_remedies(played)))


def _remedies(played: Played) -> Iterator[Remedy]:
    """Single changes that make it fit, the mildest of each kind."""
    settings, would = played.settings, played.estimate.would_fit
    cheapest = sorted(PRICES_USD_PER_HOUR, key=lambda name: PRICES_USD_PER_HOUR[name])
    shorter = (would.prompt_tokens or 0) + OUTPUT_TOKENS
    ways: list[tuple[str, list[Any], str]] = [
        ("kv_cache", ["fp8"], "Keep the cache in {}"),
        ("card", [name for name in cheapest if name != settings.card], "Take the {}"),
        ("batch", [would.batch] if would.batch else [], "{} at once"),
        ("target_tokens", [shorter] if shorter >= 1024 else [], "A context of {} tokens"),
        ("model", [name for name in MODEL_NAMES if name != settings.model], "Take {}"),
    ]
    for name, values, label in ways:
        for value in values:
            changed = dataclasses.replace(settings, **{name: value})
            if estimated(changed, changed.target_tokens).fits:
                yield Remedy(label.format(_named(value)), {name: value})
                break


def _named(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return (CARD_NAMES | MODEL_NAMES).get(value, str(value).upper())

"""A model that does not fit on its card: why, and what single change would let it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from servelab.labs.figures import show
from servelab.labs.grouped_query.settings import CARD_NAMES, PRICES_USD_PER_HOUR
from servelab.labs.int4_layers import planner
from servelab.labs.int4_layers.played import Played, rounded_block
from servelab.labs.int4_layers.settings import MODEL_NAMES
from servelab.labs.result import Refusal, Remedy
from servelab.probe.rounding import BITS


def refusal(played: Played) -> Refusal | None:
    """Why nothing can be served; None where it can."""
    plan, settings = played.estimate, played.settings
    if plan.fits:
        return None
    over = plan.memory.total_bytes - plan.memory.capacity_bytes
    reason = (
        f"{MODEL_NAMES[settings.model]} at {played.block.bits_per_weight:.2f} bits a weight takes "
        f"{show(plan.memory.weights_bytes, 'B')}, and the KV cache of {settings.batch:,} requests "
        f"{show(plan.memory.kv_cache_bytes, 'B')}. With workspace and reserve that is {show(over, 'B')} more than the "
        f"card has."
    )
    return Refusal("nothing-fits", "It does not fit", reason, tuple(_remedies(played)))


def _remedies(played: Played) -> Iterator[Remedy]:
    """Single changes that make it fit, the mildest of each kind."""
    settings = played.settings
    cheapest = sorted(PRICES_USD_PER_HOUR, key=lambda name: PRICES_USD_PER_HOUR[name])
    smaller = list(MODEL_NAMES)[: list(MODEL_NAMES).index(settings.model)][::-1]
    ways: list[tuple[str, list[Any], str]] = [
        ("bits", [bits for bits in reversed(BITS) if bits < settings.bits], "{} bits a weight"),
        ("kept_layers", list(reversed(range(settings.kept_layers))), "Keep {} layers in bf16"),
        ("card", [name for name in cheapest if name != settings.card], "Take the {}"),
        ("batch", _batch(played), "A batch of {}"),
        ("model", smaller, "Take {}"),
    ]
    for name, values, label in ways:
        for value in values:
            changed = dataclasses.replace(settings, **{name: value})
            bits = rounded_block(changed, played.world.seed).bits_per_weight
            if planner.estimated(changed.model, changed.card, changed.batch, bits).fits:
                yield Remedy(label.format(_named(value)), {name: value})
                break


def _batch(played: Played) -> list[int]:
    largest = played.estimate.would_fit.batch
    return [largest] if largest else []


def _named(value: Any) -> str:
    return (CARD_NAMES | MODEL_NAMES).get(value, str(value))

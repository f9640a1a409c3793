"""One model or one accelerator as text for a terminal."""

from __future__ import annotations

import dataclasses
from typing import Any

from servelab.api import ModelAnswer
from servelab.cli.tables import table
from servelab.cost.anatomy import Anatomy, GroupAnatomy
from servelab.specs.catalog.listing import unknown_fields
from servelab.units import show

_UNITS = {
    "memory_bytes": "B",
    "memory_reported_bytes": "B",
    "bandwidth_bytes_per_s": "B/s",
    "link_bytes_per_s": "B/s",
    "price_usd_per_hour": "USD/h",
}


def model_text(answer: ModelAnswer) -> str:
    """What was understood of a model: figures, its groups of layers, remarks, and where it was read."""
    known = answer.understood
    sections = [_model_figures(known), table([_GROUP_COLUMNS, *map(_group_line, known.groups)])]
    for title, lines in (("Assumed", known.assumed), ("Not modelled", known.not_modelled)):
        if lines:
            sections.append("\n".join((f"{title}:", *(f"  {line}" for line in lines))))
    if answer.entry is not None:
        sections.append(f"Read in {answer.entry.source}")
    return "\n\n".join(sections)


def _model_figures(known: Anatomy) -> str:
    model = known.model
    figures = [
        ("parameters", f"{model.parameters:,}, {known.active_parameters:,} for a token"),
        ("as published", f"{model.checkpoint_format}, {show(known.weights_bytes, 'B')}"),
        *((part.name, f"{part.parameters:,}, {show(part.weights_bytes, 'B')}") for part in known.parts),
        ("hidden width", f"{model.hidden:,}"),
        ("vocabulary", f"{model.vocab_size:,}" if model.vocab_size else "?"),
        ("context", f"{model.context_length:,}" if model.context_length else "?"),
        ("cache a token", f"{known.cache_bytes_per_token:,.0f} B in {known.kv_cache}"),
    ]
    if known.state_bytes:
        figures.append(("state a request", show(known.state_bytes, "B")))
    lines = [f"  {name:<16}{text}" for name, text in figures]
    return "\n".join((model.name, *lines))


_GROUP_COLUMNS = ("attention", "layers", "heads q/kv", "width", "sees", "feed-forward", "experts", "cache a token")


def _group_line(group: GroupAnatomy) -> tuple[str, ...]:
    heads = f"{group.query_heads}/{group.kv_heads or 'latent'}" if group.query_heads else "—"
    seen = group.index_topk or group.window
    experts = "—"
    if group.experts:
        shared = f" + {group.shared_experts}" if group.shared_experts else ""
        experts = f"{group.experts_per_token} of {group.experts}{shared}"
    return (
        group.attention,
        f"{group.layers}",
        heads,
        f"{group.head_dim}" if group.head_dim else "—",
        f"{seen:,}" if seen else "all",
        group.feed_forward,
        experts,
        f"{group.cache_bytes_per_token:,.0f} B",
    )


def accelerator_text(device: Any) -> str:
    """The figures of an accelerator with their sources, and those that no source gives."""
    sources = {path: source.read_in for source in getattr(device, "sources", ()) for path in source.of}
    figures = [
        (field.name, show(getattr(device, field.name), _UNITS[field.name]))
        for field in dataclasses.fields(device)
        if field.name in _UNITS and getattr(device, field.name) is not None
    ]
    figures += [(f"flop_per_s.{name}", show(rate, "FLOP/s")) for name, rate in device.flop_per_s.items()]
    lines = [f"  {name:<22}  {value:>13}  {sources.get(name, '')}".rstrip() for name, value in figures]
    unknown = unknown_fields(device)
    if unknown:
        lines.append(f"\nUnknown: {', '.join(unknown)}")
    return "\n".join((device.name, *lines))

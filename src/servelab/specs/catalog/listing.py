"""The catalogue as rows: what every door lists, and filters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from servelab.specs.accelerator import Accelerator
from servelab.specs.catalog import loader
from servelab.specs.model import Model
from servelab.specs.references import accelerator_by_id, model_by_id

#: Rates and figures that are listed as unknown where no source gives them.
_WANTED_RATES = ("bf16", "fp16", "fp8")
_WANTED = ("memory_reported_bytes", "link_bytes_per_s", "price_usd_per_hour")


@dataclass(frozen=True)
class ModelRow:
    """A model of the catalogue in a row: what it is chosen by. `kind` is "dense" or "mixture of experts"."""

    id: str
    name: str
    hugging_face: str | None
    aliases: tuple[str, ...]
    family: str
    kind: str
    parameters: int
    active_parameters: int
    layers: int
    query_heads: int
    kv_heads: int
    head_dim: int
    hidden_size: int
    vocab_size: int | None
    tied_embeddings: bool
    context_length: int | None
    checkpoint_format: str
    features: tuple[str, ...]
    parts: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class ModelSource:
    """Where a model of the catalogue was read, and what its count of weights is held against.

    `tensor_parameters` is an independent sum over its tensors, `published_parameters` what is published; where that
    is more than 1 % from what the reader counts, `difference` says why.
    """

    id: str
    hugging_face: str | None
    aliases: tuple[str, ...]
    family: str
    source: str
    tensor_parameters: int
    published_parameters: int
    published_source: str
    difference: str | None


@dataclass(frozen=True)
class Source:
    """Where figures were read: `of` are the paths of the fields."""

    of: tuple[str, ...]
    read_in: str


@dataclass(frozen=True)
class AcceleratorRow:
    """An accelerator of the catalogue with everything that is known of it; `unknown` are the fields no source gives."""

    id: str
    name: str
    vendor: str
    year: int
    form: str | None
    memory_bytes: float
    memory_reported_bytes: float | None
    bandwidth_bytes_per_s: float
    flop_per_s: dict[str, float]
    link_bytes_per_s: float | None
    link_name: str | None
    price_usd_per_hour: float | None
    sources: tuple[Source, ...]
    unknown: tuple[str, ...]


def model_rows(words: str = "", *, family: str | None = None) -> list[ModelRow]:
    """The models whose names hold all of `words`, of one family where it is named."""
    return [row for row in map(_model_row, loader.ids("model")) if _wanted(row, words) and family in (None, row.family)]


def accelerator_rows(words: str = "", *, vendor: str | None = None) -> list[AcceleratorRow]:
    """The accelerators whose names hold all of `words`, of one vendor where it is named (in any case)."""
    rows = map(_accelerator_row, loader.ids("accelerator"))
    return [row for row in rows if _wanted(row, words) and (vendor is None or vendor.lower() == row.vendor.lower())]


def model_source(name: str) -> ModelSource:
    """What is known of one model beside its fields; raises UnknownName."""
    entry = loader.entry("model", name)
    about = {field.name: entry.about.get(field.name) for field in dataclasses.fields(ModelSource)}
    return ModelSource(**about | {"id": entry.id, "aliases": tuple(entry.about.get("aliases", ()))})


def accelerator_row(name: str) -> AcceleratorRow:
    """The row of one accelerator; raises UnknownName."""
    return _accelerator_row(loader.entry("accelerator", name).id)


def _wanted(row: ModelRow | AcceleratorRow, words: str) -> bool:
    text = " ".join(_searched(row)).lower()
    return all(word in text for word in words.lower().split())


def _searched(row: ModelRow | AcceleratorRow) -> Iterable[str]:
    if isinstance(row, ModelRow):
        return (row.id, row.name, row.hugging_face or "", *row.aliases, row.family, row.kind, *row.features)
    return (row.id, row.name, row.vendor, row.form or "")


def _model_row(entry_id: str) -> ModelRow:
    model, about = model_by_id(entry_id), loader.entry("model", entry_id).about
    return ModelRow(
        id=entry_id,
        hugging_face=about.get("hugging_face"),
        aliases=tuple(about.get("aliases", ())),
        family=about["family"],
        kind="mixture of experts" if "mixture-of-experts" in model.features else "dense",
        active_parameters=model.active_parameters,
        features=model.features,
        parts=tuple(part.name for part in model.parts),
        source=about["source"],
        **_taken(model, ModelRow),
    )


def _taken(model: Model, row: type[Any]) -> dict[str, Any]:
    """The fields that a row has from the model as they are."""
    names = {field.name for field in dataclasses.fields(row)} - {"parts"}
    return {field.name: getattr(model, field.name) for field in dataclasses.fields(model) if field.name in names}


def _accelerator_row(entry_id: str) -> AcceleratorRow:
    device, about = accelerator_by_id(entry_id), loader.entry("accelerator", entry_id).about
    return AcceleratorRow(
        id=entry_id,
        vendor=about["vendor"],
        year=about["year"],
        form=about.get("form"),
        link_name=about.get("link_name"),
        sources=tuple(Source(tuple(source["of"]), source["read_in"]) for source in about["sources"]),
        unknown=unknown_fields(device),
        **{field.name: getattr(device, field.name) for field in dataclasses.fields(device)},
    )


def unknown_fields(device: Accelerator) -> tuple[str, ...]:
    """The figures of an accelerator that are asked for and not known."""
    rates = tuple(f"flop_per_s.{name}" for name in _WANTED_RATES if name not in device.flop_per_s)
    return (*rates, *(name for name in _WANTED if getattr(device, name) is None))

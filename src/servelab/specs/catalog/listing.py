"""The catalogue as rows: what every door lists."""

from __future__ import annotations

from typing import Any

from servelab.specs.catalog import loader
from servelab.specs.fields import as_data
from servelab.specs.references import accelerator_by_id, model_by_id

_BY_ID = {"model": model_by_id, "accelerator": accelerator_by_id}


def rows(kind: str) -> list[dict[str, Any]]:
    """Every entry of "model" or "accelerator": its id, the fields of its spec, and what else is known of it."""
    return [{"id": entry.id, **as_data(_BY_ID[kind](entry.id)), **entry.about} for entry in loader.entries(kind)]

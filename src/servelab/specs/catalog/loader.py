"""Reads the catalogue: models.toml, accelerators.toml and profiles.toml beside this file.

An entry is a TOML table under its id. Only the entry asked for is parsed: its text is found by its header, since
parsing a whole catalogue would take longer than an estimate. Quantities are texts with a unit ("80 GB"), keyed by
the field they fill.
"""

from __future__ import annotations

import functools
import re
import tomllib
from importlib import resources
from typing import Any, NamedTuple

from servelab.errors import UnknownName
from servelab.specs.accelerator import Accelerator
from servelab.specs.fields import declared
from servelab.specs.profile import Profile
from servelab.units import parse

_FILES = {"model": "models.toml", "accelerator": "accelerators.toml", "profile": "profiles.toml"}

_HEADER = re.compile(r'^\["([^"\n]+)"\]$', re.MULTILINE)

_NAMING_LINE = re.compile(r'^(?:\["(?P<id>[^"\n]+)"\]|(?:aliases|hugging_face) = (?P<names>.+))$', re.MULTILINE)

#: How a quantity's unit follows from its field's suffix; the first that fits counts.
_UNIT_OF_SUFFIX = (("_bytes_per_s", "B/s"), ("flop_per_s", "FLOP/s"), ("_bytes", "B"), ("_s", "s"))


#: What of an entry makes the spec: a model's config.json fields, an accelerator's own.
_SPEC_FIELDS = {
    "model": ("config",),
    "accelerator": tuple(declared(Accelerator)),
    "profile": tuple(Profile.__dataclass_fields__),
}


class Entry(NamedTuple):
    """One entry: what its spec is made from, and what else is known (aliases, vendor, sources …)."""

    id: str
    fields: dict[str, Any]
    about: dict[str, Any]


@functools.cache
def ids(kind: str) -> tuple[str, ...]:
    """Ids of the catalogue of `kind`, "model", "accelerator" or "profile", in its order."""
    return tuple(_HEADER.findall(_text(kind)))


def entries(kind: str) -> list[Entry]:
    """Every entry of the catalogue of `kind`."""
    return [_entry(kind, name) for name in ids(kind)]


def entry(kind: str, name: str) -> Entry:
    """The entry of that id, alias or Hugging Face id, in any case; raises UnknownName with the nearest id."""
    wanted = name.strip().lower()
    if wanted in ids(kind):
        return _entry(kind, wanted)
    owner = _owners(kind).get(wanted)
    if owner is None:
        raise UnknownName("", kind, name, ids(kind))
    return _entry(kind, owner)


def knows(kind: str, name: str) -> bool:
    """Whether there is an entry of that id, alias or Hugging Face id."""
    wanted = name.strip().lower()
    return wanted in ids(kind) or wanted in _owners(kind)


@functools.cache
def _text(kind: str) -> str:
    return resources.files(__package__).joinpath(_FILES[kind]).read_text(encoding="utf-8")


@functools.lru_cache(maxsize=512)
def _entry(kind: str, entry_id: str) -> Entry:
    text = _text(kind)
    start = text.index(f'["{entry_id}"]\n')
    following = _HEADER.search(text, start + 1)
    table = tomllib.loads(text[start : following.start() if following else len(text)])[entry_id]
    fields = {key: value for key, value in table.items() if key in _SPEC_FIELDS[kind]}
    about = {key: value for key, value in table.items() if key not in fields}
    if kind == "model":
        about = {"name": table.get("hugging_face", entry_id).rsplit("/", 1)[-1]} | about
    if kind == "profile":
        fields["id"] = entry_id
    return Entry(entry_id, with_quantities(fields), about)


def with_quantities(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with every text that stands for a quantity read as one; ValueError where it is none."""
    return {key: _quantity(key, value) for key, value in fields.items()}


def _quantity(field: str, value: Any) -> Any:
    unit = next((unit for suffix, unit in _UNIT_OF_SUFFIX if field.endswith(suffix)), None)
    if isinstance(value, list):
        return [with_quantities(item) if isinstance(item, dict) else item for item in value]
    if unit is None:
        return value
    if isinstance(value, dict):
        return {key: parse(item, unit) if isinstance(item, str) else item for key, item in value.items()}
    return parse(value, unit) if isinstance(value, str) else value


@functools.cache
def _owners(kind: str) -> dict[str, str]:
    """The id of the entry behind every alias and Hugging Face id, found by the lines that hold them."""
    owners: dict[str, str] = {}
    owner = ""
    for line in _NAMING_LINE.finditer(_text(kind)):
        owner = line["id"] or owner
        owners |= {name.lower(): owner for name in re.findall(r'"([^"]+)"', line["names"] or "")}
    return owners

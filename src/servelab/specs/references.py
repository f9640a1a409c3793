"""What may be written where a model or an accelerator is wanted: an id, a file, or the fields themselves.

Ids and fields are good at every door. Paths are opened by `load_model` and `load_accelerator` only, which the
Python interface and the command line call and the server never does.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from servelab.errors import ConfigError, SpecError, shown
from servelab.specs import families
from servelab.specs.accelerator import Accelerator
from servelab.specs.catalog import loader
from servelab.specs.fields import Check, printable
from servelab.specs.jsontext import MAX_BYTES, parse_json, refusal
from servelab.specs.model import Model
from servelab.specs.records import from_fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema


def model_by_id(name: str, *, parameters: float | None = None) -> Model:
    """The catalogue's model of that id, alias or Hugging Face id; raises UnknownName.

    An entry keeps the fields of its config.json, so that the catalogue and every other model are read by one reader.
    """
    entry = loader.entry("model", name)
    return _catalogue_model(entry.id) if parameters is None else _read_entry(entry, parameters)


@functools.lru_cache(maxsize=512)
def _catalogue_model(entry_id: str) -> Model:
    return _read_entry(loader.entry("model", entry_id), None)


def _read_entry(entry: loader.Entry, parameters: float | None) -> Model:
    return families.read_config(entry.fields["config"], name=entry.about["name"], parameters=parameters)


def accelerator_by_id(name: str) -> Accelerator:
    """The catalogue's accelerator of that id; raises UnknownName."""
    return Accelerator(**loader.entry("accelerator", name).fields)


def load_model(ref: str | os.PathLike[str] | Mapping[str, Any], *, parameters: float | None = None) -> Model:
    """See Model.load."""
    with naming("model"):
        return _load_model(ref, parameters)


@contextlib.contextmanager
def naming(field: str) -> Iterator[None]:
    """Put the field that a refusal names under this one."""
    try:
        yield
    except SpecError as error:
        error.field = ".".join(part for part in (field, error.field) if part)
        raise


def _load_model(ref: str | os.PathLike[str] | Mapping[str, Any], parameters: float | None) -> Model:
    if isinstance(ref, Mapping):
        return model_of(ref, parameters=parameters)
    if isinstance(ref, str) and ref.lstrip().startswith("{"):  # a config.json, pasted
        return model_of(_object(parse_json(ref.encode(), what="the text"), "the text"), parameters=parameters)
    path = _path("model", ref)
    if path is None:
        return model_by_id(str(ref), parameters=parameters)
    name = path.resolve().parent.name if path.name == "config.json" else path.stem
    what = shown(path.name)
    content = _toml(path) if path.suffix == ".toml" else _object(parse_json(_read(path), what=what), what)
    return model_of(content, name=printable(name) or "model", parameters=parameters)


def model_of(fields: Mapping[str, Any], *, name: str | None = None, parameters: float | None = None) -> Model:
    """A model from the fields of Model, or from a config.json's content; `parameters` overrides its count."""
    if families.is_config(fields) or not _MODEL_FIELDS & fields.keys():
        return families.read_config(fields, name=name, parameters=parameters)
    given = {"name": name} if name and "name" not in fields else {}
    overridden = {} if parameters is None else {"parameters": parameters}
    return from_fields(Model, {**given, **fields, **overridden})


#: A TOML file holds one entry; larger ones are none, and slow to parse.
_LONGEST_TOML = 100_000
_MOST_DOTS = 64

#: Fields that tell a model's own from those of a config.json.
_MODEL_FIELDS = frozenset(("layers", "query_heads", "kv_heads", "groups"))


def _object(content: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(content, dict):
        raise ConfigError("", f"{what} holds no object; give a model's config.json")
    return content


def load_accelerator(ref: str | os.PathLike[str] | Mapping[str, Any]) -> Accelerator:
    """See Accelerator.load."""
    with naming("accelerator"):
        return _load_accelerator(ref)


def _load_accelerator(ref: str | os.PathLike[str] | Mapping[str, Any]) -> Accelerator:
    if isinstance(ref, Mapping):
        return from_fields(Accelerator, ref)
    path = _path("accelerator", ref)
    if path is None:
        return accelerator_by_id(str(ref))
    return from_fields(Accelerator, _toml(path))


def _path(kind: str, ref: str | os.PathLike[str]) -> Path | None:
    """The file `ref` points at (in a folder, its config.json); None where it is a name.

    A known name is never taken for a file that happens to bear it.
    """
    if not isinstance(ref, (str, os.PathLike)) or not str(ref).strip():
        raise SpecError("", f"{shown(ref)} names no {kind}; give a catalogue id, a path, or the fields")
    path = Path(ref)
    looks_like_path = (
        not isinstance(ref, str) or path.suffix in (".json", ".toml") or ref.startswith((".", "/", "~", os.sep))
    )
    if not looks_like_path and loader.knows(kind, str(ref)):
        return None
    found = _file(path)
    if found is None and looks_like_path:
        raise SpecError("", f"no file {shown(str(path))}; give a path that exists, or a catalogue id")
    return found


def _file(path: Path) -> Path | None:
    """The file itself, or a folder's config.json; None where there is none."""
    try:
        path = path.expanduser()
        found = path / "config.json" if path.is_dir() else path
        return found if found.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a name too long, a zero byte, no home
        return None


def _toml(path: Path) -> dict[str, Any]:
    """The fields in a TOML file, quantities written as text turned into numbers."""
    text = _read(path)
    what = shown(path.name)
    reason = refusal(text) or _costly(text)
    if reason:
        raise SpecError("", f"{what} is {reason}")
    try:
        return loader.with_quantities(tomllib.loads(text.decode("utf-8-sig")))
    except (ValueError, RecursionError) as error:  # no TOML, no quantity
        raise SpecError("", f"{what} holds no fields in TOML ({_cut(error)}); give one field a line") from None


def _costly(text: bytes) -> str | None:
    """Why parsing TOML would take long: its time grows with the square of a key's dots."""
    if len(text) > _LONGEST_TOML:
        return f"more than {_LONGEST_TOML:,} bytes; give one model's or accelerator's fields"
    if any(line.count(b".") > _MOST_DOTS for line in text.splitlines()):
        return f"a line with more than {_MOST_DOTS} dots; give plain fields"
    return None


def _cut(error: Exception) -> str:
    return str(error)[:200]


def _read(path: Path) -> bytes:
    """The file's bytes, one more than allowed at most, so that a huge file is refused and not read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SpecError("", f"{shown(str(path))} cannot be read ({error.strerror}); give a readable file") from None


@dataclasses.dataclass(frozen=True, slots=True)
class _Reference(Check):
    """A spec, or what stands for one: an id at every door, in Python also a file, in JSON also the fields.

    JSON never reaches `check` as text: `from_data` has made a spec of it, and opens nothing.
    """

    def spec(self) -> type[Any]:
        raise NotImplementedError

    def by_id(self, name: str) -> Any:
        raise NotImplementedError

    def load(self, ref: Any) -> Any:
        raise NotImplementedError

    def check(self, field: str, value: Any) -> Any:
        if isinstance(value, self.spec()):
            return value
        if not isinstance(value, (str, os.PathLike)):
            kind = self.spec().__name__
            raise SpecError(field, f"{shown(value)} is no {kind.lower()}; give a catalogue id, a file or {kind}(…)")
        with naming(field):
            return self.load(value)

    def from_data(self, value: Any, validate: Callable[[Any], Any]) -> Any:
        """A value from JSON: an id, else the fields."""
        return self.by_id(value) if isinstance(value, str) else validate(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_wrap_validator_function(self.from_data, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        fields = handler(schema)
        if handler.mode == "serialization":
            return fields
        return {"anyOf": [{"type": "string"}, fields, *self.other_schemas()], "description": self.doc}

    def other_schemas(self) -> list[dict[str, Any]]:
        return []


@dataclasses.dataclass(frozen=True, slots=True)
class ModelReference(_Reference):
    """A model: its id, its fields, or a config.json's content."""

    def spec(self) -> type[Any]:
        return Model

    def by_id(self, name: str) -> Model:
        return model_by_id(name)

    def load(self, ref: Any) -> Model:
        return load_model(ref)

    def from_data(self, value: Any, validate: Callable[[Any], Any]) -> Any:
        if isinstance(value, dict) and families.is_config(value):
            return families.read_config(value)
        return super(ModelReference, self).from_data(value, validate)

    def other_schemas(self) -> list[dict[str, Any]]:
        return [{"type": "object", "title": "config.json", "additionalProperties": True}]


@dataclasses.dataclass(frozen=True, slots=True)
class AcceleratorReference(_Reference):
    """An accelerator: its id or its fields."""

    def spec(self) -> type[Any]:
        return Accelerator

    def by_id(self, name: str) -> Accelerator:
        return accelerator_by_id(name)

    def load(self, ref: Any) -> Accelerator:
        return load_accelerator(ref)

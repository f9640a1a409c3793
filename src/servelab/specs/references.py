"""What may be written where a model or an accelerator is wanted: an id, a file, or the fields themselves.

Ids and fields are good at every door. Paths are opened by `load_model` and `load_accelerator` only, which the
Python interface and the command line call and the server never does.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from servelab.errors import ConfigError, SpecError, shown
from servelab.specs import families
from servelab.specs.accelerator import Accelerator
from servelab.specs.catalog import loader
from servelab.specs.fields import Check, from_fields
from servelab.specs.jsontext import MAX_BYTES, parse_json
from servelab.specs.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema


def model_by_id(name: str) -> Model:
    """The catalogue's model of that id, alias or Hugging Face id; raises UnknownName."""
    return Model(**loader.entry("model", name).fields)


def accelerator_by_id(name: str) -> Accelerator:
    """The catalogue's accelerator of that id; raises UnknownName."""
    return Accelerator(**loader.entry("accelerator", name).fields)


def load_model(ref: str | os.PathLike[str] | Mapping[str, Any], *, parameters: float | None = None) -> Model:
    """See Model.load."""
    with _naming("model"):
        return _load_model(ref, parameters)


@contextlib.contextmanager
def _naming(field: str) -> Iterator[None]:
    """Give a refusal that names no field this one."""
    try:
        yield
    except SpecError as error:
        error.field = error.field or field
        raise


def _load_model(ref: str | os.PathLike[str] | Mapping[str, Any], parameters: float | None) -> Model:
    if isinstance(ref, Mapping):
        return families.read_config(ref, parameters=parameters)
    path = _path(ref)
    if path is None:
        model = model_by_id(str(ref))
        return model if parameters is None else dataclasses.replace(model, parameters=parameters)  # type: ignore[arg-type]  # Model makes it whole
    content = parse_json(_read(path), what=path.name)
    if not isinstance(content, dict):
        raise ConfigError("", f"{path.name} holds no object; give a model's config.json")
    name = path.resolve().parent.name if path.name == "config.json" else path.stem
    return families.read_config(content, name=name or "model", parameters=parameters)


def load_accelerator(ref: str | os.PathLike[str] | Mapping[str, Any]) -> Accelerator:
    """See Accelerator.load."""
    with _naming("accelerator"):
        return _load_accelerator(ref)


def _load_accelerator(ref: str | os.PathLike[str] | Mapping[str, Any]) -> Accelerator:
    if isinstance(ref, Mapping):
        return from_fields(Accelerator, ref)
    path = _path(ref)
    if path is None:
        return accelerator_by_id(str(ref))
    try:
        return from_fields(Accelerator, loader.with_quantities(tomllib.loads(_read(path).decode())))
    except SpecError:
        raise
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, no quantity
        raise SpecError("", f"{path.name} is no accelerator in TOML ({error}); give its fields") from None


def _path(ref: str | os.PathLike[str]) -> Path | None:
    """The file `ref` points at (in a folder, its config.json); None where it reads as a name."""
    path = Path(ref)
    looks_like_path = (
        not isinstance(ref, str) or path.suffix in (".json", ".toml") or ref.startswith((".", "/", "~", os.sep))
    )
    try:
        path = path.expanduser()
        found = (
            path / "config.json" if path.is_dir() and (looks_like_path or (path / "config.json").is_file()) else path
        )
        exists = found.is_file()
    except (OSError, ValueError, RuntimeError):  # a name too long, a zero byte, no home
        found, exists = path, False
    if exists:
        return found
    if looks_like_path:
        raise SpecError("", f"no file {shown(str(found))}; give a path that exists, or a catalogue id")
    return None


def _read(path: Path) -> bytes:
    """The file's bytes, one more than allowed at most, so that a huge file is refused and not read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SpecError("", f"{shown(str(path))} cannot be read ({error.strerror}); give a readable file") from None


@dataclasses.dataclass(frozen=True, slots=True)
class _Reference(Check):
    """A spec, or a catalogue id that stands for one; from JSON also its fields."""

    def spec(self) -> type[Any]:
        raise NotImplementedError

    def by_id(self, name: str) -> Any:
        raise NotImplementedError

    def check(self, field: str, value: Any) -> Any:
        if isinstance(value, self.spec()):
            return value
        if not isinstance(value, str):
            kind = self.spec().__name__
            raise SpecError(field, f"{shown(value)} is no {kind.lower()}; give a catalogue id or {kind}(…)")
        with _naming(field):
            return self.by_id(value)

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

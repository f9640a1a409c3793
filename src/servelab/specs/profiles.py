"""Profiles by name and by deployment: those that ship (catalog/profiles.toml), and a file's."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from servelab.errors import SpecError, shown
from servelab.specs.accelerator import Accelerator
from servelab.specs.catalog import loader
from servelab.specs.fields import Check
from servelab.specs.jsontext import MAX_BYTES
from servelab.specs.profile import Profile, profile_of
from servelab.specs.references import naming

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

TEXTBOOK, AUTO = "textbook", "auto"

#: What `profile="auto"` means where no engine is named.
DEFAULT_ENGINE = "vllm"

#: The terms of every engine and accelerator together: where nothing nearer is known.
_GENERAL = "any@any"

#: Generations of engines that have profiles of their own (fidelity/engines.py), whichever the engine.
_NEWEST_FIRST = ("", "0.6", "2024", "0.9", "2023")

#: How much wider an interval becomes (in logarithms) on an accelerator that none of the measurements ran on.
_CARRIED, _UNCALIBRATED = 1.6, 3.5


def load_profile(ref: str | os.PathLike[str] | Mapping[str, Any]) -> Profile:
    """See Profile.load."""
    with naming("profile"):
        if isinstance(ref, Mapping):
            return profile_of(ref)
        if not isinstance(ref, (str, os.PathLike)) or not str(ref).strip():
            raise SpecError("", f"{shown(ref)} names no profile; give an id, a TOML file, or the fields")
        path = Path(ref)
        if isinstance(ref, str) and path.suffix != ".toml":
            return profile_by_id(ref)
        return _read(path)


@functools.lru_cache(maxsize=256)
def profile_by_id(name: str) -> Profile:
    """The profile of that id that ships with servelab; raises UnknownName."""
    return Profile(**loader.entry("profile", name).fields)


def find(accelerator: Accelerator, engine: str | None = None) -> Profile:
    """What is known of `engine` (default vLLM) on `accelerator`: its own profile of the newest generation that was
    measured there, else the newest of the nearest accelerator of the same vendor.

    Terms are shares of the datasheet, so that another accelerator's carry over by the ratio of the datasheets; the
    interval then widens. Where nothing was measured of the engine, the general terms stand, and it is said.
    """
    return _find(_id_of(accelerator), accelerator.bandwidth_bytes_per_s, _fastest(accelerator), engine)


@functools.lru_cache(maxsize=1024)
def _find(accelerator: str | None, bandwidth: float, flop_per_s: float, engine: str | None) -> Profile:
    wanted = engine or DEFAULT_ENGINE
    ids = loader.ids("profile")
    others = sorted((one for one in ids if _generation(one, wanted) is not None), key=lambda one: _age(one, wanted))
    own = next((one for one in others if one.split("@")[1] == accelerator), None)
    if own:
        return profile_by_id(own)
    vendor = _vendor(accelerator)
    alike = [one for one in others if accelerator is None or _vendor(one.split("@")[1]) == vendor]
    if not alike:
        general = profile_by_id(_GENERAL)
        return _wider(general, _UNCALIBRATED, engine=wanted, accelerator=accelerator or "unknown", rows=0, models=0)
    newest = _age(alike[0], wanted)
    alike = [one for one in alike if _age(one, wanted) == newest]
    nearest = min(alike, key=lambda one: _distance(one.split("@")[1], bandwidth, flop_per_s))
    profile, source = profile_by_id(nearest), nearest.split("@")[1]
    return _wider(profile, _CARRIED, accelerator=accelerator or "unknown", carried_from=source)


def _generation(name: str, engine: str) -> str | None:
    """The generation of an engine's profile, "" for the newest; None for another engine's."""
    prefix = name.split("@", maxsplit=1)[0]
    if prefix == engine:
        return ""
    return prefix[len(engine) + 1 :] if prefix.startswith(f"{engine}-") else None


def _age(name: str, engine: str) -> int:
    """0 for the newest generation of an engine, more for older ones."""
    return _NEWEST_FIRST.index(_generation(name, engine) or "")


def _wider(profile: Profile, factor: float, **changes: Any) -> Profile:
    """The profile with other names and an interval that much wider."""
    spread = {name: (low**factor, high**factor) for name, (low, high) in profile.spread.items()}
    return dataclasses.replace(profile, spread=spread, **changes)


def _distance(accelerator: str, bandwidth: float, flop_per_s: float) -> float:
    """How unlike two datasheets are: the ratios of their rates, in logarithms."""
    other = Accelerator.load(accelerator)
    compute = math.log(_fastest(other) / flop_per_s) if flop_per_s and _fastest(other) else 1.0
    return abs(math.log(other.bandwidth_bytes_per_s / bandwidth)) + abs(compute)


def _fastest(accelerator: Accelerator) -> float:
    rates = accelerator.flop_per_s
    return rates.get("bf16") or rates.get("fp16") or 0.0


def _id_of(accelerator: Accelerator) -> str | None:
    """The catalogue's id of an accelerator of that name; None for one of the user's own."""
    return _ids_by_name().get(accelerator.name)


@functools.cache
def _ids_by_name() -> dict[str, str]:
    return {entry.fields["name"]: entry.id for entry in loader.entries("accelerator")}


def _vendor(accelerator: str | None) -> str | None:
    if accelerator is None or not loader.knows("accelerator", accelerator):
        return None
    vendor: str = loader.entry("accelerator", accelerator).about["vendor"]
    return vendor


def _read(path: Path) -> Profile:
    try:
        with path.expanduser().open("rb") as file:
            text = file.read(MAX_BYTES + 1)
        if len(text) > MAX_BYTES:
            raise SpecError("", f"{shown(path.name)} is too large to be a profile; give one written by calibrate")
        fields = tomllib.loads(text.decode())
    except OSError as error:
        raise SpecError("", f"{shown(str(path))} cannot be read ({error.strerror}); give a readable file") from None
    except (ValueError, RecursionError) as error:
        raise SpecError("", f"{shown(path.name)} holds no TOML ({str(error)[:100]}); give a profile") from None
    return profile_of(fields)


@dataclasses.dataclass(frozen=True, slots=True)
class ProfileReference(Check):
    """Where step times come from: "textbook", "auto", the id of a profile, or the profile itself.

    In Python also a TOML file. JSON never reaches `check` as text, so that a server opens nothing.
    """

    def check(self, field: str, value: Any) -> Any:
        if isinstance(value, Profile) or value in (TEXTBOOK, AUTO):
            return value
        try:
            return load_profile(value)
        except SpecError as error:
            error.field = field
            raise

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_wrap_validator_function(_from_data, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(schema) | {"description": self.doc}


def _from_data(value: Any, validate: Callable[[Any], Any]) -> Any:
    """A value from JSON: a word or an id, else the fields."""
    if not isinstance(value, str):
        return validate(value)
    return value if value in (TEXTBOOK, AUTO) else profile_by_id(value)

"""An accelerator: one device, as its datasheet and its driver describe it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any

from servelab.specs.fields import STRICT, Amount, AmountOrZero, Rates, Text, check_fields
from servelab.specs.formats import COMPUTE_FORMATS


@dataclass(frozen=True)
class Accelerator:
    """One device. Rates are dense datasheet peaks; what is not known stays None (or out of `flop_per_s`).

    Raises SpecError where a field is out of bounds.
    """

    __pydantic_config__ = STRICT

    name: Annotated[str, Text("what the device is called")]
    memory_bytes: Annotated[float, Amount("memory as sold, bytes")]
    bandwidth_bytes_per_s: Annotated[float, Amount("memory bandwidth of the datasheet, bytes/s")]
    flop_per_s: Annotated[dict[str, float], Rates("dense peak by number format, FLOP/s", COMPUTE_FORMATS)] = field(
        default_factory=dict
    )
    _: KW_ONLY
    memory_reported_bytes: Annotated[float, Amount("memory as the driver reports it, bytes")] | None = None
    link_bytes_per_s: Annotated[float, Amount("link to other devices, per direction, bytes/s")] | None = None
    price_usd_per_hour: Annotated[float, AmountOrZero("price of one device, USD an hour")] | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def load(cls, ref: str | os.PathLike[str] | Mapping[str, Any]) -> Accelerator:
        """The accelerator `ref` names: a catalogue id, a TOML file with its fields, or a dict of them.

        Raises UnknownName or SpecError.
        """
        from servelab.specs.references import load_accelerator

        return load_accelerator(ref)

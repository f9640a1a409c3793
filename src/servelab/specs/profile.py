"""A profile: how fast an engine really is on an accelerator, as a few terms fitted to measurements.

The terms stand in the place of the two utilisations and the fixed overhead of the textbook model and keep its form, a
sum over stages of the longer of math and data movement (docs/calibration.md has the formulas and how they were fitted).
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from servelab.errors import SpecError, shown
from servelab.specs.fields import STRICT, AmountOrZero, Check, CountOrZero, Number, Text, Utilization, check_fields
from servelab.specs.formats import KV_FORMATS, WEIGHT_FORMATS
from servelab.specs.records import Texts, from_fields

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

#: What a profile's spread is known of.
METRICS = ("ttft_s", "tpot_s", "output_tokens_per_s")


@dataclasses.dataclass(frozen=True, slots=True)
class Shares(Check):
    """A share of a datasheet peak by number format; bf16's stands for those not named."""

    formats: tuple[str, ...] = WEIGHT_FORMATS

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, Mapping) or "bf16" not in value:
            raise SpecError(field, f"{shown(value)} has no bf16; give shares by format, such as {{'bf16': 0.6}}")
        checked = {}
        for name, share in value.items():
            if name not in self.formats:
                raise SpecError(field, f"{shown(name)} is no such format; give one of {', '.join(self.formats)}")
            checked[name] = Utilization(self.doc).check(f"{field}.{name}" if field else name, share)
        return checked

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        share = core_schema.float_schema(gt=0, le=1, allow_inf_nan=False)
        return core_schema.dict_schema(core_schema.literal_schema(list(self.formats)), share)


@dataclasses.dataclass(frozen=True, slots=True)
class Spreads(Check):
    """How far measurements lie from the figure, by metric: ratios between which 80 % of them lie."""

    def check(self, field: str, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise SpecError(field, f"{shown(value)} is no table; give (low, high) by metric")
        checked = {}
        for name, pair in value.items():
            if name not in METRICS:
                raise SpecError(field, f"{shown(name)} has no spread; give one of {', '.join(METRICS)}")
            if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not 0 < pair[0] <= 1 <= pair[1] < 1e6:
                raise SpecError(f"{field}.{name}", f"{shown(pair)} is no spread; give ratios around 1, as (0.9, 1.1)")
            checked[name] = (float(pair[0]), float(pair[1]))
        return checked

    def core_schema(self) -> CoreSchema:
        from pydantic_core import core_schema

        ratio = core_schema.float_schema(gt=0, allow_inf_nan=False)
        pair = core_schema.tuple_schema([ratio, ratio])
        return core_schema.dict_schema(core_schema.literal_schema(list(METRICS)), pair)


@dataclass(frozen=True)
class Profile:
    """What was fitted for one engine on one accelerator, from what, and how far off it was on models left out.

    Shares are of datasheet peaks and at most 1, so that nothing is faster than its floor. `half_tokens` is how many
    tokens a pass needs for half of `compute_utilization`; the seconds are those of a pass, of a layer, of a sequence,
    of a prompt, of each further device, and of one all-reduce. `spread` holds the ratios of measured to predicted
    between which 80 % of measurements of dense models lie. `carried_from` names the accelerator whose profile this is,
    where it has none of its own. Raises SpecError where a field is out of bounds.
    """

    __pydantic_config__ = STRICT

    id: Annotated[str, Text("what the profile is called")]
    engine: Annotated[str, Text("engine it was fitted to")]
    accelerator: Annotated[str, Text("catalogue id of the accelerator it was fitted to")]
    _: KW_ONLY
    generation: Annotated[str, Text("versions of the engine it holds for")] = "any"
    compute_utilization: Annotated[dict[str, float], Shares("share of the FLOP/s matrix work reaches")]
    bandwidth_utilization: Annotated[dict[str, float], Shares("share of the bandwidth reading weights reaches")]
    half_tokens: Annotated[float, AmountOrZero("tokens at which matrix work reaches half its rate")] = 0.0
    expert_compute_utilization: Annotated[float, Utilization("share of the FLOP/s routed experts reach")] = 0.5
    expert_bandwidth_utilization: Annotated[float, Utilization("share of the bandwidth routed experts reach")] = 0.8
    attention_compute_utilization: Annotated[float, Utilization("share of the FLOP/s attention of prompts reaches")] = (
        0.5
    )
    decode_attention_utilization: Annotated[float, Utilization("share of the FLOP/s attention of decodes reaches")] = (
        0.5
    )
    query_head_utilization: Annotated[
        float, Utilization("the same where the cache is read anew for every query head")
    ] = 0.005
    query_head_caches: Annotated[tuple[str, ...], Texts("formats of the cache that is read so")] = ()
    attention_bandwidth_utilization: Annotated[
        dict[str, float], Shares("share of the bandwidth attention reaches, by format of the cache", KV_FORMATS)
    ] = field(default_factory=lambda: {"bf16": 0.8})
    pass_s: Annotated[float, AmountOrZero("fixed time of a pass, seconds")] = 1e-4
    layer_s: Annotated[float, AmountOrZero("fixed time of a layer in a pass, seconds")] = 0.0
    sequence_s: Annotated[float, AmountOrZero("time of a sequence in a pass, seconds")] = 0.0
    logit_s: Annotated[float, AmountOrZero("time of one logit of a token that is emitted, seconds")] = 0.0
    activation_utilization: Annotated[float, Utilization("share of the bandwidth work between matrices reaches")] = 1.0
    prompt_s: Annotated[float, AmountOrZero("time a prompt takes beside its math and data, seconds")] = 0.0
    request_s: Annotated[float, AmountOrZero("what clients wait for a first token beside the engine, seconds")] = 0.0
    all_reduce_s: Annotated[float, AmountOrZero("fixed time of one all-reduce of two devices, seconds")] = 0.0
    all_reduce_rank_s: Annotated[float, AmountOrZero("what each further device adds to that, seconds")] = 0.0
    link_utilization: Annotated[float, Utilization("share of the link's rate all-reduces reach")] = 0.75
    spread: Annotated[dict[str, tuple[float, float]], Spreads("measured over predicted, by metric")] = field(
        default_factory=dict
    )
    expert_spread_factor: Annotated[
        float, Number("how many times wider intervals are for models with routed experts, in logarithms", 1, 100)
    ] = 1.0
    typical: Annotated[float, Number("median error on models left out, as a share", 0, 1e6)] = 0.0
    rows: Annotated[int, CountOrZero("measurements it was fitted to")] = 0
    models: Annotated[int, CountOrZero("models among them")] = 0
    sources: Annotated[tuple[str, ...], Texts("where they were published")] = ()
    carried_from: Annotated[str, Text("accelerator whose terms these are")] | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    def __hash__(self) -> int:
        return hash((self.id, self.pass_s, self.layer_s, self.half_tokens))

    @property
    def is_calibrated(self) -> bool:
        """Whether measurements stand behind it, be it those of another accelerator."""
        return self.rows > 0

    def compute_share(self, weights: str) -> float:
        """Share of the FLOP/s that matrix work on weights of that format reaches."""
        shares = self.compute_utilization
        return shares.get(_plain(weights), shares["bf16"])

    def bandwidth_share(self, weights: str) -> float:
        """Share of the bandwidth that reading weights of that format reaches."""
        shares = self.bandwidth_utilization
        return shares.get(_plain(weights), shares["bf16"])

    def decode_share(self, kv_cache: str) -> float:
        """Share of the FLOP/s that attention of decodes reaches over a cache of that format."""
        by_head = kv_cache in self.query_head_caches
        return self.query_head_utilization if by_head else self.decode_attention_utilization

    def cache_share(self, kv_cache: str) -> float:
        """Share of the bandwidth that attention reaches over a cache of that format."""
        shares = self.attention_bandwidth_utilization
        return shares.get(kv_cache, shares["bf16"])

    @classmethod
    def load(cls, ref: str | os.PathLike[str] | Mapping[str, Any]) -> Profile:
        """The profile `ref` names: the id of one that ships with servelab, a TOML file, or a dict of its fields.

        Raises UnknownName or SpecError.
        """
        from servelab.specs.profiles import load_profile

        return load_profile(ref)

    def to_dict(self) -> dict[str, Any]:
        """The profile as plain data, as a TOML file holds it."""
        given = {name: getattr(self, name) for name in type(self).__dataclass_fields__ if name != "_"}
        return {name: value for name, value in given.items() if value is not None}

    def to_toml(self) -> str:
        """The profile as the TOML text that `load` reads."""
        return "\n".join(f"{name} = {_toml(value)}" for name, value in self.to_dict().items()) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it where `Profile.load` and `profile=` find it."""
        try:
            Path(path).write_text(self.to_toml(), encoding="utf-8")
        except OSError as error:
            raise SpecError("", f"{shown(str(path))} cannot be written ({error.strerror}); give another path") from None


def _plain(weights: str) -> str:
    return "bf16" if weights in ("fp16", "fp32") else weights


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_toml(item)}" for name, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def profile_of(fields: Mapping[str, Any]) -> Profile:
    """A profile from a dict of its fields; raises SpecError."""
    return from_fields(Profile, fields)

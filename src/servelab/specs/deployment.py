"""A deployment: a model on devices, with the planning assumptions under which it is looked at."""

from __future__ import annotations

import functools
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from servelab.errors import SpecError, one_of
from servelab.specs.accelerator import Accelerator
from servelab.specs.fields import (
    STRICT,
    Amount,
    AmountOrZero,
    Choice,
    Count,
    Flag,
    Number,
    Utilization,
    check_fields,
)
from servelab.specs.formats import COMPUTE_FORMATS, KV_FORMATS, WEIGHT_FORMATS
from servelab.specs.groups import LayerGroup
from servelab.specs.model import Model
from servelab.specs.profile import Profile
from servelab.specs.profiles import AUTO, TEXTBOOK, ProfileReference, find
from servelab.specs.references import AcceleratorReference, ModelReference

ENGINES = ("vllm", "sglang", "tensorrt-llm", "llama.cpp")

#: Formats that engines multiply weights of a format in, where the accelerator can; else in sixteen bits.
_MULTIPLIED_IN = {"fp8": ("fp8",), "nvfp4": ("fp4",), "mxfp4": ("fp4",)}
_SIXTEEN_BITS = ("bf16", "fp16")

#: Degrees that a planner offers and tries.
TENSOR_PARALLEL_DEGREES = range(1, 9)


@dataclass(frozen=True)
class Deployment:
    """A model on `tensor_parallel` identical accelerators. `model` and `accelerator` may be catalogue ids.

    `weights=None` is the checkpoint's own format, `compute=None` the accelerator's bf16 rate, else its fp16 one;
    `link_bytes_per_s` replaces the accelerator's. Naming an `engine` makes replicated KV heads the default, as
    engines do. `free_windows=False` is for engines that keep what has left a sliding window; `expert_skew` says how
    unevenly a mixture's experts are used. Raises SpecError where a field is out of bounds or the heads cannot be split
    that way.
    """

    __pydantic_config__ = STRICT

    model: Annotated[Model, ModelReference("catalogue id, a model's fields, or a config.json's content")]
    accelerator: Annotated[Accelerator, AcceleratorReference("catalogue id, or an accelerator's fields")]
    _: KW_ONLY
    tensor_parallel: Annotated[int, Count("devices that split every layer (tensor-parallel degree)")] = 1
    weights: (
        Annotated[
            str,
            Choice("format of the weights; default the checkpoint's own", "weight format", WEIGHT_FORMATS),
        ]
        | None
    ) = None
    kv_cache: Annotated[str, Choice("format of the KV cache", "KV cache format", KV_FORMATS)] = "bf16"
    compute: (
        Annotated[
            str,
            Choice(
                "format whose rate bounds the math; default bf16, else fp16",
                "compute format",
                COMPUTE_FORMATS,
            ),
        ]
        | None
    ) = None
    compute_utilization: Annotated[float, Utilization("share of the datasheet FLOP/s that is reached")] = 0.5
    bandwidth_utilization: Annotated[float, Utilization("share of the datasheet bandwidth that is reached")] = 0.8
    pass_overhead_s: Annotated[float, AmountOrZero("fixed time of one pass of the model, seconds")] = 1e-4
    reserve_bytes: Annotated[float, AmountOrZero("memory set aside on each device for the runtime, bytes")] = 2e9
    workspace_buffers: Annotated[int, Number("activation buffers the workspace holds", 0, 10**15, whole=True)] = 8
    format_metadata_fraction: Annotated[
        float, Number("scales and zero points of int8 and int4 weights, as a share of them", 0, 1)
    ] = 0.05
    link_bytes_per_s: (
        Annotated[float, Amount("link between devices, per direction, bytes/s; default the accelerator's")] | None
    ) = None
    link_utilization: Annotated[float, Utilization("share of the link's rate that is reached")] = 0.75
    all_reduce_latency_s: Annotated[float, AmountOrZero("fixed time of one all-reduce, seconds")] = 0.0
    replicate_kv_heads: Annotated[bool, Flag("whether devices may hold copies of KV heads")] | None = None
    profile: Annotated[
        str | Profile, ProfileReference("where step times come from: textbook, auto, or a profile of your own")
    ] = TEXTBOOK
    engine: Annotated[str, Choice("inference engine; replicates KV heads", "engine", ENGINES)] | None = None
    free_windows: Annotated[bool, Flag("whether the cache frees what has left a sliding window")] = True
    expert_skew: Annotated[float, Number("how unevenly experts are used (Zipf exponent); 0 is evenly", 0, 10)] = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        refusal = split_refusal(self.model, self.tensor_parallel, self.replicates)
        if refusal:
            allowed = [str(n) for n in TENSOR_PARALLEL_DEGREES if not split_refusal(self.model, n, self.replicates)]
            raise SpecError("tensor_parallel", f"{refusal}; use {one_of(allowed)}")

    @property
    def replicates(self) -> bool:
        """Whether KV heads may be copied to more devices than there are of them."""
        return self.engine is not None if self.replicate_kv_heads is None else self.replicate_kv_heads

    @property
    def weight_format(self) -> str:
        """Format of the weights, the checkpoint's own where none is named."""
        return self.weights or self.model.checkpoint_format

    @functools.cached_property
    def calibration(self) -> Profile | None:
        """The profile that step times come from; None where they are the textbook's."""
        if isinstance(self.profile, Profile):
            return self.profile
        return find(self.accelerator, self.engine) if self.profile == AUTO else None

    @property
    def compute_format(self) -> str:
        """Format whose rate bounds the math: the one named, else bf16, else fp16 where only that rate is known.

        With a profile, engines are taken to multiply in the format of the weights where the accelerator has a rate.
        """
        if self.compute:
            return self.compute
        rates = self.accelerator.flop_per_s
        if self.profile != TEXTBOOK:
            usable = (*_MULTIPLIED_IN.get(self.weight_format, ()), *_SIXTEEN_BITS, "fp32")
            return next((name for name in usable if name in rates), "bf16")
        return "fp16" if "fp16" in rates and "bf16" not in rates else "bf16"

    @property
    def link(self) -> float | None:
        """Datasheet rate of the link per direction in bytes/s; None where unknown."""
        return self.accelerator.link_bytes_per_s if self.link_bytes_per_s is None else self.link_bytes_per_s


def split_refusal(model: Model, degree: int, replicates: bool) -> str | None:
    """Why `degree` devices cannot split the heads of `model` evenly, or None where they can.

    A latent cache has no KV heads to split: every device holds it whole.
    """
    reasons = (_group_refusal(group, degree, replicates) for group in model.groups if group.query_heads)
    return next((reason for reason in reasons if reason), None)


def _group_refusal(group: LayerGroup, degree: int, replicates: bool) -> str | None:
    if (group.query_heads or 0) % degree:
        return f"{degree} does not divide the {group.query_heads} query heads"
    kv_heads = group.kv_heads
    if kv_heads is None or kv_heads % degree == 0 or (replicates and degree % kv_heads == 0):
        return None
    if replicates:
        return f"{degree} neither divides nor is a multiple of the {kv_heads} KV heads"
    return f"{degree} does not divide the {kv_heads} KV heads"

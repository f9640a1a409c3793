"""The estimate's terms over NumPy arrays: millions of workloads on one deployment, for sweeps and charts.

The same definitions as `estimate`, arranged for arrays. A decode step at context x costs each request the same: its
attention is max(math, data), each affine in x between windows. So the contexts fall into stretches whose ends do not
depend on the workload (a window is reached, or math and data change sides), and a decode phase is a sum over stretches
of count × value in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from servelab.cost.calibrated import overhead_s, terms_of, timed
from servelab.cost.collectives import communication_s
from servelab.cost.memory import MemoryPlan
from servelab.cost.passes import Features, pass_work
from servelab.cost.phases import Speed
from servelab.cost.roofline import Rates, peak_rates
from servelab.cost.streams import streams
from servelab.cost.weights import Experts, Weights, routing_chances, weights_of
from servelab.errors import SpecError, shown
from servelab.specs.deployment import Deployment
from servelab.specs.fields import LARGEST_COUNT
from servelab.specs.formats import ACTIVATION_BYTES, bytes_per_kv_value

Array = npt.NDArray[Any]

#: Workloads worked on at a time: their arrays stay in the processor's cache.
_BLOCK = 8192


@dataclass(frozen=True)
class Grid:
    """Figures of many workloads, arrays of one shape; NaN where there is none. Units as in Estimate."""

    fits: Array
    total_bytes: Array
    ttft_s: Array
    tpot_s: Array
    e2e_s: Array
    output_tokens_per_s: Array


def grid(deployment: Deployment, *, prompt_tokens: Any, output_tokens: Any, batch: Any) -> Grid:
    """The estimates of every combination that the arrays (or numbers) broadcast to.

    Raises SpecError where one of them is no whole number from 1 to 1e15.
    """
    given = {"prompt_tokens": prompt_tokens, "output_tokens": output_tokens, "batch": batch}
    arrays = np.broadcast_arrays(*(_counts(name, value) for name, value in given.items()))
    shape = arrays[0].shape
    flat = [array.reshape(-1) for array in arrays]
    size = flat[0].size
    out = [np.empty(size, dtype=bool if field.name == "fits" else float) for field in fields(Grid)]
    terms = _Terms.of(deployment)
    for start in range(0, size, _BLOCK):
        block = slice(start, start + _BLOCK)
        for target, values in zip(out, terms.figures(*(array[block] for array in flat)), strict=True):
            target[block] = values
    return Grid(*(array.reshape(shape) for array in out))


def _counts(name: str, value: Any) -> Array:
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise SpecError(name, f"{shown(value)} is no number; give whole numbers from 1 to 1e15")
    counts = array.astype(float)
    if not ((counts >= 1) & (counts <= LARGEST_COUNT) & (counts == np.floor(counts))).all():
        raise SpecError(name, "an element is no whole number from 1 to 1e15; give only those")
    return counts


class Stretch(NamedTuple):
    """Contexts `first` … `last` at which a decode token's attention takes at_zero + slope × context seconds."""

    first: float
    last: float
    at_zero: float
    slope: float


class _Terms(NamedTuple):
    """Everything that does not depend on the workload."""

    deployment: Deployment
    plan: MemoryPlan
    weights: Weights
    rates: Speed | None
    stretches: tuple[Stretch, ...]

    @classmethod
    def of(cls, deployment: Deployment) -> _Terms:
        peak = peak_rates(deployment)
        linked = deployment.tensor_parallel == 1 or deployment.link is not None
        rates = Speed.of(deployment, peak) if peak and linked else None
        stretches = tuple(decode_stretches(deployment, rates.attention)) if rates else ()
        return cls(deployment, MemoryPlan.of(deployment), weights_of(deployment), rates, stretches)

    def figures(self, prompt: Array, output: Array, batch: Array) -> tuple[Array, ...]:
        """The columns of Grid for one block."""
        total = self._total_bytes(prompt, output, batch)
        fits = total <= self.plan.capacity_bytes
        if self.rates is None:
            nothing = np.full(total.shape, np.nan)
            return fits, total, nothing, nothing, nothing, nothing
        no_figure = np.where(fits, 0.0, np.nan)
        ttft = self._prefill_s(self.rates, prompt, batch) + no_figure
        decode = self._decode_s(self.rates, prompt, output, batch) + no_figure
        with np.errstate(invalid="ignore"):  # one output token has no step: 0 / 0
            tpot = decode / (output - 1)
        e2e = ttft + decode
        return fits, total, ttft, tpot, e2e, batch * output / e2e

    def _total_bytes(self, prompt: Array, output: Array, batch: Array) -> Array:
        plan, tokens = self.plan, prompt + output
        kv_cache: Array | float = plan.state_bytes
        for cache in plan.caches:
            kept = tokens if cache.kept is None else np.minimum(tokens, cache.kept)
            kv_cache = kv_cache + (cache.bytes_per_token / cache.ways) * kept
        workspace = (plan.workspace_bytes_per_prompt_token / plan.devices) * prompt
        total: Array = batch * (kv_cache + workspace) + (plan.weights_bytes / plan.devices + plan.reserve_bytes)
        return total

    def _prefill_s(self, speed: Speed, prompt: Array, batch: Array) -> Array:
        rates = speed.attention
        flop, moved = attention_of_prompts(self.deployment, prompt)
        attention = batch * np.maximum(flop / rates.flop_per_s, moved / rates.bytes_per_s)
        fixed = self._fixed_s(speed.effective, batch * prompt, batch)
        time: Array = fixed + overhead_s(self.deployment, batch * prompt, batch, batch) + attention
        return time

    def _decode_s(self, speed: Speed, prompt: Array, output: Array, batch: Array) -> Array:
        attention: Array | float = 0.0
        first, last = prompt + 1, prompt + output - 1
        for stretch in self.stretches:
            low = first if stretch.first <= 1 else np.maximum(first, stretch.first)
            high = last if stretch.last == np.inf else np.minimum(last, stretch.last)
            count = high - low + 1 if len(self.stretches) == 1 else np.maximum(high - low + 1, 0)
            attention = attention + count * (stretch.at_zero + (stretch.slope / 2) * (low + high))
        fixed = self._fixed_s(speed.effective, batch, batch) + overhead_s(self.deployment, batch, batch, 0.0)
        time: Array = (output - 1) * fixed + batch * attention
        return time

    def _fixed_s(self, rates: Rates, tokens: Array, emitting: Array) -> Array:
        """Linear stage and communication of a pass over `tokens` tokens, `emitting` of which go through the head."""
        model, profile = self.deployment.model, self.deployment.calibration
        if profile is not None:
            touched = [one.layers * self._touched(one, tokens) for one in self.weights.routed]
            flop, read = timed(
                terms_of(self.deployment, tokens, emitting, touched), self.deployment.weight_format, profile
            )
            paid: Array = np.maximum(flop / rates.flop_per_s, read / rates.bytes_per_s)
            return paid + _communication_s(self.deployment, tokens)
        activations = 2 * ACTIVATION_BYTES * model.layers * model.hidden
        math_s = (2.0 * model.active_parameters / rates.flop_per_s) * tokens
        moved = (activations / rates.bytes_per_s) * tokens + self._read_bytes(tokens) / rates.bytes_per_s
        time: Array = np.maximum(math_s, moved)
        return time + _communication_s(self.deployment, tokens)

    def _read_bytes(self, tokens: Array) -> Array | float:
        """Weights that a pass reads: all but the experts it does not touch."""
        read: Array | float = self.weights.decoder_bytes
        for one in self.weights.routed:
            read = read - one.layers * one.bytes * (one.experts - self._touched(one, tokens))
        return read

    def _touched(self, one: Experts, tokens: Array) -> Array:
        return touched_experts(one.experts, one.per_token, tokens, self.deployment.expert_skew)


def _communication_s(deployment: Deployment, tokens: Array) -> Array | float:
    """communication_s is affine in the tokens: two of its values give all."""
    none = communication_s(deployment, 0.0)
    return none + (communication_s(deployment, 1.0) - none) * tokens if deployment.tensor_parallel > 1 else none


def touched_experts(experts: int, per_token: int, tokens: Array, skew: float) -> Array:
    """X(T) over an array of T; see weights.touched_experts."""
    if per_token >= experts:
        return np.full(tokens.shape, float(experts))
    if not skew:
        uniform: Array = -experts * np.expm1(tokens * np.log1p(-per_token / experts))
        return uniform
    touched = np.zeros(tokens.shape)
    for chance in routing_chances(experts, per_token, skew):
        touched += 1.0 if chance >= 1 else -np.expm1(tokens * np.log1p(-chance))
    return touched


def attention_of_prompts(deployment: Deployment, prompt: Array) -> tuple[Array, Array]:
    """FLOP and bytes of attention in the prefill of one prompt, over devices."""
    model, devices = deployment.model, deployment.tensor_parallel
    value = bytes_per_kv_value(deployment.kv_cache)
    flop: Array | float = 0.0
    moved = 2 * ACTIVATION_BYTES * model.layers * model.hidden * prompt + 2.0 * model.state_bytes * devices
    for stream in streams(model):
        flop = flop + stream.chunk_flop * _pairs(prompt, stream.seen)
        moved = moved + (stream.bytes_per_token(value) * devices / stream.ways(devices) * 2) * prompt
    return flop + np.zeros(prompt.shape), moved


def _pairs(prompt: Array, window: int | None) -> Array:
    """Query–key pairs of a whole prompt whose tokens see `window` tokens."""
    if window is None:
        whole: Array = prompt * (prompt + 1) * 0.5
        return whole
    below = np.minimum(prompt, window)
    within: Array = below * (below + 1) * 0.5 + (prompt - below) * window
    return within


def decode_stretches(deployment: Deployment, rates: Rates) -> Iterator[Stretch]:
    """Attention of a decode token by context: stretches between windows, cut again where math and data cross."""
    ends = [float(window) for window in deployment.model.windows]
    for first, last in zip([1.0, *(end + 1 for end in ends)], [*ends, np.inf], strict=True):
        features = Features.decode(1, int(first), deployment.model.windows)
        work = pass_work(deployment, features).timed.attention
        math_s, data_s = work.flop.over(rates.flop_per_s), work.bytes.over(rates.bytes_per_s)
        for low, high in _cut(first, last, math_s.at_zero - data_s.at_zero, math_s.slope - data_s.slope):
            middle = low if high == np.inf else (low + high) / 2
            side = math_s if math_s.at(middle) >= data_s.at(middle) else data_s
            yield Stretch(low, high, side.at_zero, side.slope)


def _cut(first: float, last: float, at_zero: float, slope: float) -> list[tuple[float, float]]:
    """`first` … `last` in one piece, or in two where at_zero + slope × context changes its sign between them."""
    root = np.floor(-at_zero / slope) if slope else np.inf
    return [(first, root), (root + 1, last)] if first <= root < last else [(first, last)]

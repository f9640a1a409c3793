"""Changes that help, the cheapest first: what is free, what costs capacity, what costs quality, what costs money."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

from servelab.cost.engines.answer import FITS, Change, Remedy
from servelab.cost.engines.memory import Figures, figures
from servelab.cost.engines.words import LENGTH_NAMES, SEQUENCES_NAMES, SHARE_NAMES, TOKENS_NAMES
from servelab.specs.deployment import TENSOR_PARALLEL_DEGREES, Deployment, split_refusal
from servelab.specs.engines import EngineSettings

_SHARES = (0.92, 0.95, 0.97)
_SEQUENCES = (256, 128, 64, 16)
_TOKENS = (4096, 2048, 1024, 512)
_SMALLER_WEIGHTS = ("fp8", "int4")
_WEIGHT_BITS = {"fp32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "nvfp4": 4, "mxfp4": 4, "int4": 4}

#: A change that gives less than this much more is not worth a sentence.
_WORTH = 1.05


class _Try(NamedTuple):
    change: Change
    deployment: Deployment
    settings: EngineSettings
    sentence: str


def remedies(made: Figures) -> tuple[Remedy, ...]:
    """One change of each kind: the smallest that makes the engine start, or else gives at least 5 % more tokens."""
    found: list[Remedy] = []
    for attempt in _attempts(made):
        if any(one.change.field == attempt.change.field for one in found):
            continue
        after = figures(attempt.deployment, attempt.settings)
        if after.cache.outcome != FITS:
            continue
        if made.cache.outcome == FITS and after.cache.tokens < made.cache.tokens * _WORTH:
            continue
        found.append(Remedy(attempt.change, attempt.sentence, after.cache.tokens))
    return tuple(found)


def _attempts(made: Figures) -> Iterator[_Try]:
    yield from _shares(made)
    yield from _pass_limits(made)
    yield from _shorter(made)
    yield from _smaller_cache(made)
    yield from _smaller_weights(made)
    yield from _more_devices(made)


def _with_settings(made: Figures, field: str, value: float | int | bool, sentence: str) -> _Try:
    started = made.start
    changed: dict[str, Any] = {field: value}
    settings = dataclasses.replace(started.settings, **changed)
    return _Try(Change(field, value), started.deployment, settings, sentence)


def _with_deployment(made: Figures, field: str, value: int | str, sentence: str) -> _Try:
    started = made.start
    changed: dict[str, Any] = {field: value}
    deployment = dataclasses.replace(started.deployment, **changed)
    return _Try(Change(f"deployment.{field}", value), deployment, started.settings, sentence)


def _shares(made: Figures) -> Iterator[_Try]:
    settings = made.start.settings
    name = SHARE_NAMES[settings.engine]
    if not name:
        return
    for share in _SHARES:
        if share > settings.gpu_memory_utilization:
            yield _with_settings(
                made, "gpu_memory_utilization", share, f"raise {name} to {share:g}; less stays free for anything else"
            )


def _pass_limits(made: Figures) -> Iterator[_Try]:
    started = made.start
    engine = started.rules.engine
    if started.rules.graphs_in_budget and not started.settings.enforce_eager:
        yield _with_settings(made, "enforce_eager", True, "capture no CUDA graphs; small batches decode slower")
    for sequences in _SEQUENCES:
        if sequences < started.max_num_seqs:
            words = f"lower {SEQUENCES_NAMES[engine]} to {sequences}; fewer requests run at once"
            yield _with_settings(made, "max_num_seqs", sequences, words)
    for tokens in _TOKENS:
        if tokens < started.pass_tokens:
            words = f"lower {TOKENS_NAMES[engine]} to {tokens:,}; long prompts take more passes"
            yield _with_settings(made, "max_num_batched_tokens", tokens, words)


def _shorter(made: Figures) -> Iterator[_Try]:
    started, cache = made.start, made.cache
    if 0 < cache.longest < started.max_model_len:
        name = LENGTH_NAMES[started.rules.engine]
        words = f"lower {name} to {cache.longest:,}; longer requests are refused"
        yield _with_settings(made, "max_model_len", cache.longest, words)


def _smaller_cache(made: Figures) -> Iterator[_Try]:
    if made.start.deployment.kv_cache == "bf16":
        yield _with_deployment(made, "kv_cache", "fp8", "keep the KV cache in fp8; check the quality of answers")


def _smaller_weights(made: Figures) -> Iterator[_Try]:
    bits = _WEIGHT_BITS[made.start.deployment.weight_format]
    for name in _SMALLER_WEIGHTS:
        if _WEIGHT_BITS[name] < bits:
            words = f"load weights in {name}; check the quality of answers"
            yield _with_deployment(made, "weights", name, words)


def _more_devices(made: Figures) -> Iterator[_Try]:
    deployment = made.start.deployment
    for degree in TENSOR_PARALLEL_DEGREES:
        if degree > deployment.tensor_parallel and not split_refusal(deployment.model, degree, True):
            named = dataclasses.replace(deployment, replicate_kv_heads=True)
            change = Change("deployment.tensor_parallel", degree)
            split = dataclasses.replace(named, tensor_parallel=degree)
            yield _Try(change, split, made.start.settings, f"use {degree} devices; they cost {degree} times one")

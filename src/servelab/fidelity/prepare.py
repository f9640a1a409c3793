"""Makes measurements ready for a fit: the passes behind each, and how many seconds they took.

One batch is its prefill and its decode passes. What only the simulator can tell is played once under a profile at hand:
its mean pass stands for it, times the ratio of the simulated figure to that pass (`correction`). Where the profile then
changes much, it is played again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from servelab.cost.passes import Features
from servelab.cost.work import Affine
from servelab.errors import SpecError
from servelab.fidelity.basis import CLIENT, Item, Pass, decode_basis, pass_basis, predicted, prefill_basis, rows_of
from servelab.fidelity.replay import Played, Run
from servelab.fidelity.terms import Vector

#: How many tokens' worth of seconds a metric is the inverse of.
_Amounts = Mapping[str, float]


def seconds_of(run: Run, metric: str, value: float) -> float | None:
    """The seconds that a measured figure stands for; rates are turned over. None where a fit has no use for it."""
    load = run.load
    batch = load.batch or 1
    amounts: _Amounts = {
        "output_tokens_per_s": batch * load.output_tokens,
        "prefill_tokens_per_s": batch * load.prompt_tokens,
        "decode_tokens_per_s": batch,
        "requests_per_s": batch,
    }
    if metric in ("ttft_s", "tpot_s", "e2e_s"):
        return value
    return amounts[metric] / value if metric in amounts else None


def batch_item(run: Run, metric: str, value: float, cached: dict[Any, Any]) -> Item | None:
    """A measurement of one batch."""
    seconds = seconds_of(run, metric, value)
    if seconds is None:
        return None
    load, deployment = run.load, run.deployment
    batch, steps = load.batch or 1, load.output_tokens - 1
    key = (
        deployment.model,
        deployment.accelerator.name,
        deployment.tensor_parallel,
        deployment.weight_format,
        deployment.kv_cache,
        deployment.expert_skew,
        deployment.format_metadata_fraction,
        batch,
        load.prompt_tokens,
        load.output_tokens,
    )
    if key not in cached:
        cached[key] = (
            prefill_basis(deployment, batch, load.prompt_tokens),
            decode_basis(deployment, batch, load.prompt_tokens, load.output_tokens),
        )
    prefill, decode = cached[key]
    first = [(1.0, one) for one in prefill]
    rest = [(steps / len(decode), one) for one in decode] if steps else []
    if metric in ("ttft_s", "prefill_tokens_per_s"):
        passes = first
    elif metric in ("tpot_s", "decode_tokens_per_s"):
        passes = [(1 / len(decode), one) for one in decode]
    else:
        passes = first + rest
    return _item(run, passes, seconds)


def played_item(
    run: Run, metric: str, value: float, played: Played, terms: Vector, statistic: str = "mean"
) -> Item | None:
    """A measurement under load, or of a batch in waves, played under `terms`."""
    middle = f"{metric[:-2]}_median_s" if statistic == "median" else metric
    figure = played.figures.get(middle, played.figures.get(metric))
    if figure is None or metric not in ("ttft_s", "tpot_s", "e2e_s", "output_tokens_per_s", "requests_per_s"):
        return None
    turned, first = metric.endswith("_per_s"), metric == "ttft_s"
    one = _first_pass(run, played) if first else _mean_pass(run, played)
    item = _item(run, [(1.0, one)], 1 / value if turned else value)
    ratio = (1 / figure if turned else figure) / float(predicted(rows_of([item]), terms)[0])
    if first and run.load.regime != "static_batch":
        return item._replace(passes=[(ratio, one), (1.0, CLIENT)])
    return item._replace(correction=ratio)


def _item(run: Run, passes: list[tuple[float, Pass]], seconds: float) -> Item:
    deployment = run.deployment
    by_query_head = deployment.kv_cache in run.generation.query_head_caches
    return Item(passes, seconds, deployment.weight_format, deployment.kv_cache, by_query_head)


def _mean_pass(run: Run, played: Played) -> Pass:
    """The pass that the simulated ones are on average."""
    prompt, chunks = run.load.prompt_tokens, played.chunks
    return _pass(run, Mix(played.decodes, played.context, played.chunk_tokens, chunks, prompt))


def _first_pass(run: Run, played: Played) -> Pass:
    """A pass with one whole prompt beside the decodes there are on average."""
    prompt = run.load.prompt_tokens
    return _pass(run, Mix(played.decodes, played.context, float(prompt), 1.0, prompt))


class Mix(tuple[float, float, float, float, int]):
    """Decodes, their contexts' sum, chunk tokens and chunks of a pass, and the length of a prompt."""

    def __new__(cls, decodes: float, context: float, tokens: float, chunks: float, prompt: int) -> Mix:
        return super().__new__(cls, (decodes, context, tokens, chunks, prompt))


def _pass(run: Run, mix: Mix) -> Pass:
    decodes, context, tokens, chunks, prompt = mix
    model = run.deployment.model
    pairs = tokens * (prompt + 1) / 2
    base = Features.prefill(1, prompt, model.windows)
    share = tokens / prompt
    windowed = []
    for window, seen in base.windowed:
        mean = context / decodes if decodes else 0.0
        inside = Affine(decodes * min(mean, float(window)))
        windowed.append(
            (
                window,
                seen._replace(
                    decode=inside, chunk_pairs=seen.chunk_pairs * share, chunk_reads=seen.chunk_reads * share
                ),
            )
        )
    features = Features(decodes, tokens, pairs, tokens, chunks, chunks, tuple(windowed))
    return pass_basis(run.deployment, features, context)


__all__ = ["SpecError", "batch_item", "played_item", "seconds_of"]

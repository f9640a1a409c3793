"""Results of `llama-bench -o json` and `-o jsonl`: one object a test, prompt processing or generation.

Times are in nanoseconds for all tokens of a test.
"""

from __future__ import annotations

from servelab.fidelity.results.found import Found, LeftOut
from servelab.fidelity.results.values import NANOSECOND_S, OWN_UNITS, Row
from servelab.fidelity.setup import Setup
from servelab.specs.result import Load

TOOL = "llama-bench"
SIGNATURE = frozenset(("n_prompt", "n_gen", "avg_ns"))

#: Backends that are no accelerator.
_PROCESSORS = frozenset(("cpu", "blas", "blis"))
_CACHES = {"q8_0": "q8_0", "f16": "auto", "bf16": "auto"}


def read(row: Row) -> Found | LeftOut:
    """The test in one object: a prompt alone is a TTFT, generation alone a TPOT, both an end-to-end time."""
    prompt, output, depth = (int(row.maybe(name) or 0) for name in ("n_prompt", "n_gen", "n_depth"))
    if not prompt and not output:
        raise row.refuse("n_prompt and n_gen are both 0", "give a test of one of them")
    total_s = row.seconds("avg_ns", NANOSECOND_S)
    _agree(row, prompt + output, total_s)
    reason = _unlike(row, prompt, depth)
    if reason:
        return LeftOut(row.source, reason)
    if not output:
        load, metrics = Load("static_batch", prompt, 1, batch=1, requests=1), {"ttft_s": total_s}
    elif not prompt:
        load = Load("static_batch", max(1, depth), output + 1, batch=1, requests=1)
        metrics = {"tpot_s": total_s / output}
    else:
        load, metrics = Load("static_batch", prompt, output, batch=1, requests=1), {"e2e_s": total_s}
    return Found(row.source, TOOL, _setup(row), load, metrics)


def _agree(row: Row, tokens: int, total_s: float) -> None:
    """The file tells a time and a rate; where they disagree one is in another unit."""
    rate = row.maybe("avg_ts")
    if rate and not 0.5 < rate * total_s / tokens < 2:
        raise row.refuse(
            f"avg_ns says {tokens / total_s:,.4g} tokens/s and avg_ts {rate:,.4g}",
            OWN_UNITS,
        )


def _unlike(row: Row, prompt: int, depth: int) -> str | None:
    """Why a test is not like anything that is modelled, or None."""
    backends = {name.strip().lower() for name in (row.text("backends") or "").split(",") if name.strip()}
    if row.fields.get("n_gpu_layers") == 0 or (backends and backends <= _PROCESSORS):
        return "it ran on the processor"
    if len([name for name in (row.text("gpu_info") or "").split(",") if name.strip()]) > 1:
        return "it ran on several cards, layer by layer, which is not modelled"
    if prompt and depth:
        return f"its prompt came after {depth:,} tokens that were there already"
    return None


def _setup(row: Row) -> Setup:
    kind = (row.text("model_type") or "").split()
    stored = next((word for word in kind if word[:1] in "QFBI" and any(map(str.isdigit, word))), None)
    caches = {_CACHES.get(name, name) for name in (row.text("type_k"), row.text("type_v")) if name}
    return Setup.of(
        {
            "engine": "llama.cpp",
            "version": row.text("build_number"),
            "model": row.text("model_filename"),
            "quantization": stored,
            "gpu": (row.text("gpu_info") or "").split(",")[0].strip() or None,
            "kv_cache_dtype": next(iter(caches)) if len(caches) == 1 else None,
        }
    )

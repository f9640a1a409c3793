"""The sentences of a reading: what was understood, and how the start ended."""

from __future__ import annotations

from servelab.fidelity.case import Case
from servelab.fidelity.setup import Setup
from servelab.units import show_binary

_ENGINES = {"vllm": "vLLM", "sglang": "SGLang", "tensorrt-llm": "TensorRT-LLM", "llama.cpp": "llama.cpp"}
_NAMES = {
    "model": "model",
    "quantization": "quantisation",
    "dtype": "dtype",
    "kv_cache_dtype": "KV cache",
    "tensor_parallel": "tensor parallel",
    "pipeline_parallel": "pipeline stages",
    "data_parallel": "data parallel",
    "gpu_memory_utilization": "utilisation",
    "max_model_len": "longest context",
    "max_num_batched_tokens": "tokens of a pass",
    "max_num_seqs": "sequences at once",
    "enforce_eager": "eager",
    "block_size": "block size",
    "chunked_prefill": "chunked prefill",
    "kv_blocks_override": "blocks given",
    "gpu": "accelerator",
    "devices": "devices seen",
    "device_bytes": "device memory",
}


def named(setup: Setup) -> list[tuple[str, str]]:
    """What is said of a server, name and value in words."""
    said = setup.said()
    engine = " ".join(
        word for word in (_ENGINES.get(setup.engine or "", setup.engine), setup.version, setup.generation) if word
    )
    return [("engine", engine), *((words, _value(name, said[name])) for name, words in _NAMES.items() if name in said)]


def _value(name: str, value: object) -> str:
    if name == "device_bytes" and isinstance(value, float):
        return show_binary(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value}"


def headline(case: Case) -> str:
    """How the start ended, or would end, with the figure that matters."""
    predicted = "" if case.facts is not None else "would "
    tokens, cache = case.figures.get("kv_tokens"), case.figures.get("kv_cache_bytes")
    if case.outcome == "oom":
        failure = case.facts.text("failure") if case.facts else None
        return f"The server {predicted or 'did '}not start: {failure or 'no memory is left for the KV cache'}."
    if case.outcome == "too-long":
        return f"The server {predicted or 'did '}not start: the longest request does not fit the KV cache."
    if tokens is None and cache is None:
        return "The deployment is understood; what is missing for a prediction is named below."
    parts = (
        [f"{show_binary(cache)} on each device" if case.devices > 1 else show_binary(cache)]
        if cache is not None
        else []
    )
    parts += [f"{tokens:,.0f} tokens"] if tokens is not None else []
    many = case.figures.get("max_concurrency")
    at_once = f", {many:,.2f} requests of {case.context:,} tokens at once" if many and case.context else ""
    return f"The KV cache {'would have' if predicted else 'has'} {' and '.join(parts)}{at_once}."

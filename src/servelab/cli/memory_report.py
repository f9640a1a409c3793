"""Engine memory as text for a terminal, in GiB as engines log it."""

from __future__ import annotations

from servelab.cli.flags import flag_of
from servelab.cost.engines import EngineMemory, Remedy
from servelab.specs.deployment import Deployment
from servelab.units import show_binary

_BAR_CELLS = 40
_ENGINE_NAMES = {"vllm": "vLLM", "sglang": "SGLang", "tensorrt-llm": "TensorRT-LLM", "llama.cpp": "llama.cpp"}


def report(answer: EngineMemory, deployment: Deployment) -> str:
    """The question, the verdict, the account, why it is so and what would help; a blank line between."""
    sections = [_question(answer, deployment), _verdict(answer), _account(answer)]
    sections.append("\n".join(("Why:", *(f"  {reason}" for reason in answer.reasons))))
    if answer.remedies:
        title = "More tokens:" if answer.outcome == "fits" else "Any one of these is enough, the cheapest first:"
        sections.append("\n".join((title, *map(_remedy, answer.remedies))))
    elif answer.outcome != "fits":
        sections.append("No single change is enough: try several, such as --tp 8 --weights fp8, or a larger device.")
    if answer.assumed:
        sections.append("\n".join(("Assumed:", *(f"  {what}" for what in answer.assumed))))
    return "\n\n".join(sections)


def _question(answer: EngineMemory, deployment: Deployment) -> str:
    devices = f"{deployment.tensor_parallel} × {deployment.accelerator.name}"
    return (
        f"{deployment.model.name} ({deployment.weight_format}, KV {deployment.kv_cache}) on {devices}, "
        f"{_ENGINE_NAMES[answer.engine]} {answer.version}\n"
        f"contexts up to {answer.max_model_len:,}, passes of up to {answer.max_num_batched_tokens:,} tokens "
        f"and {answer.max_num_seqs:,} sequences"
    )


def _verdict(answer: EngineMemory) -> str:
    if answer.refusal is not None:
        return f"Does it start? No: {answer.refusal}."
    return (
        f"Does it start? Yes: {answer.kv_tokens:,} tokens of KV cache, "
        f"{answer.max_concurrency:,.2f} requests of {answer.max_model_len:,} tokens at once."
    )


def _account(answer: EngineMemory) -> str:
    beyond = answer.device_memory_bytes - answer.budget_bytes
    lines = [(term.name, term.bytes) for term in answer.terms]
    lines += [("KV cache", answer.kv_cache_bytes), ("beyond budget", beyond)]
    rows = "\n".join(_bar(name, size, answer.device_memory_bytes) for name, size in lines)
    return f"Each device, {show_binary(answer.device_memory_bytes)} as its driver reports it:\n{rows}"


def _bar(name: str, size: float, whole: float) -> str:
    cells = min(_BAR_CELLS, max(0, round(_BAR_CELLS * size / whole)))
    return f"  {name:<19}{show_binary(size):>12} {'█' * cells}".rstrip()


def _remedy(remedy: Remedy) -> str:
    flag = flag_of(remedy.change.field.removeprefix("deployment."))
    value = "" if remedy.change.value is True else f" {remedy.change.value}"
    return f"  {flag + value:<34}{remedy.kv_tokens:>12,} tokens  {remedy.sentence}"

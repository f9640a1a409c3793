"""Start-up logs against predictions: a table of what engines reported, scored row by row.

A table has the columns of tests/data/engine_memory.csv; what a log does not say is empty. Sizes in GiB of one device.
"""

from __future__ import annotations

import csv
import dataclasses
import statistics
from pathlib import Path
from typing import NamedTuple

import servelab as sl

TABLE = Path(__file__).parents[2] / "data" / "engine_memory.csv"
GIB = 2.0**30

WEIGHTS_BAR, WEIGHTS_SHARE = 0.015, 0.9
CACHE_BAR = 0.05
OUTCOME_SHARE = 0.9


class Scored(NamedTuple):
    """A row with its prediction; errors are (predicted − reported) / reported, None where nothing is reported."""

    row: dict[str, str]
    answer: sl.EngineMemory
    weights_error: float | None
    activation_error: float | None
    cache_error: float | None
    outcome_right: bool | None

    @property
    def name(self) -> str:
        return f"{self.row['model']} on {self.row['tensor_parallel'] or 1} × {self.row['accelerator']}"


def rows(path: Path = TABLE) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def score(row: dict[str, str]) -> Scored:
    answer = predict(row)
    weights = _error(row["weights_gib"], answer.weights_bytes / GIB)
    activation = _error(row["activation_gib"], answer.activation_bytes / GIB)
    cache = _error(row["kv_tokens"], answer.kv_tokens)
    if cache is None:
        cache = _error(row["kv_gib"], answer.kv_cache_bytes / GIB)
    if not row["utilization"] and row["engine"] != "llama.cpp":
        cache = None
    right = answer.outcome == row["outcome"] if row["outcome"] else None
    return Scored(row, answer, weights, activation, cache, right)


def predict(row: dict[str, str]) -> sl.EngineMemory:
    deployment = sl.Deployment(
        model(row["model"], row["context_length"]),
        row["accelerator"],
        tensor_parallel=int(row["tensor_parallel"] or 1),
        weights=row["weights"] or None,
        kv_cache=row["kv_cache"] or "bf16",
        engine=row["engine"],
    )
    counts = ("max_model_len", "max_num_batched_tokens", "max_num_seqs")
    return sl.engine_memory(
        deployment,
        row["engine"],
        version=row["version"] or None,
        gpu_memory_utilization=float(row["utilization"] or 0.9),
        device_memory_bytes=float(row["device_gib"]) * GIB if row["device_gib"] else None,
        **{name: int(row[name]) for name in counts if row[name]},
    )


def _error(reported: str, predicted: float) -> float | None:
    return (predicted - float(reported)) / float(reported) if reported else None


def model(name: str, context_length: str) -> sl.Model:
    """The model of a row: of the catalogue, or a published variant of one."""
    found = _VARIANTS[name]() if name in _VARIANTS else sl.Model.load(name)
    return dataclasses.replace(found, context_length=int(context_length)) if context_length else found


def _config(**fields: object) -> sl.Model:
    base = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "torch_dtype": "bfloat16"}
    return sl.Model.load(base | fields)


def _llama_405b(**fields: object) -> sl.Model:
    return _config(
        hidden_size=16384,
        intermediate_size=53248,
        num_hidden_layers=126,
        num_attention_heads=128,
        num_key_value_heads=8,
        vocab_size=128256,
        max_position_embeddings=131072,
        **fields,
    )


def _meta_fp8() -> sl.Model:
    """As published in fp8: attention, and both ends of the stack, stay in bf16."""
    kept = [f"model.layers.{layer}.self_attn" for layer in range(126)]
    kept += [f"model.layers.{layer}.mlp" for layer in (0, 125)]
    return _llama_405b(quantization_config={"quant_method": "fbgemm_fp8", "modules_to_not_convert": kept})


def _llama_70b_w8a8() -> sl.Model:
    weights = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "channel"}
    groups = {"group_0": {"targets": ["Linear"], "weights": weights}}
    settings = {"quant_method": "compressed-tensors", "format": "int-quantized", "config_groups": groups}
    return _config(
        hidden_size=8192,
        intermediate_size=28672,
        num_hidden_layers=80,
        num_attention_heads=64,
        num_key_value_heads=8,
        vocab_size=128256,
        max_position_embeddings=131072,
        quantization_config=settings | {"ignore": ["lm_head"]},
    )


def _solar_gptq() -> sl.Model:
    return _config(
        hidden_size=4096,
        intermediate_size=14336,
        num_hidden_layers=48,
        num_attention_heads=32,
        num_key_value_heads=8,
        vocab_size=32000,
        max_position_embeddings=4096,
        torch_dtype="float16",
        quantization_config={"quant_method": "gptq", "bits": 4, "group_size": 128},
    )


def _mistral_small_vision() -> sl.Model:
    text = {
        "model_type": "mistral",
        "hidden_size": 5120,
        "intermediate_size": 32768,
        "num_hidden_layers": 40,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 131072,
        "max_position_embeddings": 131072,
        "tie_word_embeddings": False,
    }
    tower = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "patch_size": 14}
    return _config(model_type="mistral3", text_config=text, vision_config=tower)


def _packed(name: str, bits: float) -> sl.Model:
    """A GGUF file: its size is what its mixture of formats takes a weight on average."""
    plain = sl.Model.load(name)
    return dataclasses.replace(plain, checkpoint_format="int4", checkpoint_bytes=plain.parameters * bits / 8)


_VARIANTS = {
    "llama-3.1-405b-fp8": _meta_fp8,
    "llama-3.1-70b-w8a8": _llama_70b_w8a8,
    "solar-10.7b-gptq": _solar_gptq,
    "mistral-small-3.2": _mistral_small_vision,
    "meta-llama-3-8b-q4_k_m": lambda: _packed("meta-llama-3-8b", 4.89),
    "meta-llama-3-70b-q4_k_m": lambda: _packed("meta-llama-3-70b", 4.82),
}


class Summary(NamedTuple):
    """What the bars are held against."""

    rows: int
    weights: int
    weights_within: float
    caches: int
    cache_median: float
    outcomes: int
    outcomes_right: float


def summary(scored: list[Scored]) -> Summary:
    weights = [abs(one.weights_error) for one in scored if one.weights_error is not None]
    caches = [abs(one.cache_error) for one in scored if one.cache_error is not None]
    outcomes = [one.outcome_right for one in scored if one.outcome_right is not None]
    return Summary(
        len(scored),
        len(weights),
        sum(error <= WEIGHTS_BAR for error in weights) / len(weights),
        len(caches),
        statistics.median(caches),
        len(outcomes),
        sum(outcomes) / len(outcomes),
    )


def held_out(scored: list[Scored]) -> list[float]:
    """Errors of the cache where "other" memory of each row is the median of what other sources report.

    That term alone was read off logs; all else follows from the engines' sources. The median is over rows of the
    same period of the engine and as many devices, else of any period; without one the row keeps its figure.
    """
    found = []
    for one in scored:
        if one.cache_error is None or one.row["engine"] != "vllm" or not (one.row["kv_gib"] or one.row["kv_tokens"]):
            continue
        elsewhere = [row.row for row in scored if row.row["source"] != one.row["source"] and row.row["other_gib"]]
        alike = [row for row in elsewhere if _devices(row) == _devices(one.row)]
        same = [row for row in alike if _period(row) == _period(one.row)] or alike
        moved = 0.0
        if same:
            other = statistics.median(float(row["other_gib"]) for row in same)
            moved = (one.answer.other_bytes / GIB - other) / (one.answer.kv_cache_bytes / GIB)
        found.append(one.cache_error + moved * (1 + one.cache_error))
    return found


def _devices(row: dict[str, str]) -> str:
    return row["tensor_parallel"] or "1"


def _period(row: dict[str, str]) -> int:
    """Versions that count other memory alike: up to 0.6.4, the rest of V0, V1, V1 from 0.18."""
    version = tuple(int(part) for part in row["version"].split("."))
    return sum(version >= since for since in ((0, 6, 5), (0, 8), (0, 18)))

"""Tabulates published measurements in servelab's own columns: measurements.csv and exclusions, beside the reader.

    SERVELAB_REFERENCE_DATA=… python -m benchmarks.measurements

Facts only: who measured what, on what, with which result; nothing of the files they were read in is kept as it stood.
Whatever is left out stays in the table with its reason.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import servelab as sl
from benchmarks.measurement_names import ACCELERATORS, ENGINES, MODELS, weights_of
from servelab.errors import ServelabError
from servelab.fidelity.measured import COLUMNS, MODELS_BESIDE, TABLE

#: Name in the source, name in the table, and what one of it is in base units; 1 / … where the source gives a time.
METRICS = {
    "ttft_ms": ("ttft_s", 1e-3),
    "tpot_ms": ("tpot_s", 1e-3),
    "itl_ms": ("itl_s", 1e-3),
    "e2e_ms": ("e2e_s", 1e-3),
    "output_tok_s": ("output_tokens_per_s", 1.0),
    "decode_tok_s": ("decode_tokens_per_s", 1.0),
    "prefill_tok_s": ("prefill_tokens_per_s", 1.0),
    "total_tok_s": ("total_tokens_per_s", 1.0),
    "req_s": ("requests_per_s", 1.0),
}
REGIMES = ("static_batch", "single_stream", "closed_loop", "open_loop", "offline_max")
LOADS = ("closed_loop", "open_loop")
PREDICTED = (
    "ttft_s",
    "tpot_s",
    "e2e_s",
    "output_tokens_per_s",
    "decode_tokens_per_s",
    "prefill_tokens_per_s",
    "requests_per_s",
)


def main() -> None:
    """Write the table from the folder of readings that the environment names."""
    folder = Path(os.environ["SERVELAB_REFERENCE_DATA"]) / "measured"
    rows = [*_speed(folder / "speed.csv"), *_serving(folder / "serving_runs.csv")]
    checks = _Checks(rows)
    for row in rows:
        row["excluded"] = row["excluded"] or checks.reason(row)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    kept = [row for row in rows if not row["excluded"]]
    print(f"{len(rows)} rows, {len(kept)} kept, {TABLE.stat().st_size / 1e6:.2f} MB")


def _speed(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["regime"] in REGIMES:
                yield _speed_row(line)


def _speed_row(line: dict[str, str]) -> dict[str, Any]:
    metric, unit = METRICS.get(line["metric"], (line["metric"], 1.0))
    batch, rate = _whole(line["batch_or_concurrency"]), _number(line["request_rate"])
    weights, conditions = weights_of(line["weight_dtype"]), line["conditions"].lower()
    engine = ENGINES.get(line["engine"], line["engine"])
    fp8_kv = line["kv_dtype"] == "fp8" or (
        line["source_key"] == "aic" and engine == "tensorrt-llm" and weights in ("fp8", "nvfp4")
    )
    row = {
        "id": line["id"],
        "source": line["source_key"],
        "engine": engine,
        "version": line["engine_version"] or _dated(line),
        "model": MODELS.get(line["model"].lower(), line["model"]),
        "accelerator": ACCELERATORS.get(line["gpu"], line["gpu"]),
        "tensor_parallel": _whole(line["tp"]) or _whole(line["n_gpus"]) or 1,
        "weights": weights or line["weight_dtype"],
        "kv_cache": "fp8" if fp8_kv else "int8" if line["kv_dtype"] == "int8" else "bf16",
        "regime": line["regime"],
        "batch": batch if line["regime"] != "open_loop" else None,
        "rate_per_s": rate if rate != float("inf") else None,
        "requests": _whole(m[1])
        if (m := re.search(r"(\d+) (?:ShareGPT|prompts|requests)", line["conditions"]))
        else None,
        "prompt_tokens": _whole(line["input_len"]),
        "output_tokens": _whole(line["output_len"]),
        "lengths": "varied" if "sharegpt" in conditions else "shortened" if "may vary" in conditions else "fixed",
        "metric": metric,
        "statistic": line["statistic"],
        "value": _short(float(line["value"]) * unit),
        "excluded": _speed_reason(line),
    }
    if line["source_key"] == "aic" and batch:
        row["requests"] = 10 * batch  # as its own script and the public sweep it draws from send them
        if re.search(r"source_file=\w+/", line["conditions"]):
            row["lengths"] = "fixed"  # its own script: standard deviations of 0; the sweep shortens by a fifth at most
    if line["source_key"] == "gptfast":
        row["output_tokens"] = 200  # the README's own command generates 200 tokens
    if line["source_key"] in ("lmdeploy_w4",) or (
        line["metric"] == "output_tok_s" and line["source_key"] == "qwen25_a100"
    ):
        row["metric"] = "decode_tokens_per_s"  # hardly falls with the prompt: the prefill is not in it
    return row


def _dated(line: dict[str, str]) -> str:
    if line["source_key"].startswith("argonne"):
        return "2024"
    return {"splitwise": "2023", "dstack405b": "0.6.3", "vllm_ci": "0.4.2", "mem": "0.2"}.get(line["source_key"], "")


def _speed_reason(line: dict[str, str]) -> str:
    """Why a row cannot be held against a plan, from what its source says; "" where it can."""
    conditions, regime = line["conditions"], line["regime"]
    dp = re.search(r"attention_dp=(\d+)", conditions)
    eager = "enforce-eager" in conditions.lower() and "benchmark_throughput" in conditions
    reasons = (
        (regime == "offline_max" or eager, "no batch given: the engine fills its cache"),
        ((_whole(line["pp"]) or 1) > 1, "pipeline parallelism"),
        (dp and int(dp[1]) > 1, "attention data parallelism"),
        (line["tier"] == "3", f"ambiguous: {_ambiguous(line)}"),
        (line["source_key"] in ("palm540b", "gqa", "exllamav2"), "lengths not given"),
        ("to avoid" in conditions, "kernel that its authors advise against at that batch"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _ambiguous(line: dict[str, str]) -> str:
    if line["source_key"] == "aic":
        return "expert parallelism or speculation not recorded"
    if line["source_key"] == "accelmark":
        return "prompt lengths not given" if line["regime"] == "single_stream" else "short run, lengths not given"
    return "the source leaves open what was run"


_SPECULATIVE = re.compile(r"spec[-_ ]?dec|speculative|mtp|eagle", re.IGNORECASE)
_FEATURES = (
    (_SPECULATIVE, "speculative decoding"),
    (re.compile(r"dp-attention|--enable-dp|dp8|data-parallel", re.IGNORECASE), "attention data parallelism"),
    (re.compile(r"lora", re.IGNORECASE), "LoRA adapters"),
    (re.compile(r"prefix|lmcache|hicache|radix", re.IGNORECASE), "prefix cache features"),
    (re.compile(r"pd-disagg|disaggreg", re.IGNORECASE), "prefill and decode on different devices"),
)
_SERVING_METRICS = (
    ("mean_ttft_ms", "ttft_s", "mean"),
    ("median_ttft_ms", "ttft_s", "median"),
    ("mean_tpot_ms", "tpot_s", "mean"),
    ("output_tok_s", "output_tokens_per_s", "mean"),
)


def _serving(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            yield from _serving_rows(line)


def _serving_rows(line: dict[str, str]) -> Iterator[dict[str, Any]]:
    text = line["request_rate_or_concurrency"]
    clients, rate = re.search(r"concurrency=(\d+)", text), re.search(r"rate=([\d.]+)", text)
    model = line["model"].rsplit("/", 1)[-1].lower()
    degree = _whole(line["tp"].split()[0]) if line["tp"] else None
    weights = weights_of("fp8" if model.endswith("-fp8") else line["dtype"]) or line["dtype"]
    shared = {
        "source": re.split(r"[/ ]", line["source"])[0].lower(),
        "engine": ENGINES.get(line["engine"], line["engine"]),
        "version": line["version"],
        "model": MODELS.get(model, MODELS.get(line["model"].lower(), model)),
        "accelerator": _accelerator(line["gpu"]),
        "tensor_parallel": degree or 1,
        "weights": weights,
        "kv_cache": "fp8" if re.search(r"kv-cache-dtype[= ]fp8", line["notes"]) else "bf16",
        "regime": "closed_loop" if clients else "open_loop",
        "batch": int(clients[1]) if clients else None,
        "rate_per_s": float(rate[1]) if rate and float(rate[1]) < 1000 else None,
        "requests": _whole(line["num_prompts"]),
        "prompt_tokens": _whole(line["input_len"]),
        "output_tokens": _whole(line["output_len"]),
        "lengths": "varied" if "sharegpt" in line["notes"].lower() else "fixed",
        "excluded": _serving_reason(line, clients is not None, rate),
    }
    for column, metric, statistic in _SERVING_METRICS:
        if value := _number(line[column]):
            scaled = value * (1e-3 if column.endswith("_ms") else 1.0)
            yield {
                "id": f"{line['id']}-{statistic[:3]}-{metric}",
                **shared,
                "metric": metric,
                "statistic": statistic,
                "value": _short(scaled),
            }


def _serving_reason(line: dict[str, str], closed: bool, rate: re.Match[str] | None) -> str:
    text = line["notes"] + " " + line["tp"]
    for pattern, reason in _FEATURES:
        if pattern.search(text):
            return reason
    if not closed and (rate is None or float(rate[1]) >= 1000):
        return "infinite rate"
    if re.search(r"max_num_seqs|prefill of", line["request_rate_or_concurrency"]):
        return "ambiguous: the source leaves open what was run"
    return ""


def _accelerator(text: str) -> str:
    plain = re.sub(r"^\d+\s*[x×]\s*", "", text.strip()).rstrip(".")
    plain = re.sub(r"\s*GPUs?( on a single node)?$|x8$", "", plain).strip()
    return ACCELERATORS.get(plain, plain)


class _Checks:
    """What can only be told from the table: names that are not known, and runs that cannot have been."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.beside = {one["name"] for one in json.loads(MODELS_BESIDE.read_text(encoding="utf-8"))}
        self.known: dict[tuple[str, str], bool] = {}
        self.runs: dict[tuple[Any, ...], dict[str, float]] = {}
        for row in rows:
            if row["statistic"] in ("mean", "median"):
                self.runs.setdefault(_run(row), {}).setdefault(row["metric"], row["value"])

    def reason(self, row: dict[str, Any]) -> str:
        """Why a row is left out; "" where it stays."""
        reasons = (
            (not self._is_known("model", row["model"]), "model not in the catalogue"),
            (not self._is_known("accelerator", row["accelerator"]), "accelerator not in the catalogue"),
            (weights_of(row["weights"]) is None, "weight format not known"),
            (
                row["metric"] not in PREDICTED or row["statistic"] not in ("mean", "median"),
                "figure that is not predicted",
            ),
            (row["prompt_tokens"] is None or row["output_tokens"] is None, "lengths not given"),
        )
        reason = next((reason for holds, reason in reasons if holds), "")
        return self._load(row) if not reason and row["regime"] in LOADS else reason

    def _is_known(self, kind: str, name: str) -> bool:
        if (kind, name) not in self.known:
            try:
                (sl.Model if kind == "model" else sl.Accelerator).load(name)
                self.known[kind, name] = True
            except ServelabError:
                self.known[kind, name] = kind == "model" and name in self.beside
        return self.known[kind, name]

    def _load(self, row: dict[str, Any]) -> str:
        if row["batch"] is None and row["rate_per_s"] is None:
            return "infinite rate"
        run = self.runs[_run(row)]
        ttft, tpot, rate = run.get("ttft_s"), run.get("tpot_s"), run.get("output_tokens_per_s")
        if tpot is not None and tpot < _floor(row, self.beside):
            return "impossible: tokens come faster than the weights can be read"
        if row["batch"] and ttft and tpot and rate:
            each = row["batch"] / rate
            taken = tpot + ttft / row["output_tokens"]
            if not 1 / 1.5 <= each / taken <= 1.5:
                return "inconsistent: concurrency / throughput is not what its TPOT and TTFT make"
        return ""


def _run(row: dict[str, Any]) -> tuple[Any, ...]:
    names = (
        "source",
        "engine",
        "version",
        "model",
        "accelerator",
        "tensor_parallel",
        "weights",
        "kv_cache",
        "regime",
        "batch",
        "rate_per_s",
        "requests",
        "prompt_tokens",
        "output_tokens",
    )
    group = row["id"].split("-")[0] if row["id"].startswith("S") else ""
    return (*(row[name] for name in names), group)


def _floor(row: dict[str, Any], beside: set[str]) -> float:
    """The least time of a decode pass of one request: its weights over the datasheet's bandwidth."""
    from servelab.fidelity.measured import model_named

    model, accelerator = model_named(row["model"]), sl.Accelerator.load(row["accelerator"])
    size = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0}.get(row["weights"], 0.5)
    read = (model.active_parameters - model.table_parameters * (not model.tied_embeddings)) * size
    return read / (accelerator.bandwidth_bytes_per_s * row["tensor_parallel"])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _whole(text: str) -> int | None:
    number = _number(text)
    return round(number) if number is not None and math.isfinite(number) else None


def _short(value: float) -> float:
    return float(f"{value:.5g}")


if __name__ == "__main__":
    main()

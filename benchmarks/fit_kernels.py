"""Fits shares of the datasheet to published operator times: matrix products, attention, experts and all-reduces.

    SERVELAB_REFERENCE_DATA=… python -m benchmarks.fit_kernels

Writes kernels.toml, which holds what was found and nothing of the times themselves: one table an accelerator, by the
names of the profile's terms. Fits of profiles begin there, since no served model is behind these numbers.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import servelab as sl
from servelab.fidelity.measured import KERNELS

SYSTEMS = {"a100_sxm": "a100-sxm-80gb", "h100_sxm": "h100-sxm-80gb", "b200_sxm": "b200-sxm", "b300_sxm": "b300-sxm"}
WEIGHTS = {"bfloat16": "bf16", "fp8": "fp8", "fp8_block": "fp8", "nvfp4": "nvfp4", "w4a16_mxfp4": "mxfp4"}
BYTES = {"bf16": 2.0, "fp8": 1.0, "nvfp4": 0.5625, "mxfp4": 0.53125}
RATES = {"bf16": "bf16", "fp8": "fp8", "nvfp4": "fp4", "mxfp4": "bf16"}

#: All-reduces of today's engines, and NCCL's, which engines before them used: its tables have a name of their own.
ALL_REDUCES = {"vLLM_custom_graph": "", "NCCL": "nccl@"}


def main() -> None:
    """Fit every accelerator and write what was found."""
    folder = Path(os.environ["SERVELAB_REFERENCE_DATA"]) / "measured" / "kernels"
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for fitted in (_matrices, _attention, _experts, _all_reduces):
        for accelerator, name, value, error in fitted(folder):
            if name == "half_tokens" and value < 1:
                continue  # never the longer side, so that the times say nothing of it
            share = name.split(".")[0].endswith("utilization")
            reached = found[accelerator].get(name, 0.0) if name.startswith("decode") else 0.0
            found[accelerator][name] = float(f"{min(max(value, reached), 0.98) if share else value:.4g}")
            print(f"{accelerator:18} {name:42} {value:10.4g}   median error {error:.0%}")
    lines = [
        "# Shares of the datasheet and seconds fitted to operator times (benchmarks/fit_kernels.py); the source is aic."
    ]
    for accelerator, terms in found.items():
        lines += ["", f'["{accelerator}"]', *(f'"{name}" = {value!r}' for name, value in sorted(terms.items()))]
    KERNELS.write_text("\n".join(lines) + "\n", encoding="utf-8")


Fit = Iterator[tuple[str, str, float, float]]


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _column(rows: list[dict[str, str]], name: str) -> Any:
    return np.array([float(row[name]) for row in rows])


def _grouped(path: Path, *names: str) -> Iterator[tuple[tuple[str, ...], list[dict[str, str]]]]:
    groups: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in _read(path):
        groups[tuple(row[name] for name in names)].append(row)
    yield from sorted(groups.items())


def _matrices(folder: Path) -> Fit:
    for (system, dtype), rows in _grouped(folder / "gemm.csv", "system", "gemm_dtype"):
        if dtype == "fp8_block":
            continue
        weights, device = WEIGHTS[dtype], sl.Accelerator.load(SYSTEMS[system])
        m, n, k = (_column(rows, name) for name in "mnk")
        compute, bandwidth = device.flop_per_s[RATES[weights]], device.bandwidth_bytes_per_s
        moved = (n * k * BYTES[weights] + 2 * m * n + BYTES[weights] * m * k) / bandwidth

        def time(x: Any, m: Any = m, n: Any = n, k: Any = k, moved: Any = moved, compute: float = compute) -> Any:
            share, read, half, fixed = _inside(x[0]), _inside(x[1]), np.exp(x[2]), np.exp(x[3])
            return np.maximum(2 * n * k * (m + half) / compute / share, moved / read) + fixed

        x, error = _least(time, _column(rows, "latency_us") * 1e-6, np.array([0.5, 1.0, 3.5, -12.5]))
        yield SYSTEMS[system], f"compute_utilization.{weights}", _inside(x[0]), error
        yield SYSTEMS[system], f"bandwidth_utilization.{weights}", _inside(x[1]), error
        if weights == "bf16":
            yield SYSTEMS[system], "half_tokens", float(np.exp(x[2])), error
            yield SYSTEMS[system], "layer_s", 6 * float(np.exp(x[3])), error


def _attention(folder: Path) -> Fit:
    for (system, phase, cache), rows in _grouped(folder / "attention.csv", "system", "phase", "kv_cache_dtype"):
        device = sl.Accelerator.load(SYSTEMS[system])
        b, isl, step, heads, kv, width = (
            _column(rows, name)
            for name in ("batch_size", "isl", "step", "num_heads", "num_key_value_heads", "head_dim")
        )
        value = 1.0 if cache == "fp8" else 2.0
        decode = phase == "decode"
        context = step + 1 if decode else isl
        pairs = b * context if decode else b * isl * (isl + 1) / 2
        flop = 4 * heads * width * pairs / device.flop_per_s["bf16"]
        moved = 2 * kv * width * value * b * context / device.bandwidth_bytes_per_s

        def time(x: Any, flop: Any = flop, moved: Any = moved) -> Any:
            return np.maximum(flop / _inside(x[0]), moved / _inside(x[1])) + np.exp(x[2])

        x, error = _least(time, _column(rows, "latency_us") * 1e-6, np.array([-3.0 if decode else 0.0, 0.5, -12.0]))
        if decode:  # reading is the longer side, so that math reaches at least what it reached beside it
            reached = float(np.max(flop / (_column(rows, "latency_us") * 1e-6)))
            yield SYSTEMS[system], "decode_attention_utilization", reached, error
        elif cache != "fp8":
            yield SYSTEMS[system], "attention_compute_utilization", _inside(x[0]), error
        if decode:
            kind = "fp8" if cache == "fp8" else "bf16"
            yield SYSTEMS[system], f"attention_bandwidth_utilization.{kind}", _inside(x[1]), error


def _experts(folder: Path) -> Fit:
    for (system, dtype, parallel), rows in _grouped(folder / "moe.csv", "system", "moe_dtype", "moe_ep_size"):
        if dtype != "bfloat16" or parallel != "1":
            continue
        device = sl.Accelerator.load(SYSTEMS[system])
        tokens, hidden, inner, top, experts, split = (
            _column(rows, name)
            for name in ("num_tokens", "hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size")
        )
        each = 3 * hidden * inner / split
        touched = experts * (1 - (1 - top / experts) ** tokens)
        flop = 2 * each * top * tokens / device.flop_per_s["bf16"]
        moved = 2 * each * touched / device.bandwidth_bytes_per_s

        def time(x: Any, flop: Any = flop, moved: Any = moved) -> Any:
            return np.maximum(flop / _inside(x[0]), moved / _inside(x[1])) + np.exp(x[2])

        x, error = _least(time, _column(rows, "latency_us") * 1e-6, np.array([0.0, 0.5, -11.0]))
        yield SYSTEMS[system], "expert_compute_utilization", _inside(x[0]), error
        yield SYSTEMS[system], "expert_bandwidth_utilization", _inside(x[1]), error


def _all_reduces(folder: Path) -> Fit:
    for (system, kind, op, dtype), rows in _grouped(folder / "comm.csv", "system", "kernel_source", "op_name", "dtype"):
        if kind not in ALL_REDUCES or op != "all_reduce" or dtype == "int8":
            continue
        device, name = sl.Accelerator.load(SYSTEMS[system]), ALL_REDUCES[kind] + SYSTEMS[system]
        devices = _column(rows, "num_gpus")
        sent = 2 * (devices - 1) / devices * _column(rows, "message_size") * 2 / (device.link_bytes_per_s or 1.0)

        def time(x: Any, sent: Any = sent, further: Any = devices - 2) -> Any:
            return sent / _inside(x[0]) + np.exp(x[1]) + further * np.exp(x[2])

        x, error = _least(time, _column(rows, "latency_us") * 1e-6, np.array([0.5, -11.5, -14.0]))
        yield name, "link_utilization", _inside(x[0]), error
        yield name, "all_reduce_s", float(np.exp(x[1])), error
        yield name, "all_reduce_rank_s", float(np.exp(x[2])), error


def _inside(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def _least(time: Callable[[Any], Any], measured: Any, x: Any) -> tuple[Any, float]:
    """The parameters with the smallest robust error of logarithms, by damped Gauss-Newton, and their median error."""
    damping = 1e-2

    def cost(at: Any) -> float:
        return float(np.sqrt(1 + (np.log(time(at) / measured) / 0.1) ** 2).sum())

    for _ in range(80):
        now = np.log(time(x))
        errors = now - np.log(measured)
        table = np.stack([(np.log(time(x + step)) - now) / 1e-4 for step in np.eye(len(x)) * 1e-4], axis=1)
        pull = 1 / np.sqrt(1 + (errors / 0.1) ** 2)
        curve = table.T @ (table * pull[:, None]) + 1e-6 * np.eye(len(x))
        step = np.linalg.solve(curve + damping * np.diag(np.diag(curve)), -table.T @ (pull * errors))
        better = cost(x + np.clip(step, -1, 1)) < cost(x)
        x, damping = (x + np.clip(step, -1, 1), damping / 3) if better else (x, damping * 4)
    return x, float(np.median(np.abs(np.expm1(np.log(time(x)) - np.log(measured)))))


if __name__ == "__main__":
    main()

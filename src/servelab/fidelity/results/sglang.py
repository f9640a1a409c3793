"""Results of SGLang's benchmarks: bench_serving, bench_one_batch and bench_one_batch_server, one object a line.

bench_serving counts in milliseconds; the other two in seconds.
"""

from __future__ import annotations

from servelab.fidelity.results import vllm
from servelab.fidelity.results.found import Found, LeftOut
from servelab.fidelity.results.values import Row
from servelab.fidelity.setup import Setup
from servelab.specs.result import Load

SERVING = "SGLang bench_serving"
ONE_BATCH = "SGLang bench_one_batch"
ONE_BATCH_SERVER = "SGLang bench_one_batch_server"

SERVING_SIGNATURE = frozenset(("mean_e2e_latency_ms", "output_throughput"))
ONE_BATCH_SIGNATURE = frozenset(("batch_size", "input_len", "output_len"))

_ENGINES = {
    **dict.fromkeys(("sglang", "sglang-native", "sglang-oai", "sglang-oai-chat"), "sglang"),
    **dict.fromkeys(("vllm", "vllm-chat"), "vllm"),
    "trt": "tensorrt-llm",
}
#: Tokens that a pass is accepted to have made, from which on a draft was at work.
_DRAFTED = 1.05


def read_serving(row: Row) -> Found | LeftOut:
    """The run in one line of bench_serving."""
    requests = vllm.completed(row)
    duration_s = row.seconds("duration", 1.0)
    drafted = _drafted(row, "accept_length")
    if drafted:
        return drafted
    metrics = vllm.latencies(row, duration_s, "mean_e2e_latency_ms")
    metrics["output_tokens_per_s"] = row.number("output_throughput")
    return Found(row.source, SERVING, _setup(row), vllm.load_of(row, requests), metrics)


def read_one_batch(row: Row) -> Found | LeftOut:
    """The batch in one line of bench_one_batch, or of bench_one_batch_server."""
    batch, prompt, output = (row.count(name) for name in ("batch_size", "input_len", "output_len"))
    drafted = _drafted(row, "acc_length")
    if drafted:
        return drafted
    server = "last_ttft" in row.fields
    total_s = row.seconds("latency" if server else "total_latency", 1.0)
    read_in = {"ttft_s": "last_ttft" if server else "prefill_latency"}
    if not server and output > 1 and row.fields.get("median_decode_latency") is not None:
        read_in["tpot_s"] = "median_decode_latency"
    found = {metric: (name, row.seconds(name, 1.0)) for metric, name in read_in.items()}
    row.within(found, total_s)
    metrics = {metric: seconds for metric, (_, seconds) in found.items()} | {"e2e_s": total_s}
    metrics["output_tokens_per_s"] = batch * output / total_s
    if server and output > 1:
        metrics["tpot_s"] = (total_s - metrics["ttft_s"]) / (output - 1)
    load = Load("static_batch", prompt, output, batch=batch, requests=batch)
    return Found(row.source, ONE_BATCH_SERVER if server else ONE_BATCH, _setup(row), load, metrics)


def _drafted(row: Row, name: str) -> LeftOut | None:
    accepted = row.fields.get(name)
    if isinstance(accepted, (int, float)) and accepted > _DRAFTED:
        return LeftOut(row.source, f"{accepted:.2f} tokens a pass were accepted: speculative decoding is not modelled")
    return None


def _setup(row: Row) -> Setup:
    """What the line says of the server; newer ones hold what the server says of itself."""
    server = row.inner("server_info")
    backend = (row.text("backend") or "").lower()
    return Setup.of(
        {
            "engine": _ENGINES.get(backend, None if backend else "sglang"),
            "version": server.text("version"),
            "model": server.text("model_path") or row.text("model", "model_path"),
            "tensor_parallel": server.text("tp_size") or row.text("tp_size", "tp"),
            "quantization": server.text("quantization"),
            "dtype": server.text("dtype"),
            "kv_cache_dtype": server.text("kv_cache_dtype"),
            "gpu": row.text("accelerator", "gpu"),
        }
    )

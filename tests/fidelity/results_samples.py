"""Results files of our own making, with the fields that each tool writes."""

from __future__ import annotations

import json

VLLM = {
    "date": "20261102-101500",
    "backend": "vllm",
    "model_id": "meta-llama/Llama-3.1-8B-Instruct",
    "tokenizer_id": "meta-llama/Llama-3.1-8B-Instruct",
    "num_prompts": 200,
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 16,
    "duration": 30.0,
    "completed": 200,
    "total_input_tokens": 204800,
    "total_output_tokens": 51200,
    "request_throughput": 6.667,
    "output_throughput": 1706.7,
    "total_token_throughput": 8533.3,
    "mean_ttft_ms": 62.0,
    "median_ttft_ms": 58.0,
    "p99_ttft_ms": 120.0,
    "mean_tpot_ms": 9.1,
    "median_tpot_ms": 9.0,
    "p99_tpot_ms": 10.2,
    "mean_itl_ms": 9.1,
    "median_itl_ms": 8.9,
    "p99_itl_ms": 30.0,
}

SGLANG = {
    "backend": "sglang",
    "dataset_name": "random",
    "request_rate": 4.0,
    "max_concurrency": None,
    "random_input_len": 512,
    "random_output_len": 128,
    "duration": 50.0,
    "completed": 200,
    "total_input_tokens": 102400,
    "total_output_tokens": 25600,
    "request_throughput": 3.98,
    "input_throughput": 2048.0,
    "output_throughput": 512.0,
    "mean_e2e_latency_ms": 1100.0,
    "median_e2e_latency_ms": 1080.0,
    "mean_ttft_ms": 41.0,
    "mean_tpot_ms": 8.3,
    "mean_itl_ms": 8.3,
    "concurrency": 4.4,
    "accept_length": None,
    "server_info": {"model_path": "Qwen/Qwen3-8B", "tp_size": 2, "version": "0.5.3", "kv_cache_dtype": "auto"},
}

ONE_BATCH = {
    "run_name": "trial",
    "batch_size": 8,
    "input_len": 1024,
    "output_len": 33,
    "prefill_latency": 0.21,
    "prefill_throughput": 39009.5,
    "median_decode_latency": 0.0084,
    "median_decode_throughput": 952.4,
    "total_latency": 0.4788,
    "overall_throughput": 17660.8,
}

ONE_BATCH_SERVER = {
    "run_name": "trial",
    "batch_size": 8,
    "input_len": 1024,
    "output_len": 33,
    "latency": 0.4788,
    "input_throughput": 39009.5,
    "output_throughput": 982.1,
    "overall_throughput": 17660.8,
    "last_ttft": 0.21,
    "last_gen_throughput": 950.0,
    "acc_length": -1.0,
}


def _spread(mean):
    return {"successful": {"mean": mean, "median": mean, "percentiles": {"p50": mean, "p99": mean}}}


def _benchmark(strategy, rate, **figures):
    return {
        "type_": "generative_benchmark",
        "config": {"strategy": strategy, "backend": {"model": "meta-llama/Llama-3.1-8B-Instruct"}},
        "metrics": {
            "request_totals": {"successful": 60, "incomplete": 2, "errored": 0, "total": 62},
            "requests_per_second": _spread(rate),
            "request_concurrency": _spread(12.2),
            "request_latency": _spread(2.4),
            "prompt_token_count": _spread(1000.2),
            "output_token_count": _spread(256.0),
            "time_to_first_token_ms": _spread(70.0),
            "inter_token_latency_ms": _spread(9.1),
            "time_per_output_token_ms": _spread(9.4),
            "output_tokens_per_second": _spread(256.0 * rate),
            **figures,
        },
    }


GUIDELLM = {
    "metadata": {"version": 1, "guidellm_version": "0.5.3"},
    "args": {"target": "http://localhost:8000"},
    "benchmarks": [
        _benchmark({"type_": "synchronous"}, 0.4),
        _benchmark({"type_": "concurrent", "streams": 8}, 3.2),
        _benchmark({"type_": "constant", "rate": 5.0}, 4.9),
        _benchmark({"type_": "throughput", "max_concurrency": 512}, 6.1),
    ],
}

LLAMA_BENCH = {
    "build_commit": "8cf427ff",
    "build_number": 5163,
    "cpu_info": "a processor",
    "gpu_info": "NVIDIA GeForce RTX 4090",
    "backends": "CUDA",
    "model_filename": "models/Qwen2.5-7B-Instruct-Q4_K_M.gguf",
    "model_type": "qwen2 7B Q4_K - Medium",
    "n_gpu_layers": 99,
    "type_k": "f16",
    "type_v": "f16",
    "split_mode": "layer",
    "n_prompt": 512,
    "n_gen": 0,
    "n_depth": 0,
    "avg_ns": 64_000_000,
    "stddev_ns": 800_000,
    "avg_ts": 8000.0,
    "stddev_ts": 90.9,
    "samples_ns": [64_000_000],
    "samples_ts": [8000.0],
}
LLAMA_BENCH_GENERATION = {**LLAMA_BENCH, "n_prompt": 0, "n_gen": 128, "avg_ns": 896_000_000, "avg_ts": 142.857}


def text(*rows):
    """One object a line."""
    return "\n".join(json.dumps(row) for row in rows)

"""Results of `vllm bench serve --save-result` (and of benchmark_serving.py before it): one object a run.

Times are in milliseconds, the run's length in seconds; `request_rate` is "inf" where requests were sent at once.
"""

from __future__ import annotations

import math

from servelab.fidelity.results.found import Found
from servelab.fidelity.results.values import MILLISECOND_S, Row, per_request
from servelab.fidelity.setup import Setup
from servelab.specs.result import Load

TOOL = "vLLM bench serve"
#: Fields that only this tool writes together.
SIGNATURE = frozenset(("total_token_throughput", "model_id"))

#: Engines by the client that was used; a client of the OpenAI API says nothing of the server.
_ENGINES = {"vllm": "vllm", "sglang": "sglang", "tensorrt-llm": "tensorrt-llm", "llama.cpp": "llama.cpp"}
#: Of an offered rate, as much must be reached for arrivals to have been what bounded the run.
_KEPT_UP = 0.9
#: The shape of the gaps between arrivals from which on they are as good as equal; 1 is Poisson.
_REGULAR = 100


def read(row: Row) -> Found:
    """The run in one object."""
    requests = completed(row)
    duration_s = row.seconds("duration", 1.0)
    metrics = latencies(row, duration_s)
    metrics["output_tokens_per_s"] = row.number("output_throughput")
    return Found(row.source, TOOL, _setup(row), load_of(row, requests), metrics)


def completed(row: Row) -> int:
    """How many requests were answered; raises where none was."""
    if row.fields.get("completed") in (0, 0.0):
        raise row.refuse("no request of it completed", "give a run whose server answered")
    return row.count("completed")


def latencies(row: Row, duration_s: float, end_to_end: str = "mean_e2el_ms") -> dict[str, float]:
    """TTFT, TPOT and, where it is told, end to end: the means."""
    read_in = {"ttft_s": "mean_ttft_ms", "tpot_s": "mean_tpot_ms"}
    if row.fields.get(end_to_end) is not None:
        read_in["e2e_s"] = end_to_end
    if row.fields.get("mean_tpot_ms") in (0, 0.0):  # one token a request
        del read_in["tpot_s"]
    found = {metric: (name, row.seconds(name, MILLISECOND_S)) for metric, name in read_in.items()}
    row.within(found, duration_s)
    return {metric: seconds for metric, (_, seconds) in found.items()}


def load_of(row: Row, requests: int) -> Load:
    """The load, from the rate and the bound on requests in flight that the client was given."""
    prompt, output = (per_request(row, f"total_{way}_tokens", requests) for way in ("input", "output"))
    rate, bound = _rate(row), row.maybe("max_concurrency", least=1)
    if rate is not None and (bound is None or row.number("request_throughput") >= _KEPT_UP * rate):
        burstiness = row.fields.get("burstiness")
        regular = isinstance(burstiness, (int, float)) and burstiness >= _REGULAR
        process = "constant" if regular else "poisson"
        return Load("open_loop", prompt, output, requests_per_s=rate, requests=requests, process=process)
    in_flight = requests if bound is None else min(requests, int(bound))
    return in_flight_load(prompt, output, in_flight, requests)


def in_flight_load(prompt: int, output: int, in_flight: int, requests: int | None) -> Load:
    """The load of so many requests at any time; one is a single stream."""
    regime = "single_stream" if in_flight == 1 else "closed_loop"
    return Load(regime, prompt, output, concurrency=in_flight, requests=requests)


def _rate(row: Row) -> float | None:
    """Requests a second, None where all were sent at once."""
    rate = row.fields.get("request_rate")
    if rate is None or rate == math.inf or (isinstance(rate, str) and rate.lower() in ("inf", "infinity")):
        return None
    value = row.number("request_rate")
    if value == 0:
        raise row.refuse("0 in request_rate is no rate")
    return value


def _setup(row: Row) -> Setup:
    """What the file says, and what people add to it with --metadata."""
    return Setup.of(
        {
            "engine": _ENGINES.get((row.text("backend") or "").lower()),
            "model": row.text("model_id"),
            "version": row.text("vllm_version", "engine_version", "version"),
            "tensor_parallel": row.text("tensor_parallel_size", "tensor_parallel", "tp_size", "tp"),
            "gpu": row.text("accelerator", "gpu", "gpu_name", "hardware"),
            "quantization": row.text("quantization"),
            "dtype": row.text("dtype"),
            "kv_cache_dtype": row.text("kv_cache_dtype"),
        }
    )

"""Results files: what each tool's says of a run, and what is refused with one sentence."""

from __future__ import annotations

import json
import math

import pytest

from servelab.fidelity.results.found import Found, ResultsError
from servelab.fidelity.results.reader import read_files, read_text
from servelab.specs.result import Load
from tests.fidelity.results_samples import (
    GUIDELLM,
    LLAMA_BENCH,
    LLAMA_BENCH_GENERATION,
    ONE_BATCH,
    ONE_BATCH_SERVER,
    SGLANG,
    VLLM,
    text,
)


def only(*rows) -> Found:
    (found,) = read_text(text(*rows), "run.json").found
    return found


def refusal(content, name="run.json"):
    with pytest.raises(ResultsError) as caught:
        read_text(content if isinstance(content, str) else text(content), name)
    assert caught.value.field == "results"
    return caught.value.message


def test_vllm_counts_in_milliseconds_and_is_read_into_seconds():
    found = only(VLLM)
    assert found.metrics == pytest.approx({"ttft_s": 0.062, "tpot_s": 0.0091, "output_tokens_per_s": 1706.7})
    assert found.load == Load("closed_loop", 1024, 256, concurrency=16, requests=200)
    assert (found.setup.engine, found.setup.model) == ("vllm", "meta-llama/Llama-3.1-8B-Instruct")
    assert found.source == "'run.json'"


@pytest.mark.parametrize(
    ("changes", "load"),
    [
        (
            {"request_rate": 7.0, "max_concurrency": None},
            Load("open_loop", 1024, 256, requests_per_s=7.0, requests=200),
        ),
        (
            {"request_rate": math.inf, "max_concurrency": None},
            Load("closed_loop", 1024, 256, concurrency=200, requests=200),
        ),
        ({"max_concurrency": 1}, Load("single_stream", 1024, 256, concurrency=1, requests=200)),
        ({"request_rate": 100.0}, Load("closed_loop", 1024, 256, concurrency=16, requests=200)),
        (
            {"request_rate": 7.0, "burstiness": math.inf},
            Load("open_loop", 1024, 256, requests_per_s=7.0, requests=200, process="constant"),
        ),
    ],
)
def test_what_bounded_a_run_is_told_from_its_rate_and_its_limit(changes, load):
    assert only(VLLM | changes).load == load


def test_metadata_that_people_add_says_what_the_server_runs_on():
    setup = only(VLLM | {"tp": "4", "gpu": "H100"}).setup
    assert (setup.tensor_parallel, setup.gpu) == (4, "H100")


def test_sglang_serving_is_read_with_what_its_server_says():
    found = only(SGLANG)
    assert found.load == Load("open_loop", 512, 128, requests_per_s=4.0, requests=200)
    assert found.metrics["e2e_s"] == pytest.approx(1.1)
    assert (found.setup.engine, found.setup.model, found.setup.tensor_parallel) == ("sglang", "Qwen/Qwen3-8B", 2)


@pytest.mark.parametrize("row", [ONE_BATCH, ONE_BATCH_SERVER])
def test_one_batch_counts_in_seconds(row):
    found = only(row)
    assert found.load == Load("static_batch", 1024, 33, batch=8, requests=8)
    assert found.metrics == pytest.approx(
        {"ttft_s": 0.21, "tpot_s": 0.0084, "e2e_s": 0.4788, "output_tokens_per_s": 8 * 33 / 0.4788}
    )


def test_every_benchmark_of_a_guidellm_report_is_a_run():
    runs = read_text(json.dumps(GUIDELLM), "report.json").found
    assert [run.load.regime for run in runs] == ["single_stream", "closed_loop", "open_loop", "closed_loop"]
    assert [run.load.concurrency for run in runs] == [1, 8, None, 12]
    assert (runs[2].load.requests_per_s, runs[2].load.process) == (5.0, "constant")
    assert runs[1].metrics == pytest.approx(
        {"ttft_s": 0.07, "tpot_s": 0.0091, "e2e_s": 2.4, "output_tokens_per_s": 819.2}
    )
    assert (runs[0].load.prompt_tokens, runs[0].load.output_tokens, runs[0].load.requests) == (1000, 256, 60)
    assert runs[3].source == "benchmark 4 of 'report.json'"


def test_llama_bench_tells_a_first_token_and_tokens_apart():
    content = json.dumps([LLAMA_BENCH, LLAMA_BENCH_GENERATION])
    prompt, generation = read_text(content, "bench.json").found
    assert (prompt.load, prompt.metrics) == (Load("static_batch", 512, 1, batch=1, requests=1), {"ttft_s": 0.064})
    assert generation.load == Load("static_batch", 1, 129, batch=1, requests=1)
    assert generation.metrics == pytest.approx({"tpot_s": 0.007})
    assert (prompt.setup.engine, prompt.setup.gpu, prompt.setup.quantization) == (
        "llama.cpp",
        "NVIDIA GeForce RTX 4090",
        "q4_k",
    )


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (LLAMA_BENCH | {"n_gpu_layers": 0}, "processor"),
        (LLAMA_BENCH | {"backends": "BLAS"}, "processor"),
        (LLAMA_BENCH | {"gpu_info": "NVIDIA A100, NVIDIA A100"}, "several cards"),
        (LLAMA_BENCH | {"n_depth": 4096}, "4,096 tokens"),
        (SGLANG | {"accept_length": 2.4}, "speculative"),
        (ONE_BATCH_SERVER | {"acc_length": 3.1}, "speculative"),
    ],
)
def test_what_is_not_modelled_is_left_out_with_the_reason(row, why):
    runs = read_text(text(row, ONE_BATCH), "run.jsonl")
    assert len(runs.found) == 1
    (left_out,) = runs.left_out
    assert left_out.source == "line 1 of 'run.jsonl'"
    assert why in left_out.reason


def test_lines_of_several_tools_are_each_read():
    assert len(read_text(text(VLLM, SGLANG, ONE_BATCH, LLAMA_BENCH), "all.jsonl").found) == 4


@pytest.mark.parametrize("row", [VLLM, SGLANG, ONE_BATCH, ONE_BATCH_SERVER, LLAMA_BENCH])
def test_a_missing_field_is_named_or_not_missed(row):
    """Whatever one field is missing, the answer is the same run or one sentence that names a field or the tools."""
    whole = only(row)
    for name in row:
        rest = {key: value for key, value in row.items() if key != name}
        try:
            metrics = only(rest).metrics
        except ResultsError as error:
            sentence = error.message
        else:
            assert metrics.keys() <= whole.metrics.keys()
            continue
        assert name in sentence or "tool" in sentence
        assert "\n" not in sentence


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({**{key: value for key, value in VLLM.items() if key != "mean_ttft_ms"}, "mean_ttft_s": 0.062}, "mean_ttft_s"),
        (VLLM | {"mean_ttft_ms": 62_000.0}, "62 s, and the whole run took 30 s"),
        (VLLM | {"mean_tpot_ms": "9.1"}, "mean_tpot_ms"),
        (VLLM | {"duration": 0}, "duration"),
        (VLLM | {"duration": -3}, "duration"),
        (VLLM | {"mean_ttft_ms": math.nan}, "mean_ttft_ms"),
        (VLLM | {"request_rate": 0}, "request_rate"),
        (LLAMA_BENCH | {"avg_ns": 64.0}, "avg_ts"),
        (LLAMA_BENCH | {"n_prompt": 0}, "n_prompt"),
        ({"benchmarks": [{**GUIDELLM["benchmarks"][0], "config": {"strategy": {"type_": "odd"}}}]}, "odd"),
    ],
)
def test_other_units_and_odd_values_are_refused_by_field(row, told):
    sentence = refusal(row)
    assert told in sentence
    assert sentence.count("; give ") == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        ("[]", "no result"),
        ("null", "no JSON object"),
        ("not json", "no JSON object"),
        ("[1, 2]", "entry 1"),
        ('{"a": 1}', "none of the known tools"),
        ('{"benchmarks": []}', "no benchmarks"),
        ('{"benchmarks": [null]}', "benchmark 1"),
        (json.dumps(VLLM | {"completed": 0}), "completed"),
        (json.dumps(SGLANG | {"completed": 0}), "completed"),
        (text(VLLM) + "\n{", "line 2"),
        ("[" * 100_000, "no JSON object"),
        ('{"benchmarks":' * 100_000, "no JSON object"),
    ],
)
def test_what_is_no_result_is_refused_with_a_sentence(content, told):
    assert told in refusal(content)


def test_a_report_in_which_nothing_succeeded_is_refused():
    empty = json.loads(json.dumps(GUIDELLM))
    empty["benchmarks"][0]["metrics"]["request_totals"]["successful"] = 0
    assert "succeeded" in refusal(empty)


def test_files_are_read_from_disk_and_refused_by_name(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(VLLM, indent=2))
    (tmp_path / "b.jsonl").write_bytes(text(SGLANG, ONE_BATCH).encode("utf-16"))
    assert len(read_files([tmp_path / "a.json", tmp_path / "b.jsonl"]).found) == 3
    with pytest.raises(ResultsError, match=r"'c\.json' cannot be used: it cannot be read"):
        read_files([tmp_path / "c.json"])
    (tmp_path / "left.json").write_text(json.dumps(LLAMA_BENCH | {"n_gpu_layers": 0}))
    with pytest.raises(ResultsError, match="processor"):
        read_files([tmp_path / "left.json"])

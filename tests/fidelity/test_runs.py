"""Runs of results files on the catalogue's deployments: what is taken from where, and what hardware cannot do."""

from __future__ import annotations

import json

import pytest

import servelab as sl
from servelab.errors import SpecError
from servelab.fidelity.results.found import ResultsError
from servelab.fidelity.results.reader import read_text
from servelab.fidelity.results.runs import Given, resolve_runs
from servelab.specs.result import Load, Result
from tests.fidelity.results_samples import GUIDELLM, LLAMA_BENCH, ONE_BATCH, SGLANG, VLLM, text

H100 = sl.Accelerator.load("h100-sxm-80gb")
LLAMA = sl.Model.load("llama-3.1-8b")


def resolved(*rows, **given):
    return resolve_runs(read_text(text(*rows), "run.jsonl"), Given(**given))


def test_what_a_file_says_becomes_a_deployment():
    (result,) = resolved(VLLM | {"gpu": "H100", "tp": 2}).results
    assert result.deployment == sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=2, engine="vllm")
    assert result.load == Load("closed_loop", 1024, 256, concurrency=16, requests=200)
    assert result.source == "'run.jsonl'"


def test_what_is_said_beside_it_comes_first():
    (result,) = resolved(
        SGLANG, accelerator=H100, model=LLAMA, engine="vllm", tensor_parallel=1, weights="fp8", kv_cache="fp8"
    ).results
    expected = sl.Deployment(LLAMA, H100, engine="vllm", weights="fp8", kv_cache="fp8")
    assert result.deployment == expected


def test_llama_bench_names_its_card_and_its_weights():
    answer = resolved(LLAMA_BENCH)
    deployment = answer.results[0].deployment
    assert (deployment.accelerator, deployment.engine) == (sl.Accelerator.load("rtx-4090"), "llama.cpp")
    assert deployment.weights == "int4"
    assert any("counted as int4" in remark for remark in answer.remarks)


@pytest.mark.parametrize(
    ("row", "given", "told"),
    [
        (VLLM, {}, "--accelerator"),
        (ONE_BATCH, {"accelerator": H100}, "--model"),
        (VLLM | {"backend": "openai-chat"}, {"accelerator": H100}, "--engine"),
        (GUIDELLM, {"accelerator": H100}, "--engine"),
        (VLLM | {"tp": 3}, {"accelerator": H100}, "tensor-parallel"),
        (VLLM | {"mean_tpot_ms": 0.0091}, {"accelerator": H100}, "the least that the hardware"),
        (VLLM | {"mean_ttft_ms": 0.062}, {"accelerator": H100}, "the least that the hardware"),
        (
            ONE_BATCH | {"prefill_latency": 210.0, "median_decode_latency": 8.4, "total_latency": 478.8},
            {"accelerator": H100, "model": LLAMA},
            "times what one request takes",
        ),
    ],
)
def test_what_is_missing_or_cannot_be_is_one_sentence(row, given, told):
    with pytest.raises(ResultsError) as caught:
        resolved(row, **given)
    assert told in caught.value.message
    assert "\n" not in caught.value.message


def test_a_deployment_too_large_for_a_plan_but_that_ran_is_checked_all_the_same():
    large = json.loads(json.dumps(VLLM)) | {
        "model_id": "meta-llama/Llama-3.1-70B-Instruct",
        "mean_tpot_ms": 45.0,
        "mean_ttft_ms": 300.0,
    }
    (result,) = resolved(large, accelerator=H100).results
    assert not sl.estimate(result.deployment, sl.Workload(1024, 256)).fits


@pytest.mark.parametrize(
    "fields",
    [
        {"regime": "burst"},
        {"regime": "static_batch"},
        {"regime": "closed_loop"},
        {"regime": "open_loop", "requests_per_s": 0.0},
        {"regime": "static_batch", "batch": 0},
        {"regime": "single_stream", "prompt_tokens": 1.5},
    ],
)
def test_a_load_says_what_its_regime_needs(fields):
    with pytest.raises(SpecError):
        Load(**{"prompt_tokens": 8, "output_tokens": 8} | fields)


@pytest.mark.parametrize("metrics", [{}, {"ttft_ms": 1.0}, {"ttft_s": 0.0}, {"tpot_s": float("nan")}, {"tpot_s": "1"}])
def test_a_result_holds_positive_figures_by_known_names(metrics):
    load = Load("static_batch", 8, 8, batch=1)
    with pytest.raises(SpecError) as caught:
        Result(sl.Deployment(LLAMA, H100), load, metrics)
    assert caught.value.field.startswith("metrics")


def test_requests_at_once_are_told_by_the_regime():
    assert Load("static_batch", 8, 8, batch=4).at_once == 4
    assert Load("single_stream", 8, 8).at_once == 1
    assert Load("closed_loop", 8, 8, concurrency=3).at_once == 3
    assert Load("open_loop", 8, 8, requests_per_s=3.0).at_once is None

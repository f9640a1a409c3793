"""`servelab memory`: what it prints, and how it refuses."""

from __future__ import annotations

import json

import pytest

import servelab as sl
from servelab.cli.main import main

ASKED = ("memory", "llama-3.1-8b", "h100-sxm-80gb", "--engine", "vllm")


@pytest.fixture
def run(capsys):
    def run(*arguments):
        status = main(list(arguments))
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_json_is_that_of_python(run):
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=2, kv_cache="fp8", engine="vllm")
    answer = sl.engine_memory(deployment, "vllm", gpu_memory_utilization=0.8, max_model_len=16_000)
    asked = ("--tp", "2", "--kv", "fp8", "--gpu-memory-utilization", "0.8", "--max-model-len", "16000", "--json")
    assert run(*ASKED, *asked) == (0, answer.to_json() + "\n", "")


def test_the_report_answers_in_gib(run):
    status, printed, _ = run(*ASKED, "--version", "0.11")
    assert status == 0
    assert "Does it start? Yes: 421,232 tokens of KV cache, 3.21 requests of 131,072 tokens at once." in printed
    assert "14.96 GiB" in printed
    assert "  --tp 2 " in printed


def test_a_start_that_is_refused_is_an_answer(run):
    status, printed, _ = run("memory", "qwen3-32b", "h100-sxm-80gb", "--max-model-len", "32000")
    assert status == 0
    assert "Does it start? No: max_model_len 32,000 needs 7.81 GiB of KV cache on each device" in printed
    assert "Any one of these is enough, the cheapest first:" in printed
    status, printed, _ = run("memory", "llama-3.1-405b", "rtx-3090")
    assert status == 0
    assert "out of memory while loading" in printed
    assert "No single change is enough" in printed


def test_eight_gpus_may_hold_copies_of_four_kv_heads(run):
    status, printed, _ = run("memory", "qwen3-235b-a22b", "h100-sxm-80gb", "--tp", "8", "--weights", "fp8")
    assert status == 0
    assert "8 devices share 4 KV heads" in printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--engine", "vlm"),
            "--engine: 'vlm' is not a known engine; did you mean vllm?",
        ),
        (
            ("--gpu-memory-utilization", "1.2"),
            "--gpu-memory-utilization: 1.2 is out of range; give a number above 0 up to 1",
        ),
        (("--version", "soon"), "--version: 'soon' is no version; give one such as 0.11 or 0.6.4.post1"),
        (("--version", "0.1"), "--version: '0.1' of vllm is too old; give 0.2 or later"),
        (
            ("--max-model-len", "0"),
            "--max-model-len: 0 is out of range; give a whole number from 1 to 1e+15",
        ),
        (
            ("--device-memory-bytes", "80 GB"),
            "--device-memory-bytes: '80 GB' is no number; give a number above 0 up to 1e+21",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(run, arguments, sentence):
    assert run(*ASKED, *arguments) == (2, "", sentence + "\n")


def test_a_simulation_takes_its_blocks_from_the_engine_that_is_named(run):
    asked = ("simulate", "llama-3.1-8b", "a100-sxm-80gb", "--requests", "20", "--json")
    limits = ("--max-num-seqs", "256", "--max-num-batched-tokens", "2048")
    status, printed, _ = run(*asked, *limits, "--engine", "sglang", "--block-size", "32")
    assert status == 0
    named = sl.engine_memory(sl.Deployment("llama-3.1-8b", "a100-sxm-80gb"), "sglang", max_num_batched_tokens=2048)
    assert json.loads(printed)["kv_blocks"] == named.kv_tokens // 32

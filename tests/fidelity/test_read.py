"""A text read from end to end: figures side by side, causes, remedies, and what is missing."""

from __future__ import annotations

import json

import pytest

import servelab as sl
from servelab.errors import SpecError
from servelab.fidelity.read import explain_log, read
from servelab.specs.accelerator import Accelerator
from tests.fidelity.samples import LLAMA_OLD, LOGS, SGLANG_5_TWO, V0_2, V0_6_4, V0_7_TWO, V1_11, V1_NEWEST

H100 = Accelerator.load("h100-sxm-80gb")


def causes(reading):
    return {cause.id for cause in reading.causes}


def line(reading, name):
    return next(line for line in reading.lines if line.name == name)


@pytest.mark.parametrize("name", LOGS)
def test_every_log_is_answered_and_written_as_json(name):
    reading = explain_log(LOGS[name], accelerator=H100)
    data = json.loads(reading.to_json())
    assert data["kind"] == "log"
    assert data["headline"].endswith(".")
    assert data["predicted"] is not None
    assert data["lines"]
    assert data == json.loads(json.dumps(reading.to_dict()))


def test_reported_figures_stand_beside_predicted_ones():
    reading = explain_log(V1_11, accelerator=H100)
    expected = sl.engine_memory(
        sl.Deployment("llama-3.1-8b", H100, engine="vllm"),
        version="0.11.0",
        max_model_len=16000,
        device_memory_bytes=79.18 * 2**30,
    )
    assert reading.predicted == expected
    tokens = line(reading, "kv_tokens")
    assert (tokens.reported, tokens.predicted) == (420896, expected.kv_tokens)
    assert tokens.difference_fraction == pytest.approx(420896 / expected.kv_tokens - 1)
    assert line(reading, "weights_bytes").difference_fraction == pytest.approx(0, abs=0.001)


def test_the_deployment_is_recovered():
    recovered = explain_log(V0_6_4).recovered
    assert (recovered.model, recovered.accelerator, recovered.engine) == ("llama-3.1-8b", "rtx-3090", "vllm")
    assert (recovered.tensor_parallel, recovered.max_model_len, recovered.max_num_seqs) == (1, 20000, 256)
    assert recovered.device_memory_bytes == pytest.approx(23.58 * 2**30)


def test_a_card_named_in_passing_is_the_accelerator():
    assert explain_log(V1_NEWEST).recovered.accelerator == "h100-sxm-80gb"
    assert explain_log(LOGS["llama.cpp of 2025"]).recovered.accelerator == "rtx-4090"


@pytest.mark.parametrize(
    ("name", "applies"),
    [
        ("vllm 0.2", {"too-long"}),
        ("vllm 0.6.4", {"long-profile", "weights"}),
        ("vllm 0.7.2, two ranks", {"per-device", "smallest-rank", "eager"}),
        ("vllm 0.11.0", {"large-pass", "graphs"}),
        ("vllm 0.21.0", {"weights", "graphs", "windows"}),
        ("vllm too long", {"too-long"}),
        ("vllm card taken", {"other-process"}),
        ("vllm no room", {"weights"}),
        ("vllm two ranks, coloured", {"per-device", "smallest-rank"}),
        ("llama.cpp of 2024", {"on-host"}),
    ],
)
def test_the_causes_that_apply_are_named(name, applies):
    assert applies <= causes(explain_log(LOGS[name], accelerator=H100))


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (("Initial free memory: 78.70", "Initial free memory: 41.20"), "other-process"),
        (("'gpu_memory_utilization': 0.9", "'gpu_memory_utilization': 0.5"), "kept-free"),
        (("14.9889 GiB", "29.9889 GiB"), "heavier"),
        (("0.13 GiB for non-torch", "8.29 GiB for non-torch"), "outside-torch"),
        (("enforce_eager=False", "enforce_eager=True"), "eager"),
        (("INFO 10-02 09:01:09", "Overriding num_gpu_blocks=26306 with num_gpu_blocks_override=100 "), "given-blocks"),
    ],
)
def test_a_cause_appears_with_its_figure_and_not_before(change, cause):
    changed = V1_11.replace("(78.70/79.18", "(41.20/79.18") if cause == "other-process" else V1_11
    if cause == "kept-free":
        changed = changed.replace("0.90 (util)", "0.50 (util)").replace("is (0.9,", "is (0.5,")
    if cause == "heavier":
        changed = changed.replace("14.99 GiB for weight", "29.99 GiB for weight")
    assert cause not in causes(explain_log(V1_11, accelerator=H100))
    assert cause in causes(explain_log(changed.replace(*change), accelerator=H100))


def test_a_refusal_names_the_context_that_would_fit():
    reading = explain_log(V0_2, accelerator=H100)
    assert reading.outcome == "too-long"
    assert "did not start" in reading.headline
    cause = next(cause for cause in reading.causes if cause.id == "too-long")
    assert cause.change == type(cause.change)("max_model_len", 10240)


def test_what_is_missing_is_named_with_its_flag():
    reading = explain_log(SGLANG_5_TWO.replace("Qwen/Qwen3-32B", "acme/unheard-of").replace("78.46", "61.00"))
    assert [missing.field for missing in reading.missing] == ["model", "accelerator"]
    assert all("--" in missing.sentence for missing in reading.missing)
    assert reading.predicted is None
    assert line(reading, "kv_tokens").reported == 294912


def test_pipeline_stages_are_said_to_be_left_out():
    reading = explain_log(V0_7_TWO.replace("tensor_parallel_size=2", "pipeline_parallel_size=2"))
    assert reading.predicted is None
    assert "pipeline stages" in reading.missing[0].sentence


def test_a_truncated_log_says_what_was_understood():
    start = V1_11[: V1_11.index("Model loading")]
    with pytest.raises(
        SpecError, match=r"understood so far: vLLM 0\.11\.0 V1, model meta-llama/Llama-3\.1-8B-Instruct"
    ):
        explain_log(start)
    with pytest.raises(SpecError, match="understood so far"):
        read(start)


@pytest.mark.parametrize("text", ["nothing of the kind\n" * 50, "ls -la /tmp", "key: value\n"])
def test_a_foreign_text_is_refused_in_one_sentence(text):
    with pytest.raises(SpecError) as refusal:
        read(text)
    assert refusal.value.message.count("\n") == 0
    assert "vLLM, SGLang or llama.cpp" in refusal.value.message


def test_the_text_is_recognised_by_itself():
    assert read(V1_11).kind == "log"
    assert read("vllm serve Qwen/Qwen3-8B").kind == "command"
    assert read(f"$ vllm serve Qwen/Qwen3-8B\n{LLAMA_OLD}").kind == "log"


def test_a_command_is_predicted_as_engine_memory_does():
    reading = read("vllm serve Qwen/Qwen3-8B --max-model-len 8192 --kv-cache-dtype fp8 -tp 2", accelerator=H100)
    deployment = sl.Deployment("qwen3-8b", H100, tensor_parallel=2, kv_cache="fp8", engine="vllm")
    assert reading.predicted == sl.engine_memory(deployment, max_model_len=8192)
    assert "would have" in reading.headline
    assert all(line.reported is None for line in reading.lines)


def test_settings_that_cannot_be_are_said_not_guessed():
    reading = read("vllm serve Qwen/Qwen3-8B --max-model-len lots", accelerator=H100)
    assert any("lots" in remark for remark in reading.remarks)
    with pytest.raises(SpecError, match="divide"):
        read("vllm serve Qwen/Qwen3-8B -tp 3", accelerator=H100)


def test_fewer_devices_than_asked_for_are_a_cause():
    reading = read("CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3-8B -tp 2", accelerator=H100)
    assert "too-few-devices" in causes(reading)

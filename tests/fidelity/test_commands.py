"""Commands, compose files and manifests read into a setup; nothing run, nothing opened."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servelab.errors import SpecError
from servelab.fidelity.commands import manifests, yamltext
from servelab.fidelity.commands.reader import read_command
from servelab.fidelity.commands.serving import read_arguments
from servelab.fidelity.setup import Setup


def told(text):
    return read_command(text)[1]


def setup(text):
    return Setup.of(told(text).fields)


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2 --max-model-len 32768 --enforce-eager",
        "vllm serve Qwen/Qwen3-8B --tensor_parallel_size=2 --max_model_len=32K --enforce-eager",
        "vllm serve Qwen/Qwen3-8B -tp 2 --max-model-l 32768 --enforce-e",
        "vllm serve \\\n  'Qwen/Qwen3-8B' \\\n  -tp 2 \\\n  --max-model-len \"32768\" \\\n  --enforce-eager\n",
        "$ python3 -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3-8B -tp=2 --max-model-len=32K --enforce-e",
        "export M=Qwen/Qwen3-8B TP=2\nvllm serve $M -tp ${TP} --max-model-len ${LEN:-32768} --enforce-eager 2>&1 | x",
        "cd /x && nohup /opt/bin/vllm serve Qwen/Qwen3-8B -tp 2 --max-model-len 32768 --enforce-eager > log 2>&1 &",
        'bash -lc "vllm serve Qwen/Qwen3-8B -tp 2 --max-model-len 32768 --enforce-eager"',
        "# serve it\nvllm serve Qwen/Qwen3-8B -tp 2 --max-model-len 32768 --enforce-eager # on two cards",
        "docker run --rm -it --gpus all -p 8000:8000 vllm/vllm-openai:latest \\\n --model Qwen/Qwen3-8B -tp 2 \\\n\
 --max-model-len 32768 --enforce-eager",
        "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2 --context-length 32768 --disable-cuda-graph",
    ],
)
def test_one_setup_in_many_spellings(text):
    found = setup(text)
    assert (found.model, found.tensor_parallel, found.max_model_len) == ("Qwen/Qwen3-8B", 2, 32768)
    assert found.enforce_eager is True
    assert told(text).unknown == ()


def test_flags_that_are_not_known_are_named_with_the_nearest():
    read = told("vllm serve m --gpu-memory-utilisation 0.8 --frobnicate --port 1")
    assert [(flag.flag, flag.value, flag.nearest) for flag in read.unknown] == [
        ("--gpu-memory-utilisation", "0.8", "--gpu-memory-utilization"),
        ("--frobnicate", None, None),
    ]
    assert any(flag.flag == "--port" and flag.field is None for flag in read.read)


def test_a_value_of_json_is_one_value():
    read = told(
        """vllm serve m --limit-mm-per-prompt '{"image": 2, "video": 1}' --speculative-config '{"model": "d"}' -tp 4"""
    )
    assert read.fields["tensor_parallel"] == "4"
    assert read.fields["model"] == "m"
    assert any("draft model" in what for what in read.not_modelled)


def test_a_secret_is_not_repeated():
    read = told("vllm serve m --api-key sk-verysecret")
    assert "sk-verysecret" not in repr(read)


def test_a_variable_that_the_text_does_not_set_is_said():
    read = told("vllm serve $MODEL --max-model-len ${LEN}")
    assert len(read.remarks) == 2
    assert "model" not in read.fields


def test_nothing_is_run_and_no_file_is_opened(tmp_path, monkeypatch):
    script = tmp_path / "made"
    named = tmp_path / "config.json"
    named.write_text("{}")
    monkeypatch.setattr("builtins.open", lambda *_, **__: pytest.fail("a file was opened"))
    read = told(f"vllm serve $(touch {script}) --config {named} ; touch {script}; `touch {script}`")
    assert read is not None
    assert not script.exists()


def test_containers_tell_version_devices_and_environment():
    found = setup(
        """docker run --gpus '"device=0,1"' --env VLLM_USE_V1=0 --env=CUDA_VISIBLE_DEVICES=0 """
        "vllm/vllm-openai:v0.8.5.post1 --model Qwen/Qwen3-8B"
    )
    assert (found.version, found.devices, found.generation) == ("0.8.5.post1", 1, "V0")
    assert setup("docker run --gpus 4 lmsysorg/sglang:v0.5.2 python3 -m sglang.launch_server --model m").devices == 4


COMPOSE = """\
x-shared: &shared
  environment:
    CUDA_VISIBLE_DEVICES: "2,3"
services:
  web: {image: nginx}
  llm:
    <<: *shared
    image: vllm/vllm-openai:v0.9.2
    command: >
      --model mistralai/Mistral-7B-Instruct-v0.3
      --max-model-len 8192 --gpu-memory-utilization 0.8
    deploy:
      resources:
        reservations:
          devices: [{driver: nvidia, count: 4, capabilities: [gpu]}]
"""

MANIFEST = """\
apiVersion: v1
kind: Service
---
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
      containers:
        - name: server
          image: vllm/vllm-openai:v0.10.1
          command: ["/bin/sh", "-c"]
          args: ["vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size 4 --quantization fp8"]
          env: [{name: VLLM_USE_V1, value: "1"}]
          resources: {limits: {nvidia.com/gpu: "4"}}
"""

VALUES = """\
servingEngineSpec:
  modelSpec:
    - name: small
      modelURL: meta-llama/Llama-3.1-8B-Instruct
      requestGPU: 1
      requestGPUType: NVIDIA-A100-SXM4-80GB
      vllmConfig:
        maxModelLen: 16384
        tensorParallelSize: 1
        extraArgs: ["--gpu-memory-utilization", "0.85", "--no-such-thing"]
    - name: large
      modelURL: Qwen/Qwen3-32B
      vllmConfig: {maxModelLen: 4096}
"""


def test_a_compose_file():
    kind, read = read_command(COMPOSE)
    found = Setup.of(read.fields)
    assert kind == "compose"
    assert (found.model, found.max_model_len, found.version) == ("mistralai/Mistral-7B-Instruct-v0.3", 8192, "0.9.2")
    assert found.devices == 2, "the merged environment shows two of the four"


def test_a_kubernetes_manifest():
    kind, read = read_command(MANIFEST)
    found = Setup.of(read.fields)
    assert kind == "kubernetes"
    assert (found.tensor_parallel, found.quantization, found.devices) == (4, "fp8", 4)
    assert found.gpu == "NVIDIA-H100-80GB-HBM3"


def test_helm_values_hold_several_servers():
    kind, read = read_command(VALUES)
    found = Setup.of(read.fields)
    assert kind == "values"
    assert (found.model, found.max_model_len, found.gpu_memory_utilization) == (
        "meta-llama/Llama-3.1-8B-Instruct",
        16384,
        0.85,
    )
    assert [flag.flag for flag in read.unknown] == ["--no-such-thing"]
    assert read.commands == 2
    assert "2 servers" in read.remarks[-1]


def test_a_container_as_json_and_a_file_of_settings():
    inspected = '[{"Config": {"Image": "x/sglang:v0.5.2", "Cmd": ["python", "-m", "sglang.launch_server", "--tp=2"]}}]'
    assert setup(inspected).tensor_parallel == 2
    assert setup("model: Qwen/Qwen3-8B\ntensor-parallel-size: 2\n").tensor_parallel == 2


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve 'unclosed",
        "command: {{ .Values.x }",
        "a: [" + "[" * 500,
        "a:\n  " + "- " * 3000 + "b",
        "x" * 200_000 + " vllm serve m",
    ],
)
def test_what_cannot_be_taken_apart_is_refused_in_one_sentence(text):
    with pytest.raises(SpecError) as refusal:
        read_command(text)
    assert "\n" not in refusal.value.message


def test_aliases_cannot_multiply():
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 12)
    )
    with pytest.raises(SpecError):
        yamltext.documents(bomb)


@pytest.mark.parametrize("text", ["x: &a\n  b: *a\n", "x: &a [*a, y]\n", "x: &a {b: {c: [d, *a]}}\n"])
def test_an_alias_within_what_it_stands_for_is_refused_by_name(text):
    with pytest.raises(SpecError, match=r"an alias \*'a' within what it stands for"):
        yamltext.documents(text)


def test_a_long_text_behind_an_alias_counts_by_its_length():
    word = "x" * 100_000
    assert yamltext.documents(f"a: &a {word}\nb: *a\n") == [{"a": word, "b": word}]
    with pytest.raises(SpecError, match="aliases included"):
        yamltext.documents(f"a: &a {word}\nb: [{', '.join(['*a'] * 20)}]\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("A=0123456789\n" + "A=$A$A\n" * 40 + "vllm serve m", "more than 1,000,000 characters"),
        (f"A={'x' * 2_000}\nvllm serve m " + "$A " * 1_000, "more than 1,000,000 characters"),
        ("".join(f"V{index}=1\n" for index in range(1_001)) + "vllm serve m", "more than 1,000 variables"),
        (" ".join(f"V{index}=1" for index in range(1_001)) + " vllm serve m", "more than 1,000 variables"),
    ],
)
def test_variables_cannot_multiply(text, why):
    with pytest.raises(SpecError, match=why):
        read_command(text)


def test_of_many_commands_the_first_is_read_and_all_are_counted(monkeypatch):
    words = []
    monkeypatch.setattr("servelab.fidelity.commands.reader.read_arguments", counting(read_arguments, words))
    assert told("vllm serve m -tp 2\n" * 500).commands == 500
    assert words == [["m", "-tp", "2"]]


def counting(function, seen):
    def counted(grammar, arguments, variables):
        seen.append(list(arguments))
        return function(grammar, arguments, variables)

    return counted


def test_flags_that_are_too_many_are_said_to_be_left_out():
    assert told("vllm serve m" + " --headless" * 399).remarks == ()
    (remark,) = told("vllm serve m" + " --headless" * 400).remarks
    assert "more than 400 flags" in remark


def test_the_card_of_a_container_is_its_own_else_the_first_that_the_document_names():
    pod = "{image: vllm/vllm-openai, args: [--model, m]%s}"
    text = f"kind: Pod\nspec: [{pod % ', gpuType: L4'}, {pod % ''}]\nnodeSelector: {{gpu_type: H100}}\n"
    first, second = manifests.containers(text)
    assert (first.variables["GPU"], second.variables["GPU"]) == ("L4", "H100")


@given(st.text(max_size=400))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(SpecError):
        read_command(text)


WORDS = "vllm serve --model -tp 2 = '{\"a\":1}' docker run -e --gpus all $X ; | \\\n # a: - [ ] & *"


@given(st.lists(st.sampled_from(WORDS.split(" "))))
def test_any_words_are_read_or_refused(words):
    with contextlib.suppress(SpecError):
        read_command(" ".join(words))

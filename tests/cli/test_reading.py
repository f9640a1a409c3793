"""`servelab explain-log`, `read` and `command` on the command line."""

from __future__ import annotations

import json

import pytest

from servelab.cli.main import main
from servelab.fidelity.read import LONGEST_BYTES
from tests.fidelity.samples import LOGS, V1_11

CARD = ("--accelerator", "h100-sxm-80gb")


def run(capsys, *arguments):
    status = main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "server.log"
    path.write_text(V1_11, encoding="utf-8")
    return path


def test_a_log_is_explained(capsys, log):
    status, out, err = run(capsys, "explain-log", str(log), *CARD)
    assert (status, err) == (0, "")
    for words in ("51.38 GiB", "420,896", "reported", "predicted", "Where the memory went:", "What to change:"):
        assert words in out


def test_as_json_it_is_the_reading_and_nothing_else(capsys, log):
    status, out, _ = run(capsys, "explain-log", str(log), *CARD, "--json")
    data = json.loads(out)
    assert status == 0
    assert data["recovered"]["model"] == "llama-3.1-8b"
    assert out.count("\n") == 1


@pytest.mark.parametrize("name", LOGS)
def test_every_version_prints(capsys, tmp_path, name):
    path = tmp_path / "x.log"
    path.write_text(LOGS[name], encoding="utf-16" if "llama" in name else "utf-8")
    status, out, err = run(capsys, "explain-log", str(path))
    assert (status, err) == (0, "")
    assert out.strip()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a foreign log\n", "give the log from the server's first line on"),
        (V1_11[:600], "understood so far: vLLM 0.11.0"),
        ("", "vLLM, SGLang or llama.cpp"),
    ],
)
def test_what_cannot_be_answered_is_one_sentence_and_status_2(capsys, tmp_path, content, words):
    path = tmp_path / "x.log"
    path.write_text(content, encoding="utf-8")
    status, out, err = run(capsys, "explain-log", str(path))
    assert (status, out) == (2, "")
    assert words in err
    assert err.startswith("FILE: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["no-such-file.log", ".", "a\0b"])
def test_a_file_that_cannot_be_read(capsys, name):
    status, out, err = run(capsys, "explain-log", name)
    assert (status, out) == (2, "")
    assert err.startswith("FILE: ")


def test_a_command_is_read(capsys):
    status, out, _ = run(capsys, "read", "vllm serve Qwen/Qwen3-8B --max-model-len 8k --frob 3", *CARD)
    assert status == 0
    for words in ("would have", "8,000", "--frob", "predicted"):
        assert words in out
    assert "reported" not in out


def test_without_an_accelerator_it_says_which_flag_to_give(capsys):
    status, out, _ = run(capsys, "read", "vllm serve Qwen/Qwen3-8B")
    assert status == 0
    assert "give --accelerator" in out


def test_a_file_is_read_where_one_is_named(capsys, log):
    assert run(capsys, "read", str(log), *CARD)[1] == run(capsys, "explain-log", str(log), *CARD)[1]


def test_a_model_given_by_hand_replaces_the_one_named(capsys):
    _, out, _ = run(capsys, "read", "vllm serve acme/secret", "--model", "qwen3-8b", *CARD, "--json")
    data = json.loads(out)
    assert data["missing"] == []
    assert data["predicted"]["kv_tokens"] > 0


def test_a_command_is_written_with_its_flags_explained(capsys):
    status, out, _ = run(capsys, "command", "llama-3.1-8b", "h100-sxm-80gb", "--max-model-len", "16000", "--kv", "fp8")
    assert status == 0
    assert out.startswith("vllm serve meta-llama/Llama-3.1-8B")
    assert "--kv-cache-dtype fp8" in out
    assert "longest context of one request" in out
    assert "tokens" in out.splitlines()[-1]
    _, out, _ = run(capsys, "command", "llama-3.1-8b", "h100-sxm-80gb", "--json")
    assert json.loads(out)["engine"] == "vllm"


def test_a_log_that_is_too_long_is_refused_by_its_length(tmp_path, capsys):
    long = tmp_path / "long.log"
    with long.open("wb") as file:
        file.truncate(LONGEST_BYTES + 1)
    assert main(["explain-log", str(long)]) == 2
    assert "has more than 64,000,000 bytes" in capsys.readouterr().err

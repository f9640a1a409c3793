"""The command line, as a function: what it prints and where, and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import click
import pytest

import servelab as sl
from servelab.cli.main import cli, main

EIGHT_B = ("estimate", "llama-3.1-8b", "h100-sxm-80gb")


@pytest.fixture
def run(capsys):
    def run(*arguments):
        status = main(list(arguments))
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_json_is_that_of_python(run):
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=2, weights="int4", kv_cache="fp8")
    expected = sl.estimate(deployment, sl.Workload(4000, 100, batch=3)).to_json()
    flags = [
        "--tp",
        "2",
        "--weights",
        "int4",
        "--kv",
        "fp8",
        "--prompt",
        "4000",
        "--output",
        "100",
        "--batch",
        "3",
        "--json",
    ]
    assert run(*EIGHT_B, *flags) == (0, expected + "\n", "")


def test_numbers_are_canonical_however_written(run):
    plain = run(*EIGHT_B, "--prompt", "2000", "--reserve-bytes", "3000000000", "--json")
    assert run(*EIGHT_B, "--prompt-tokens", "2e3", "--reserve-bytes", "3e9", "--json") == plain
    assert run(*EIGHT_B, "--prompt", "2,000", "--reserve-bytes", "3_000_000_000.0", "--json") == plain


def test_the_report_answers_the_questions(run):
    status, text, errors = run(*EIGHT_B, "--batch", "16")
    assert (status, errors) == (0, "")
    for words in (
        "Will it fit? Yes.",
        "541 ms",
        "7.00 ms",
        "1,760 tok/s",
        "bound by memory bandwidth",
        "not a benchmark",
    ):
        assert words in text


def test_what_does_not_fit_says_what_would_and_nothing_of_speed(run):
    status, text, _ = run("estimate", "llama-3.1-70b", "h100-sxm-80gb")
    assert status == 0
    assert "Will it fit? No: 63.7 GB too much" in text
    assert "--tp 2" in text
    assert "--weights int4" in text
    assert "tok/s" not in text
    assert " ms" not in text


def test_an_unknown_rate_is_asked_for(run):
    _, text, _ = run("estimate", "llama-3.2-1b", "rtx-3090")
    assert "give accelerator.flop_per_s.bf16" in text


COMMANDS = (
    "estimate",
    "simulate",
    "memory",
    "lab",
    "explain-log",
    "read",
    "command",
    "calibrate",
    "accuracy",
    "models",
    "accelerators",
)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*EIGHT_B, "--batch", "0"), "--batch: 0 is out of range; give a whole number from 1 to 1e+15"),
        ((*EIGHT_B, "--batch", "-1"), "--batch: -1 is out of range; give a whole number from 1 to 1e+15"),
        ((*EIGHT_B, "--batch", "nan"), "--batch: nan is out of range; give a whole number from 1 to 1e+15"),
        ((*EIGHT_B, "--batch", "1e30"), "--batch: 1e+30 is out of range; give a whole number from 1 to 1e+15"),
        ((*EIGHT_B, "--batch", "many"), "--batch: 'many' is no number; give a whole number from 1 to 1e+15"),
        ((*EIGHT_B, "--prompt", ""), "--prompt: '' is no number; give a whole number from 1 to 1e+15"),
        ((*EIGHT_B, "--tp", "3"), "--tp: 3 does not divide the 32 query heads; use 1, 2, 4 or 8"),
        ((*EIGHT_B, "--kv", "fp4"), "--kv: 'fp4' is not a known KV cache format; use bf16, fp8 or int8"),
        ((*EIGHT_B, "--link-utilization", "2"), "--link-utilization: 2 is out of range; give a number above 0 up to 1"),
        (("estimate", "llama", "h100"), "MODEL: 'llama' is not a known model; did you mean llama-7b?"),
        (
            ("estimate", "llama-3.1-8b", "h100"),
            "ACCELERATOR: 'h100' is not a known accelerator; did you mean h100-sxm-80gb?",
        ),
        (("estimate", "llama-3.1-8b"), "Missing argument 'ACCELERATOR'; see `servelab estimate --help`"),
        (
            ("frobnicate",),
            f"'frobnicate' is not a known command; use {', '.join(COMMANDS[:-1])} or {COMMANDS[-1]}",
        ),
        (("estimte",), "'estimte' is not a known command; did you mean estimate?"),
        (
            ("--port", "99999"),
            "Invalid value for '--port': 99999 is not in the range 0<=x<=65535; see `servelab --help`",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(run, arguments, sentence):
    assert run(*arguments) == (2, "", sentence + "\n")


def test_a_mistyped_option_suggests(run):
    status, text, errors = run(*EIGHT_B, "--btach", "2")
    assert (status, text) == (2, "")
    assert "--batch" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("content", ["[" * 10_000, "{}", "3", "not json"])
def test_a_bad_config_is_one_sentence(run, tmp_path, content):
    file = tmp_path / "config.json"
    file.write_text(content)
    status, text, errors = run("estimate", str(file), "h100-sxm-80gb", "--json")
    assert (status, text) == (2, "")
    assert errors.startswith("MODEL: ")
    assert errors.count("\n") == 1


def test_a_config_of_ones_own(run, tmp_path):
    config = {
        "model_type": "llama",
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 14336,
        "vocab_size": 128256,
        "max_position_embeddings": 131072,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    status, text, _ = run("estimate", str(tmp_path), "h100-sxm-80gb", "--json")
    assert status == 0
    assert json.loads(text)["deployment"]["model"]["parameters"] == 8_030_261_248


@pytest.mark.parametrize("kind", ["models", "accelerators"])
def test_the_catalogue_is_a_table_or_json(run, kind):
    status, text, _ = run(kind)
    assert status == 0
    rows = json.loads(run(kind, "--json")[1])[kind]
    assert [line.split()[0] for line in text.splitlines()] == ["id", *(row["id"] for row in rows)]


def test_ctrl_c_exits_130(run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("servelab.api.estimate", interrupt)
    assert run(*EIGHT_B)[0] == 130


def test_a_reader_that_leaves_early_is_no_error():
    command = f"{sys.executable} -m servelab accelerators --json | head -c 1"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "{", "")


@pytest.mark.parametrize("number", ["0,001", "1,5", "1,2,3", "__1", "1__0", "1,000,00", "0x10", "١"])
def test_a_comma_that_parts_no_thousands_is_refused(run, number):
    status, _, errors = run(*EIGHT_B, "--reserve-bytes", number, "--json")
    if number == "١":
        assert (status, errors) == (0, "")  # a digit, as Python reads it
        return
    assert status == 2
    assert "is no number" in errors


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp437", "koi8-r", "ascii"])
def test_any_encoding_can_be_printed_in(encoding):
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "servelab", *EIGHT_B]
    result = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"Will it fit? Yes." in result.stdout


def test_output_that_cannot_be_written_is_one_sentence():
    command = f"{sys.executable} -m servelab models > /dev/full"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("the output cannot be written (")
    assert result.stderr.count("\n") == 1


def test_every_command_and_option_has_help():
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    listed = " ".join(cli.get_help(context).split())
    for name, command in commands.items():
        first_line = command.help.splitlines()[0]
        assert f" {name} {first_line}" in listed
    for command in (cli, *commands.values()):
        assert command.help
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{command.name} {parameter.opts}"


def test_estimating_imports_neither_server_nor_numpy():
    code = (
        "import sys; from servelab.cli.main import main; "
        "main(['estimate', 'llama-3.1-8b', 'h100-sxm-80gb', '--json']); "
        "print([name for name in ('fastapi', 'pydantic', 'uvicorn', 'numpy') if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"


def test_a_model_is_shown_with_its_groups_and_what_no_figure_counts(run):
    status, text, errors = run("models", "deepseek-ai/DeepSeek-V3.2")
    assert (status, errors) == (0, "")
    for words in (
        "671,877,944,064, 38,403,822,336 for a token",
        "fp8, 674 GB",
        "MTP layer",
        "78,080 B in bf16",
        "8 of 256 + 1",
        "drafting with the MTP layers",
        "Read in ai-dynamo/aiconfigurator",
    ):
        assert words in text


def test_a_model_of_ones_own_is_shown(run, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(
        '{"model_type": "new", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1,'
        '"intermediate_size": 8, "vocab_size": 10}'
    )
    _, text, _ = run("models", str(file))
    assert "Assumed:\n  model_type 'new' is not known" in text
    data = json.loads(run("models", str(file), "--json")[1])
    assert data["entry"] is None
    assert data["understood"]["groups"][0]["attention"] == "MHA"


def test_an_accelerator_is_shown_with_sources_and_what_is_unknown(run):
    _, text, _ = run("accelerators", "h20-96gb")
    assert "flop_per_s.fp16           148 TFLOP/s  willitrunai" in text
    assert "Unknown: flop_per_s.bf16, flop_per_s.fp8, memory_reported_bytes, price_usd_per_hour" in text
    data = json.loads(run("accelerators", "h20-96gb", "--json")[1])
    assert data["unknown"] == ["flop_per_s.bf16", "flop_per_s.fp8", "memory_reported_bytes", "price_usd_per_hour"]


@pytest.mark.parametrize(
    ("arguments", "first_column"),
    [
        (("models", "--filter", "qwen3.5 mixture"), ["qwen3.5-35b-a3b", "qwen3.5-122b-a10b", "qwen3.5-397b-a17b"]),
        (("models", "--family", "gpt-oss", "--fits", "20 GB"), ["gpt-oss-20b"]),
        (("accelerators", "--vendor", "AMD", "--fits", "llama-3.1-70b"), ["mi300x", "mi325x", "mi355x"]),
        (("accelerators", "--filter", "tpu v5"), ["tpu-v5e", "tpu-v5p"]),
    ],
)
def test_the_catalogue_is_filtered(run, arguments, first_column):
    _, text, _ = run(*arguments)
    assert [line.split()[0] for line in text.splitlines()[1:]] == first_column


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("models", "gpt-5"), "MODEL: 'gpt-5' is not a known model; did you mean"),
        (("models", "--fits", "80"), "--fits: '80' is no quantity in B; write a number and a unit"),
        (("accelerators", "--fits", "no-such"), "'no-such' is not a known model"),
        (("accelerators", "./nowhere.toml"), "ACCELERATOR: no file"),
    ],
)
def test_a_bad_question_to_the_catalogue(run, arguments, sentence):
    status, text, errors = run(*arguments)
    assert (status, text) == (2, "")
    assert sentence in errors
    assert errors.count("\n") == 1


def test_a_bad_field_of_a_file_is_named_after_its_argument(run, tmp_path):
    card = tmp_path / "card.toml"
    card.write_text('name = "Card"\nbandwidth_bytes_per_s = 1')
    assert run("estimate", "llama-3.1-8b", str(card))[2].startswith("ACCELERATOR (memory_bytes): nothing given")


def test_against_says_why(run):
    status, text, errors = run(*EIGHT_B, "--batch", "16", "--weights", "int4", "--against", "--weights bf16")
    assert (status, errors) == (0, "")
    assert text.startswith("Decode reads 6.65 GB instead of 18.5 GB a step; it was memory-bound and still is")
    assert "weights: bf16 → int4" in text
    assert "2.7× lower" in text


def test_against_as_json_is_that_of_python(run):
    flags = ("--batch", "16", "--json", "--against", "--accelerator a100-sxm-80gb --batch 8")
    before = sl.estimate(sl.Deployment("llama-3.1-8b", "a100-sxm-80gb"), sl.Workload(1024, 256, batch=8))
    after = sl.estimate(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), sl.Workload(1024, 256, batch=16))
    assert run(*EIGHT_B, *flags) == (0, sl.explain(before, after).to_json() + "\n", "")


@pytest.mark.parametrize(
    "text", ["--weights int3", "--btch 2", "'", "--batch", "--batch 0", "--model nothing", "stray"]
)
def test_bad_options_to_compare_with(run, text):
    status, printed, errors = run(*EIGHT_B, "--against", text)
    assert (status, printed) == (2, "")
    assert errors.count("\n") == 1

"""`servelab calibrate` on the command line, from files to a profile that a deployment takes."""

from __future__ import annotations

import json

import pytest

import servelab as sl
from servelab.cli.main import main
from servelab.specs.profile import Profile
from tests.fidelity.results_samples import LLAMA_BENCH, VLLM, text

CARD = ("--accelerator", "h100-sxm-80gb")


def run(capsys, *arguments):
    status = main(["calibrate", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def results(tmp_path):
    """Runs of one request at a time, which are told without the simulator."""
    path = tmp_path / "runs.jsonl"
    alone = VLLM | {"max_concurrency": 1, "output_throughput": 135.0}
    path.write_text(
        text(
            alone | {"mean_ttft_ms": 31.0, "mean_tpot_ms": 7.2},
            alone | {"mean_ttft_ms": 60.0, "mean_tpot_ms": 7.3, "total_input_tokens": 2 * 204800},
        )
    )
    return str(path)


def test_a_profile_is_written_that_a_deployment_takes(capsys, results, tmp_path):
    target = tmp_path / "mine.toml"
    status, out, err = run(capsys, results, *CARD, "-o", str(target))
    assert (status, err) == (0, "")
    for words in (
        "6 figures of 2 runs",
        "Median error",
        "the textbook's is",
        "What to measure next",
        "vllm bench serve",
    ):
        assert words in out
    profile = Profile.load(target)
    assert profile.rows == 6
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", engine="vllm", profile=str(target))
    tpot_s = sl.estimate(deployment, sl.Workload(1024, 256)).tpot_s
    assert tpot_s == pytest.approx(0.0072, rel=0.1)
    assert main(["estimate", "llama-3.1-8b", "h100-sxm-80gb", "--engine", "vllm", "--profile", str(target)]) == 0
    assert "Calibrated" in capsys.readouterr().out


def test_as_json_it_is_the_answer_and_nothing_else(capsys, results):
    status, out, _ = run(capsys, results, *CARD, "--json")
    answer = json.loads(out)
    assert status == 0
    assert out.count("\n") == 1
    assert answer["fitted_error_fraction"] <= answer["textbook_error_fraction"]
    assert len(answer["figures"]) == 6
    assert answer["next_runs"]


def test_what_is_left_out_is_told_with_the_reason(capsys, results, tmp_path):
    other = tmp_path / "bench.json"
    other.write_text(json.dumps([LLAMA_BENCH | {"n_gpu_layers": 0}]))
    out = run(capsys, results, str(other), *CARD)[1]
    assert "Left out:\n  entry 1 of 'bench.json': it ran on the processor" in out


@pytest.mark.parametrize(
    ("content", "arguments", "told"),
    [
        (text({key: value for key, value in VLLM.items() if key != "mean_tpot_ms"}), CARD, "mean_tpot_ms"),
        (text(VLLM | {"mean_tpot_ms": 0.0072}), CARD, "the least that the hardware"),
        (text(VLLM | {"completed": 0}), CARD, "completed"),
        ("[]", CARD, "no result"),
        ("", CARD, "is empty"),
        (text(VLLM), (), "--accelerator"),
        (text(VLLM), ("--accelerator", "h100-sxm-80"), "did you mean"),
        (text(VLLM), (*CARD, "--weights", "fp7"), "fp7"),
        (text(VLLM | {"tp": 3}), CARD, "tensor-parallel"),
        (text(VLLM | {"max_concurrency": 1}, VLLM | {"backend": "sglang"}), CARD, "one engine"),
    ],
)
def test_bad_results_are_one_sentence_and_exit_2(capsys, tmp_path, content, arguments, told):
    path = tmp_path / "run.json"
    path.write_text(content)
    status, out, err = run(capsys, str(path), *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert told in err


def test_a_profile_that_cannot_be_written_is_refused_by_its_flag(capsys, results, tmp_path):
    status, _, err = run(capsys, results, *CARD, "-o", str(tmp_path / "no" / "where.toml"))
    assert (status, err.startswith("--output: ")) == (2, True)
    assert run(capsys)[0] == 2

"""`servelab simulate`: the same run as Python's, files, refusals, and what a fresh process loads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import servelab as sl
from servelab.cli.main import main
from servelab.cli.simulation_report import sparkline

ON_H100 = ("simulate", "llama-3.1-8b", "h100-sxm-80gb")


@pytest.fixture
def run(capsys):
    def run(*arguments):
        status = main([*ON_H100, *arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_json_is_that_of_python(run):
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", kv_cache="fp8")
    traffic = sl.Traffic.poisson(20, 50, sl.Lengths.uniform(100, 300), sl.Lengths.exponential(60), seed=3)
    scheduler = sl.Scheduler(policy="continuous", max_num_seqs=None, kv_blocks=300)
    expected = sl.simulate(deployment, traffic, scheduler, ttft_target_s=0.5).to_json()
    flags = (
        "--rate 20 --requests 50 --prompt uniform:100:300 --output exponential:60 --seed 3 --kv fp8 --policy continuous"
    )
    more = "--max-num-seqs none --kv-blocks 300 --ttft-target 0.5 --json"
    assert run(*flags.split(), *more.split()) == (0, f"{expected}\n", "")


def test_a_trace_is_replayed(run, tmp_path):
    (tmp_path / "trace.csv").write_text("arrival_s,input_tokens,output_tokens\n0,100,5\n1,200,6\n")
    status, out, _ = run("--trace", str(tmp_path / "trace.csv"), "--json")
    assert status == 0
    assert json.loads(out)["summary"]["makespan_s"] > 1
    status, _, err = run("--trace", str(tmp_path / "trace.csv"), "--clients", "3")
    assert status == 2
    assert "a trace has its own arrivals" in err


def test_the_report_says_where_the_time_went(run):
    flags = "--rate 40 --requests 300 --kv-blocks 400 --prompt 500 --output 100 --ttft-target 1"
    status, out, err = run(*flags.split())
    assert (status, err) == (0, "")
    for words in (
        "time to first token",
        "preemptions",
        "within targets",
        "KV blocks",
        "at the p99 rank waited",
        "not a benchmark",
    ):
        assert words in out


def test_files_are_written_where_asked(run, tmp_path):
    names = {"--csv": "r.csv", "--parquet": "r.parquet", "--timeline": "t.csv", "--perfetto": "p.json"}
    flags = [part for flag, name in names.items() for part in (flag, str(tmp_path / name))]
    assert run("--requests", "5", *flags)[0] == 0
    assert all((tmp_path / name).stat().st_size > 100 for name in names.values())


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--prompt uniform:9", "'uniform:9' is no length; give tokens"),
        ("--prompt 0", "0 is out of range"),
        ("--output exponential:-3", "-3"),
        ("--rate 0", "--rate: 0 is out of range"),
        ("--requests 0", "--requests: 0 is out of range"),
        ("--policy fifo", "--policy: 'fifo' is not a known policy"),
        ("--max-num-seqs 0", "--max-num-seqs: 0 is out of range"),
        ("--trace missing.csv", "--trace: 'missing.csv' cannot be used"),
        ("--rate 5 --clients 3", "--clients"),
        ("--ttft-target -1", "--ttft-target: -1.0 is out of range"),
        ("--requests 3 --csv /nowhere/at/all.csv", "--csv: '/nowhere/at/all.csv' cannot be written"),
        ("--weights fp32 --reserve-bytes 60e9", "the weights leave no room for a cache"),
    ],
)
def test_bad_input_is_one_sentence_that_names_the_flag(run, flags, words):
    status, out, err = run(*flags.split())
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.thorough
def test_a_short_run_never_loads_numba_and_help_never_numpy():
    code = (
        "import sys; from servelab.cli.main import main; main({}); "
        "print([m for m in ('numpy', 'numba') if m in sys.modules])"
    )
    for arguments, loaded in (
        ([*ON_H100, "--requests", "1000", "--output", "8"], "['numpy']"),
        (["simulate", "--help"], "[]"),
        (["estimate", "llama-3.1-8b", "h100-sxm-80gb"], "[]"),
    ):
        out = subprocess.run([sys.executable, "-c", code.format(arguments)], capture_output=True, text=True, check=True)
        assert out.stdout.splitlines()[-1] == loaded


@pytest.mark.thorough
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_a_long_run_cleanly(tmp_path):
    arguments = ("--requests", "200000", "--rate", "20", "--prompt", "2000", "--max-prefill-tokens-per-step", "1")
    begin = "import sys; from servelab.cli.main import main; print('begins', flush=True); sys.exit(main({}))"
    command = [sys.executable, "-c", begin.format([*ON_H100, *arguments])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begins\n"
        time.sleep(4)  # it is in the middle of it on most machines, and still at its beginning on a slow one
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err


def test_sparklines_span_from_blank_to_full():
    assert sparkline([0, 1, 4, 8]) == " ▁▄█"
    assert sparkline([0, 0]) == "  "

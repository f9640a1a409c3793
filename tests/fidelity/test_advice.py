"""What a calibration says to measure next: more of what is open, less where it was measured."""

from __future__ import annotations

import numpy as np
import pytest

import servelab as sl
from servelab.fidelity.advice import next_runs
from servelab.fidelity.calibrate import fitted_to
from servelab.specs.result import Load, Result

DEPLOYMENT = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", engine="vllm")


def run(prompt, batch, **metrics):
    return Result(DEPLOYMENT, Load("static_batch", prompt, 128, batch=batch), metrics, f"{prompt} × {batch}")


FEW = [run(1024, 1, ttft_s=0.03, tpot_s=0.0068), run(1024, 8, ttft_s=0.19, tpot_s=0.0073)]


@pytest.fixture(scope="module")
def few():
    return fitted_to(FEW)


def test_each_run_narrows_what_the_one_before_left(few):
    advised = next_runs(few, FEW)
    assert 1 <= len(advised) <= 3
    for metric in range(2):
        widths = [(one.narrows[metric].before_fraction, one.narrows[metric].after_fraction) for one in advised]
        assert all(after < before for before, after in widths)
        assert [before for before, _ in widths[1:]] == pytest.approx([after for _, after in widths[:-1]])


def test_what_was_measured_is_not_advised_again(few):
    done = {(result.load.prompt_tokens, result.load.batch) for result in FEW}
    assert not done & {(one.load.prompt_tokens, one.load.batch) for one in next_runs(few, FEW)}


def test_a_run_that_is_measured_narrows_as_was_said(few):
    (first, *_) = next_runs(few, FEW)
    load = first.load
    estimate = sl.estimate(
        sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", engine="vllm", profile=few.profile),
        sl.Workload(load.prompt_tokens, load.output_tokens, batch=load.batch),
    )
    measured = run(load.prompt_tokens, load.batch, ttft_s=estimate.ttft_s, tpot_s=estimate.tpot_s)
    more = fitted_to([*FEW, measured])
    assert np.trace(more.covariance) < np.trace(few.covariance)


@pytest.mark.parametrize(
    ("engine", "tool"),
    [("vllm", "vllm bench serve"), ("sglang", "sglang.bench_one_batch"), ("llama.cpp", "llama-bench")],
)
def test_the_command_is_that_of_the_engines_own_tool(engine, tool):
    deployment = sl.Deployment("llama-3.1-8b", "rtx-4090", weights="int4", engine=engine)
    results = [Result(deployment, Load("static_batch", 512, 64, batch=1), {"tpot_s": 0.008, "ttft_s": 0.06})]
    advised = next_runs(fitted_to(results), results)
    assert advised
    assert all(tool in one.command for one in advised)
    assert engine != "llama.cpp" or {one.load.batch for one in advised} == {1}

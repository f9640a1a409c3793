"""The fit: its arithmetic is the estimate's, its slopes are right, and it finds terms that made the measurements."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import servelab as sl
from servelab.fidelity import measured
from servelab.fidelity.basis import predicted, rows_of, slopes
from servelab.fidelity.calibrate import calibrate, fitted_to
from servelab.fidelity.engines import generation, is_newest, query_head_caches
from servelab.fidelity.fitting import Cell, Sample, Samples
from servelab.fidelity.predict import closed_form, is_simulated, predict, run_of
from servelab.fidelity.prepare import batch_item
from servelab.fidelity.replay import Run
from servelab.fidelity.solve import fit
from servelab.fidelity.terms import EXPECTED, HOST, LOOSE, NAMES, fields_of, vector_of, with_terms
from servelab.specs.profile import Profile
from servelab.specs.profiles import find
from servelab.specs.result import Load, Result


def some_rows(count=40):
    rows = [row for row in measured.rows() if not row.under_load]
    runs = [(row, run_of(row, "any@any")) for row in rows[:: len(rows) // count] if row.accelerator != "max-1550"]
    return [(row, run) for row, run in runs if not is_simulated(run)]


def random_vector(seed):
    return EXPECTED + np.random.default_rng(seed).normal(0, 0.5, len(EXPECTED))


def test_a_fit_computes_what_the_estimate_computes():
    vector = random_vector(1)
    profile = Profile(id="random", engine="any", accelerator="any", **fields_of(vector))
    vector = vector_of(profile)  # as rounded
    rows = some_rows()
    assert any(run.deployment.kv_cache in run.generation.query_head_caches for _, run in rows)
    for row, run in rows:
        item = batch_item(run, row.metric, row.value, {})
        mine = dataclasses.replace(profile, query_head_caches=run.generation.query_head_caches)
        calibrated = run._replace(deployment=dataclasses.replace(run.deployment, profile=mine))
        seconds = predicted(rows_of([item]), vector)[0]
        figure = closed_form(calibrated)[row.metric]
        exact = item.seconds * (row.value / figure if row.metric.endswith("_per_s") else figure / row.value)
        assert seconds == pytest.approx(exact, rel=0.01), row  # some decode passes stand for all


def test_slopes_are_the_differences():
    items = [batch_item(run, row.metric, row.value, {}) for row, run in some_rows(20)]
    rows, vector = rows_of(items), random_vector(2)
    now, table = slopes(rows, vector)
    assert now == pytest.approx(np.log(predicted(rows, vector)))
    for index, name in enumerate(NAMES):
        nudged = vector.copy()
        nudged[index] += 1e-6
        assert (np.log(predicted(rows, nudged)) - now) / 1e-6 == pytest.approx(table[:, index], abs=1e-4), name


def test_terms_and_vectors_are_the_same():
    profile = Profile.load("any@any")
    again = with_terms(profile, vector_of(profile))
    assert vector_of(again) == pytest.approx(vector_of(profile), abs=1e-3)


def test_a_fit_finds_the_terms_behind_the_measurements():
    truth = random_vector(3)
    items = [batch_item(run, row.metric, row.value, {}) for row, run in some_rows(60)]
    rows = rows_of(items)
    rows = rows._replace(seconds=predicted(rows, truth))
    found = fit(rows, np.ones(len(items)), EXPECTED, 10 * LOOSE)
    assert np.median(np.abs(found.errors)) < 0.01


def own_results(profile, lengths=((128, 64), (1024, 128), (4096, 32)), batches=(1, 8, 32)):
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", engine="vllm")
    for prompt, output in lengths:
        for batch in batches:
            truth = sl.estimate(
                dataclasses.replace(deployment, profile=profile), sl.Workload(prompt, output, batch=batch)
            )
            load = Load("static_batch", prompt, output, batch=batch)
            yield Result(deployment, load, {"ttft_s": truth.ttft_s, "tpot_s": truth.tpot_s}, "made up")


def test_an_engines_host_is_learnt_on_one_vendors_accelerators_for_anothers():
    """Two sizes of model apart: what a layer takes can be told from what its weights take, but on one vendor's only."""
    truth = EXPECTED.copy()
    truth[NAMES.index("layer_s")] = np.log(2e-4)

    def sample(accelerator, vendor, model):
        deployment = sl.Deployment(model, accelerator, profile="any@any")
        run = Run(deployment, Load("single_stream", 128, 64), generation("slow", ""), "fixed")
        item = batch_item(run, "tpot_s", 1.0, {})
        seconds = float(predicted(rows_of([item]), truth)[0])
        return Sample(item._replace(seconds=seconds), Cell("slow", accelerator), ("slow", vendor), model)

    learnt = [sample("h100-sxm-80gb", "NVIDIA", name) for name in ("qwen3-0.6b", "llama-3.1-8b") for _ in range(20)]
    samples = Samples([*learnt, sample("mi300x", "AMD", "llama-3.1-8b")], {})
    layer = NAMES.index("layer_s")
    found = samples.family_terms(("slow", "AMD"), samples.engine_terms("slow", "llama-3.1-8b"), "llama-3.1-8b")
    assert np.exp(found[layer]) > 1.5e-4
    cell = samples.vectors("llama-3.1-8b", [Cell("slow", "mi300x")])[Cell("slow", "mi300x")]
    assert cell[layer] == pytest.approx(found[layer], abs=1e-3)
    assert np.array_equal(found[~HOST], EXPECTED[~HOST])  # an accelerator's shares say nothing of another vendor's


def test_calibration_finds_a_users_own_machine():
    slow = with_terms(Profile.load("any@any"), EXPECTED - 0.8)
    report = fitted_to(list(own_results(slow)))
    assert report.fitted_error < 0.03
    assert report.fitted_error <= report.textbook_error
    assert report.profile.rows == 18
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", engine="vllm", profile=report.profile)
    truth = dataclasses.replace(deployment, profile=slow)
    load = sl.Workload(2000, 100, batch=16)
    assert sl.estimate(deployment, load).tpot_s == pytest.approx(sl.estimate(truth, load).tpot_s, rel=0.1)
    assert all(term.low <= term.value <= term.high for term in report.terms)


def test_calibration_keeps_what_is_known_of_the_kernels():
    deployment = sl.Deployment("llama-3.1-8b", "a100-sxm-40gb", engine="vllm", kv_cache="fp8")
    known = find(deployment.accelerator, "vllm")
    assert known.query_head_caches
    load = sl.Workload(4000, 100, batch=16)
    truth = sl.estimate(dataclasses.replace(deployment, profile=known), load)
    result = Result(deployment, Load("static_batch", 4000, 100, batch=16), {"tpot_s": truth.tpot_s}, "made up")
    profile = calibrate([result])
    assert profile.query_head_caches == known.query_head_caches
    assert sl.estimate(dataclasses.replace(deployment, profile=profile), load).tpot_s == pytest.approx(
        truth.tpot_s, 0.02
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_fitted_profile_is_never_worse_than_the_textbook_on_its_own_rows(seed):
    truth = with_terms(Profile.load("any@any"), random_vector(seed))
    noisy = np.random.default_rng(seed)
    results = [
        dataclasses.replace(one, metrics={name: v * np.exp(noisy.normal(0, 0.2)) for name, v in one.metrics.items()})
        for one in own_results(truth, batches=(1, 16))
    ]
    report = fitted_to(results)
    assert report.fitted_error <= report.textbook_error


def test_calibration_refuses_what_it_cannot_use():
    results = list(own_results(Profile.load("any@any"), lengths=((100, 10),), batches=(1,)))
    elsewhere = dataclasses.replace(
        results[0], deployment=sl.Deployment("llama-3.1-8b", "a100-sxm-80gb", engine="vllm")
    )
    for bad, words in (
        ([], "holds none"),
        ("x", "holds none"),
        ([1], "no Result"),
        ([*results, elsewhere], "one engine"),
    ):
        with pytest.raises(sl.SpecError, match=words) as caught:
            calibrate(bad)
        assert caught.value.field == "results"


def test_generations_follow_the_versions():
    assert generation("vllm", "2024").prefix == "vllm-2024"
    assert generation("vllm", "0.6.3").prefix == "vllm-0.6"
    assert generation("vllm", "0.11.0").prefix == generation("vllm", "").prefix == "vllm"
    assert generation("tensorrt-llm", "0.9.0").prefix == "tensorrt-llm-0.9"
    assert generation("tensorrt-llm", "1.0.0rc3").prefix == "tensorrt-llm"
    assert generation("nobody", "1").prefix == "nobody"


def test_generations_know_their_kernels():
    old = [name for name in ("vllm", "vllm-2024", "tensorrt-llm", "tensorrt-llm-0.9", "sglang") if not is_newest(name)]
    assert old == ["vllm-2024", "tensorrt-llm-0.9"]
    assert query_head_caches("vllm-2024") == ("fp8",)
    assert query_head_caches("vllm") == query_head_caches("nobody") == ()


def test_a_batch_beyond_the_cache_runs_in_waves():
    rows = [row for row in measured.rows() if row.regime == "static_batch" and row.accelerator == "a100-sxm-40gb"]
    large = max(
        rows,
        key=lambda row: (row.model == "llama-2-7b-hf") * (row.tensor_parallel == 1) * row.batch * row.prompt_tokens,
    )
    run = run_of(large, "any@any")
    assert is_simulated(run)
    one_batch = closed_form(run)["e2e_s"]
    assert predict(large, "any@any") > one_batch

"""Profiles: what may be given, what is found for a deployment, and what an estimate says of it."""

from __future__ import annotations

import dataclasses

import pytest

import servelab as sl
from servelab.fidelity import measured
from servelab.specs.catalog import loader
from servelab.specs.profile import Profile
from servelab.specs.profiles import find

TERMS = {
    "id": "mine",
    "engine": "vllm",
    "accelerator": "h100-sxm-80gb",
    "compute_utilization": {"bf16": 0.6, "fp8": 0.5},
    "bandwidth_utilization": {"bf16": 0.9},
    "half_tokens": 100,
    "pass_s": 1e-3,
    "spread": {"tpot_s": (0.9, 1.2)},
    "rows": 3,
}


def test_the_textbook_has_no_profile_and_says_nothing_of_one():
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    assert deployment.calibration is None
    answer = sl.estimate(deployment, sl.Workload(100, 10))
    assert (answer.interval, answer.calibration) == (None, None)


def test_a_profile_comes_back_from_its_file(tmp_path):
    profile = Profile(**TERMS)
    profile.save(tmp_path / "mine.toml")
    assert Profile.load(tmp_path / "mine.toml") == profile
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", profile=tmp_path / "mine.toml")
    assert deployment.calibration == profile


def test_an_estimate_says_what_stands_behind_it():
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", profile=Profile(**TERMS))
    answer = sl.estimate(deployment, sl.Workload(100, 10))
    assert answer.interval.tpot_s.low == pytest.approx(0.9 * answer.tpot_s)
    assert answer.interval.tpot_s.high == pytest.approx(1.2 * answer.tpot_s)
    assert answer.interval.ttft_s is None
    assert (answer.calibration.status, answer.calibration.half_width) == ("calibrated", pytest.approx(0.2))


def test_nothing_measured_is_said_to_be_uncalibrated_and_wide():
    own = sl.Accelerator("mine", 80e9, 1e12, {"bf16": 1e14})
    answer = sl.estimate(sl.Deployment("llama-3.1-8b", own, profile="auto", engine="llama.cpp"), sl.Workload(100, 10))
    assert answer.interval.tpot_s.low < 0.9 * answer.tpot_s
    unknown = find(sl.Accelerator.load("trainium2"), "vllm")
    assert not unknown.is_calibrated
    assert unknown.spread["tpot_s"][1] > 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"compute_utilization": {"fp8": 0.5}}, "compute_utilization"),
        ({"compute_utilization": {"bf16": 1.1}}, "compute_utilization.bf16"),
        ({"bandwidth_utilization": {"bf16": 0.5, "fp9": 0.5}}, "bandwidth_utilization"),
        ({"bandwidth_utilization": 0.5}, "bandwidth_utilization"),
        ({"spread": {"tpot_s": (1.1, 1.2)}}, "spread.tpot_s"),
        ({"spread": {"speed": (0.9, 1.2)}}, "spread"),
        ({"pass_s": -1}, "pass_s"),
    ],
)
def test_terms_are_checked(change, field):
    with pytest.raises(sl.SpecError) as caught:
        Profile(**(TERMS | change))
    assert caught.value.field == field
    assert "; give" in caught.value.message


def test_bad_files_are_refused_by_name(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text("id = ")
    for path, words in ((bad, "holds no TOML"), (tmp_path / "none.toml", "cannot be read")):
        with pytest.raises(sl.SpecError, match=words) as caught:
            sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", profile=path)
        assert caught.value.field == "profile"
    with pytest.raises(sl.UnknownName, match="profile"):
        sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", profile="nothing@nowhere")


def test_engines_multiply_in_the_format_of_the_weights_with_a_profile():
    textbook = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", weights="fp8")
    assert textbook.compute_format == "bf16"
    assert dataclasses.replace(textbook, profile="auto").compute_format == "fp8"
    assert dataclasses.replace(textbook, profile="auto", accelerator="a100-sxm-80gb").compute_format == "bf16"


def test_a_profile_is_found_for_what_was_measured_and_else_for_what_is_nearest():
    own = find(sl.Accelerator.load("h100-sxm-80gb"), "vllm")
    assert (own.id, own.carried_from) == ("vllm@h100-sxm-80gb", None)
    assert find(sl.Accelerator.load("h100-sxm-80gb")) == own
    older = find(sl.Accelerator.load("mi300x"), "vllm")
    assert (older.id, older.carried_from) == ("vllm-2024@mi300x", None)
    carried = find(sl.Accelerator.load("l40"), "vllm")
    assert carried.id.startswith("vllm@")
    assert carried.carried_from in {name.split("@")[1] for name in loader.ids("profile")}
    same = Profile.load(carried.id)
    assert carried.spread["tpot_s"][1] > same.spread["tpot_s"][1]
    answer = sl.estimate(sl.Deployment("llama-3.1-8b", "l40", profile="auto"), sl.Workload(100, 10))
    assert (answer.calibration.status, answer.calibration.carried_from) == ("carried over", carried.carried_from)


def test_every_profile_that_ships_says_where_it_is_from():
    for name in loader.ids("profile"):
        profile = Profile.load(name)
        if name == "any@any":
            continue
        assert profile.rows > 0
        assert profile.models > 0
        assert set(profile.sources) <= set(measured.sources())
        assert sl.Accelerator.load(profile.accelerator)
        assert set(profile.spread) == {"ttft_s", "tpot_s", "output_tokens_per_s"}


def test_intervals_are_wider_where_experts_are_routed():
    profile = Profile.load("vllm-2024@h100-sxm-80gb")
    dense, mixture = (
        sl.estimate(sl.Deployment(model, "h100-sxm-80gb", tensor_parallel=4, profile=profile), sl.Workload(100, 10))
        for model in ("llama-3.1-8b", "mixtral-8x7b-v0.1")
    )
    assert mixture.calibration.half_width >= dense.calibration.half_width

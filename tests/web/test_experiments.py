"""Predict, run, understand: the claims hold for what the API answers, and the page shows both together."""

from __future__ import annotations

import dataclasses
import json

import pytest
from playwright.sync_api import expect

import servelab as sl
from tests.web.driver import ROOT, plain

EXPERIMENTS = json.loads((ROOT / "web" / "src" / "words" / "experiments.json").read_text(encoding="utf-8"))
EXAMPLE = {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"}
WORKLOAD = {"prompt_tokens": 1024, "output_tokens": 256, "batch": 16}
LIMITS = {"hardly": 1.05, "little": 1.25, "clearly": 1.75, "twice": 2.5, "more": float("inf")}
PREDICT = "#v=1&page=predict"


def answer(changes):
    """The example with some fields changed; kv_heads changes the model alone."""
    deployment, workload = dict(EXAMPLE), dict(WORKLOAD)
    for field, value in changes.items():
        if field == "kv_heads":
            model = sl.Model.load(EXAMPLE["model"])
            deployment["model"] = dataclasses.replace(model, kv_heads=value, groups=())
        else:
            (workload if field in workload else deployment)[field] = value
    return sl.estimate(sl.Deployment(**deployment), sl.Workload(**workload))


def classify(ratio):
    size = next(name for name, limit in LIMITS.items() if max(ratio, 1 / ratio) < limit)
    return ("stays" if size == "hardly" else "falls" if ratio < 1 else "rises"), size


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment["id"])
def test_what_an_experiment_claims_is_what_the_model_answers(experiment):
    before, after = answer(experiment["from"]), answer(experiment["from"] | experiment["values"])
    ratio = getattr(after, experiment["figure"]) / getattr(before, experiment["figure"])
    assert classify(ratio) == (experiment["direction"], experiment["size"])
    margin = min(abs(max(ratio, 1 / ratio) / limit - 1) for limit in LIMITS.values() if limit < float("inf"))
    assert margin > 0.005, "too close to a border to be fair"


def test_the_numbers_in_the_lessons():
    base = answer({})
    assert 0.12 < base.decode.attention.bytes / (base.decode.attention.bytes + base.decode.linear.bytes) < 0.14
    h100, h200 = sl.Accelerator.load("h100-sxm-80gb"), sl.Accelerator.load("h200-sxm-141gb")
    assert round(h200.bandwidth_bytes_per_s / h100.bandwidth_bytes_per_s, 2) == 1.43
    assert round(h200.memory_bytes / h100.memory_bytes, 2) == 1.76
    long = answer({"prompt_tokens": 16384}).decode
    assert long.attention.bytes > long.linear.bytes
    assert answer({"compute": "fp8"}).ttft_s < 0.51 * base.ttft_s


@pytest.mark.browser
def test_prediction_result_and_explanation_stand_together(server, visit):
    studio = visit(PREDICT)
    card = studio.page.get_by_role("article", name="INT4 weights", exact=True)
    run = card.get_by_role("button", name="Run it")
    expect(run).to_be_disabled()
    card.get_by_role("radio", name="It falls").check()
    expect(run).to_be_disabled()
    card.get_by_role("radio", name="a little").check()
    run.click()
    outcome = card.get_by_role("group", name="Prediction and result")
    expect(outcome).to_be_focused()
    said = plain(outcome.inner_text())
    assert "It falls, a little: up to 1.25 times." in said
    assert "It falls 2.71 times: from 7.00 ms to 2.58 ms." in said
    assert "The right direction, another size." in said
    assert EXPERIMENTS[0]["lesson"] in said
    card.get_by_role("button", name="Why, part by part").click()
    expect(card).to_contain_text(server.explain(weights="int4")["sentence"])
    card.get_by_role("button", name="Apply this change").click()
    studio.settled()
    assert studio.figure("Time per output token")[1] == server.estimate(weights="int4")["tpot_s"]
    expect(studio.tile("Time per output token")).to_contain_text("2.71× faster than the baseline")


@pytest.mark.browser
def test_experiments_are_run_by_keyboard_and_scored_in_this_browser(visit):
    studio = visit(PREDICT)
    score = studio.page.get_by_role("status", name="Score")
    expect(score).to_contain_text("No prediction yet.")
    card = studio.page.get_by_role("article", name="A quarter of the KV heads")
    card.get_by_role("radio", name="It falls").focus()
    studio.press("Space", "Tab", "Space", "ArrowDown", "ArrowDown", "Tab", "Enter")
    expect(card.get_by_role("group", name="Prediction and result")).to_be_focused()
    expect(card).to_contain_text("Right, in direction and size.")
    expect(score).to_contain_text("1 right, 0 right in direction only, of 1 prediction.")
    studio.page.reload()
    expect(score).to_contain_text("1 right")
    other = studio.page.get_by_role("article", name="FP8 arithmetic")
    other.get_by_role("radio", name="It falls").check()
    other.get_by_role("radio", name="about twice").check()
    other.get_by_role("button", name="Run it").click()
    expect(other).to_contain_text("It went another way.")
    assert studio.violations() == []
    studio.control("button", "Reset the score").click()
    expect(score).to_contain_text("No prediction yet.")


@pytest.mark.browser
def test_an_experiment_without_an_answer_says_so_and_can_be_run_again(visit):
    studio = visit(PREDICT)
    studio.allow("Failed to load resource")
    studio.page.route("**/api/explain", lambda route: route.abort(), times=1)
    card = studio.page.get_by_role("article", name="INT4 weights, first token")
    card.get_by_role("radio", name="It hardly changes").check()
    card.get_by_role("button", name="Run it").click()
    expect(card.get_by_role("alert")).to_contain_text("did not answer")
    card.get_by_role("button", name="Run it").click()
    expect(card).to_contain_text("Right, in direction and size.")

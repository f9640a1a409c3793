"""One batch on its way and training over HTTP."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import servelab as sl
from servelab.cost.walk import Walk, walk
from servelab.server.app import create_app
from servelab.server.room import TrainingAnswer
from servelab.specs.fields import as_json

ASKED = {
    "deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"},
    "workload": {"prompt_tokens": 1024, "output_tokens": 256, "batch": 16},
}
RUN = {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"}


@pytest.fixture(scope="module")
def client():
    with TestClient(create_app(), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


def test_the_walk_is_that_of_python(client):
    answer = client.post("/api/walk", json=ASKED | {"passes": 3})
    expected = walk(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), sl.Workload(1024, 256, batch=16), 3)
    assert answer.content == as_json(expected).encode()
    TypeAdapter(Walk).validate_python(answer.json())


def test_training_starts_at_zero_unless_told(client):
    answer = client.post("/api/training", json=RUN).json()
    TypeAdapter(TrainingAnswer).validate_python(answer)
    assert [round(step["probability"], 3) for step in answer["steps"][:3]] == [0.5, 0.562, 0.615]
    assert len(answer["steps"]) == 20
    assert answer["memory"]["bytes_per_parameter"] == 18
    assert answer["memory"]["total_bytes"] == 18 * 8_030_261_248
    other = client.post("/api/training", json=RUN | {"start_weight": -3, "rounds": 1}).json()
    assert [step["weight"] for step in other["steps"]] == [-3.0]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("walk", ASKED | {"passes": 0}, "passes"),
        ("walk", ASKED | {"passes": 65}, "passes"),
        ("walk", ASKED | {"step": 1}, "step"),
        ("walk", {"deployment": ASKED["deployment"] | {"tensor_parallel": 3}, "workload": ASKED["workload"]}, None),
        ("training", RUN | {"start_weight": 3.01}, "start_weight"),
        ("training", RUN | {"start_weight": True}, "start_weight"),
        ("training", RUN | {"rounds": 201}, "rounds"),
        ("training", {"model": "llama-3.1-8b"}, "accelerator"),
        ("training", RUN | {"model": "llama-3.1-8"}, "model"),
    ],
)
def test_bad_input_is_refused_by_name(client, path, body, field):
    answer = client.post(f"/api/{path}", json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["field"] == (field or "deployment.tensor_parallel")

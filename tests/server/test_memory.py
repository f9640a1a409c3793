"""Engine memory over HTTP, and the simulator that takes its blocks from it."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

import servelab as sl
from servelab.server.app import create_app

ASKED = {"deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"}}


@pytest.fixture(scope="module")
def client():
    with TestClient(create_app(), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


def post(client, **fields):
    return client.post("/api/memory", content=json.dumps(ASKED | fields))


def test_the_bytes_are_those_of_python(client):
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    settings = {"engine": "sglang", "version": "0.4.1", "gpu_memory_utilization": 0.88, "max_model_len": 8192}
    expected = sl.engine_memory(deployment, **settings).to_json()
    assert post(client, **settings).content == expected.encode()
    assert post(client).content == sl.engine_memory(deployment).to_json().encode()


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"engine": "vlm"}, "engine", "did you mean vllm?"),
        ({"version": "soon"}, "version", "'soon' is no version"),
        ({"version": "0.1"}, "version", "'0.1' of vllm is too old; give 0.2 or later"),
        ({"max_model_len": 0}, "max_model_len", "0 is out of range"),
        ({"gpu_memory_utilisation": 0.9}, "gpu_memory_utilisation", "did you mean gpu_memory_utilization?"),
        ({"enforce_eager": 1}, "enforce_eager", "1 is neither; give true or false"),
        ({"deployment": {"model": "llama"}}, "deployment.model", "did you mean"),
    ],
)
def test_bad_input_names_field_value_and_remedy(client, fields, field, words):
    answer = post(client, **fields)
    assert answer.status_code == 422
    assert words in {entry["field"]: entry["message"] for entry in answer.json()["detail"]}[field]


def test_the_simulator_takes_its_blocks_from_the_engine_that_is_named(client):
    body = {
        "deployment": ASKED["deployment"] | {"engine": "vllm"},
        "traffic": {"requests_per_s": 4, "requests": 10, "prompt": 100, "output": 10},
        "scheduler": {"max_num_seqs": 1024, "max_num_batched_tokens": 8192},
    }
    answer = client.post("/api/simulate", content=json.dumps(body))
    assert answer.json()["kv_blocks"] == sl.engine_memory(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")).kv_blocks

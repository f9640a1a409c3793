"""POST /api/read and /api/command."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from servelab.server.app import create_app
from tests.fidelity.samples import LOGS, V1_11
from tests.fidelity.test_commands import COMPOSE, MANIFEST, VALUES


@pytest.fixture(scope="module")
def client():
    with TestClient(create_app(), base_url="http://127.0.0.1") as client:
        yield client


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (V1_11, "log"),
        ("vllm serve qwen3-8b", "command"),
        (COMPOSE, "compose"),
        (MANIFEST, "kubernetes"),
        (VALUES, "values"),
    ],
)
def test_the_kind_is_recognised(client, text, kind):
    answer = client.post("/api/read", json={"text": text, "accelerator": "h100-sxm-80gb"})
    assert answer.status_code == 200
    assert answer.json()["kind"] == kind
    assert answer.json()["predicted"]["kv_tokens"] > 0


def test_the_bytes_are_those_of_the_command_line(client, capsys, tmp_path):
    from servelab.cli.main import main

    path = tmp_path / "x.log"
    path.write_text(V1_11, encoding="utf-8")
    assert main(["explain-log", str(path), "--accelerator", "h100-sxm-80gb", "--json"]) == 0
    answer = client.post("/api/read", json={"text": V1_11, "accelerator": "h100-sxm-80gb"})
    assert answer.text == capsys.readouterr().out.rstrip("\n")


@pytest.mark.parametrize("name", LOGS)
def test_every_log_has_the_published_shape(client, name):
    schema = client.get("/api/openapi.json").json()["components"]["schemas"]["Reading"]
    answer = client.post("/api/read", json={"text": LOGS[name]}).json()
    assert set(answer) == set(schema["properties"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": "hello"}, "text"),
        ({"text": V1_11[:600]}, "text"),
        ({"text": " "}, "text"),
        ({"text": 5}, "text"),
        ({}, "text"),
        ({"text": "vllm serve 'x"}, "text"),
        ({"text": V1_11, "accelerator": "h100-sxm-80g"}, "accelerator"),
        ({"text": V1_11, "file": "/etc/passwd"}, "file"),
        ({"text": V1_11, "model": "./config.json"}, "model"),
    ],
)
def test_what_cannot_be_read_names_its_field(client, body, field):
    answer = client.post("/api/read", json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["field"] == field
    assert "\n" not in answer.json()["detail"][0]["message"]


def test_a_body_over_the_limit_is_refused(client):
    assert client.post("/api/read", content=json.dumps({"text": "x" * 5_000_000})).status_code == 422


def test_a_command_is_written(client):
    deployment = {"model": "qwen3-8b", "accelerator": "h100-sxm-80gb", "tensor_parallel": 2}
    answer = client.post("/api/command", json={"deployment": deployment, "max_model_len": 4096})
    assert answer.status_code == 200
    assert "-tp" in answer.json()["command"] or "--tensor-parallel-size 2" in answer.json()["command"]
    refused = client.post("/api/command", json={"deployment": deployment, "engine": "tensorrt-llm"})
    assert refused.json()["detail"][0]["field"] == "engine"

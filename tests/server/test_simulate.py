"""Simulations over HTTP: the same bytes as Python's, refusals by field, an end when nobody waits."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest
from starlette.testclient import TestClient

import servelab as sl
from servelab.server import simulations
from servelab.server.app import create_app
from servelab.server.limits import SLOW_PATHS
from servelab.server.requests import SimulateRequest

BODY = {
    "deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"},
    "traffic": {
        "requests_per_s": 10,
        "requests": 40,
        "prompt": {"kind": "uniform", "low": 100, "high": 300},
        "output": 64,
        "seed": 1,
    },
    "scheduler": {"policy": "chunked", "kv_blocks": 200},
}


@pytest.fixture(scope="module")
def client():
    with TestClient(create_app(), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


def post(client, **changes):
    return client.post("/api/simulate", content=json.dumps(BODY | changes))


def python_run():
    traffic = sl.Traffic.poisson(10, 40, sl.Lengths.uniform(100, 300), 64, seed=1)
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    return sl.simulate(deployment, traffic, sl.Scheduler(kv_blocks=200))


def test_the_bytes_are_those_of_python(client):
    assert post(client).text == python_run().to_json()
    assert post(client, tables=True).text == python_run().to_json(tables=True)


def test_bursts_rates_and_closed_loops_are_taken(client):
    open_loop = BODY["traffic"] | {
        "bursts": [{"start_s": 1, "end_s": 2, "factor": 3}],
        "rates": [{"start_s": 0, "requests_per_s": 5}],
    }
    assert post(client, traffic=open_loop).status_code == 200
    closed = {"clients": 3, "requests": 20, "prompt": 10, "output": 10, "think_s": 0.5}
    assert post(client, traffic=closed).status_code == 200


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"traffic": BODY["traffic"] | {"requests": 0}}, "traffic.requests"),
        ({"traffic": BODY["traffic"] | {"requests": 10**9}}, "traffic.requests"),
        ({"traffic": BODY["traffic"] | {"prompt": {"kind": "uniform", "low": 5}}}, "traffic.prompt.high"),
        ({"traffic": BODY["traffic"] | {"prompt": {"kind": "even"}}}, "traffic.prompt.kind"),
        ({"traffic": BODY["traffic"] | {"prompt": "long"}}, "traffic.prompt"),
        ({"traffic": BODY["traffic"] | {"requests_per_s": 1e-300}}, "traffic.requests_per_s"),
        ({"traffic": BODY["traffic"] | {"rate": 5}}, "traffic.rate"),
        (
            {"traffic": BODY["traffic"] | {"bursts": [{"start_s": 0, "end_s": 1, "factor": 2, "x": 1}]}},
            "traffic.bursts.0.x",
        ),
        ({"traffic": BODY["traffic"] | {"requests": 200_000}, "tables": True}, "traffic.requests"),
        ({"scheduler": {"policy": "fifo"}}, "scheduler.policy"),
        ({"scheduler": {"max_num_seqs": 0}}, "scheduler.max_num_seqs"),
        ({"ttft_target_s": -1}, "ttft_target_s"),
        (
            {"deployment": {"model": "llama-3.1-70b", "accelerator": "h100-sxm-80gb"}, "scheduler": {}},
            "deployment.tensor_parallel",
        ),
        ({"workload": {}}, "workload"),
    ],
)
def test_bad_input_names_its_field(client, changes, field):
    response = post(client, **changes)
    assert response.status_code == 422
    (entry,) = response.json()["detail"]
    assert entry["field"] == field
    assert "\n" not in entry["message"]


def test_the_schema_tells_bounds_and_words(client):
    schema = client.get("/api/openapi.json").json()["components"]["schemas"]
    assert schema["Scheduler"]["properties"]["block_size"]["minimum"] == 1
    assert "seed" in schema["Arrivals"]["properties"]
    assert "description" in schema["Arrivals"]["properties"]["prompt"]


def test_a_simulation_may_take_two_minutes():
    compared = ("/api/compare", "/api/compare/window", "/api/compare/request", "/api/compare/step")
    assert dict.fromkeys(("/api/simulate", *compared), 120.0) == SLOW_PATHS


class _Connection:
    """A client that goes away when told."""

    def __init__(self):
        self.gone = asyncio.Event()

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}


def test_a_client_that_goes_away_ends_its_simulation(monkeypatch):
    """The run is looked in on; the first look after the client left ends it."""
    looks, ended = [], threading.Event()

    def endless(deployment, traffic, scheduler, *, progress, **_):
        try:
            while True:
                looks.append(1)
                progress(0, 1)
                time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr(simulations.api, "simulate", endless)
    request = SimulateRequest(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), sl.Arrivals(5, 1, 1, requests_per_s=1))

    async def leave():
        connection = _Connection()
        answering = asyncio.create_task(simulations.answer(request, connection))
        while not looks:
            await asyncio.sleep(0.001)
        connection.gone.set()
        return await answering

    assert asyncio.run(leave()) is None
    assert ended.wait(10)


def test_a_long_run_does_not_wait_for_the_compiler(monkeypatch, client):
    from servelab.sim import compiled

    monkeypatch.setattr(compiled, "is_ready", lambda: False)
    asked = []
    monkeypatch.setattr(compiled, "prepare", lambda: asked.append(1))
    monkeypatch.setattr(compiled, "run", None)  # using it would fail
    many = BODY["traffic"] | {"requests": 1500, "output": 4}
    assert post(client, traffic=many).status_code == 200
    assert asked == [1]

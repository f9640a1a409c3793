"""Starting points and slots over HTTP."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import servelab as sl
from servelab.server.app import create_app
from servelab.server.starters import Presets, SlotsAnswer
from servelab.specs.presets import PRESETS


@pytest.fixture(scope="module")
def client():
    with TestClient(create_app(), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


def slots(client, body):
    return client.post("/api/slots", content=json.dumps(body))


def test_the_eight_requests_in_four_slots_need_no_words(client):
    answer = slots(client, {}).json()
    TypeAdapter(SlotsAnswer).validate_python(answer)
    assert (answer["lengths"], answer["slots"]) == ([2, 9, 3, 5, 8, 2, 4, 7], 4)
    figures = {name: [answer[name][key] for key in ("iterations", "used", "idle")] for name in ("static", "continuous")}
    assert figures == {"static": [17, 40, 28], "continuous": [12, 40, 8]}
    assert len(answer["static"]["occupancy"]) == 17
    assert answer["continuous"]["occupancy"][2] == [4, 1, 2, 3]


def test_any_lengths_and_slots(client):
    answer = slots(client, {"lengths": [1, 100], "slots": 1}).json()
    assert answer["continuous"]["first"] == [1, 2]
    assert answer["static"] == answer["continuous"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"lengths": []}, "lengths"),
        ({"lengths": [101]}, "lengths"),
        ({"lengths": [1] * 65}, "lengths"),
        ({"lengths": [0]}, "lengths.0"),
        ({"slots": 17}, "slots"),
        ({"slot": 1}, "slot"),
    ],
)
def test_bad_slots_name_their_field(client, body, field):
    response = slots(client, body)
    assert response.status_code == 422
    assert [entry["field"] for entry in response.json()["detail"]] == [field]


def test_presets_are_questions_that_can_be_asked(client):
    answer = client.get("/api/traffic-presets").json()
    TypeAdapter(Presets).validate_python(answer)
    assert [preset["id"] for preset in answer["presets"]] == ["chat", "long-documents", "agents", "burst"]
    for preset in answer["presets"]:
        question = {
            "deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"},
            "traffic": preset["traffic"] | {"requests": 40},
            "schedulers": [preset["scheduler"] | {"policy": policy} for policy in ("static", "continuous", "chunked")],
            "ttft_target_s": preset["ttft_target_s"],
            "tpot_target_s": preset["tpot_target_s"],
        }
        assert client.post("/api/compare", content=json.dumps(question)).status_code == 200


def test_presets_show_what_they_say():
    """Each on the example: targets are neither met by all nor missed by all, the cache fills where said."""
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    for preset in PRESETS:
        targets = {"ttft_target_s": preset.ttft_target_s, "tpot_target_s": preset.tpot_target_s}
        run = sl.simulate(deployment, sl.Traffic.of(preset.traffic), preset.scheduler, **targets)
        assert run.summary["rejections"] == 0
        assert 0.05 < run.summary["slo_attainment"] < 0.99, preset.id
        assert (run.summary["preemptions"] > 0) == ("cache fills up" in preset.summary)

"""The labs over HTTP: the list, runs, refusals in the one shape."""

from __future__ import annotations

import json
import sys

import pytest
from starlette.testclient import TestClient

from servelab.labs.play import Wish, play
from servelab.labs.shelf import shelf
from servelab.server.app import create_app
from servelab.server.limits import Limits
from servelab.specs.fields import as_json
from tests.shelves import own_labs

RUN = "/api/labs/grouped-query/run"


@pytest.fixture(scope="module")
def client():
    with TestClient(create_app(), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


def refusal(response, status=422):
    assert response.status_code == status
    ((entry),) = response.json()["detail"]
    assert set(entry) == {"field", "message"}
    assert "\n" not in entry["message"]
    return entry["field"], entry["message"]


def test_the_list_says_all_that_a_page_needs(client):
    listed = client.get("/api/labs").json()
    assert [lab["id"] for lab in listed["labs"]] == own_labs()
    lab = listed["labs"][0]
    assert listed["broken"] == []
    assert (lab["id"], lab["evidence"]["label"]) == ("grouped-query", "Deterministic synthetic model")
    assert [page["role"] for page in lab["pages"]] == [
        "how-to-play",
        "assumes",
        "cannot-tell",
        "explanation",
        "references",
    ]
    assert lab["defaults"]["settings"] == {control["id"]: control["default"] for control in lab["controls"]}
    charts = {chart["id"] for chart in lab["charts"]}
    for page in lab["pages"]:
        for block in page["blocks"]:
            if block["kind"] == "figure":
                assert block["chart"] in charts
                asked = {"settings": block["settings"], "events": block["events"], "charts": [block["chart"]]}
                assert client.post(RUN, json=asked).json()["charts"][block["chart"]]


def test_a_run_is_the_bytes_of_the_lab(client):
    lab = shelf().find("grouped-query")
    asked = {"settings": {"kv_heads": 8, "requests_per_s": 2}, "events": ["burst"], "seed": 3}
    expected = as_json(play(lab, lab.setup(asked["settings"], asked["events"], 3)))
    assert client.post(RUN, json=asked).text == expected
    before = {"settings": {"kv_heads": 32, "requests_per_s": 2}, "events": ["burst"], "seed": 3}
    wish = Wish(charts=["capacity"], before=lab.setup(before["settings"], ["burst"], 3))
    expected = as_json(play(lab, lab.setup(asked["settings"], asked["events"], 3), wish))
    assert client.post(RUN, json={**asked, "before": before, "charts": ["capacity"]}).text == expected


def test_nothing_given_is_the_set_up_that_it_opens_on(client):
    answer = client.post(RUN, json={"charts": []}).json()
    assert (answer["events"], answer["seed"], answer["changes"], answer["mission"]) == ([], 0, None, None)
    assert answer["settings"] == client.get("/api/labs").json()["labs"][0]["defaults"]["settings"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"settings": {"kv_heads": 7}}, "settings.kv_heads"),
        ({"settings": {"kv_head": 8}}, "settings.kv_head"),
        ({"settings": {"requests_per_s": "5"}}, "settings.requests_per_s"),
        ({"settings": {"card": "l40"}}, "settings.card"),
        ({"settings": []}, "settings"),
        ({"settings": None}, "settings"),
        ({"events": ["bust"]}, "events.0"),
        ({"events": "burst"}, "events"),
        ({"events": [1]}, "events"),
        ({"seed": -1}, "seed"),
        ({"seed": 0.5}, "seed"),
        ({"before": {"settings": {"kv_heads": 3}}}, "before.settings.kv_heads"),
        ({"before": {"seed": "x"}}, "before.seed"),
        ({"before": {"sed": 0}}, "before.sed"),
        ({"before": 3}, "before"),
        ({"charts": ["cash"]}, "charts.0"),
        ({"charts": "cache"}, "charts"),
        ({"mission": "m"}, "mission"),
        ({"mission": 4}, "mission"),
        ({"mission": "two-halves", "reveal": 1}, "reveal"),
        ({"mission": "two-halves", "settings": {"card": "l40s"}}, "settings.card"),
        ({"mission": "two-halves", "events": ["burst"]}, "events"),
        ({"mission": "two-halves", "seed": 2}, "seed"),
        ({"setting": {}}, "setting"),
        ([], "body"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_its_field(client, body, field):
    named, message = refusal(client.post(RUN, json=body))
    assert named == field
    assert message


def test_a_mission_keeps_its_answer_until_it_is_passed_or_asked_for(client):
    lab = client.get("/api/labs").json()["labs"][0]
    mission = lab["missions"][0]
    assert {"id", "key", "order", "title", "goal", "teaches", "minutes", "stars", "wants", "hints", "after"} <= set(
        mission
    )
    assert not {"reveal", "solution"} & set(mission)
    asked = {"mission": mission["id"], "charts": [], "settings": mission["settings"]}
    answer = client.post(RUN, json=asked).json()["mission"]
    assert (answer["earned"], answer["passed"], answer["reveal"], answer["solution"]) == (0, False, None, None)
    assert answer["present"][0][0]["wanted"] == "at most 2.00 s"
    answer = client.post(RUN, json={**asked, "reveal": True}).json()["mission"]
    assert (answer["earned"], answer["reveal"][:10]) == (0, "One answer")
    answer = client.post(RUN, json={**asked, "settings": answer["solution"]}).json()["mission"]
    assert (answer["stars"], answer["earned"], answer["passed"]) == ([True, True, True], 3, True)
    assert answer["reveal"]


def test_an_unknown_lab_is_not_found(client):
    field, message = refusal(client.post("/api/labs/grouped/run", json={}), 404)
    assert (field, message) == ("lab", "'grouped' is not a known lab; did you mean grouped-query?")
    assert client.get("/api/labs/grouped-query/run").status_code == 405


def test_a_third_partys_lab_is_listed_and_runs(bring, client):
    bring()
    bring("crash", module="raise RuntimeError('out of paper')")
    listed = client.get("/api/labs").json()
    assert [lab["id"] for lab in listed["labs"]] == [*own_labs(), "dice"]
    assert listed["labs"][-1]["source"] == "dicelab 1.0"
    assert listed["broken"] == [{"name": "crash", "distribution": "crash 1.0", "reason": "RuntimeError: out of paper"}]
    answer = client.post("/api/labs/dice/run", json={"settings": {"dice": 12}, "before": {}}).json()
    assert answer["changes"]["tiles"]["spread"]["verdict"] == "better"
    refused = client.post("/api/labs/dice/run", json={"settings": {"dice": 0}}).json()
    assert refused["refusal"]["remedies"] == [{"label": "Two dice", "settings": {"dice": 2}, "events": None}]
    assert refused["tiles"] == {"mean": None, "spread": None}


def test_a_lab_that_fails_does_so_under_its_name(bring, client, caplog):
    from tests.labs.thirdparty import MODULE

    bring(
        module=MODULE.replace(
            "if not settings.dice:", "settings.dice / (settings.dice - 13)\n    if not settings.dice:"
        )
    )
    field, message = refusal(client.post("/api/labs/dice/run", json={"settings": {"dice": 13}}), 500)
    assert field == "lab"
    assert message.startswith("the lab dice failed on these settings (ZeroDivisionError")
    assert client.post("/api/labs/dice/run", json={}).status_code == 200


def test_a_lab_that_hangs_takes_no_others_place(bring):
    from tests.labs.thirdparty import MODULE

    hang = "while settings.dice == 9 and not DONE:\n        time.sleep(0.01)\n    if not settings.dice:"
    module = MODULE.replace("if not settings.dice:", hang).replace("LAB = Lab(", "DONE = []\nLAB = Lab(")
    bring(module=module.replace("import numpy", "import time\nimport numpy"))
    app = create_app()
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        assert client.get("/api/labs").status_code == 200
        limits = app.middleware_stack
        while not isinstance(limits, Limits):
            limits = limits.app
        limits.seconds = limits.cold_seconds = 0.1
        hung = {"settings": {"dice": 9}}
        assert [client.post("/api/labs/dice/run", json=hung).status_code for _ in range(3)] == [503, 503, 503]
        limits.seconds = limits.cold_seconds = 60
        assert client.post("/api/labs/grouped-query/run", json={"charts": []}).status_code == 200
        sys.modules["dicelab"].DONE.append(True)
        assert client.post("/api/labs/dice/run", json={}).status_code == 200


def test_the_document_describes_the_labs(client):
    document = client.get("/api/openapi.json").json()
    assert {"/api/labs", "/api/labs/{lab}/run"} <= document["paths"].keys()
    body = document["components"]["schemas"]["RunLabRequest"]["properties"]
    assert set(body) == {"settings", "events", "seed", "before", "charts", "mission", "reveal"}
    assert json.dumps(document)

"""The report on accuracy over HTTP."""

from __future__ import annotations

from pydantic import TypeAdapter
from starlette.testclient import TestClient

from servelab.fidelity.accuracy import Accuracy, accuracy
from servelab.server.app import create_app


def test_the_report_is_that_of_the_library():
    with TestClient(create_app(), base_url="http://127.0.0.1:8000") as client:
        answer = client.get("/api/accuracy")
    assert answer.status_code == 200
    assert answer.text == accuracy().to_json()
    TypeAdapter(Accuracy).validate_python(answer.json())

"""Several schedulers over HTTP: the same figures as one simulation, exact totals, refusals that leave the others."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import re
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import servelab as sl
from servelab.server import comparing, work
from servelab.server.app import create_app
from servelab.server.compare_answers import Comparison, RequestLife, Step, Window
from servelab.server.kept import Kept, key_of

POLICIES = ("static", "continuous", "chunked")
QUESTION = {
    "deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"},
    "traffic": {
        "requests_per_s": 30,
        "requests": 250,
        "prompt": {"kind": "uniform", "low": 100, "high": 900},
        "output": {"kind": "exponential", "mean": 120},
        "seed": 1,
    },
    "schedulers": [{"policy": policy, "kv_blocks": 700} for policy in POLICIES],
    "ttft_target_s": 0.3,
    "tpot_target_s": 0.03,
}
PHASES = ("queue", "prefill", "decode", "stalled", "preempted")
PARTS = ("queue_s", "prefill_s", "decode_s", "stall_s", "recompute_s")
TRACE = "arrival_s,input_tokens,output_tokens\n" + "".join(f"{n / 10},{50 + n},{5 + n % 7}\n" for n in range(60))


@pytest.fixture(scope="module")
def client():
    with TestClient(create_app(), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


def post(client, path="", **changes):
    body = {name: value for name, value in (QUESTION | changes).items() if value is not None}
    return client.post(f"/api/compare{path}", content=json.dumps(body))


@pytest.fixture(scope="module")
def whole(client):
    return post(client).json()


@pytest.fixture(scope="module")
def alone(client):
    """Each scheduler's run by itself, with its tables."""
    shared = {name: value for name, value in QUESTION.items() if name != "schedulers"} | {"tables": True}
    bodies = [json.dumps(shared | {"scheduler": scheduler}) for scheduler in QUESTION["schedulers"]]
    return [client.post("/api/simulate", content=body).json() for body in bodies]


def known(column):
    return [value for value in column if value is not None]


def test_answers_are_what_the_schema_says(client, whole):
    TypeAdapter(Comparison).validate_python(whole)
    TypeAdapter(Window).validate_python(post(client, "/window", window={"start_s": 1, "end_s": 1.5}).json())
    TypeAdapter(RequestLife).validate_python(post(client, "/request", request=3).json())
    TypeAdapter(Step).validate_python(post(client, "/step", at_s=1).json())
    for answer, kind in ((whole, Comparison), (whole["window"], Window)):
        assert list(answer) == list(TypeAdapter(kind).json_schema()["properties"])


def test_each_run_is_that_of_its_scheduler_alone(whole, alone):
    for run, one in zip(whole["runs"], alone, strict=True):
        assert run["summary"] == one["summary"]
        assert (run["steps"], run["kv_blocks"]) == (one["steps"], one["kv_blocks"])
        assert run["end_s"] == max(known(one["requests"]["finished_s"]))
    assert whole["end_s"] == max(run["end_s"] for run in whole["runs"])
    assert whole["runs"][1]["summary"]["preemptions"] > 0, "else some of this says little"


def test_every_request_is_told_to_the_microsecond(whole, alone):
    shown = whole["window"]["requests"]
    assert shown["request"] == list(range(250))
    assert (shown["first"], shown["last"], shown["every"], shown["count"]) == (0, 249, 1, 250)
    for run, one in zip(whole["window"]["runs"], alone, strict=True):
        for name, column in run["requests"].items():
            assert column == [None if value is None else round(value, 6) for value in one["requests"][name]]
        assert shown["prompt_tokens"] == one["requests"]["prompt_tokens"]
        assert shown["output_tokens"] == one["requests"]["output_tokens"]


def test_totals_are_exact_and_bins_keep_them(whole, alone):
    width = whole["end_s"] / whole["window"]["bins"]
    for run, one in zip(whole["window"]["runs"], alone, strict=True):
        for phase, part in zip(PHASES, PARTS, strict=True):
            total = run["totals"][f"{phase}_s"]
            assert total == pytest.approx(math.fsum(known(one["requests"][part])), rel=1e-9, abs=1e-9)
        spans = np.array(one["timeline"]["end_s"]) - np.array(one["timeline"]["start_s"])
        for name in ("running", "waiting"):
            assert run["totals"][f"{name}_s"] == pytest.approx(np.sum(spans * one["timeline"][name]), rel=1e-9)
        assert run["totals"]["kv_occupancy_s"] * one["kv_blocks"] == pytest.approx(
            np.sum(spans * one["timeline"]["kv_blocks"]), rel=1e-9
        )
        for name, means in run["bins"].items():
            assert len(means) == 400
            assert math.fsum(means) * width == pytest.approx(run["totals"][f"{name}_s"], rel=2e-6, abs=1e-8), name


def test_distributions_hold_every_value(whole, alone):
    for figure, found in whole["distributions"].items():
        edges = np.array(found["edges_s"])
        assert len(edges) <= 121
        assert (np.diff(edges) > 0).all()
        for counts, one in zip(found["counts"], alone, strict=True):
            if figure == "itl":
                assert sum(counts) == sum(one["itl_histogram"]["count"])
                middle = np.array(one["itl_histogram"]["lower_s"]) * 1.001
                wanted = np.histogram(middle, edges, weights=one["itl_histogram"]["count"])[0]
            else:
                wanted = np.histogram(known(one["requests"][f"{figure}_s"]), edges)[0]
            assert counts == wanted.tolist()


def test_the_blame_sums_to_what_it_explains(whole, alone):
    for run, one in zip(whole["runs"], alone, strict=True):
        mean = run["blame"]["mean"]
        assert math.fsum(mean["ttft_parts"].values()) == pytest.approx(run["summary"]["ttft_mean_s"], rel=1e-9)
        assert math.fsum(mean["e2e_parts"].values()) == pytest.approx(run["summary"]["e2e_mean_s"], rel=1e-9)
        for figure in ("ttft", "e2e"):
            slow = run["blame"][f"slow_{figure}"]
            assert slow["total_s"] == one["requests"][f"{figure}_s"][slow["request"]]
            assert slow["total_s"] >= run["summary"][f"{figure}_p99_s"]
            assert math.fsum(slow["parts"].values()) == pytest.approx(slow["total_s"], rel=1e-9)


def test_the_question_in_the_docs_is_answered(client):
    text = (Path(__file__).parents[2] / "docs" / "simulate.md").read_text(encoding="utf-8")
    (question,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    answer = client.post("/api/compare", content=question).json()
    assert [run["summary"]["rejections"] for run in answer["runs"]] == [0, 0, 0]
    assert answer["words"]


def test_a_window_is_a_part_of_the_whole(client, alone):
    start, end = 2.0, 3.5
    answer = post(client, "/window", window={"start_s": start, "end_s": end}, bins=30).json()
    assert (answer["start_s"], answer["end_s"], answer["bins"]) == (start, end, 30)
    shown = set(answer["requests"]["request"])
    for run, one in zip(answer["runs"], alone, strict=True):
        requests, timeline = one["requests"], one["timeline"]
        alive = {
            index
            for index, (arrival, finish) in enumerate(zip(requests["arrival_s"], requests["finished_s"], strict=True))
            if arrival <= end and (finish or arrival) >= start
        }
        assert alive <= shown
        rows = [row for row in range(len(timeline["start_s"])) if timeline["end_s"][row] > start > 0]
        rows = [row for row in rows if timeline["start_s"][row] < end]
        assert run["pass_count"] == len(rows)
        assert run["passes"]["start_s"] == [round(timeline["start_s"][row], 6) for row in rows]
        assert run["passes"]["prefill_tokens"] == [timeline["prefill_tokens"][row] for row in rows]
        for a, b in zip(run["preempted"]["start_s"], run["preempted"]["end_s"], strict=True):
            assert a < end
            assert b > start
    together = post(client, "/window", window={"start_s": start, "end_s": end}, bins=1).json()
    for one, parts in zip(together["runs"], answer["runs"], strict=True):
        for name, (mean,) in one["bins"].items():
            assert math.fsum(parts["bins"][name]) / 30 == pytest.approx(mean, rel=1e-5, abs=1e-8)


def test_many_requests_are_thinned_evenly(client):
    answer = post(client, "/window", rows=50).json()["requests"]
    assert answer["count"] == 250
    assert answer["every"] == 16
    assert answer["request"] == list(range(0, 250, 16))


def test_the_life_of_a_request_is_without_gaps(client, alone):
    for scheduler, one in enumerate(alone):
        for request in (0, 77, 249):
            answer = post(client, "/request", scheduler=scheduler, request=request).json()
            life, row = answer["life"], {name: column[request] for name, column in one["requests"].items()}
            assert {name: answer[name] for name in row if name in answer} == {n: row[n] for n in row if n in answer}
            assert life["start_s"][0] == row["arrival_s"]
            assert life["end_s"][-1] == row["finished_s"]
            assert life["start_s"][1:] == pytest.approx(life["end_s"][:-1], rel=1e-12)
            for phase, part in zip(PHASES, PARTS, strict=True):
                pieces = zip(life["phase"], life["start_s"], life["end_s"], strict=True)
                total = math.fsum(end - start for name, start, end in pieces if name == phase)
                assert total == pytest.approx(row[part], rel=1e-9, abs=1e-9)
            assert math.fsum(answer["parts"].values()) == pytest.approx(answer["e2e_s"])


def test_steps_walk_through_the_timeline(client, alone):
    timeline = alone[2]["timeline"]
    at, walked = 0.0, []
    for move in ("here", *["next"] * 5):
        answer = post(client, "/step", scheduler=2, at_s=at, move=move).json()
        at = answer["start_s"]
        walked.append(answer["row"])
        assert {name: answer[name] for name in timeline} == {name: timeline[name][answer["row"]] for name in timeline}
    assert walked == [0, 1, 2, 3, 4, 5]
    assert post(client, "/step", scheduler=2, at_s=at, move="previous").json()["row"] == 4
    assert post(client, "/step", scheduler=2, at_s=1e6).json()["row"] is None
    assert post(client, "/step", scheduler=2, at_s=0, move="previous").json()["row"] is None


def test_a_trace_of_one_s_own(client):
    answer = post(client, traffic=None, trace={"text": TRACE, "name": "mine.csv"}).json()
    assert (answer["requests"], answer["format"]) == (60, "lengths and arrivals")
    assert answer["last_arrival_s"] == 5.9
    few = post(client, traffic=None, trace={"text": TRACE, "most": 10, "requests_per_s": 2}).json()
    assert few["requests"] == 10


def test_a_trace_is_sent_once(client, monkeypatch):
    answer = post(client, traffic=None, trace={"text": TRACE, "name": "mine.csv"}).json()
    again = {"digest": answer["trace_digest"], "name": "mine.csv"}
    assert post(client, traffic=None, trace=again).json() == answer
    fewer = post(client, traffic=None, trace=again | {"most": 20})
    assert (fewer.json()["requests"], fewer.json()["trace_digest"]) == (20, answer["trace_digest"])
    monkeypatch.setattr(comparing.api, "simulate", None)  # using it would fail
    assert post(client, "/window", traffic=None, trace=again).status_code == 200
    assert post(client, "/window", traffic=None, trace={"text": TRACE, "name": "mine.csv"}).status_code == 200


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"schedulers": []}, "schedulers", "1 to 4"),
        ({"schedulers": [{}] * 5}, "schedulers", "1 to 4"),
        ({"schedulers": [{"policy": "chunked"}, {"policy": "fifo"}]}, "schedulers.1.policy", "'fifo'"),
        ({"schedulers": [{"policies": 1}]}, "schedulers.0.policies", "policy"),
        ({"traffic": None}, "traffic", "either"),
        ({"trace": {"text": TRACE}}, "traffic", "either"),
        ({"traffic": QUESTION["traffic"] | {"requests": 2_000_000}}, "traffic.requests", "1,000,000"),
        ({"traffic": QUESTION["traffic"] | {"requests_per_s": 1e-300}}, "traffic.requests_per_s", "larger"),
        ({"traffic": None, "trace": {"text": TRACE + "1,no,1\n", "name": "a.csv"}}, "trace.text", "line 62 of 'a.csv'"),
        ({"traffic": None, "trace": {"text": "a,b\n1,2\n"}}, "trace.text", "columns"),
        ({"traffic": None, "trace": {"text": "input_tokens,output_tokens\n1,2\n"}}, "trace.requests_per_s", "rate"),
        ({"traffic": None, "trace": {"text": " "}}, "trace.text", "content"),
        ({"traffic": None, "trace": {"text": TRACE, "digest": "1"}}, "trace.text", "either"),
        ({"traffic": None, "trace": {}}, "trace.text", "either"),
        ({"traffic": None, "trace": {"digest": "0123abc"}}, "trace.digest", "send its text"),
        ({"bins": 0}, "bins", "600"),
        ({"rows": 5000}, "rows", "2000"),
        ({"progress": 1}, "progress", "true or false"),
        ({"seed": 1}, "seed", "known"),
        ({"deployment": {"model": "llama-3.1-70b", "accelerator": "h100-sxm-80gb"}, "schedulers": [{}]},
         "deployment.tensor_parallel", "no room"),
    ],
)  # fmt: skip
def test_bad_input_names_its_field(client, changes, field, says):
    response = post(client, **changes)
    assert response.status_code == 422, response.text
    (entry,) = response.json()["detail"]
    assert entry["field"] == field
    assert says in entry["message"]


@pytest.mark.parametrize(
    ("path", "changes", "field"),
    [
        ("/window", {"window": {"start_s": 2, "end_s": 2}}, "window.end_s"),
        ("/window", {"window": {"start_s": 0, "end_s": 5e-324}}, "window.end_s"),
        ("/window", {"window": {"start_s": 1e15, "end_s": 1e15 + 1}}, "window.end_s"),
        ("/request", {"scheduler": 3}, "scheduler"),
        ("/request", {"request": 250}, "request"),
        ("/step", {"move": "back"}, "move"),
        ("/step", {"at_s": -1}, "at_s"),
    ],
)
def test_bad_follow_ups_name_their_field(client, path, changes, field):
    response = post(client, path, **changes)
    assert response.status_code == 422
    assert [entry["field"] for entry in response.json()["detail"]] == [field]


def test_one_refusal_leaves_the_others(client):
    deployment = {"model": "llama-3.1-70b", "accelerator": "h100-sxm-80gb"}
    schedulers = [{"policy": "chunked"}, {"policy": "chunked", "kv_blocks": 5_000}]
    answer = post(client, deployment=deployment, schedulers=schedulers).json()
    refused, served = answer["runs"]
    assert refused["refusal"]["field"] == "deployment.tensor_parallel"
    assert "no room" in refused["refusal"]["message"]
    assert (refused["summary"], answer["window"]["runs"][0]) == (None, None)
    assert served["summary"]["ttft_mean_s"] > 0
    assert [counts is None for counts in answer["distributions"]["ttft"]["counts"]] == [True, False]
    assert all(sentence["schedulers"] == [1] for sentence in answer["words"])


def test_all_rejected_is_an_answer(client):
    answer = post(client, schedulers=[{"kv_blocks": 1}, {"policy": "static", "kv_blocks": 1}]).json()
    for run in answer["runs"]:
        assert run["summary"]["rejections"] == 250
        assert run["blame"] == {"mean": None, "slow_ttft": None, "slow_e2e": None}
    assert answer["distributions"]["ttft"] == {"edges_s": [], "counts": []}
    assert set(answer["window"]["runs"][0]["requests"]["admitted_s"]) == {None}
    assert answer["end_s"] == answer["last_arrival_s"]
    life = post(client, "/request", schedulers=[{"kv_blocks": 1}], request=5).json()
    assert life["rejected"]
    assert (life["parts"], life["life"]["phase"], life["e2e_s"]) == (None, [], None)


def test_one_request_that_is_rejected_at_once(client):
    lonely = {"requests_per_s": 1, "requests": 1, "prompt": 100, "output": 10, "process": "constant", "rates": []}
    assert post(client, traffic=lonely, schedulers=[{"kv_blocks": 1}]).json()["window"]["requests"]["count"] == 1
    at_zero = {"clients": 1, "requests": 1, "prompt": 100, "output": 10}
    answer = post(client, traffic=at_zero, schedulers=[{"kv_blocks": 1}]).json()
    assert answer["end_s"] == 0.0
    assert (answer["window"]["end_s"], answer["window"]["bins"]) == (1.0, 400)


def test_closed_loops_have_arrivals_of_their_own(client):
    traffic = {"clients": 8, "requests": 100, "prompt": 500, "output": 50, "think_s": 0.1}
    answer = post(client, traffic=traffic).json()
    arrivals = [run["requests"]["arrival_s"] for run in answer["window"]["runs"]]
    assert arrivals[0] != arrivals[2]
    assert answer["last_arrival_s"] == pytest.approx(max(column[-1] for column in arrivals), abs=1e-6)


def test_a_hundred_thousand_requests_stay_small(client):
    traffic = QUESTION["traffic"] | {"requests": 100_000, "output": 2, "prompt": 20, "requests_per_s": 200}
    comparing.compiled.run()
    response = post(client, traffic=traffic)
    assert len(response.content) <= 400_000
    answer = response.json()
    for run, counts in zip(answer["runs"], answer["distributions"]["ttft"]["counts"], strict=True):
        assert sum(counts) == 100_000
        assert run["summary"]["rejections"] == 0
    shown = answer["window"]["requests"]
    assert len(shown["request"]) <= 1_000
    assert shown["count"] == 100_000


# What is kept, and what is told meanwhile


def test_a_second_look_simulates_nothing(client, monkeypatch):
    post(client)
    monkeypatch.setattr(comparing.api, "simulate", None)  # using it would fail
    assert post(client, "/window", window={"start_s": 1, "end_s": 2}).status_code == 200
    assert post(client, schedulers=QUESTION["schedulers"][::-1]).status_code == 200
    assert post(client, seed=None, ttft_target_s=0.4).status_code == 500


def test_the_cache_lets_go_of_the_oldest():
    kept = Kept(most_bytes=25)
    for key in "abc":
        kept.put(key, key.upper(), 10)
        assert kept.get("a") == "A"
    assert [kept.get(key) for key in "abc"] == ["A", None, "C"]
    assert kept.nbytes == 20
    kept.put("large", "L", 26)
    assert kept.get("large") is None
    kept.put("c", "again", 10)
    assert (kept.get("c"), kept.nbytes) == ("C", 20)


def test_keys_differ_where_questions_do():
    deployments = [sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=n) for n in (1, 2)]
    arrivals = [sl.Arrivals(5, 1, 1, requests_per_s=1, seed=seed) for seed in (0, 1)]
    keys = [key_of(*parts) for parts in itertools.product(deployments, arrivals, (None, 0.1))]
    assert len(set(keys)) == len(keys)
    assert key_of("a", "b") != key_of("ab", "")
    assert keys[0] == key_of(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), arrivals[0], None)


def test_a_short_run_is_one_line(client, whole):
    response = post(client, progress=True)
    assert response.headers["content-type"].startswith("application/x-ndjson")
    (line,) = response.text.splitlines()
    assert json.loads(line) == whole


def test_a_long_run_tells_how_far_it_is(client, monkeypatch, whole):
    simulate = comparing.api.simulate

    def slow(deployment, traffic, scheduler, *, progress, **more):
        for done in (0, 100, 250):
            progress(done, 250)
            time.sleep(0.25)
        return simulate(deployment, traffic, scheduler, progress=progress, **more)

    monkeypatch.setattr(comparing, "_RECORDINGS", Kept(0))
    monkeypatch.setattr(comparing.api, "simulate", slow)
    *lines, last = map(json.loads, post(client, progress=True).text.splitlines())
    assert len(lines) >= 2
    assert all(line["of"] == 750 for line in lines)
    told = [line["done"] for line in lines]
    assert told == sorted(told)
    assert last == whole


def test_a_run_begins_anew_once_the_compiled_engine_is_there(client, monkeypatch, whole):
    simulate, begun = comparing.api.simulate, []

    def counted(*question, progress, **more):
        begun.append(1)
        progress(5, 250)
        return simulate(*question, progress=progress, **more)

    monkeypatch.setattr(comparing, "_RECORDINGS", Kept(0))
    monkeypatch.setattr(comparing.compiled, "prepare", threading.Thread)
    monkeypatch.setattr(comparing.compiled, "is_ready", lambda: bool(begun))
    monkeypatch.setattr(comparing.api, "simulate", counted)
    assert post(client, schedulers=QUESTION["schedulers"][:1]).json()["runs"] == whole["runs"][:1]
    assert len(begun) == 2


def test_a_refusal_after_the_first_line_is_the_last_line(client, monkeypatch):
    def slow(deployment, traffic, scheduler, *, progress, **more):
        progress(1, 250)
        time.sleep(0.25)
        raise sl.SpecError("kv_blocks", "too few; give more")

    monkeypatch.setattr(comparing, "_RECORDINGS", Kept(0))
    monkeypatch.setattr(comparing.api, "simulate", slow)
    response = post(client, progress=True, schedulers=[{}])
    assert response.status_code == 200
    last = json.loads(response.text.splitlines()[-1])
    assert last == {"detail": [{"field": "deployment.kv_blocks", "message": "too few; give more"}]}
    assert post(client, progress=True, schedulers=[]).status_code == 422


class _Connection:
    """A client that goes away when told."""

    def __init__(self):
        self.gone = asyncio.Event()

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}


def test_a_reader_that_goes_away_ends_the_work():
    ended = threading.Event()

    def endless(look):
        try:
            while True:
                look(1, 2)
                time.sleep(0.001)
        finally:
            ended.set()

    async def leave():
        connection = _Connection()
        response = await work.told(endless, connection, 60)
        lines = [await anext(response.body_iterator)]
        connection.gone.set()
        lines += [line async for line in response.body_iterator]
        return lines

    lines = asyncio.run(leave())
    assert {json.loads(line)["done"] for line in lines} == {1}
    assert ended.wait(10)


def test_work_that_takes_too_long_says_so():
    ended = threading.Event()

    def endless(look):
        try:
            while True:
                look(1, 2)
                time.sleep(0.001)
        finally:
            ended.set()

    async def wait():
        response = await work.told(endless, _Connection(), 0.2)
        return [line async for line in response.body_iterator]

    last = json.loads(asyncio.run(wait())[-1])
    assert "no answer within 0.2 s" in last["detail"][0]["message"]
    assert ended.wait(10)

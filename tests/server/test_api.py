"""The HTTP door: the same bytes as the others, limits, refusals in one shape."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

import servelab as sl
from servelab.server.app import create_app
from servelab.specs.jsontext import MAX_BYTES

ASKED = {
    "deployment": {"model": "llama-3.1-8b", "accelerator": "h100-sxm-80gb"},
    "workload": {"prompt_tokens": 1024, "output_tokens": 256, "batch": 16},
}
TOY = {
    "model": {"name": "m", "parameters": 500, "layers": 1, "query_heads": 1, "kv_heads": 1, "head_dim": 1},
    "accelerator": {"name": "a", "memory_bytes": 1e6, "bandwidth_bytes_per_s": 1e3, "flop_per_s": {"bf16": 1e3}},
}


@pytest.fixture(scope="module")
def client():
    with TestClient(create_app(), base_url="http://127.0.0.1:8000", raise_server_exceptions=False) as client:
        yield client


def changed(path, value):
    """ASKED with one field replaced (or added) at a dotted path."""
    body = json.loads(json.dumps(ASKED))
    *parents, last = path.split(".")
    place = body
    for name in parents:
        place = place[name]
    place[last] = value
    return body


def refusals(response, status=422):
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    detail = response.json()["detail"]
    assert detail
    for entry in detail:
        assert set(entry) == {"field", "message"}
        assert "\n" not in entry["message"]
        assert len(entry["message"]) < 400
        assert "Traceback" not in entry["message"]
    return {entry["field"]: entry["message"] for entry in detail}


def post(client, body):
    return client.post("/api/estimate", content=json.dumps(body))


def test_the_bytes_are_those_of_python(client):
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb")
    expected = sl.estimate(deployment, sl.Workload(1024, 256, batch=16)).to_json()
    assert post(client, ASKED).content == expected.encode()


def test_fields_in_place_of_ids(client):
    answer = post(client, {"deployment": TOY, "workload": {"prompt_tokens": 10, "output_tokens": 3}})
    model, device = sl.Model("m", 500, 1, 1, 1, 1), sl.Accelerator("a", 1e6, 1e3, {"bf16": 1e3})
    estimate = sl.estimate(sl.Deployment(model, device), sl.Workload(10, 3))
    assert answer.content == estimate.to_json().encode()


def test_a_config_in_place_of_an_id(client):
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 8,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 16,
        "vocab_size": 10,
    }
    answer = post(client, changed("deployment.model", config))
    assert (
        answer.json()["deployment"]["model"]
        == json.loads(
            json.dumps(sl.estimate(sl.Deployment(sl.Model.load(config), "h100-sxm-80gb"), sl.Workload(1, 1)).to_dict())
        )["deployment"]["model"]
    )


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("workload.batch", 0, "0 is out of range; give a whole number from 1 to 1e+15"),
        ("workload.batch", -3, "out of range"),
        ("workload.batch", 1e30, "1e+30 is out of range"),
        ("workload.batch", 10**400, "bits is out of range"),
        ("workload.batch", float("nan"), "nan is out of range"),
        ("workload.batch", float("inf"), "inf is out of range"),
        ("workload.batch", "16", "'16' is no number"),
        ("workload.batch", True, "True is no number"),
        ("workload.batch", None, "None is no number"),
        ("workload.batch", 1.5, "1.5 is not whole"),
        ("workload.batch", [1] * 1000, "is no number"),
        ("workload.btach", 1, "did you mean batch?"),
        ("deployment.model", "llama-3.1-8", "did you mean llama-3.1-8b?"),
        ("deployment.model", 3, "is no object"),
        ("deployment.model", "/etc/passwd", "'/etc/passwd' is not a known model"),
        ("deployment.model", {"model_type": "mamba"}, "lacks hidden_size, num_hidden_layers"),
        ("deployment.model", {"architectures": []}, "lacks hidden_size, num_hidden_layers"),
        ("deployment.accelerator", "h100", "did you mean h100-sxm-80gb?"),
        ("deployment.tensor_parallel", 3, "3 does not divide the 32 query heads; use 1, 2, 4 or 8"),
        ("deployment.weights", "int3", "'int3' is not a known weight format"),
        ("deployment.compute_utilization", 0, "give a number above 0 up to 1"),
        ("deployment.replicate_kv_heads", 1, "1 is neither; give true or false"),
        ("deployment.tensor_paralell", 2, "did you mean tensor_parallel?"),
        ("deployment", None, "is no object"),
        ("surplus", 1, "'surplus' is not a known field"),
        ("body", 1, "'body' is not a known field"),
        ("workload.body", 1, "'body' is not a known field"),
        ("deployment.weights", "\ud800", "is not a known weight format"),
    ],
)
def test_bad_input_names_field_value_and_remedy(client, path, value, words):
    found = refusals(client.post("/api/estimate", content=json.dumps(changed(path, value))))
    assert words in found[path]


def test_bad_fields_inside_an_object_are_named(client):
    body = {"deployment": json.loads(json.dumps(TOY)), "workload": {"prompt_tokens": 1, "output_tokens": 1}}
    body["deployment"]["model"] |= {"layers": 0, "colour": "blue"}
    del body["deployment"]["model"]["kv_heads"]
    body["deployment"]["accelerator"]["flop_per_s"]["bf16"] = -1
    found = refusals(post(client, body))
    assert set(found) == {
        "deployment.model.layers",
        "deployment.model.colour",
        "deployment.model.kv_heads",
        "deployment.accelerator.flop_per_s.bf16",
    }


def test_what_only_the_whole_shows_is_named_too(client):
    body = {"deployment": json.loads(json.dumps(TOY)), "workload": {"prompt_tokens": 1, "output_tokens": 1}}
    body["deployment"]["accelerator"]["bandwidth_bytes_per_s"] = 5e-324
    assert "deployment.accelerator.bandwidth_bytes_per_s" in refusals(post(client, body))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"nul", b"[]", b"3", b'"x"', b"\xff\xfe", b'{"deployment": 1e}', b"1" * 5000]
)
def test_a_body_that_is_no_object_is_refused(client, content):
    assert "body" in refusals(client.post("/api/estimate", content=content))


def test_a_body_too_large_or_too_deep_is_refused_before_it_is_parsed(client):
    assert "4,000,000 bytes" in refusals(client.post("/api/estimate", content=b" " * (MAX_BYTES + 1)))["body"]
    deep = b'{"deployment":{"model":' + b"[" * 10_000 + b"]" * 10_000 + b"}}"
    assert "64 levels" in refusals(client.post("/api/estimate", content=deep))["body"]


def test_a_body_in_another_encoding_is_refused(client):
    sly = '{"deployment":{"model":{"model_type":"a\\"","x":' + "[" * 400 + "]" * 400 + "}}}"
    assert "UTF-8" in refusals(client.post("/api/estimate", content=sly.encode("utf-16-le")))["body"]


def test_a_long_unknown_field_is_cut(client):
    answer = client.post("/api/estimate", content=json.dumps(ASKED | {"x" * 1_000_000: 1}))
    assert len(answer.content) < 1000


def test_a_body_in_many_parts_is_counted_as_one(client):
    parts = (b" " * 1_000_000 for _ in range(50))
    assert "4,000,000 bytes" in refusals(client.post("/api/estimate", content=parts))["body"]


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.2", "", "[::2]:8000", "localhost.", ":80"]
)
def test_a_foreign_host_is_refused(client, host):
    assert "host" in refusals(client.get("/healthz", headers={"host": host}), 400)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9", "localhost:8000", "LOCALHOST", "[::1]:8000", "[::1]"])
def test_loopback_hosts_are_answered(client, host):
    assert client.get("/healthz", headers={"host": host}).json() == {"status": "ok"}


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example:8000", ""])
def test_another_sites_page_is_refused(client, origin):
    answer = client.post("/api/estimate", content=json.dumps(ASKED), headers={"origin": origin})
    assert "origin" in refusals(answer, 400)


def test_its_own_page_is_answered(client):
    answer = client.post("/api/estimate", content=json.dumps(ASKED), headers={"origin": "http://localhost:8000"})
    assert answer.status_code == 200


def test_unknown_paths_and_methods_have_the_same_shape(client):
    assert "path" in refusals(client.get("/api/nothing"), 404)
    assert "path" in refusals(client.get("/../../etc/passwd"), 404)
    refused = client.delete("/api/estimate")
    assert "method" in refusals(refused, 405)
    assert refused.headers["allow"] == "POST"


@pytest.mark.parametrize("path", ["/healthz", "/api/models", "/api/nothing", "/"])
def test_every_answer_carries_the_policy(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "*" not in policy
    assert headers["x-content-type-options"] == "nosniff"


def test_the_catalogue_is_listed(client):
    models = client.get("/api/models").json()["models"]
    accelerators = client.get("/api/accelerators").json()["accelerators"]
    assert {"id", "name", "parameters", "source", "aliases"} <= set(models[3])
    assert {"id", "name", "memory_bytes", "sources"} <= set(accelerators[0])


def test_every_field_and_route_is_described(client):
    document = client.get("/api/openapi.json").json()
    for path in document["paths"].values():
        for operation in path.values():
            assert operation["description"]
    for name in ("Deployment", "Workload", "Model", "Accelerator"):
        schema = next(
            document["components"]["schemas"][key]
            for key in (name, f"{name}-Input")
            if key in document["components"]["schemas"]
        )
        for field, spec in schema["properties"].items():
            assert "description" in json.dumps(spec), f"{name}.{field}"


def test_refusals_are_described_as_they_are(client):
    document = client.get("/api/openapi.json").json()
    refused = document["paths"]["/api/estimate"]["post"]["responses"]["422"]["content"]["application/json"]["schema"]
    assert refused == {"$ref": "#/components/schemas/Problems"}
    assert set(document["components"]["schemas"]["Problem"]["properties"]) == {"field", "message"}


def test_a_defect_says_nothing_of_its_inside(client, monkeypatch):
    def fail(*_):
        raise RuntimeError("secret /home/someone")

    monkeypatch.setattr("servelab.api.estimate", fail)
    found = refusals(post(client, ASKED), 500)
    assert "secret" not in str(found)


def test_rows_of_the_catalogue(client):
    models = {row["id"]: row for row in client.get("/api/models").json()["models"]}
    assert len(models) == 137
    row = models["gpt-oss-120b"]
    assert (row["kind"], row["family"], row["active_parameters"]) == (
        "mixture of experts",
        "gpt-oss",
        116_829_156_672 - 36 * 124 * 24_891_840,
    )
    assert "sliding-window" in row["features"]
    cards = {row["id"]: row for row in client.get("/api/accelerators").json()["accelerators"]}
    assert len(cards) == 77
    assert cards["h800-sxm-80gb"]["flop_per_s"] == {}
    assert "flop_per_s.bf16" in cards["h800-sxm-80gb"]["unknown"]


@pytest.mark.parametrize("name", ["deepseek-v3", "deepseek-ai/DeepSeek-V3", "DEEPSEEK-V3-0324"])
def test_one_model_of_the_catalogue(client, name):
    answer = client.get(f"/api/models/{name}")
    assert answer.status_code == 200
    data = answer.json()
    assert data["entry"]["id"] == "deepseek-v3"
    known = data["understood"]
    assert known["cache_bytes_per_token"] == 70_272
    assert [(group["layers"], group["attention"], group["experts"]) for group in known["groups"]] == [
        (3, "MLA", None),
        (58, "MLA", 256),
    ]
    assert [part["name"] for part in known["parts"]] == ["MTP layer"]


def test_no_such_model_of_the_catalogue(client):
    answer = client.get("/api/models/gpt-5")
    assert answer.status_code == 404
    (problem,) = answer.json()["detail"]
    assert problem["field"] == "path"
    assert "'gpt-5' is not a known model" in problem["message"]


CONFIG = {
    "model_type": "brand_new",
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 16,
    "vocab_size": 10,
}


def test_what_is_understood_of_a_config(client):
    text = json.dumps(CONFIG | {"limit": float("inf")})
    answer = client.post("/api/model", content=text, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    data = answer.json()
    assert data["entry"] is None
    assert data["understood"]["model"]["parameters"] == 2 * (4 * 64 + 3 * 128 + 16) + 8 + 160
    assert any("'brand_new' is not known" in remark for remark in data["understood"]["assumed"])
    fields = data["understood"]["model"]
    assert client.post("/api/model", json=fields).json()["understood"] == data["understood"]


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"model_type": "x"}, "body", "lacks hidden_size"),
        (
            {"name": "m", "parameters": 0, "layers": 1, "query_heads": 1, "kv_heads": 1, "head_dim": 1},
            "parameters",
            "0",
        ),
        ({"name": "m", "layers": 1, "groups": [{"layers": 1, "windov": 3}]}, "parameters", "nothing given"),
        ([], "body", "is no object"),
        ("llama-3.1-8b", "body", "is no object"),
    ],
)
def test_a_model_that_is_not_understood(client, body, field, words):
    answer = client.post("/api/model", json=body)
    assert answer.status_code == 422
    (problem,) = answer.json()["detail"]
    assert problem["field"] == field
    assert words in problem["message"]


def test_groups_in_a_request_are_checked_by_their_path(client):
    group = {"layers": 1, "query_heads": 1, "kv_heads": 1, "key_dim": 1, "value_dim": 1, "window": 0}
    model = {
        "name": "m",
        "parameters": 9,
        "layers": 1,
        "query_heads": 1,
        "kv_heads": 1,
        "head_dim": 1,
        "groups": [group],
    }
    body = {"deployment": {"model": model, "accelerator": "l4"}, "workload": {"prompt_tokens": 1, "output_tokens": 1}}
    answer = client.post("/api/estimate", json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"][0] == {
        "field": "deployment.model.groups.0.window",
        "message": "0 is out of range; give a whole number from 1 to 1e+15",
    }


def test_an_answer_can_be_asked_again(client):
    """The deployment in an answer, groups and parts included, is a request."""
    body = {
        "deployment": {"model": "gpt-oss-20b", "accelerator": "l4"},
        "workload": {"prompt_tokens": 9, "output_tokens": 9},
    }
    first = client.post("/api/estimate", json=body).json()
    again = client.post("/api/estimate", json=body | {"deployment": first["deployment"]}).json()
    assert again == first


def test_the_catalogue_is_typed(client):
    schemas = client.get("/api/openapi.json").json()["components"]["schemas"]
    for name in ("ModelRow", "AcceleratorRow", "ModelAnswer", "Anatomy", "GroupAnatomy", "LayerGroup", "Part"):
        assert schemas[name]["properties"]


def test_a_file_of_this_machine_is_never_opened(client, tmp_path):
    card, model = tmp_path / "card.toml", tmp_path / "config.json"
    card.write_text('name = "Card"\nmemory_bytes = "48 GB"\nbandwidth_bytes_per_s = "1 TB/s"\n')
    model.write_text(json.dumps(CONFIG))
    assert sl.Deployment(model, str(card)).accelerator.memory_bytes == 48e9
    for field, file in (("accelerator", card), ("model", model)):
        answer = client.post("/api/estimate", json=changed(f"deployment.{field}", str(file)))
        assert answer.status_code == 422
        assert "is not a known" in answer.json()["detail"][0]["message"]


def test_an_explanation_has_the_bytes_of_python(client):
    after = changed("deployment.weights", "int4")
    answer = client.post("/api/explain", content=json.dumps({"before": ASKED, "after": after}))
    estimates = [
        sl.estimate(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", weights=weights), sl.Workload(1024, 256, batch=16))
        for weights in (None, "int4")
    ]
    assert answer.content == sl.explain(*estimates).to_json().encode()


def test_an_explanations_bad_field_says_of_which_question(client):
    bad = changed("workload.batch", 0)
    assert "after.workload.batch" in refusals(
        client.post("/api/explain", content=json.dumps({"before": ASKED, "after": bad}))
    )
    odd = changed("workload.bacth", 1)
    found = refusals(client.post("/api/explain", content=json.dumps({"before": odd, "after": ASKED})))
    assert "did you mean batch?" in found["before.workload.bacth"]


def test_a_sweep_is_a_column_of_estimates(client):
    body = ASKED | {"field": "batch", "values": [1, 16, 500]}
    found = client.post("/api/sweep", content=json.dumps(body)).json()
    assert found["values"] == [1, 16, 500]
    assert found["fits"] == [True, True, False]
    assert found["tpot_s"][2] is None
    answer = sl.estimate(sl.Deployment("llama-3.1-8b", "h100-sxm-80gb"), sl.Workload(1024, 256, batch=16))
    assert found["tpot_s"][1] == pytest.approx(answer.tpot_s, rel=1e-9)
    assert found["output_tokens_per_s"][1] == pytest.approx(answer.output_tokens_per_s, rel=1e-9)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"values": []}, "values"),
        ({"values": [1] * 10_001}, "values"),
        ({"values": [1, 0]}, "values.1"),
        ({"values": "12"}, "values"),
        ({"field": "tensor_parallel"}, "field"),
    ],
    ids=["none", "many", "zero", "text", "field"],
)
def test_a_bad_sweep_is_refused(client, change, field):
    body = ASKED | {"field": "batch", "values": [1, 2]} | change
    assert field in refusals(client.post("/api/sweep", content=json.dumps(body)))


def test_splits_are_the_estimates_of_every_degree(client):
    found = post_to(client, "/api/splits", ASKED).json()["estimates"]
    assert [one["deployment"]["tensor_parallel"] for one in found] == [1, 2, 4, 8]
    for one in found:
        degree = one["deployment"]["tensor_parallel"]
        assert one == post(client, changed("deployment.tensor_parallel", degree)).json()


def post_to(client, route, body):
    return client.post(route, content=json.dumps(body))

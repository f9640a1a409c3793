"""Readers of traces: each known format, the first bad line named, nothing half-read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import servelab as sl
from servelab.specs.traces import read_text
from servelab.specs.tracetext import TraceText

AZURE = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 23:59:59.5000000,374,44\n2023-11-17 00:00:01.7500000,396,109\n"
)
BURSTGPT = (
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,ChatGPT,472,18,490,Conversation log\n6,GPT-4,10,0,10,API log\n45,ChatGPT,1087,230,1317,Conversation log\n"
)
MOONCAKE = '{"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": [46, 47]}\n' * 2
BENCH = (
    '{"prompt_len": 12, "output_len": 3, "arrival_time": 2.5}\n{"prompt_len": 7, "output_len": 9, "arrival_time": 3}\n'
)
RESULT = '{"input_lens": [5, 6], "output_lens": [7, 8], "start_times": [10.0, 11.5], "request_rate": "inf"}\n'
PLAIN = "arrival_s,input_tokens,output_tokens\n0.5,2358,531\n0.25,1034,769\n"


def load(tmp_path: Path, text: str, name: str = "trace.csv", **more) -> sl.Traffic:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return sl.Traffic.load(path, **more)


@pytest.mark.parametrize(
    ("text", "arrivals", "prompts", "outputs"),
    [
        (AZURE, [0, 2.25], [374, 396], [44, 109]),
        (BURSTGPT, [0, 40], [472, 1087], [18, 230]),
        (MOONCAKE, [0, 0], [6955, 6955], [52, 52]),
        (BENCH, [0, 0.5], [12, 7], [3, 9]),
        (RESULT, [0, 1.5], [5, 6], [7, 8]),
        (PLAIN, [0, 0.25], [1034, 2358], [769, 531]),
        ("\ufeff" + PLAIN.replace("\n", "\r\n"), [0, 0.25], [1034, 2358], [769, 531]),
    ],
    ids=["azure", "burstgpt", "mooncake", "bench", "result", "plain", "byte order mark"],
)
def test_each_format_is_read(tmp_path, text, arrivals, prompts, outputs):
    traffic = load(tmp_path, text)
    assert np.allclose(traffic.arrival_s, arrivals, atol=1e-6)
    assert traffic.prompt_tokens.tolist() == prompts
    assert traffic.output_tokens.tolist() == outputs


@pytest.mark.parametrize("text", [AZURE, BURSTGPT, MOONCAKE, RESULT, "\ufeff" + PLAIN.replace("\n", "\r\n")])
def test_a_content_is_read_like_a_file(tmp_path, text):
    of_file, of_text = load(tmp_path, text), sl.Traffic.read(TraceText(text))
    for name in ("arrival_s", "prompt_tokens", "output_tokens"):
        assert np.array_equal(getattr(of_file, name), getattr(of_text, name))


def test_a_content_tells_its_format_and_names_its_bad_line():
    assert [read_text(text, "x").format for text in (AZURE, RESULT)] == ["Azure LLM inference", "vLLM result"]
    with pytest.raises(sl.TraceError, match=r"line 4 of 'mine' cannot be used") as caught:
        sl.Traffic.read(TraceText(AZURE + "yesterday,1,1\n", "mine"))
    assert caught.value.line == 4
    with pytest.raises(sl.SpecError, match="'lengths' has no arrival times; give a rate"):
        sl.Traffic.read(TraceText("input_tokens,output_tokens\n1,2\n", "lengths"))
    rated = sl.Traffic.read(TraceText(PLAIN, requests_per_s=3, seed=4, most=1))
    assert rated.arrival_s.tolist() == sl.Traffic.poisson(3, 1, 1, 1, seed=4).arrival_s.tolist()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (AZURE + "2023-11-17 00:00:02,12\n", 4),
        (AZURE + "2023-11-17 00:00:02,many,1\n", 4),
        (AZURE + "2023-11-17 00:00:02,0,1\n", 4),
        (AZURE + "2023-11-17 00:00:02,1,-1\n", 4),
        (AZURE + "2023-11-17 00:00:02,1,1.5\n", 4),
        (AZURE + "yesterday,1,1\n", 4),
        (AZURE + '2023-11-17 00:00:02,"1,1\n', 4),
        (MOONCAKE + "{\n", 3),
        (MOONCAKE + "[1]\n", 3),
        (MOONCAKE + '{"timestamp": 1, "input_length": true, "output_length": 1}\n', 3),
        (MOONCAKE + '{"timestamp": NaN, "input_length": 1, "output_length": 1}\n', 3),
        (MOONCAKE + '{"timestamp": 1, "output_length": 1}\n', 3),
        (MOONCAKE + '{"timestamp": 1, "input_length": 1%s, "output_length": 1}\n' % ("0" * 400), 3),
        (MOONCAKE + '{"timestamp": 1%s, "input_length": 1, "output_length": 1}\n' % ("0" * 400), 3),
        ('{"input_lens": [1, 2], "output_lens": [1]}\n', 1),
        ("a,b\n1,2\n", 2),
        ("", 0),
        ("input_tokens,output_tokens\n", 0),
    ],
)
def test_the_first_bad_line_is_named(tmp_path, text, line):
    with pytest.raises(sl.TraceError) as refusal:
        load(tmp_path, text)
    assert refusal.value.line == line
    assert "trace.csv" in refusal.value.message
    assert not line or f"line {line}" in refusal.value.message


def test_lengths_alone_need_a_rate(tmp_path):
    text = "input_tokens,output_tokens\n5,6\n7,8\n"
    with pytest.raises(sl.SpecError, match="no arrival times; give a rate"):
        load(tmp_path, text)
    traffic = load(tmp_path, text, requests_per_s=2.0)
    assert traffic.arrival_s.tolist() == sl.Traffic.poisson(2.0, 2, 1, 1).arrival_s.tolist()


def test_only_the_first_requests_are_read_where_asked(tmp_path):
    assert len(load(tmp_path, AZURE + "broken\n", most=2)) == 2


@pytest.mark.parametrize("path", ["nothing.csv", "."])
def test_a_file_that_cannot_be_opened_is_named(path):
    with pytest.raises(sl.TraceError, match="cannot be read"):
        sl.Traffic.load(path)


def test_a_file_that_is_no_text_is_named(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_bytes(os.urandom(50) + b"\xff\xfe")
    with pytest.raises(sl.TraceError):
        sl.Traffic.load(path)


@pytest.mark.reference
def test_the_published_traces_are_read_whole(reference_data):
    traces = reference_data / "traces"
    azure = sl.Traffic.load(traces / "AzureLLMInferenceTrace_conv.csv")
    assert len(azure) == 19_366
    assert (azure.prompt_tokens[0], azure.output_tokens[0], azure.arrival_s[0]) == (374, 44, 0)
    assert azure.arrival_s[1] == pytest.approx(4.314579, abs=1e-7)
    mooncake = sl.Traffic.load(traces / "mooncake_synthetic_head.jsonl")
    rows = [json.loads(line) for line in (traces / "mooncake_synthetic_head.jsonl").read_text().splitlines()]
    assert len(mooncake) == len(rows)
    assert mooncake.prompt_tokens.sum() == sum(row["input_length"] for row in rows)
    lengths = sl.Traffic.load(traces / "llmservingsim_sharegpt_llama31_8b_300_sps10_lengths.csv")
    assert len(lengths) == 300

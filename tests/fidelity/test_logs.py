"""Start-up logs read into facts, whatever else stands in the text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servelab.fidelity.logs import scan
from servelab.fidelity.logs.reader import FORMATS, read_log
from servelab.fidelity.logs.text import decode
from tests.fidelity.samples import LLAMA_NEW, LLAMA_OLD, LOGS, SGLANG_4, SGLANG_5_TWO, V0_6_4, V0_7_TWO, V1_11

GIB = 2**30

#: What the log of each version says, in its own units.
TOLD = {
    "vllm 0.2": ("vllm", {"kv_blocks": 640, "kv_tokens": 10240}),
    "vllm 0.6.4": ("vllm", {"weights_bytes": 14.9888 * GIB, "kv_cache_bytes": 3.81 * GIB, "kv_blocks": 1952}),
    "vllm 0.6.5": ("vllm", {"weights_bytes": 14.96 * GIB, "other_bytes": 0.15 * GIB, "kv_cache_bytes": 54.92 * GIB}),
    "vllm 0.7.2, two ranks": ("vllm", {"kv_cache_bytes": 11.02 * GIB, "kv_blocks": 11284, "max_concurrency": 5.51}),
    "vllm 0.8.4": ("vllm", {"weights_bytes": 15.2683 * GIB, "kv_tokens": 158656, "graph_bytes": 0.51 * GIB}),
    "vllm 0.11.0": ("vllm", {"activation_bytes": 4.76 * GIB, "other_bytes": 0.13 * GIB, "kv_tokens": 420896}),
    "vllm 0.21.0": ("vllm", {"graph_estimated_bytes": 0.9 * GIB, "kv_tokens": 57216, "max_concurrency": 0.43}),
    "vllm too long": ("vllm", {"kv_cache_bytes": 10.91 * GIB, "kv_tokens": 59584}),
    "vllm card taken": ("vllm", {"free_bytes": 3.25 * GIB}),
    "vllm no room": ("vllm", {"weights_bytes": 65.74 * GIB, "kv_cache_bytes": -1.44 * GIB}),
    "vllm two ranks, coloured": ("vllm", {"kv_cache_bytes": 53.1 * GIB, "kv_tokens": 869984}),
    "sglang 0.4": ("sglang", {"k_bytes": 2.82 * GIB, "loaded_bytes": 8.66 * GIB, "free_bytes": 23.05 * GIB}),
    "sglang 0.5, two ranks": ("sglang", {"weights_bytes": 30.66 * GIB, "kv_tokens": 294912, "graph_bytes": 1.02 * GIB}),
    "llama.cpp of 2024": ("llama.cpp", {"weights_bytes": 3577.56 * 2**20, "kv_cache_bytes": 896 * 2**20}),
    "llama.cpp of 2025": ("llama.cpp", {"weights_bytes": 7669.77 * 2**20, "kv_tokens": 16384}),
    "in json": ("vllm", {"kv_tokens": 420896, "weights_bytes": 14.9889 * GIB}),
}


@pytest.mark.parametrize("name", LOGS)
def test_each_version_is_read(name):
    engine, figures = TOLD[name]
    facts = read_log(LOGS[name])
    assert facts.engine == engine
    assert facts.tells
    for figure, value in figures.items():
        assert facts.number(figure) == pytest.approx(value, rel=1e-9), figure


def test_settings_are_those_of_the_engine_that_started():
    settings = read_log(V0_6_4).settings
    assert settings["model"] == "meta-llama/Llama-3.1-8B-Instruct"
    assert (settings["version"], settings["generation"]) == ("0.6.4", "V0")
    assert (settings["max_model_len"], settings["gpu_memory_utilization"], settings["max_num_seqs"]) == (
        "20000",
        "0.90",
        "256",
    )


def test_a_nested_setting_does_not_hide_the_outer_one():
    text = V1_11.replace("speculative_config=None", "speculative_config=SpeculativeConfig(model='draft')")
    before, after = text.split("speculative_config", 1)
    assert read_log(before + "speculative_config" + after).settings["model"] == "meta-llama/Llama-3.1-8B-Instruct"


def test_ranks_are_told_apart():
    assert read_log(V0_7_TWO).measured["kv_cache_bytes"] == {"pid 507": 11.02 * GIB, "": 12.32 * GIB}
    assert set(read_log(SGLANG_5_TWO).measured["weights_bytes"]) == {"TP0", "TP1"}
    assert read_log(LOGS["vllm two ranks, coloured"]).measured["kv_cache_bytes"] == {
        "TP1": pytest.approx(53.1 * GIB),
        "TP0": pytest.approx(58.44 * GIB),
    }


def test_the_memory_of_the_host_is_no_devices():
    for text in (LLAMA_OLD, LLAMA_NEW):
        assert set(read_log(text).measured["weights_bytes"]) == {"CUDA0"}


def test_the_last_start_up_counts():
    facts = read_log(V0_6_4 + V1_11)
    assert facts.starts == 2
    assert facts.settings["version"] == "0.11.0"
    assert facts.number("kv_blocks") is None


def test_a_draft_model_adds_to_the_model():
    both = SGLANG_5_TWO + SGLANG_5_TWO[SGLANG_5_TWO.index("[2025-11-04 05:25:01 TP0] KV") :]
    assert read_log(both).number("k_bytes") == pytest.approx(36 * GIB)


@pytest.mark.parametrize("name", LOGS)
def test_prefixes_carriage_returns_and_other_lines_change_nothing(name):
    plain = read_log(LOGS[name])
    rng = random.Random(7)
    noisy = []
    for line in LOGS[name].splitlines():
        noisy.append(f"2025-10-02T09:00:00.000000001Z stderr F {line}")
        noisy += rng.choices(
            ("", "GET /health 200 OK", "Loading checkpoint:  50%|###   |\r100%|######|", "\x1b[2K"), k=2
        )
    read = read_log("\r\n".join(noisy))
    assert (read.engine, read.settings, read.measured) == (plain.engine, plain.settings, plain.measured)


@pytest.mark.parametrize("name", LOGS)
def test_a_log_cut_anywhere_is_read_as_far_as_it_goes(name):
    text = LOGS[name]
    for end in range(0, len(text), 37):
        read_log(text[:end])


@given(st.lists(st.one_of(st.sampled_from([p.marker for f in FORMATS for p in f.phrases]), st.text(max_size=60))))
def test_anything_can_be_read(parts):
    read_log("".join(parts))


def test_no_pattern_can_run_away():
    """Every repetition is bounded, so the time at a place is too; and places and lengths are."""
    for form in FORMATS:
        for phrase in form.phrases:
            assert "*" not in phrase.rest.replace(r"\*", ""), phrase
            assert "+" not in phrase.rest.replace(r"\+", ""), phrase
    for pattern in (scan._PAIR, scan._RANK, scan._PROCESS, scan._COLOUR):
        assert not {"*", "+"} & set(pattern.pattern)
    assert scan.MOST_PLACES * scan._REST * len(FORMATS[0].phrases) < 10_000_000


def test_a_marker_that_fills_the_text_is_looked_at_a_bounded_number_of_times():
    marker = "# GPU blocks: "
    found = [fact for fact in scan.scan(f"{marker}5\n" * 10_000, scan.by_marker(FORMATS)) if fact.at and fact.name]
    assert 0 < len(found) <= 3 * scan.MOST_PLACES


def test_bytes_of_any_encoding_become_text():
    assert decode(SGLANG_4.encode("utf-16")) == SGLANG_4
    assert decode(b"\xef\xbb\xbfab") == "ab"
    assert decode(b"\xff\x00\x80") == "\ufffd\x00\ufffd"


def test_a_foreign_log_is_none_of_these():
    assert read_log("nginx: the configuration file syntax is ok\n" * 100) is None
    assert read_log("") is None

"""The table of measurements: every row can be looked up, has a source, and stands once."""

from __future__ import annotations

import collections

import servelab as sl
from servelab.fidelity import measured
from servelab.fidelity.predict import run_of


def test_every_row_names_what_is_known():
    for row in measured.rows():
        assert row.prompt_tokens is not None
        assert row.output_tokens is not None
        assert row.value > 0
    assert {row.source for row in measured.rows()} <= set(measured.sources())
    assert {row.source for row, _ in measured.excluded()} <= set(measured.sources())
    for name in {row.model for row in measured.rows()}:
        assert measured.model_named(name).parameters > 0
    for name in {row.accelerator for row in measured.rows()}:
        assert sl.Accelerator.load(name).memory_bytes > 0


def test_every_row_stands_once_and_every_exclusion_has_a_reason():
    ids = collections.Counter(row.id for row in (*measured.rows(), *(row for row, _ in measured.excluded())))
    assert max(ids.values()) == 1
    reasons = {reason for _, reason in measured.excluded()}
    assert "speculative decoding" in reasons
    assert "infinite rate" in reasons


def test_a_load_has_clients_or_a_rate():
    for row in measured.rows():
        assert row.under_load == (row.regime in ("closed_loop", "open_loop"))
        if row.under_load:
            assert row.batch or row.rate_per_s
        else:
            assert row.batch


def test_batches_of_one_request_choose_the_same_experts():
    def skews(source, engine):
        wanted = (source, engine, "mixtral-8x7b-v0.1")
        rows = [row for row in measured.rows() if (row.source, row.engine, row.model) == wanted]
        return {run_of(row, "any@any").deployment.expert_skew for row in rows}

    assert skews("argonne", "vllm") == {0.0}  # random tokens
    assert skews("argonne", "tensorrt-llm") == {10.0}
    assert skews("trtllm09", "tensorrt-llm") == {10.0}


def test_formats_take_the_bits_that_their_source_says():
    def beside(source, weights):
        row = next(row for row in measured.rows() if (row.source, row.weights) == (source, weights))
        return run_of(row, "any@any").deployment.format_metadata_fraction

    assert 4 * (1 + beside("llamacpp4167", "int4")) == 4.5
    assert 8 * (1 + beside("llamacpp4167", "int8")) == 8.5
    assert beside("gptfast", "int8") == 0.05


def test_phases_follow_from_the_metric():
    assert {row.phase for row in measured.rows()} == {"prefill", "decode", "request"}

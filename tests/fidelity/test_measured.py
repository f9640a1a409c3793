"""The table of measurements: every row can be looked up, has a source, and stands once."""

from __future__ import annotations

import collections

import servelab as sl
from servelab.fidelity import measured


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


def test_phases_follow_from_the_metric():
    assert {row.phase for row in measured.rows()} == {"prefill", "decode", "request"}

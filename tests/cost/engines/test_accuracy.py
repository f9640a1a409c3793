"""Predictions against what engines reported: the bars, on a table of start-up logs."""

from __future__ import annotations

import csv
import statistics

import pytest

from benchmarks.engine_memory import PAGE, table
from tests.cost.engines import scoring


@pytest.fixture(scope="module")
def scored():
    return [scoring.score(row) for row in scoring.rows()]


def test_the_bars_hold(scored):
    found = scoring.summary(scored)
    assert (found.weights, found.caches, found.outcomes) == (47, 43, 91)
    assert found.weights_within >= scoring.WEIGHTS_SHARE
    assert found.cache_median <= scoring.CACHE_BAR
    assert found.outcomes_right >= scoring.OUTCOME_SHARE


def test_the_bars_hold_engine_by_engine(scored):
    for engine in ("vllm", "sglang", "llama.cpp"):
        rows = [one for one in scored if one.row["engine"] == engine]
        caches = [abs(one.cache_error) for one in rows if one.cache_error is not None]
        assert statistics.median(caches) <= scoring.CACHE_BAR
        assert statistics.mean(one.outcome_right for one in rows if one.outcome_right is not None) >= 0.9


def test_the_bars_hold_without_the_source_that_is_predicted(scored):
    errors = [abs(error) for error in scoring.held_out(scored)]
    assert len(errors) > 30
    assert statistics.median(errors) <= scoring.CACHE_BAR


def test_every_large_error_is_explained(scored):
    for one in scored:
        if one.cache_error is not None and abs(one.cache_error) > 0.1:
            assert one.row["note"], one.row["id"]


def test_the_page_shows_the_table(scored):
    assert table(scored) in PAGE.read_text(encoding="utf-8"), "run `python -m benchmarks.engine_memory`"


@pytest.mark.reference
def test_the_table_says_what_its_sources_say(reference_data):
    with (reference_data / "measured" / "memory.csv").open(encoding="utf-8", newline="") as file:
        source = {row["id"]: row for row in csv.DictReader(file)}
    checked = 0
    for row in scoring.rows():
        told = source.get(row["id"])
        if told is None:
            continue
        for ours, theirs in (("weights_gib", "reported_weights_gib"), ("kv_tokens", "reported_kv_tokens")):
            if row[ours] and told[theirs].replace(".", "").isdigit():
                assert float(row[ours]) == pytest.approx(float(told[theirs]), rel=1e-3), (row["id"], ours)
                checked += 1
        assert row["outcome"] in ("", told["outcome"])
    assert checked > 15

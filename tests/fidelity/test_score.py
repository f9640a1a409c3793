"""Scores: errors, groups and medians on rows with round numbers; predictions read from anybody's CSV."""

from __future__ import annotations

import dataclasses

import pytest

from servelab.errors import SpecError
from servelab.fidelity import measured, predictions
from servelab.fidelity.accuracy import accuracy
from servelab.fidelity.measured import Measured
from servelab.fidelity.score import KINDS, Prediction, error, groups, in_data_centre, quantile, score, worst

ROW = Measured(
    id="a",
    source="lab",
    engine="vllm",
    version="",
    model="llama-3.1-8b",
    accelerator="h100-sxm-80gb",
    tensor_parallel=1,
    weights="bf16",
    kv_cache="bf16",
    regime="static_batch",
    batch=1,
    rate_per_s=None,
    requests=None,
    prompt_tokens=1,
    output_tokens=2,
    lengths="fixed",
    metric="tpot_s",
    statistic="mean",
    value=1.0,
)


def rows(source, *values):
    return [dataclasses.replace(ROW, id=f"{source}{i}", source=source, value=value) for i, value in enumerate(values)]


def exact(some, ratio=1.0):
    return {row.id: Prediction(row.value * ratio, row.value * ratio * 0.9, row.value * ratio * 1.1) for row in some}


def test_an_error_is_a_share_of_what_was_measured_and_whole_where_nothing_is_predicted():
    assert error(dataclasses.replace(ROW, value=2.0), Prediction(3.0)) == 0.5
    assert error(ROW, None) == 1.0


def test_the_score_is_the_median_over_groups_of_their_medians():
    some = [*rows("a", *[1.0] * 5), *rows("b", *[1.0] * 7), *rows("c", *[1.0] * 4)]
    found = exact(some[:5], 1.1) | exact(some[5:12], 1.3) | exact(some[12:], 9.0)
    got = score(some, found)
    assert (got.rows, got.predicted, got.groups) == (16, 16, 2)
    assert got.median_fraction == pytest.approx(0.2)
    assert got.p90_fraction == pytest.approx(8.0)


def test_refusing_what_ran_counts_as_wholly_off():
    some = rows("a", *[1.0] * 5)
    assert score(some, {}).median_fraction == 1.0
    assert score(some, exact(some[:3])).median_fraction == 0.0
    assert score(some, exact(some[:2])).median_fraction == 1.0
    assert score(some, exact(some[:2])).predicted == 2


def test_intervals_are_scored_group_by_group():
    some = [*rows("a", *[1.0] * 5), *rows("b", *[1.0] * 10)]
    found = exact(some[:5]) | exact(some[5:], 2.0)
    got = score(some, found)
    assert got.within_fraction == 0.5
    assert got.half_width_fraction == pytest.approx(0.1)
    assert score(some, {row.id: Prediction(1.0) for row in some}).within_fraction is None


def test_groups_are_the_largest_first_and_the_worst_rows_either_way():
    some = [*rows("a", 1.0), *rows("b", 1.0, 1.0, 1.0)]
    found = {"a0": Prediction(0.2), "b0": Prediction(3.0), "b1": Prediction(1.0)}
    assert [group.source for group in groups(some, found)] == ["b", "a"]
    assert [row.id for row in worst(some, found, 3)] == ["b2", "a0", "b0"]


def test_nothing_has_no_score():
    assert score([], {}).median_fraction is None
    assert quantile([], 0.5) is None
    assert quantile([1.0, 2.0, 4.0], 0.75) == 3.0


def test_kinds_hold_what_they_are_called():
    holds = {kind.id: kind.holds for kind in KINDS}
    first = dataclasses.replace(ROW, metric="ttft_s")
    load = dataclasses.replace(first, regime="closed_loop")
    assert [name for name in holds if holds[name](ROW)] == ["batch_data_centre", "batch", "all"]
    assert [name for name in holds if holds[name](first)] == ["prefill", "all"]
    assert [name for name in holds if holds[name](load)] == ["load_ttft", "all"]
    desk = dataclasses.replace(ROW, accelerator="rtx-4090")
    assert [name for name in holds if holds[name](desk)] == ["batch", "all"]
    assert not any(map(in_data_centre, ("mi300x", "gaudi2", "jetson-agx-orin-64gb", "of nobody")))


def some_ids(count):
    return [row.id for row in measured.rows()[:count]]


def test_predictions_are_read_by_the_ids_of_the_rows():
    one, two, three = some_ids(3)
    text = f"id,predicted,low,high\n{one},0.5,0.4,0.6\n{two},,,\n{three},7,,\n"
    assert predictions.parse(text, "p.csv") == {one: Prediction(0.5, 0.4, 0.6), three: Prediction(7.0)}
    assert predictions.parse(f"\ufeffpredicted,id,mine\n2,{one},x\n", "p.csv") == {one: Prediction(2.0)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no column id"),
        ("id,value\nx,1\n", "no column predicted"),
        ("id,predicted\n", "no prediction"),
        ("id,predicted\nnobody-1,1\n", "is no measurement"),
        ("id,predicted\n{0},1\n{0},2\n", "line 3"),
        ("id,predicted\n{0},fast\n", "is no prediction"),
        ("id,predicted\n{0},-1\n", "is no prediction"),
        ("id,predicted\n{0},nan\n", "is no prediction"),
        ("id,predicted,low,high\n{0},1,2,3\n", "in that order"),
        ('id,predicted\n"{0},1\n', "no CSV"),
    ],
)
def test_predictions_that_cannot_be_are_refused_by_line(text, told):
    with pytest.raises(SpecError) as caught:
        predictions.parse(text.format(*some_ids(1)), "p.csv")
    assert (caught.value.field, told in caught.value.message) == ("predictions", True), caught.value.message


def test_questions_hold_everything_of_a_row_but_its_value():
    header, first, *rest = predictions.questions().splitlines()
    assert "value" not in header.split(",")
    assert first.split(",")[0] == measured.rows()[0].id
    assert len(rest) + 1 == len(measured.rows())


def test_perfect_predictions_have_no_error():
    perfect = {row.id: Prediction(row.value) for row in measured.rows()}
    report = accuracy(perfect)
    assert not report.own
    assert {headline.score.median_fraction for headline in report.headlines} == {0.0}
    assert {headline.score.p90_fraction for headline in report.headlines} == {0.0}


def test_the_report_holds_every_row_group_and_exclusion():
    report = accuracy()
    rows_of = measured.rows()
    assert report.own
    assert [headline.id for headline in report.headlines] == [kind.id for kind in KINDS]
    assert sum(group.score.rows for group in report.groups) == len(rows_of) == len(report.points.id)
    assert {len(getattr(report.points, name)) for name in report.points.__dataclass_fields__} == {len(rows_of)}
    assert sum(line.rows for line in report.excluded) == len(measured.excluded())
    assert {source.key for source in report.sources} == {row.source for row in rows_of}
    assert set(report.worst) <= set(report.points.id)
    assert all(line.reason for line in report.excluded)


def test_the_calibrated_score_is_better_than_the_textbooks_for_every_kind():
    for headline in accuracy().headlines:
        assert headline.textbook is not None
        assert headline.score.median_fraction < headline.textbook.median_fraction, headline.id


def test_most_rows_are_predicted():
    for headline in accuracy().headlines:
        assert headline.score.predicted >= 0.95 * headline.score.rows, headline.id

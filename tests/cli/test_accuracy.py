"""`servelab accuracy` on the command line."""

from __future__ import annotations

import csv
import json

from servelab.cli.main import main
from servelab.fidelity import measured
from servelab.fidelity.accuracy import accuracy


def run(capsys, *arguments):
    status = main(["accuracy", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_scores_groups_worst_rows_and_exclusions_are_told(capsys):
    status, out, err = run(capsys)
    assert (status, err) == (0, "")
    report = accuracy()
    for headline in report.headlines:
        assert headline.title in out
    assert f"{report.worst[0]}: " in out
    for line in report.excluded:
        assert line.reason in out
    assert f"{len(measured.rows()):,} open measurements" in out


def test_as_json_it_is_the_report_and_nothing_else(capsys):
    assert run(capsys, "--json") == (0, accuracy().to_json() + "\n", "")


def test_anybodys_predictions_are_scored(capsys, tmp_path):
    path = tmp_path / "mine.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "predicted"])
        writer.writerows((row.id, 1.07 * row.value) for row in measured.rows())
    status, out, _ = run(capsys, str(path), "--json")
    report = json.loads(out)
    assert (status, report["own"]) == (0, False)
    assert {round(line["score"]["median_fraction"], 6) for line in report["headlines"]} == {0.07}
    assert run(capsys, str(path))[1].count("7.0 %") >= 2 * len(report["headlines"])


def test_bad_predictions_are_one_sentence_and_exit_2(capsys, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("id,predicted\nnobody,1\n")
    for name in (str(path), str(tmp_path / "none.csv")):
        status, out, err = run(capsys, name)
        assert (status, out) == (2, "")
        assert err.startswith("PREDICTIONS: ")
        assert err.count("\n") == 1


def test_questions_are_written_for_others_to_answer(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    status, out, _ = run(capsys, "--questions", str(path))
    assert (status, f"{len(measured.rows()):,} rows" in out) == (0, True)
    with path.open(newline="") as file:
        assert [line["id"] for line in csv.DictReader(file)] == [row.id for row in measured.rows()]
    assert run(capsys, "--questions", str(tmp_path / "no" / "where.csv"))[0] == 2

"""`servelab lab`: a lab without a browser."""

from __future__ import annotations

import pytest

from servelab.cli.main import main
from servelab.labs.lab import Lab, Mission
from servelab.labs.play import Wish, play
from servelab.labs.shelf import shelf
from servelab.specs.fields import as_json


@pytest.fixture
def run(capsys):
    def run(*arguments):
        status = main(["lab", *arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_without_a_name_the_labs_are_listed(run):
    status, out, err = run()
    assert (status, err) == (0, "")
    assert "grouped-query" in out
    assert "What does sharing KV heads buy?" in out


def test_json_is_that_of_the_lab(run):
    flags = ["--rate", "2", "--kv-heads", "8", "--kv", "fp8", "--card", "l40s", "--event", "burst", "--event"]
    status, out, err = run("grouped-query", *flags, "long-documents", "--seed", "4", "--json")
    assert (status, err) == (0, "")
    lab = shelf().find("grouped-query")
    settings = {"requests_per_s": 2, "kv_heads": 8, "kv_cache": "fp8", "card": "l40s"}
    assert out == as_json(play(lab, lab.setup(settings, ["burst", "long-documents"], 4))) + "\n"


def test_the_report_tells_what_a_change_did(run):
    status, out, _ = run("grouped-query", "--kv-heads", "8")
    assert status == 0
    assert "KV heads 32 → 8; figures are compared" in out
    assert "worse: 8.33 points lower" in out
    assert "More requests fit at once" in out
    assert "▁" in out
    assert "Nothing here was measured." in out
    _, out, _ = run("grouped-query")
    assert "compared" not in out
    assert "better" not in out


def test_a_refusal_shows_the_flags_that_help(run):
    status, out, _ = run("grouped-query", "--card", "rtx-4090", "--event", "memory-squeeze")
    assert status == 0
    assert "Every request is rejected." in out
    assert "Share down to 2 KV heads: --kv-heads 2" in out
    assert "End the memory squeeze: no --event" in out


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("grouped",), "'grouped' is not a known lab"),
        (("grouped-query", "--kv-heads", "7"), "--kv-heads: 7 is not offered; give 1, 2, 4, 8, 16 or 32"),
        (("grouped-query", "--kv-heads", "x"), "--kv-heads: 'x' is not offered"),
        (("grouped-query", "--rate", "21"), "--rate: 21 is out of range"),
        (("grouped-query", "--card", "l40"), "--card: 'l40' is not a known card; did you mean l40s?"),
        (("grouped-query", "--event", "bust"), "--event: 'bust' is not a known event; did you mean burst?"),
        (("grouped-query", "--seed", "-1"), "--seed: -1 is out of range"),
        (("grouped-query", "--sed", "1"), "No such option"),
    ],
)
def test_bad_input_is_one_sentence(run, flags, sentence):
    status, out, err = run(*flags)
    assert (status, out) == (2, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1


def test_help_lists_controls_and_events(run):
    status, out, _ = run("grouped-query", "--help")
    assert status == 0
    assert "--kv-heads 1|2|4|8|16|32" in out
    assert "burst: Twice the arrivals for twenty seconds." in out
    assert "[default: 6.0]" in out


def test_a_mission_is_graded(run, monkeypatch):
    own = shelf().find("grouped-query")
    goal = Mission("calm", "Stay calm", "No preemption.", "calm", ("no preemption", "quality of 95"), {"kv_heads": 16})
    grades = {"calm": lambda outcome: [outcome.result.tiles["preemptions"] == 0, outcome.result.tiles["quality"] >= 95]}
    lab = Lab(
        **{
            **{name: getattr(own, name) for name in own.__dataclass_fields__ if name != "_"},
            "missions": (goal,),
            "grades": grades,
        }
    )
    placed = shelf().labs["grouped-query"]
    monkeypatch.setitem(shelf().labs, "grouped-query", type(placed)(lab, placed.source))
    status, out, _ = run("grouped-query", "--mission", "calm", "--kv-heads", "8")
    assert status == 0
    assert "KV heads 16 → 8" in out
    assert "Stay calm ★☆" in out
    assert "Met: no preemption" in out
    assert "Not met: quality of 95" in out
    status, out, _ = run("grouped-query", "--mission", "calm", "--json")
    lab_setup = lab.setup({"kv_heads": 16})
    assert out == as_json(play(lab, lab_setup, Wish(mission="calm"))) + "\n"

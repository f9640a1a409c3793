"""`servelab lab`: a lab without a browser."""

from __future__ import annotations

import json

import pytest

from servelab.cli.main import main
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


def test_a_run_of_calibrated_step_times_says_what_it_rests_on(run):
    status, out, _ = run("deploy", "--step-times", "calibrated", "--card", "h100-sxm-80gb", "--rate", "1")
    assert status == 0
    assert "Step times Textbook → Calibrated" in out
    assert "\nStep times calibrated · ±" in out
    assert "measurements of 2 models with vLLM" in out
    assert "Nothing here was measured." not in out


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
        (("grouped-query", "--hint"), "--hint: no mission is named; add --mission"),
        (("grouped-query", "--reveal"), "--reveal: no mission is named; add --mission"),
        (("grouped-query", "--mission", "two"), "--mission: 'two' is not a known mission; did you mean two-halves?"),
        (("grouped-query", "--mission", "two-halves", "--rate", "3"), "--rate: this mission keeps it at 6.0"),
        (("grouped-query", "--mission", "two-halves", "--event", "burst"), "--event: this mission keeps what happens"),
        (("grouped-query", "--mission", "two-halves", "--seed", "1"), "--seed: this mission keeps it at 0"),
    ],
)
def test_bad_input_is_one_sentence(run, flags, sentence):
    status, out, err = run(*flags)
    assert (status, out) == (2, "")
    assert err.startswith(sentence)
    assert err.count("\n") == 1


def test_series_of_a_chart_stand_below_its_title(run):
    _, out, _ = run("long-context")
    lines = out.splitlines()
    for title in ("How far every pair turns", "Attention over distance"):
        at = lines.index(f"  {title}:")
        assert all("▁" in line and " up to " in line for line in lines[at + 1 : at + 3])


def test_a_setting_that_is_an_argument_elsewhere_is_an_option_of_a_lab(run):
    status, out, err = run("int4-layers", "--model", "llama-3.1-70b")
    assert (status, err) == (0, "")
    assert "Take Qwen2.5 14B: --model qwen2.5-14b" in out
    status, out, err = run("int4-layers", "--model", "llama-3.1-7b")
    assert (status, out) == (2, "")
    assert err.startswith("--model: 'llama-3.1-7b' is not a known model")


def test_help_lists_controls_and_events(run):
    status, out, _ = run("grouped-query", "--help")
    assert status == 0
    assert "--kv-heads 1|2|4|8|16|32" in out
    assert "burst: Twice the arrivals for twenty seconds." in out
    assert "[default: 6.0]" in out


def test_a_mission_is_graded(run):
    status, out, _ = run("grouped-query", "--mission", "two-halves", "--kv-heads", "8")
    assert status == 0
    assert "KV heads 32 → 8; figures are compared with the set-up that the mission begins with." in out
    assert "Nobody waits, nobody notices ★★☆" in out
    assert "Met: quality is at least 90" in out
    assert "Not met: quality is at least 95 (Quality on the probe 91.7 points, wanted at least 95 points)" in out
    assert "Hint" not in out
    assert "All stars: --kv-heads 16 --kv fp8" in out  # passed, so that what would have been better is told
    status, out, _ = run("grouped-query", "--mission", "two-halves", "--json")
    lab = shelf().find("grouped-query")
    assert out == as_json(play(lab, lab.opening("two-halves"), Wish(mission="two-halves"))) + "\n"


def test_hints_and_the_answer_come_when_they_are_asked_for(run):
    mission = ("grouped-query", "--mission", "two-halves")
    _, out, _ = run(*mission)
    assert "Nobody waits, nobody notices ☆☆☆" in out
    assert "Hint" not in out
    assert "One answer" not in out
    _, out, _ = run(*mission, "--hint", "--hint")
    assert "Hint 1 of 1 for star 1: Requests wait for room" in out
    assert "star 2" not in out
    _, out, _ = run(*mission, "--kv-heads", "8", "--hint")
    assert "Hint 1 of 1 for star 3: What do the two cost together?" in out
    _, out, _ = run(*mission, "--kv-heads", "16", "--kv", "fp8", "--hint")
    assert "All stars are there; no hint is left to give." in out
    _, out, _ = run(*mission, "--reveal")
    assert "One answer would be KV heads 32 → 16, KV format BF16 → FP8." in out
    assert "All stars: --kv-heads 16 --kv fp8" in out
    _, out, _ = run(*mission, "--reveal", "--json")
    assert json.loads(out)["mission"]["solution"] == {"kv_heads": 16, "kv_cache": "fp8"}


def test_missions_are_listed(run):
    status, out, _ = run("--missions")
    assert status == 0
    assert out.startswith("grouped-query --mission two-halves (5 min)\n  Nobody waits, nobody notices\n")
    listed = [f"{name} --mission {mission.id} " for name, one in shelf().labs.items() for mission in one.lab.missions]
    assert all(line in out for line in listed)

"""The platform: what a lab declares, how it is played, what third parties bring."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Annotated

import pytest

from servelab.errors import SpecError, UnknownName
from servelab.labs.cards import lab_list
from servelab.labs.changes import changes
from servelab.labs.charts import Axis, Bars, Chart, Lines, Series, numbers
from servelab.labs.controls import Control
from servelab.labs.lab import Event, Lab, Mission, Tile
from servelab.labs.pages import Page, figure
from servelab.labs.play import LabFailed, Wish, play, play_json, run
from servelab.labs.result import LabResult
from servelab.labs.shelf import shelf
from servelab.specs.fields import Choice, Flag, Number, as_json
from servelab.specs.oneof import OneOf


@dataclass(frozen=True)
class Settings:
    speed: Annotated[float, Number("how fast", 1, 10)] = 2.0
    gears: Annotated[int, OneOf("how many", (1, 3, 5))] = 3
    road: Annotated[str, Choice("which way", "road", ("flat", "hilly"))] = "flat"
    light: Annotated[bool, Flag("whether it is on")] = False


def ride(settings, events, seed):
    time_s = 60 / settings.speed * (2 if "storm" in events else 1)
    return LabResult(
        {"time_s": time_s, "gears": settings.gears, "loss": float("nan"), "share": settings.speed / 10},
        {"way": Lines([0.0, time_s], {"done": [0.0, 1.0]})},
        facts={"speed": settings.speed},
    )


def because(before, after):
    return dict.fromkeys(("time_s", "gears"), f"from {before.result.facts['speed']} to {after.result.facts['speed']}")


WAY = Chart("way", "Way", "lines", Axis("time", "s"), Axis("done", "fraction"), (Series("done", "done", "accent"),))


def lab(**more):
    declared = {
        "id": "ride",
        "title": "How fast?",
        "lesson": "Speed saves time.",
        "evidence": "analytical",
        "settings": Settings,
        "run": ride,
        "tiles": (
            Tile("time_s", "Time", "s", "lower"),
            Tile("gears", "Gears", better="higher"),
            Tile("loss", "Loss"),
            Tile("share", "Share", "fraction", "higher"),
        ),
        "controls": (Control("gears", "Gears", labels={1: "one"}), Control("speed", "Speed", unit="m/s", step=0.5)),
        "events": (Event("storm", "Storm", "Wind."), Event("rain", "Rain", "Water.", 10.0, 20.0)),
        "charts": (WAY,),
        "why": because,
        "missions": (
            Mission(
                "soon", "Be soon", "In half a minute.", "soon", ("in 30 s", "in 10 s"), {"speed": 1.5}, fixed=("gears",)
            ),
        ),
        "grades": {
            "soon": lambda outcome: [outcome.result.tiles["time_s"] <= 30, outcome.result.tiles["time_s"] <= 10]
        },
    }
    return Lab(**declared | more)


def test_controls_come_from_the_settings():
    cards = {card.id: card for card in lab().control_cards()}
    assert list(cards) == ["gears", "speed", "road", "light"]
    speed, gears = cards["speed"], cards["gears"]
    assert (speed.kind, speed.low, speed.high, speed.step, speed.default) == ("slider", 1, 10, 0.5, 2.0)
    assert (gears.kind, [choice.value for choice in gears.choices]) == ("choice", [1, 3, 5])
    assert [choice.label for choice in gears.choices] == ["one", "3", "5"]
    assert (cards["road"].kind, cards["light"].kind, cards["light"].label) == ("choice", "switch", "Light")


def test_a_set_up_is_checked_field_by_field():
    setup = lab().setup({"speed": 4}, ["rain", "storm", "rain"], 7)
    assert setup.settings == Settings(4.0)
    assert (setup.events, setup.seed) == (("storm", "rain"), 7)
    for settings, events, seed, field in (
        ({"speed": 11}, (), 0, "settings.speed"),
        ({"gears": 2}, (), 0, "settings.gears"),
        ({"gears": True}, (), 0, "settings.gears"),
        ({"road": "sandy"}, (), 0, "settings.road"),
        ({"light": 1}, (), 0, "settings.light"),
        ({"sped": 2}, (), 0, "settings.sped"),
        ({}, ["storm", "snow"], 0, "events.1"),
        ({}, (), -1, "seed"),
        ({}, (), 1.5, "seed"),
    ):
        with pytest.raises(SpecError) as refused:
            lab().setup(settings, events, seed)
        assert refused.value.field == field


def test_what_a_declaration_contradicts_is_refused():
    @dataclass(frozen=True)
    class Bare:
        speed: Annotated[float, Number("how fast", 1, 10)]

    @dataclass
    class Loose:
        speed: Annotated[float, Number("how fast", 1, 10)] = 2

    @dataclass(frozen=True)
    class Taken:
        seed: Annotated[int, Number("a seed", 1, 10)] = 2

    for more, field in (
        ({"id": "Ride it"}, "id"),
        ({"evidence": "hearsay"}, "evidence"),
        ({"settings": Bare, "controls": (), "missions": ()}, "settings.speed"),
        ({"settings": Loose, "controls": (), "missions": ()}, "settings"),
        ({"settings": Taken, "controls": (), "missions": ()}, "settings.seed"),
        ({"settings": dict}, "settings"),
        ({"tiles": (Tile("time_s", "Time"), Tile("time_s", "Again"))}, "tiles"),
        ({"controls": (Control("gear", "Gear"),)}, "controls"),
        ({"controls": (Control("gears", "Gears"), Control("gears", "Again"))}, "controls"),
        ({"missions": (Mission("soon", "Soon", "…", "later", ("…",)),)}, "missions.soon.grade"),
        ({"pages": (Page("p", "assumes", "P", (figure("road", "…"),)),)}, "pages.p"),
        ({"pages": (Page("p", "assumes", "P", (figure("way", "…", {"speed": 0}),)),)}, "settings.speed"),
    ):
        with pytest.raises(SpecError) as refused:
            lab(**more)
        assert refused.value.field == field
    with pytest.raises(SpecError, match="colour"):
        Chart("way", "Way", "lines", Axis("time"), Axis("done"), (Series("done", "done", "blue"),))
    with pytest.raises(SpecError, match="needs a y axis"):
        Chart("way", "Way", "lines", Axis("time"), None, (Series("done", "done"),))
    with pytest.raises(UnknownName):
        Tile("t", "T", better="more")


def test_an_answer_holds_every_tile_and_the_charts_asked_for():
    answer = play(lab(), lab().setup({"speed": 4}))
    assert answer.tiles == {"time_s": 15.0, "gears": 3, "loss": None, "share": 0.4}
    assert answer.settings == {"speed": 4.0, "gears": 3, "road": "flat", "light": False}
    assert answer.charts == {"way": Lines([0.0, 15.0], {"done": [0.0, 1.0]})}
    assert play(lab(), lab().setup({}), Wish(charts=[])).charts == {}
    with pytest.raises(UnknownName) as refused:
        play(lab(), lab().setup({}), Wish(charts=["way", "ways"]))
    assert refused.value.field == "charts.1"


def test_an_answer_is_json_as_it_is():
    answer = play(lab(), lab().setup({}), Wish(before=lab().setup({"speed": 3}), mission="soon"))
    assert json.loads(as_json(answer))["charts"]["way"]["x"] == [0.0, 30.0]


def test_a_change_says_better_or_worse_by_how_much_and_why():
    one = lab()

    def between(before, after, events=()):
        return changes(one, run(one, one.setup(before)), run(one, one.setup(after, events)))

    slower = between({"speed": 4, "gears": 5}, {"speed": 2, "gears": 3})
    assert slower.summary == "Gears 5 → 3, Speed 4 m/s → 2 m/s"
    time_s, gears, loss, share = slower.tiles.values()
    assert (time_s.verdict, time_s.words, time_s.why) == ("worse", "2 times as high", "from 4.0 to 2.0")
    assert (gears.verdict, gears.words) == ("worse", "2 fewer")
    assert (loss.verdict, loss.words, loss.why) == ("same", "", None)
    assert (share.verdict, share.words) == ("worse", "20.0 points lower")
    faster = between({"speed": 2}, {"speed": 2.5}).tiles["time_s"]
    assert (faster.verdict, faster.words, faster.why) == ("better", "20 % lower", None)
    assert (faster.before, faster.after, faster.difference, faster.ratio) == (30.0, 24.0, -6.0, 0.8)
    hardly = between({"speed": 2}, {"speed": 2.0001}).tiles["time_s"]
    assert (hardly.verdict, hardly.words) == ("same", "the same")
    stormy = between({}, {}, ["storm"])
    assert (stormy.summary, stormy.settings[0].after) == ("Events none → Storm", ["storm"])
    nothing = between({}, {})
    assert (nothing.settings, nothing.summary) == ((), "")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (10.0, 7.0, "30 % lower"),
        (10.0, 10.5, "5.0 % higher"),
        (10.0, 10.06, "0.60 % higher"),
        (10.0, 0.5, "20 times lower"),
        (10.0, 999.6, "100 times as high"),
        (0.0, 4.0, "up from 0 s"),
        (4.0, 0.0, "down from 4.00 s"),
        (None, 4.0, "no figure before"),
        (4.0, None, "no figure now"),
    ],
)
def test_how_far_a_figure_moved(before, after, words):
    one = lab(
        tiles=(Tile("time_s", "Time", "s", "lower"),), run=lambda settings, events, seed: None, why=None, charts=()
    )
    outcomes = []
    for value in (before, after):
        outcome = run(lab(), lab().setup({}))
        outcomes.append(dataclasses.replace(outcome, result=LabResult({"time_s": value})))
    assert changes(one, *outcomes).tiles["time_s"].words == words


def test_missions_are_graded_and_hold_what_is_fixed():
    one = lab()
    assert one.opening("soon").settings.speed == 1.5
    for speed, stars in ((1.9, 0), (2, 1), (6, 2)):
        graded = play(one, one.setup({"speed": speed}), Wish(mission="soon")).mission
        assert graded.stars == stars
    assert graded.words == ("Met: in 30 s", "Met: in 10 s")
    with pytest.raises(SpecError) as refused:
        play(one, one.setup({"gears": 5}), Wish(mission="soon"))
    assert refused.value.field == "settings.gears"
    with pytest.raises(UnknownName) as refused:
        play(one, one.setup({}), Wish(mission="late"))
    assert refused.value.field == "mission"


def test_what_json_cannot_hold_is_the_labs_failure():
    for value in (float("nan"), {1}):
        one = lab(
            run=lambda settings, events, seed, value=value: LabResult({}, {"way": Lines([0.0], {"done": [value]})})
        )
        with pytest.raises(LabFailed, match="the lab ride failed"):
            play_json(one, one.setup({}))


@pytest.mark.parametrize(
    "bad",
    [
        lambda settings, events, seed: 1 / 0,
        lambda settings, events, seed: {"time_s": 1},
        lambda settings, events, seed: LabResult({"tome_s": 1.0}),
        lambda settings, events, seed: LabResult({}, {"way": Bars(["1"], {"done": [1.0]})}),
        lambda settings, events, seed: LabResult({}, {"way": Lines([0.0], {"gone": [1.0]})}),
        lambda settings, events, seed: LabResult({}, {"way": lambda: 1 / 0}),
    ],
)
def test_what_a_lab_does_wrong_comes_out_under_its_name(bad):
    one = lab(run=bad)
    with pytest.raises(LabFailed, match="the lab ride failed on these settings"):
        play(one, one.setup({}))


def test_numbers_of_a_chart_are_rounded_and_never_nan():
    assert numbers([1.23456, float("nan"), float("inf")], 2) == [1.23, None, None]
    assert numbers([1, 2]) == [1, 2]


def test_a_lab_of_forty_lines_is_on_the_shelf_and_runs(bring):
    bring()
    assert shelf().broken == ()
    assert shelf().labs["dice"].source == "dicelab 1.0"
    dice = shelf().find("dice")
    few, many = (play(dice, dice.setup({"dice": count})) for count in (2, 30))
    assert many.tiles["spread"] < few.tiles["spread"]
    assert sum(many.charts["faces"].series["rolls"]) == 600
    assert play(dice, dice.setup({"dice": 0})).refusal.kind == "no-traffic"
    cards = {card.id: card for card in lab_list(shelf()).labs}
    assert list(cards) == ["grouped-query", "dice"]
    assert [control.kind for control in cards["dice"].controls] == ["slider", "switch"]


def test_a_broken_lab_is_named_and_spoils_nothing(bring):
    bring("crash", module="raise RuntimeError('out of paper')")
    bring("quits", module="import sys\nsys.exit('bye')")
    bring("number", module="LAB = 3")
    bring("nothing", module="")
    bring("clash", module="from servelab.labs.grouped_query import LAB")
    bring()
    found = shelf()
    assert list(found.labs) == ["grouped-query", "dice"]
    reasons = {broken.name: broken.reason for broken in found.broken}
    assert list(reasons) == ["clash", "crash", "nothing", "number", "quits"]
    assert reasons["crash"] == "RuntimeError: out of paper"
    assert "already a lab 'grouped-query'" in reasons["clash"]
    assert "of type int" in reasons["number"]
    with pytest.raises(UnknownName, match="did you mean dice"):
        found.find("dic")

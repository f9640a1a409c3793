"""The platform: what a lab declares, how it is played, what third parties bring."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Annotated

import pytest

from servelab.errors import SpecError, UnknownName
from servelab.labs.cards import lab_list, mission_cards
from servelab.labs.changes import changes
from servelab.labs.charts import Axis, Bars, Chart, Lines, Series, numbers
from servelab.labs.controls import Control, Idle
from servelab.labs.grading import wanted
from servelab.labs.lab import Event, Lab, Tile
from servelab.labs.missions import Hint, Mission, Star, Want
from servelab.labs.pages import Page, figure
from servelab.labs.play import LabFailed, Wish, play, play_json, run
from servelab.labs.result import LabResult
from servelab.labs.shelf import shelf
from servelab.specs.fields import Choice, Flag, Number, as_json
from servelab.specs.oneof import OneOf
from tests.shelves import own_labs


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


SOON = Mission(
    "soon",
    "Be soon",
    "In half a minute.",
    (
        Star("in 30 s", (Want("time_s", at_most=30),)),
        Star("with five gears", (Want("gears", at_least=5),)),
        Star("at full speed", (Want("share", at_least=0.9),)),
    ),
    settings={"speed": 1.5, "light": True},
    events=("storm",),
    seed=4,
    fixed=("light",),
    judged=("gears", "share"),
    solution={"speed": 9, "gears": 5},
    reveal=lambda begun, answer: f"{begun.result.tiles['time_s']} s became {answer.result.tiles['time_s']:.3g} s.",
)


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
        "missions": (SOON,),
    }
    return Lab(**declared | more)


def wanting(want):
    return dataclasses.replace(SOON, stars=(Star("that", (want,)),))


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
        ({"missions": (dataclasses.replace(SOON, settings={"speed": 11}),)}, "settings.speed"),
        ({"missions": (dataclasses.replace(SOON, solution={"speed": 11}),)}, "settings.speed"),
        ({"missions": (dataclasses.replace(SOON, solution={"light": False}),)}, "missions.soon.solution"),
        ({"missions": (dataclasses.replace(SOON, fixed=("lights",)),)}, "missions.soon.fixed"),
        ({"missions": (dataclasses.replace(SOON, judged=("gear",)),)}, "missions.soon.stars.1"),
        ({"missions": (dataclasses.replace(SOON, judged=("gears", "share", "gear")),)}, "missions.soon.judged"),
        ({"missions": (dataclasses.replace(SOON, stars=()),)}, "missions.soon.stars"),
        ({"missions": (dataclasses.replace(SOON, stars=(*SOON.stars, SOON.stars[1])),)}, "missions.soon.stars"),
        ({"missions": (dataclasses.replace(SOON, stars=(Star("nothing", ()),)),)}, "missions.soon.stars.0"),
        ({"missions": (wanting(Want("time", at_most=3)),)}, "missions.soon.stars.0"),
        ({"missions": (wanting(Want("time_s", at_least=3)),)}, "missions.soon.stars.0"),
        ({"missions": (wanting(Want("loss", at_least=3)),)}, "missions.soon.stars.0"),
        ({"missions": (SOON, SOON)}, "missions"),
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
    answer = play(lab(), lab().setup({}), Wish(before=lab().setup({"speed": 3})))
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
        tiles=(Tile("time_s", "Time", "s", "lower"),),
        run=lambda settings, events, seed: None,
        why=None,
        charts=(),
        missions=(),
    )
    outcomes = []
    for value in (before, after):
        outcome = run(lab(), lab().setup({}))
        outcomes.append(dataclasses.replace(outcome, result=LabResult({"time_s": value})))
    assert changes(one, *outcomes).tiles["time_s"].words == words


def graded(settings, events=("storm",), seed=4, **wish):
    one = lab()
    return play(one, one.setup({"light": True, **settings}, events, seed), Wish(mission="soon", **wish)).mission


def test_a_star_counts_with_all_before_it():
    assert lab().opening("soon").settings.speed == 1.5
    for speed, gears, stars, earned in (
        (1.9, 3, (False, False, False), 0),
        (3, 5, (False, True, False), 0),
        (4, 3, (True, False, False), 1),
        (10, 3, (True, False, True), 1),
        (4, 5, (True, True, False), 2),
        (10, 5, (True, True, True), 3),
    ):
        answer = graded({"speed": speed, "gears": gears})
        assert (answer.stars, answer.earned, answer.passed) == (stars, earned, earned > 0)
    assert answer.words == ("Met: in 30 s", "Met: with five gears", "Met: at full speed")
    early = "Met now; counts once star {} is met too: {}"
    slow, plain = graded({"speed": 3, "gears": 5}), graded({"speed": 10})
    assert slow.words[:2] == ("Not met: in 30 s", early.format(1, "with five gears"))
    assert plain.words == ("Met: in 30 s", "Not met: with five gears", early.format(2, "at full speed"))


def test_what_is_wanted_stands_beside_what_is_there():
    (goal,), (gears,), (share,) = graded({"speed": 2.5}).present
    assert (goal.tile, goal.label, goal.wanted, goal.now, goal.met) == (
        "time_s",
        "Time",
        "at most 30.0 s",
        "48.0 s",
        False,
    )
    assert (gears.wanted, gears.now, gears.met) == ("at least 5", "3", False)
    assert (share.wanted, share.now) == ("at least 90.0 %", "25.0 %")
    (goal,), *_ = graded({"speed": 3.9999}).present
    assert (goal.wanted, goal.now, goal.met) == ("at most 30.0 s", "just over 30.0 s", False)
    money = Tile("price", "Price", "USD", "lower")
    said = [wanted(Want("price", at_most=most), money) for most in (0.3, 0.345, 6.5)]
    assert said == ["at most $0.300", "at most $0.345", "at most $6.50"]
    none = Want("gears", at_most=0)
    assert (none.met(0), none.met(1), none.met(None)) == (True, False, False)
    assert wanted(none, Tile("gears", "Gears", better="lower")) == "none"
    for bounds in ({}, {"at_most": 1, "at_least": 1}):
        with pytest.raises(SpecError, match="one bound"):
            Want("gears", **bounds)


def test_what_a_mission_teaches_is_told_when_it_is_passed_or_asked_for():
    answer = graded({})
    assert (answer.reveal, answer.solution) == (None, None)
    assert graded({"speed": 5}).reveal == "80.0 s became 24 s."
    assert graded({"speed": 5}).solution == {"speed": 9, "gears": 5}
    given_up = graded({}, reveal=True)
    assert given_up.reveal == "One answer would be Gears 3 → 5, Speed 1.5 m/s → 9 m/s. 80.0 s became 13.3 s."
    assert (given_up.earned, given_up.solution) == (0, {"speed": 9, "gears": 5})
    quiet = lab(missions=(dataclasses.replace(SOON, reveal=None, solution=None),))
    told = play(quiet, quiet.opening("soon"), Wish(mission="soon", reveal=True)).mission
    assert (told.reveal, told.solution) == (None, None)
    broken = lab(missions=(dataclasses.replace(SOON, reveal=lambda begun, answer: 1 / 0),))
    with pytest.raises(LabFailed):
        play(broken, broken.opening("soon"), Wish(mission="soon", reveal=True))


def test_what_is_part_of_a_missions_question_is_held():
    for settings, events, seed, field in (
        ({"light": False}, ("storm",), 4, "settings.light"),
        ({}, (), 4, "events"),
        ({}, ("storm", "rain"), 4, "events"),
        ({}, ("storm",), 5, "seed"),
    ):
        with pytest.raises(SpecError) as refused:
            graded(settings, events, seed)
        assert refused.value.field == field
    with pytest.raises(UnknownName) as refused:
        play(lab(), lab().setup({}), Wish(mission="late"))
    assert refused.value.field == "mission"


def test_a_mission_is_unlocked_by_the_one_before_it():
    second, third = (dataclasses.replace(SOON, id=name, after=after) for name, after in (("b", None), ("c", ("x/y",))))
    cards = mission_cards(lab(missions=(SOON, second, third)), 7)
    assert [(card.key, card.order, card.after) for card in cards] == [
        ("ride/soon", 7, ()),
        ("ride/b", 8, ("ride/soon",)),
        ("ride/c", 9, ("x/y",)),
    ]
    assert cards[0].stars == ("in 30 s", "with five gears", "at full speed")
    assert cards[0].wants[0] == (Want("time_s", at_most=30),)
    assert not hasattr(cards[0], "solution")


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
    assert list(cards) == [*own_labs(), "dice"]
    assert [control.kind for control in cards["dice"].controls] == ["slider", "switch"]


def test_a_broken_lab_is_named_and_spoils_nothing(bring):
    bring("crash", module="raise RuntimeError('out of paper')")
    bring("quits", module="import sys\nsys.exit('bye')")
    bring("number", module="LAB = 3")
    bring("nothing", module="")
    bring("clash", module="from servelab.labs.grouped_query import LAB")
    bring()
    found = shelf()
    assert list(found.labs) == [*own_labs(), "dice"]
    reasons = {broken.name: broken.reason for broken in found.broken}
    assert list(reasons) == ["clash", "crash", "nothing", "number", "quits"]
    assert reasons["crash"] == "RuntimeError: out of paper"
    assert "already a lab 'grouped-query'" in reasons["clash"]
    assert "of type int" in reasons["number"]
    with pytest.raises(UnknownName, match="did you mean dice"):
        found.find("dic")


@pytest.mark.parametrize(
    ("idle", "field"),
    [
        (Idle({"gear": (1,)}, "It waits."), "controls.speed.idle"),
        (Idle({"speed": (2.0,)}, "It waits."), "controls.speed.idle"),
        (Idle({"gears": (2,)}, "It waits."), "controls.speed.idle.gears"),
        (Idle({"road": ("flat", "sandy")}, "It waits."), "controls.speed.idle.road"),
    ],
)
def test_a_control_waits_only_for_what_can_be(idle, field):
    with pytest.raises(SpecError) as refused:
        lab(controls=(Control("speed", "Speed", idle=idle),))
    assert refused.value.field == field


def test_a_control_says_when_it_is_idle():
    idle = Idle({"road": ("hilly",)}, "Only uphill.")
    cards = {card.id: card for card in lab(controls=(Control("gears", "Gears", idle=idle),)).control_cards()}
    assert json.loads(as_json(cards["gears"]))["idle"] == {"unless": {"road": ["hilly"]}, "words": "Only uphill."}
    assert cards["speed"].idle is None


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"hints": (Hint("Pedal.", 0),)}, "missions.soon.hints.0"),
        ({"hints": (Hint("Pedal.", 4),)}, "missions.soon.hints.0"),
        ({"hints": (Hint("Pedal.", 1), Hint("Shift.", 3))}, "missions.soon.hints"),
        ({"stars": (*SOON.stars[:2], Star("again", (Want("gears", at_least=5),)))}, "missions.soon.stars.2"),
        ({"stars": (*SOON.stars[:2], Star("less", (Want("gears", at_least=3),)))}, "missions.soon.stars.2"),
    ],
)
def test_a_mission_helps_with_every_star_and_asks_nothing_twice(more, field):
    with pytest.raises(SpecError) as refused:
        lab(missions=(dataclasses.replace(SOON, **more),))
    assert refused.value.field == field


def test_a_quiet_want_is_marked_so():
    stars = (Star("soon", (Want("time_s", at_most=30), Want("gears", at_least=1, quiet=True))),)
    about = lab(missions=(dataclasses.replace(SOON, stars=stars),))
    (present,) = play(about, about.opening("soon"), Wish(mission="soon")).mission.present
    assert [(one.quiet, one.met) for one in present] == [(False, False), (True, True)]

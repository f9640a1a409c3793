"""Messages: one sentence, the value in it, a remedy, whatever was given."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import servelab as sl
from servelab.errors import UnknownName, nearest, one_of, shown

IDS = ["h100-pcie-80gb", "h100-sxm-80gb", "h200-sxm-141gb", "a100-sxm-80gb", "rtx-4090"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("h100", "h100-sxm-80gb"),
        ("H100", "h100-sxm-80gb"),
        ("h100-sxm-80g", "h100-sxm-80gb"),
        ("4090", "rtx-4090"),
        ("rtx4090", "rtx-4090"),
        ("zzz", None),
        ("", None),
    ],
)
def test_the_nearest_name(name, meant):
    assert nearest(name, IDS) == meant


def test_an_unknown_name_suggests():
    assert str(UnknownName("accelerator", "accelerator", "h100", IDS)) == (
        "accelerator: 'h100' is not a known accelerator; did you mean h100-sxm-80gb?"
    )


def test_a_name_like_none_lists_some():
    error = UnknownName("", "format", "zzz", ["bf16", "fp8"])
    assert str(error) == "'zzz' is not a known format; use bf16 or fp8"


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text() | st.integers(), st.lists, max_leaves=50))
def test_any_value_is_shown_in_one_short_line(value):
    text = shown(value)
    assert "\n" not in text
    assert len(text) < 400


@pytest.mark.parametrize(
    "value", [10**5000, "x" * 10**6, "a\nb\x1b[31m", [["deep"] * 1000]], ids=["int", "long", "control", "list"]
)
def test_hostile_values_are_shown_short_and_harmless(value):
    text = shown(value)
    assert len(text) < 120
    assert text.isprintable()


def test_long_lists_are_cut():
    assert one_of(str(n) for n in range(40)) == "one of 40 known names, such as 0, 1, 2"
    assert one_of(["a"]) == "a"


def test_the_tree():
    assert issubclass(sl.UnknownName, sl.SpecError)
    assert issubclass(sl.ConfigError, sl.SpecError)
    assert issubclass(sl.SpecError, sl.ServelabError)
    assert issubclass(sl.SpecError, ValueError)


def test_errors_travel_between_processes():
    error = UnknownName("accelerator", "accelerator", "h100", IDS)
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(same) is UnknownName
        assert (same.field, str(same)) == (error.field, str(error))


class Unshowable:
    def __repr__(self):
        raise RuntimeError("no")


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [[10**5000], Unshowable(), deep(100_000), {1: 10**5000}], ids=["int", "no", "deep", "dict"]
)
def test_what_cannot_be_shown_is_named_by_its_type(value):
    assert shown(value).isprintable()
    with pytest.raises(sl.SpecError, match="batch"):
        sl.Workload(1, 1, batch=value)

"""Finds phrases in a text, in time proportional to its length whatever it holds.

Each literal marker is searched for once over the whole text by `str.find`; what follows is matched on a slice of
bounded length, for a bounded number of places.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from servelab.fidelity.logs.phrases import Format, Phrase
from servelab.units import parse

#: Places of one marker that are looked at, and characters of a line after and before it that may matter.
MOST_PLACES = 160
_REST = 640
_BEFORE = 200
#: Lines of settings are long, and few.
MOST_PAIR_LINES = 8
_PAIRS = 32_000

_COLOUR = re.compile(r"\x1b\[[0-9;:?]{0,24}[A-Za-z]")
_RANK = re.compile(r"(?<![A-Za-z])(DP|PP|TP|rank)[= _]?(\d{1,4})")
_PROCESS = re.compile(r"Worker\w{0,20} [^)\n]{0,20}pid=(\d{1,9})")
_PAIR = re.compile(
    r"([A-Za-z_]{2,40})(?:=|['\"]: ?)"
    r"('[^'\n]{0,400}'|\"[^\"\n]{0,400}\"|[^\s,'\"(){}\[\]]{1,200})"
)
_NOTHING = frozenset(("None", "null", ""))


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing a log says: its name, the value, the rank it is said of ("" where none is named), and where."""

    name: str
    value: str | float
    rank: str
    at: int


@dataclass(frozen=True, slots=True)
class Start:
    """Where a start-up begins."""

    at: int


#: The phrases that begin with one marker, each with the names of its format's settings.
Phrases = list[tuple[Phrase, Mapping[str, str]]]


def by_marker(formats: Iterable[Format]) -> dict[str, Phrases]:
    """The phrases of all formats by their markers, so that each marker is searched for once."""
    phrases: dict[str, Phrases] = defaultdict(list)
    for form in formats:
        for phrase in form.phrases:
            phrases[phrase.literal].append((phrase, form.settings))
    return dict(phrases)


def scan(text: str, markers: Mapping[str, Phrases]) -> list[Fact | Start]:
    """What the phrases say in `text`, in the order of the text."""
    found = [thing for marker, phrases in markers.items() for thing in _look(text, marker, phrases)]
    return sorted(found, key=lambda thing: thing.at)


def _look(text: str, marker: str, phrases: Phrases) -> Iterator[Fact | Start]:
    at = text.find(marker)
    places = 0
    while at >= 0 and places < MOST_PLACES:
        places += 1
        after = at + len(marker)
        rest = _line(text, after, _REST)
        rank = _rank(text, at)
        for phrase, settings in phrases:
            if phrase.pairs and places > MOST_PAIR_LINES:
                continue
            yield from _read(phrase, rest, rank, at)
            if phrase.pairs:
                yield from _settings(_line(text, after, _PAIRS), settings, at)
        at = text.find(marker, after)


def _line(text: str, start: int, most: int) -> str:
    """What follows on the same line, without colours."""
    end = text.find("\n", start, start + most)
    rest = text[start : end if end >= 0 else start + most]
    return _COLOUR.sub("", rest) if "\x1b" in rest else rest


def _rank(text: str, at: int) -> str:
    """The rank or process a line is of, from what stands before the phrase."""
    first = max(0, at - _BEFORE)
    before = text[max(first, text.rfind("\n", first, at) + 1) : at]
    if "\x1b" in before:
        before = _COLOUR.sub("", before)
    ranks = [f"{kind.upper() if kind != 'rank' else kind + ' '}{number}" for kind, number in _RANK.findall(before)]
    if ranks:
        return " ".join(dict.fromkeys(ranks))
    process = _PROCESS.search(before)
    return f"pid {process[1]}" if process else ""


def _read(phrase: Phrase, rest: str, rank: str, at: int) -> Iterator[Fact | Start]:
    match = phrase.pattern.match(rest)
    if match is None:
        return
    if phrase.starts:
        yield Start(at)
    groups = match.groupdict()
    rank = groups.pop("device", None) or rank
    for name, value in (groups | dict(phrase.says)).items():
        if value is None or name.endswith("_unit"):
            continue
        if name.endswith("_bytes"):
            yield Fact(name, _bytes(value, groups.get(f"{name[:-6]}_unit") or phrase.unit), rank, at)
        elif name.endswith(("_tokens", "_blocks", "_layers", "_concurrency")):
            yield Fact(name, float(value.replace(",", "")), rank, at)
        else:
            yield Fact(name, value.strip(" ."), rank, at)


def _settings(rest: str, names: Mapping[str, str], at: int) -> Iterator[Fact]:
    """The settings of a line that the format knows; the first of a name counts, as nested ones repeat them."""
    seen = set()
    for match in _PAIR.finditer(rest):
        name, value = names.get(match[1]), match[2].strip("'\"")
        if name and name not in seen and value not in _NOTHING:
            seen.add(name)
            yield Fact(name, value, "", at)


def _bytes(number: str, unit: str) -> float:
    """A size as engines print it: their GB is a power of two."""
    digits = number.replace(",", "")
    amount = parse(f"{digits.lstrip('-')} {unit[0]}iB", "B")
    return -amount if digits.startswith("-") else amount

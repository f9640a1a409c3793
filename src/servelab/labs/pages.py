"""The words of a lab: pages of blocks, as data. `code` and **strong** are the only marks in a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from servelab.specs.fields import Choice

#: What a page is there for.
ROLES = ("how-to-play", "assumes", "cannot-tell", "explanation", "references")


@dataclass(frozen=True)
class Block:
    """A piece of a page; what does not belong to its kind is null. Made by the functions below."""

    kind: str
    text: str | None = None
    items: tuple[str, ...] | None = None
    mathml: str | None = None
    where: tuple[str, ...] | None = None
    chart: str | None = None
    settings: Mapping[str, Any] | None = None
    events: tuple[str, ...] | None = None
    seed: int | None = None
    caption: str | None = None
    url: str | None = None


def heading(text: str) -> Block:
    """The title of what follows."""
    return Block("heading", text)


def paragraph(text: str) -> Block:
    """Sentences that belong together."""
    return Block("paragraph", text)


def listed(*items: str) -> Block:
    """Points, one a line."""
    return Block("list", items=items)


def formula(text: str, *where: str, mathml: str | None = None) -> Block:
    """A formula as plain text (and, where given, as a <math> element), and what its symbols are."""
    return Block("formula", text, mathml=mathml, where=where)


def figure(chart: str, caption: str, settings: Mapping[str, Any] | None = None, events: Sequence[str] = ()) -> Block:
    """A chart that the lab draws itself, of its default set-up with these changes."""
    return Block("figure", chart=chart, settings=settings or {}, events=tuple(events), seed=0, caption=caption)


def reference(text: str, url: str | None = None) -> Block:
    """Where something is from."""
    return Block("reference", text, url=url)


@dataclass(frozen=True)
class Page:
    """One page of a lab's words."""

    id: str
    role: str
    title: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        Choice("role", "role of a page", ROLES).check(f"pages.{self.id}.role", self.role)

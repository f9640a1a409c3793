"""A shell text as simple commands: words, and the variables set before them. Nothing is run or looked up."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from servelab.errors import SpecError

#: Longer texts are no command line, and would take long to take apart.
LONGEST = 100_000

_CONTINUED = re.compile(r"[\\^`][ \t]{0,20}\r?\n")
_PROMPT = re.compile(r"^[ \t]{0,20}(?:\$|>|#!?(?=/bin)|PS [^>\n]{0,100}>)[ \t]{1,5}", re.MULTILINE)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w{0,60})=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:(\w{1,60})|\{(\w{1,60})(?::?-([^}]{0,200}))?\})")
#: What ends a command; a redirection does too, as what follows it is no word of the command.
_SEPARATORS = ";&|<>()\n"


@dataclass(frozen=True)
class Simple:
    """One command: its words, and the variables of its environment."""

    words: tuple[str, ...]
    variables: Mapping[str, str]


def simple_commands(text: str) -> list[Simple]:
    """The commands of a shell text, variables that the text sets itself put in; raises SpecError where quotes fail."""
    if len(text) > LONGEST:
        raise SpecError(
            "text", f"a command of {len(text):,} characters cannot be read; give at most {LONGEST:,}, or a log"
        )
    lines = _PROMPT.sub("", _CONTINUED.sub(" ", text))
    known: dict[str, str] = {}
    return [command for words in _split(lines) if (command := _simple(words, known)).words]


def _split(text: str) -> Iterator[list[str]]:
    """Words of each command: a line, or a part of one between operators."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_SEPARATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words: list[str] = []
    commented = False
    try:
        for word in lexer:
            if word and set(word) <= set(_SEPARATORS):
                commented = commented and "\n" not in word
                yield words
                words = []
            else:
                commented = commented or word.startswith("#")
                if not commented:
                    words.append(word)
    except ValueError as error:
        raise SpecError("text", f"the command cannot be taken apart ({error}); close every quote") from None
    yield words


def _simple(words: list[str], known: dict[str, str]) -> Simple:
    """Split off leading assignments; those of a command of their own, or after `export`, hold from there on."""
    rest = list(words)
    if rest[:1] in (["export"], ["set"], ["env"], ["ENV"]):
        rest = rest[1:] if any(_ASSIGNMENT.fullmatch(word) for word in rest[1:2]) else rest
    own: dict[str, str] = {}
    while rest and (match := _ASSIGNMENT.fullmatch(rest[0])):
        own[match[1]] = _filled(match[2], known | own)
        rest = rest[1:]
    if not rest:
        known |= own
    return Simple(tuple(_filled(word, known | own) for word in rest), {**known, **own})


def _filled(word: str, known: Mapping[str, str]) -> str:
    """The word with the variables that are known, or have a default, put in; others stay as written."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return known.get(name, match[3] if match[3] is not None else match[0])

    return _VARIABLE.sub(value, word) if "$" in word else word

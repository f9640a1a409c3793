"""A shell text as simple commands: words, and the variables set before them. Nothing is run or looked up."""

from __future__ import annotations

import re
import shlex
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from servelab.errors import SpecError

#: Longer texts are no command line, and would take long to take apart.
LONGEST = 100_000
#: Variables that a text may set, and characters that its words may have once they are put in: they could double with
#: every line.
MOST_VARIABLES = 1_000
LONGEST_FILLED = 1_000_000

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


def simple_commands(text: str) -> Iterator[Simple]:
    """The commands of a shell text, variables that the text sets itself put in.

    Raises SpecError where quotes fail, and where variables are too many or grow too long.
    """
    if len(text) > LONGEST:
        raise SpecError(
            "text", f"a command of {len(text):,} characters cannot be read; give at most {LONGEST:,}, or a log"
        )
    shell = _Shell()
    for words in list(_split(_PROMPT.sub("", _CONTINUED.sub(" ", text)))):  # all of it, so that every quote is closed
        command = shell.take(words)
        if command.words:
            yield command


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


class _Shell:
    """The variables that are set so far, and how many characters were put in."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._filled_length = 0

    def take(self, words: list[str]) -> Simple:
        """Split off leading assignments; those of a command of their own, or after `export`, hold from there on."""
        exported = words[:1] in (["export"], ["set"], ["env"], ["ENV"]) and len(words) > 1
        at = 1 if exported and _ASSIGNMENT.fullmatch(words[1]) else 0
        own: dict[str, str] = {}
        while at < len(words) and (match := _ASSIGNMENT.fullmatch(words[at])):
            own[match[1]] = self._filled(match[2], ChainMap(own, self._known))
            at += 1
        variables = {**self._known, **own} if own else self._known  # never changed, so that commands may share it
        if len(variables) > MOST_VARIABLES:
            raise SpecError("text", f"more than {MOST_VARIABLES:,} variables are set; give the command with its values")
        if at == len(words):
            self._known = variables
        return Simple(tuple(self._filled(word, variables) for word in words[at:]), variables)

    def _filled(self, word: str, known: Mapping[str, str]) -> str:
        """The word with the variables that are known, or have a default, put in; others stay as written."""

        def value(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            found = known.get(name, match[3] if match[3] is not None else match[0])
            self._filled_length += len(found)
            if self._filled_length > LONGEST_FILLED:
                raise SpecError(
                    "text",
                    f"with its variables put in, the text has more than {LONGEST_FILLED:,} characters;"
                    " give the command with their values",
                )
            return found

        return _VARIABLE.sub(value, word) if "$" in word else word

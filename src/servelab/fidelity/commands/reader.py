"""A text that starts a server, recognised and read: a shell command, `docker run`, a compose file, a manifest."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from servelab.errors import SpecError
from servelab.fidelity.commands import manifests
from servelab.fidelity.commands.containers import Container, docker_run, grammar_of_image, version_of_image
from servelab.fidelity.commands.flags import Grammar
from servelab.fidelity.commands.serving import find_serving, read_arguments
from servelab.fidelity.commands.told import Told
from servelab.fidelity.commands.words import simple_commands

_YAML_KEY = re.compile(r"^(?:- )?[A-Za-z_][\w.-]{0,60}:(?:\s|$)", re.MULTILINE)
_JSON = re.compile(r"\s*[\[{]")
_NESTED_SHELLS = 2


class _Serving(NamedTuple):
    """A serving command that was found; its words are read only where it is the one to tell of."""

    grammar: Grammar
    arguments: Sequence[str]
    variables: Mapping[str, str]
    containers: tuple[Container, ...] = ()  # the innermost first

    def told(self) -> Told:
        """What it tells."""
        told = read_arguments(self.grammar, self.arguments, self.variables)
        for container in self.containers:
            told = _around(told, container)
        return told


def read_command(text: str) -> tuple[str, Told] | None:
    """What kind of text it is ("command", "docker", "compose", "kubernetes", "values") and what its first serving
    command tells; None where it starts no engine. Raises SpecError where it cannot be taken apart.
    """
    kind = _kind(text)
    found = _commands(text, {}) if kind == "command" else _from_containers(manifests.containers(text))
    serving = next(found, None)
    if serving is None:
        return None
    first, others = serving.told(), sum(1 for _ in found)
    if others:
        remark = f"the text starts {others + 1} servers; the first is read"
        first = dataclasses.replace(first, remarks=(*first.remarks, remark), commands=others + 1)
    return kind, first


def _kind(text: str) -> str:
    beginning = text[:20_000]
    if not _JSON.match(beginning) and not _YAML_KEY.search(beginning):
        return "command"
    if re.search(r"^services:", beginning, re.MULTILINE):
        return "compose"
    return "kubernetes" if re.search(r"^\s{0,4}\"?apiVersion\"?:", beginning, re.MULTILINE) else "values"


def _commands(text: str, variables: Mapping[str, str], depth: int = 0) -> Iterator[_Serving]:
    """The serving commands of a shell text, those within `sh -c` too."""
    for command in simple_commands(text):
        words, known = list(command.words), {**variables, **command.variables}
        container = docker_run(words)
        if container is not None:
            container.variables = {**known, **container.variables}
            yield from _from_containers([container], depth)
            continue
        script = _script(words)
        if script is not None and depth < _NESTED_SHELLS:
            yield from _commands(script, known, depth + 1)
            continue
        found = find_serving(words)
        if found is not None:
            yield _Serving(*found, known)


def _script(words: list[str]) -> str | None:
    """What a shell is told to run: the word after `-c`."""
    for at in range(min(len(words) - 2, 20)):
        if words[at].rsplit("/", 1)[-1] in ("sh", "bash", "zsh") and words[at + 1] in ("-c", "-lc", "-ec", "-cl"):
            return words[at + 2]
    return None


def _from_containers(found: Iterable[Container], depth: int = 0) -> Iterator[_Serving]:
    for container in found:
        words = [*([container.entrypoint] if container.entrypoint else []), *container.arguments]
        script = _script(["", *words])
        if script is not None:
            inner = _commands(script, container.variables, depth + 1) if depth < _NESTED_SHELLS else ()
            yield from (serving._replace(containers=(*serving.containers, container)) for serving in inner)
            continue
        named = find_serving(words)
        grammar = named[0] if named else grammar_of_image(container.image)
        if grammar is not None:
            arguments = named[1] if named else container.arguments
            yield _Serving(grammar, arguments, container.variables, (container,))


def _around(told: Told, container: Container) -> Told:
    """What the container adds to its command: the image's version, how many cards, and which."""
    around = {
        "version": version_of_image(container.image),
        "devices": None if container.devices is None else str(container.devices),
        "gpu": container.variables.get("GPU"),
    }
    fields = {**{name: value for name, value in around.items() if value}, **told.fields}
    return dataclasses.replace(told, fields=fields)


def refuse_unread(text: str) -> SpecError:
    """The refusal of a text that is none of these."""
    return SpecError(
        "text",
        f"nothing in these {len(text):,} characters starts an inference engine or is its start-up log; give a log or"
        " command of vLLM, SGLang or llama.cpp, a compose file, or a manifest",
    )

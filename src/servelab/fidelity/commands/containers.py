"""`docker run` and its kin: the image, what is passed to it, its environment and its devices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from servelab.fidelity.commands.flags import GRAMMARS, Grammar

_PROGRAMS = frozenset(("docker", "podman", "nerdctl"))
_SWITCH_NAMES = (
    "-d --detach -i --interactive -t --tty -it -ti -dit -itd --rm --privileged --init --read-only -P --publish-all"
    " --no-healthcheck --oom-kill-disable -q --quiet"
)
_SWITCHES = frozenset(_SWITCH_NAMES.split())
_ENVIRONMENT = frozenset(("-e", "--env"))
_DEVICES = re.compile(r"device[s]?=([\w,.-]{1,200})")
_VERSION = re.compile(r"v?(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:\.?(?:post|rc)\d{1,3})?)")


@dataclass
class Container:
    """An image run with `arguments`; `devices` is how many cards it is given, None where all or not said."""

    image: str
    arguments: list[str]
    entrypoint: str | None = None
    variables: dict[str, str] = field(default_factory=dict)
    devices: int | None = None


def docker_run(words: Sequence[str]) -> Container | None:
    """The container that `docker run …` starts; None where the words are something else."""
    words = [word for word in words if word != "sudo"]
    programs = [word.rsplit("/", 1)[-1] for word in words[:1]]
    if not programs or programs[0] not in _PROGRAMS or "run" not in words[1:4]:
        return None
    at = words.index("run") + 1
    container = Container("", [])
    while at < len(words) and words[at].startswith("-"):
        name, equals, value = words[at].partition("=")
        at += 1
        if not equals and name not in _SWITCHES and at < len(words):
            value = words[at]
            at += 1
        _option(container, name, value)
    if at >= len(words):
        return None
    container.image, container.arguments = words[at], list(words[at + 1 :])
    return container


def _option(container: Container, name: str, value: str) -> None:
    if name in _ENVIRONMENT:
        variable, _, text = value.partition("=")
        container.variables[variable] = text
    elif name == "--entrypoint":
        container.entrypoint = value
    elif name == "--gpus":
        container.devices = device_count(value)
    elif name == "--device" and (named := _DEVICES.search(value) or re.search(r"gpu=(\w{1,20})", value)):
        container.devices = None if named[1] == "all" else (container.devices or 0) + 1


def device_count(text: str) -> int | None:
    """How many cards "2", "all", "device=0,1" or "count=2" means; None for all."""
    named = _DEVICES.search(text)
    if named:
        return len([device for device in named[1].split(",") if device])
    digits = re.fullmatch(r"(?:count=)?(\d{1,4})", text.strip("'\" "))
    return int(digits[1]) if digits else None


def grammar_of_image(image: str) -> Grammar | None:
    """The engine that an image is of."""
    name = image.split("@", 1)[0].lower()
    return next((grammar for grammar in GRAMMARS if grammar.image in name), None)


def version_of_image(image: str) -> str | None:
    """The version that an image's tag says."""
    _, _, tag = image.rsplit("/", 1)[-1].partition(":")
    match = _VERSION.match(tag)
    return match[1] if match else None

"""The words of a serving command read with its engine's grammar."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from servelab.fidelity.commands.flags import GRAMMARS, NOT_MODELLED, NOT_MODELLED_SWITCHES, Grammar
from servelab.fidelity.commands.told import ReadFlag, Told, UnknownFlag

_NUMBER = re.compile(r"-?\d+(?:\.\d*)?")
_UNKNOWN_VALUE = re.compile(r"\$[\w{]|<[\w-]{1,60}>|\{\{")
_LONGEST_SHOWN = 200
_MOST_FLAGS = 400
_NEAR = 0.8
#: As many layers as no model has: all of them.
_ALL_LAYERS = 99
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


def find_serving(words: Sequence[str]) -> tuple[Grammar, list[str]] | None:
    """The engine that `words` start, and the words that are its arguments; None where they start none."""
    for grammar in GRAMMARS:
        for program in grammar.programs:
            for at in range(min(len(words) - len(program) + 1, 60)):
                if _is_program(words, at, program):
                    return grammar, list(words[at + len(program) :])
    return None


def _is_program(words: Sequence[str], at: int, program: tuple[str, ...]) -> bool:
    first = words[at].replace("\\", "/")
    alike = first == program[0] or first.endswith(f"/{program[0]}")
    return alike and tuple(words[at + 1 : at + len(program)]) == program[1:]


def read_arguments(grammar: Grammar, arguments: Sequence[str], variables: Mapping[str, str]) -> Told:
    """The setup that an engine's arguments and environment make."""
    reading = _Reading(grammar)
    flags = _flags(grammar, list(arguments))
    for name, value in itertools.islice(flags, _MOST_FLAGS):
        reading.take(name, value)
    if next(flags, None) is not None:
        reading.remarks.append(f"the command has more than {_MOST_FLAGS} flags; those after them are not read")
    reading.environment(variables)
    return Told(
        grammar.engine,
        {"engine": grammar.engine, **reading.fields},
        tuple(reading.read),
        tuple(reading.unknown),
        tuple(dict.fromkeys(reading.not_modelled)),
        tuple(dict.fromkeys(reading.remarks)),
    )


def _flags(grammar: Grammar, words: list[str]) -> Iterator[tuple[str, str | None]]:
    """Flags with their values; the name "" is an argument without a flag."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-") or _NUMBER.fullmatch(word):
            yield "", word
            continue
        name, equals, value = word.partition("=")
        name = _canonical(grammar, name)
        if equals:
            yield name, value
        elif _takes_value(grammar, name, words[at] if at < len(words) else None):
            yield name, words[at] if at < len(words) else None
            at += 1
            while name in _LISTS and at < len(words) and not words[at].startswith("-"):
                at += 1
        else:
            yield name, None


#: Flags that take several values.
_LISTS = frozenset(("--served-model-name", "--lora-modules", "--middleware", "--cuda-graph-bs", "--lora-paths"))


def _canonical(grammar: Grammar, name: str) -> str:
    """The flag as the grammar writes it: dashes for underscores, and the whole of what is a beginning of one only."""
    dashed = f"--{name[2:].replace('_', '-')}" if name.startswith("--") else name
    names = grammar.names()
    if not dashed.startswith("--") or dashed in names or dashed in NOT_MODELLED:
        return dashed
    begun = [known for known in (*names, *NOT_MODELLED) if known.startswith(dashed)]
    return begun[0] if len(begun) == 1 else dashed


def _takes_value(grammar: Grammar, name: str, following: str | None) -> bool:
    flag = grammar.by_name.get(name)
    if flag is not None:
        return flag.sets is None
    if name in grammar.switches or name in NOT_MODELLED_SWITCHES:
        return False
    if name in grammar.valued or name in NOT_MODELLED:
        return following is not None
    return following is not None and (not following.startswith("-") or bool(_NUMBER.fullmatch(following)))


@dataclass
class _Reading:
    """What was gathered so far."""

    grammar: Grammar
    fields: dict[str, str] = field(default_factory=dict)
    read: list[ReadFlag] = field(default_factory=list)
    unknown: list[UnknownFlag] = field(default_factory=list)
    not_modelled: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def take(self, name: str, value: str | None) -> None:
        """One flag, or an argument without one: the model, where it is the first."""
        shown_value = None if value is None else value[:_LONGEST_SHOWN]
        flag = self.grammar.by_name.get(name)
        if not name:
            self._positional(value or "")
        elif flag is not None:
            self._set(flag.field, flag.sets if flag.sets is not None and value is None else value or "", name)
            self.read.append(ReadFlag(name, shown_value, flag.field, flag.words))
        elif name in _LAYERS and _all_layers(value or ""):
            self.read.append(ReadFlag(name, shown_value, None, "all layers on the device"))
        elif name in NOT_MODELLED:
            self.not_modelled.append(f"{name}: {NOT_MODELLED[name]}")
            self.read.append(ReadFlag(name, shown_value, None, f"not counted: {NOT_MODELLED[name]}"))
        elif name in self.grammar.valued or name in self.grammar.switches:
            self.read.append(ReadFlag(name, _hidden(name, shown_value), None, "changes nothing here"))
        else:
            near = difflib.get_close_matches(name[:80], self.grammar.names(), n=1, cutoff=_NEAR)
            self.unknown.append(UnknownFlag(name[:80], shown_value, near[0] if near else None))

    def _positional(self, word: str) -> None:
        if "model" not in self.fields and self.grammar.engine == "vllm" and not word.isdigit():
            self._set("model", word, "the model")
            self.read.append(ReadFlag("(first argument)", word[:_LONGEST_SHOWN], "model", "the model to serve"))
        elif not word.isdigit() and word.strip():
            self.unknown.append(UnknownFlag(word[:80], None, None))

    def _set(self, name: str, value: str, flag: str) -> None:
        if _UNKNOWN_VALUE.search(value):
            self.remarks.append(f"{flag} is {value[:60]}, whose value the text does not hold")
        else:
            self.fields[name] = value

    def environment(self, variables: Mapping[str, str]) -> None:
        """What variables tell: which devices are seen, which of vLLM's engines runs."""
        for name in _VISIBLE:
            devices = [device for device in variables.get(name, "").split(",") if device.strip()]
            if devices and devices != ["all"]:
                self.fields["devices"] = str(len(devices))
                self.read.append(ReadFlag(name, variables[name][:60], "devices", "the devices that are seen"))
        if self.grammar.engine == "vllm" and variables.get("VLLM_USE_V1") in ("0", "1"):
            self.fields["generation"] = f"V{variables['VLLM_USE_V1']}"
            self.read.append(ReadFlag("VLLM_USE_V1", variables["VLLM_USE_V1"], "generation", "which engine runs"))


_LAYERS = frozenset(("-ngl", "--gpu-layers", "--n-gpu-layers"))


def _all_layers(value: str) -> bool:
    return value == "all" or (value.isdigit() and len(value) < 9 and int(value) >= _ALL_LAYERS)


def _hidden(name: str, value: str | None) -> str | None:
    """A key or token is never repeated."""
    return "…" if value and ("key" in name or ("token" in name and "tokens" not in name)) else value

"""The documents do what they say: examples run, links lead somewhere, options are told."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from servelab.cli.main import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


PYTHON = [(page.name, block) for page in PAGES for block in blocks(page, "python")]
CONSOLE = [line[2:] for page in PAGES for block in blocks(page, "console") for line in block.splitlines()]


@pytest.mark.parametrize(("page", "code"), PYTHON, ids=[page for page, _ in PYTHON])
def test_python_examples_print_what_they_say(page, code):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, page, "exec", dont_inherit=True), {"__name__": "example"})
    said = re.findall(r"^print\(.*\)  # (.*)$", code, re.MULTILINE)
    assert said
    assert printed.getvalue().splitlines() == said


@pytest.mark.parametrize("command", [line for line in CONSOLE if "path/to" not in line])
def test_commands_in_the_docs_work(command, capsys):
    program, *arguments = shlex.split(command)
    assert program == "servelab"
    assert main(arguments) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target

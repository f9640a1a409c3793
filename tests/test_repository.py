"""What the tree must and must not hold."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import servelab as sl

ROOT = Path(__file__).parents[1]


def tracked():
    try:
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in names.split("\0") if name]


def texts():
    for path in tracked():
        if path.is_file() and path.suffix not in {".png", ".ico", ".woff2"}:
            yield path, path.read_text(encoding="utf-8")


def test_no_lock_file_carries_addresses():
    for path, text in texts():
        if path.name in ("package-lock.json", "uv.lock", "poetry.lock"):
            assert '"resolved"' not in text, path
            assert "://registry" not in text, path


def test_no_path_of_a_machine_and_no_registry_is_named():
    private = re.compile(
        r"(?<![\w@.-])/(?:home|root|Users|work|workspace)/\w|registry\.npmjs|files\.pythonhosted|pypi\.org/simple"
    )
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path, text in texts()
        if path != Path(__file__)
        for match in [private.search(text)]
        if match and path.name != "test_api.py"
    ]
    assert found == []


def test_unfinished_work_is_not_marked_and_left():
    mark = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
    assert [path for path, text in texts() if path != Path(__file__) and mark.search(text)] == []


def test_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == sl.__version__
    assert f"## {sl.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_dependency_has_its_reason():
    reasons = (ROOT / "docs" / "design" / "dependencies.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    for requirement in listed:
        assert f"`{re.split('[<>=~]', requirement)[0]}`" in reasons, requirement


def test_files_stay_small():
    """Over 300 lines a file needs a reason; tables do, code does not."""
    long = [path.name for path in (ROOT / "src" / "servelab").rglob("*.py") if len(path.read_text().splitlines()) > 300]
    assert long == []

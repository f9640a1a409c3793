"""The names of the package: there, documented, imported only when asked for."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import servelab as sl


def test_every_public_name_is_there_and_documented():
    for name in sl.__all__:
        value = getattr(sl, name)
        assert name == "__version__" or inspect.getdoc(value), name
    assert dir(sl) == sorted(sl.__all__)


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sl.nothing  # noqa: B018


def test_importing_servelab_imports_nothing_else_of_it():
    code = "import sys, servelab; print(sorted(m for m in sys.modules if m.startswith('servelab')))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "['servelab']"

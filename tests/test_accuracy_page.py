"""The document on accuracy is what its script writes from the table now."""

from __future__ import annotations

import pytest

from docs.plots.accuracy import files
from servelab.fidelity.accuracy import accuracy

FILES = files(accuracy())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_document_and_its_plots_are_up_to_date(path):
    assert path.read_text(encoding="utf-8") == FILES[path], "run .venv/bin/python -m docs.plots.accuracy"

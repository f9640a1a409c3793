"""What is stored of models left out is what a fit without them says, and the shipped profiles fit their own rows."""

from __future__ import annotations

import csv
import statistics
import tomllib
from collections import defaultdict

import pytest

from benchmarks.fit_profiles import batch_samples, cases_of, held_out
from servelab.fidelity import measured
from servelab.fidelity.fitting import Samples
from servelab.fidelity.measured import HELD_OUT, KERNELS
from servelab.fidelity.predict import closed_form, generation_of, is_simulated, run_of
from servelab.specs.catalog import loader


@pytest.fixture(scope="module")
def stored():
    with HELD_OUT.open(newline="", encoding="utf-8") as file:
        return {line["id"]: line for line in csv.DictReader(file)}


def test_a_family_fitted_again_gives_the_stored_figures(stored):
    rows = [row for row in measured.rows() if row.engine == "gpt-fast"]
    cases = cases_of(rows)
    samples = Samples(batch_samples(cases), tomllib.loads(KERNELS.read_text(encoding="utf-8")))
    samples.vectors()
    found = held_out(cases, samples)
    assert len(found) == len(rows)
    for row in rows:
        assert found[row.id] == pytest.approx(float(stored[row.id]["predicted"]), rel=0.02), row


def test_every_row_is_stored_once_and_few_are_refused(stored):
    rows = measured.rows()
    assert stored.keys() == {row.id for row in rows}
    assert sum(bool(line["predicted"]) for line in stored.values()) >= 0.95 * len(rows)
    for line in stored.values():
        if line["predicted"]:
            assert float(line["low"]) <= float(line["predicted"]) <= float(line["high"])


def test_a_profile_is_no_worse_than_the_textbook_on_the_rows_it_was_fitted_to(stored):
    own, plain = defaultdict(list), defaultdict(list)
    for row in measured.rows():
        name = f"{generation_of(row).prefix}@{row.accelerator}"
        if row.under_load or name not in loader.ids("profile") or not stored[row.id]["textbook"]:
            continue
        run = run_of(row, name)
        if is_simulated(run):
            continue
        own[name].append(abs(closed_form(run)[row.metric] / row.value - 1))
        plain[name].append(abs(float(stored[row.id]["textbook"]) / row.value - 1))
    assert len(own) > 20
    for name, errors in own.items():
        assert statistics.median(errors) <= statistics.median(plain[name]), name

"""Published models: the reader's counts against independent sums over tensors, and against published totals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import servelab as sl
from servelab.specs.catalog import loader

#: Where the reader's decoder is not the catalogue's sum over all tensors: it holds the encoder too.
WITH_ENCODER = {"t5-v1_1-xxl"}


@pytest.mark.parametrize("name", loader.ids("model"))
def test_the_catalogue_adds_up(name):
    """Decoder = Σ tensors within 0.1 %; decoder and parts = published within 1 %, or the entry says why not."""
    about, model = loader.entry("model", name).about, sl.Model.load(name)
    everything = model.parameters + model.part_parameters
    counted = everything if name in WITH_ENCODER else model.parameters
    assert counted == pytest.approx(about["tensor_parameters"], rel=1e-3)
    close = everything == pytest.approx(about["published_parameters"], rel=1e-2)
    assert close == ("difference" not in about)


def test_the_exceptions_are_told_with_their_reason():
    page = (Path(__file__).parents[3] / "docs" / "models.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| ([\w.-]+) \| [\d.]+ \| (.+) \|$", page, re.MULTILINE))
    abouts = ((name, loader.entry("model", name).about) for name in loader.ids("model"))
    assert told == {name: about["difference"] for name, about in abouts if "difference" in about}


@pytest.mark.reference
def test_all_published_files_are_read(reference_data):
    files = sorted((reference_data / "raw" / "hf_configs").glob("*.json"))
    assert len(files) == 34
    for file in files:
        name = file.stem.split("__")[1].lower()
        read, known = sl.Model.load(file), loader.entry("model", name)
        assert read.parameters == pytest.approx(known.about["tensor_parameters"], rel=1e-3), file.name
        catalogued = sl.Model.load(name)
        assert read.groups == catalogued.groups, file.name
        assert [part.parameters for part in read.parts] == [part.parameters for part in catalogued.parts], file.name
        assert read.checkpoint_bytes == catalogued.checkpoint_bytes, file.name
        answer = sl.estimate(sl.Deployment(read, "b200-sxm", tensor_parallel=2), sl.Workload(1000, 10))
        assert answer.memory.weights_bytes > 0


#: As much memory as any model takes, so that speed is told at every degree.
ROOMY = sl.Accelerator("roomy", 1e13, 8e12, {"bf16": 2.25e15}, link_bytes_per_s=9e11)


@pytest.mark.parametrize("name", loader.ids("model"))
def test_no_model_of_the_catalogue_is_under_its_floor_on_any_number_of_devices(name):
    model = sl.Model.load(name)
    first = sl.estimate(sl.Deployment(model, ROOMY), sl.Workload(3000, 2000, batch=4))
    for option in first.tensor_parallel_options:
        if not option.allowed:
            continue
        deployment = sl.Deployment(model, ROOMY, tensor_parallel=option.degree)
        answer = sl.estimate(deployment, sl.Workload(3000, 2000, batch=4))
        assert answer.prefill.time_s >= answer.prefill.floor_s
        assert answer.decode.time_s >= answer.decode.floor_s
        assert answer.memory.weights_bytes * option.degree == pytest.approx(first.memory.weights_bytes)
        held = answer.memory.kv_cache_bytes
        assert first.memory.kv_cache_bytes / option.degree <= held * (1 + 1e-9)
        if all(group.attention == "latent" for group in model.groups):
            assert held == first.memory.kv_cache_bytes

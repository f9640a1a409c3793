"""A deployment written as a command is read back as the same deployment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import servelab as sl
from servelab.errors import SpecError
from servelab.fidelity.commands.write import command_line
from servelab.fidelity.read import read
from servelab.specs.accelerator import Accelerator
from servelab.specs.engines import EngineSettings

CARD = Accelerator.load("h100-sxm-80gb")
LIMIT = st.none() | st.integers(1, 200_000)


@given(
    engine=st.sampled_from(("vllm", "sglang")),
    model=st.sampled_from(("llama-3.1-8b", "qwen3-32b", "mixtral-8x7b-v0.1")),
    degree=st.sampled_from((1, 2, 4, 8)),
    kv_cache=st.sampled_from(("bf16", "fp8")),
    weights=st.sampled_from((None, "fp8")),
    share=st.integers(5, 99),
    limits=st.tuples(LIMIT, LIMIT, LIMIT, st.booleans()),
)
def test_what_is_written_is_read_back(**drawn):
    engine, limits, share = drawn["engine"], drawn["limits"], drawn["share"]
    chosen = {"tensor_parallel": drawn["degree"], "kv_cache": drawn["kv_cache"], "weights": drawn["weights"]}
    deployment = sl.Deployment(drawn["model"], CARD, engine=engine, **chosen)
    settings = EngineSettings(
        engine=engine,
        gpu_memory_utilization=share / 100,
        max_model_len=limits[0],
        max_num_batched_tokens=limits[1],
        max_num_seqs=limits[2],
        enforce_eager=limits[3],
    )
    line = command_line(deployment, settings)
    reading = read(line.command, accelerator=CARD)
    assert reading.unknown_flags == ()
    found = reading.recovered
    assert (found.model, found.engine) == (drawn["model"], engine)
    assert (found.tensor_parallel or 1, found.kv_cache, found.weights) == tuple(chosen.values())
    assert found.gpu_memory_utilization == pytest.approx(share / 100)
    assert (found.max_model_len, found.max_num_batched_tokens, found.max_num_seqs) == limits[:3]
    assert bool(found.enforce_eager) == limits[3]


def test_each_flag_is_explained_and_what_a_flag_cannot_do_is_said():
    line = command_line(sl.Deployment("llama-3.1-8b", CARD, weights="int4"), EngineSettings(max_num_seqs=64))
    assert line.command.startswith("vllm serve meta-llama/Llama-3.1-8B")
    assert all(flag.words for flag in line.flags)
    assert "int4" in line.remarks[0]


def test_llama_cpp_and_an_engine_without_a_command():
    line = command_line(sl.Deployment("llama-3.1-8b", CARD), EngineSettings(engine="llama.cpp", max_model_len=8192))
    assert "llama-server" in line.command
    assert "-c 8192" in line.command
    with pytest.raises(SpecError, match="tensorrt-llm"):
        command_line(sl.Deployment("llama-3.1-8b", CARD), EngineSettings(engine="tensorrt-llm"))

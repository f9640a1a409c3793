"""Step times as coefficients: those of the stages, for every kind of model in the catalogue."""

from __future__ import annotations

import pytest

import servelab as sl
from servelab.cost.collectives import communication_s
from servelab.cost.passes import Features, stages
from servelab.cost.roofline import effective_rates, peak_rates
from servelab.cost.steps import step_costs
from servelab.cost.work import Steps
from servelab.specs.catalog import loader
from tests.sim.cases import pass_time

PASSES = (
    ([5, 300, 700], []),
    ([], [(0, 700), (0, 9)]),
    ([5, 300, 700], [(100, 50)]),
    ([3000, 9000, 20_000], [(5000, 300), (0, 1)]),
    ([1] * 500, [(0, 8192)]),
)


def kinds_of_models():
    """One model of each combination of features and windows."""
    first = {}
    for name in loader.ids("model"):
        model = sl.Model.load(name)
        first.setdefault((model.features, len(model.windows)), name)
    return sorted(first.values())


@pytest.mark.parametrize("name", kinds_of_models())
def test_coefficients_give_the_time_of_the_stages(name):
    deployment = sl.Deployment(name, "h100-sxm-80gb", tensor_parallel=1)
    time = pass_time(step_costs(deployment))
    rates = effective_rates(deployment, peak_rates(deployment))
    for contexts, chunks in PASSES:
        features = Features.of(len(contexts), chunks, windows=deployment.model.windows, contexts=contexts)
        work, at = stages(deployment, features), Steps(float(sum(contexts)))
        wanted = (
            deployment.pass_overhead_s + rates.bound(work.linear, at).time_s + rates.bound(work.attention, at).time_s
        )
        assert time(contexts, chunks) == pytest.approx(wanted, rel=1e-11)


def test_communication_is_in_the_rest():
    deployment = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=4, all_reduce_latency_s=1e-5)
    alone = sl.Deployment("llama-3.1-8b", "h100-sxm-80gb", tensor_parallel=4, link_bytes_per_s=1e21)
    more = pass_time(step_costs(deployment))([100, 200], [(0, 50)]) - pass_time(step_costs(alone))(
        [100, 200], [(0, 50)]
    )
    assert more == pytest.approx(communication_s(deployment, 52), rel=1e-9)


def test_a_profile_counts_the_all_reduces_that_a_layer_has_and_the_textbook_two():
    def seconds(each, **fields):
        model = sl.Model("m", 8_000_000_000, 32, 32, 8, 128, all_reduces_per_layer=each)
        return communication_s(sl.Deployment(model, "h100-sxm-80gb", tensor_parallel=4, **fields), 100)

    assert seconds(1, profile="any@any") == pytest.approx(seconds(2, profile="any@any") / 2, rel=1e-12)
    assert seconds(1) == seconds(2) > 0


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"flop_per_s": {}}, "accelerator.flop_per_s.bf16"),
        ({"flop_per_s": {"bf16": 1e15}}, "accelerator.link_bytes_per_s"),
    ],
)
def test_an_unknown_rate_is_refused_by_name(fields, named):
    card = sl.Accelerator("unknown", 80e9, 3e12, **fields)
    with pytest.raises(sl.SpecError) as refusal:
        step_costs(sl.Deployment("llama-3.1-8b", card, tensor_parallel=2))
    assert refusal.value.field == named


@pytest.mark.parametrize(("layers", "heads"), [(1e15, 32), (1e12, 8), (3, 1e6)])
def test_a_model_without_experts_needs_no_table_however_large_its_activations(layers, heads):
    model = sl.Model("odd", 8e9, layers=layers, query_heads=heads, kv_heads=8, head_dim=128, hidden_size=4096)
    costs = step_costs(sl.Deployment(model, "h100-sxm-80gb"))
    assert [side.tabled_s for stage in costs.stages for side in stage] == [()] * 4


@pytest.mark.parametrize(
    ("device", "fields", "named"),
    [
        ({"bandwidth_bytes_per_s": 5e-324}, {}, "accelerator.bandwidth_bytes_per_s"),
        ({"bandwidth_bytes_per_s": 1e-300}, {}, "accelerator.bandwidth_bytes_per_s"),
        ({"bandwidth_bytes_per_s": 5e-324}, {"bandwidth_utilization": 0.1}, "accelerator.bandwidth_bytes_per_s"),
        ({"flop_per_s": {"bf16": 5e-324}}, {}, "accelerator.flop_per_s.bf16"),
        ({}, {"bandwidth_utilization": 5e-324}, "bandwidth_utilization"),
        ({}, {"tensor_parallel": 2, "link_bytes_per_s": 5e-324}, "link_bytes_per_s"),
    ],
)
def test_times_beyond_all_numbers_are_refused_by_the_field_that_leads_there(device, fields, named):
    device = {"name": "odd", "memory_bytes": 8e10, "bandwidth_bytes_per_s": 3e12, "flop_per_s": {"bf16": 1e15}} | device
    with pytest.raises(sl.SpecError, match="beyond all numbers") as caught:
        step_costs(sl.Deployment("llama-3.1-8b", sl.Accelerator(**device), **fields))
    assert caught.value.field == named

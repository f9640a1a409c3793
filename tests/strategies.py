"""Random but possible deployments and workloads."""

from __future__ import annotations

from hypothesis import strategies as st

import servelab as sl
from servelab.specs import groups as sl_groups

RATES = st.floats(1e9, 1e16)
ANY_MEMORY = st.floats(1e9, 1e15)


@st.composite
def models(draw):
    kv_heads = draw(st.sampled_from([1, 2, 3, 4, 8, 16]))
    query_heads = kv_heads * draw(st.integers(1, 8))
    head_dim = draw(st.sampled_from([32, 64, 80, 128, 256]))
    hidden = draw(st.none() | st.integers(64, 16384))
    vocabulary = draw(st.none() | st.integers(1, 200_000))
    embeddings = 2 * (vocabulary or 0) * (hidden or query_heads * head_dim)
    return sl.Model(
        name="random",
        parameters=embeddings + draw(st.integers(1, 10**11)),
        layers=draw(st.integers(1, 120)),
        query_heads=query_heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        hidden_size=hidden,
        vocab_size=vocabulary,
        tied_embeddings=draw(st.booleans()),
        checkpoint_format=draw(st.sampled_from(["bf16", "fp16", "fp32", "fp8"])),
    )


@st.composite
def accelerators(draw, memory=ANY_MEMORY):
    formats = draw(st.sampled_from([("bf16",), ("fp16",), ("bf16", "fp16", "fp8")]))
    return sl.Accelerator(
        name="random",
        memory_bytes=draw(memory),
        bandwidth_bytes_per_s=draw(st.floats(1e10, 1e14)),
        flop_per_s={name: draw(RATES) for name in formats},
        link_bytes_per_s=draw(st.floats(1e9, 1e13)),
        price_usd_per_hour=draw(st.none() | st.floats(0.01, 100)),
    )


@st.composite
def deployments(draw, memory=ANY_MEMORY):
    model = draw(models())
    replicate = draw(st.none() | st.booleans())
    degrees = [n for n in range(1, 17) if model.query_heads % n == 0 and _split(model, n, replicate)]
    return sl.Deployment(
        model,
        draw(accelerators(memory)),
        tensor_parallel=draw(st.sampled_from(degrees)),
        weights=draw(st.none() | st.sampled_from(["fp32", "bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4"])),
        kv_cache=draw(st.sampled_from(["bf16", "fp8", "int8"])),
        compute_utilization=draw(st.floats(0.01, 1)),
        bandwidth_utilization=draw(st.floats(0.01, 1)),
        pass_overhead_s=draw(st.sampled_from([0.0, 1e-4, 0.1])),
        reserve_bytes=draw(st.floats(0, 1e10)),
        workspace_buffers=draw(st.integers(0, 20)),
        format_metadata_fraction=draw(st.floats(0, 1)),
        link_bytes_per_s=draw(st.none() | st.floats(1e9, 1e13)),
        link_utilization=draw(st.floats(0.01, 1)),
        all_reduce_latency_s=draw(st.sampled_from([0.0, 1e-5])),
        replicate_kv_heads=replicate,
    )


def _split(model, degree, replicate):
    return model.kv_heads % degree == 0 or (bool(replicate) and degree % model.kv_heads == 0)


def workloads(longest_prompt=100_000, longest_output=300, largest_batch=200):
    return st.builds(
        sl.Workload,
        prompt_tokens=st.integers(1, longest_prompt),
        output_tokens=st.integers(1, longest_output),
        batch=st.integers(1, largest_batch),
    )


@st.composite
def layer_groups(draw):
    """Any kind of layer; heads are multiples of 8 so that every degree up to 8 may split them."""
    fields = {"layers": draw(st.integers(1, 12))}
    kind = draw(st.sampled_from(["grouped", "grouped", "latent", "state", "none"]))
    if kind == "grouped":
        kv_heads = draw(st.sampled_from([1, 2, 8]))
        fields |= {"query_heads": 8, "kv_heads": kv_heads, "key_dim": draw(st.sampled_from([16, 24]))}
        fields["value_dim"] = draw(st.sampled_from([16, 32]))
    elif kind == "latent":
        fields |= {"query_heads": 8, "latent_dim": 64, "rope_dim": 8, "nope_dim": 16, "value_dim": 24}
    elif kind == "state":
        fields["state_bytes"] = draw(st.floats(1, 1e6))
    if kind in ("grouped", "latent"):
        if draw(st.booleans()):
            fields["window"] = draw(st.integers(1, 60))
        if draw(st.booleans()):
            fields["index_topk"] = draw(st.integers(1, 60))
            if draw(st.booleans()):
                fields |= {"index_heads": draw(st.integers(1, 4)), "index_head_dim": draw(st.integers(1, 32))}
    if draw(st.booleans()):
        experts = draw(st.integers(1, 20))
        fields |= {
            "feed_forward": "experts",
            "experts": experts,
            "experts_per_token": draw(st.integers(1, experts)),
            "expert_parameters": draw(st.integers(1, 10_000)),
            "expert_bytes": draw(st.none() | st.floats(1, 10_000)),
        }
    return sl_groups.LayerGroup(attention=kind, **fields)


@st.composite
def grouped_models(draw):
    groups = draw(st.lists(layer_groups(), min_size=1, max_size=4))
    hidden, vocabulary = draw(st.integers(8, 512)), draw(st.none() | st.integers(1, 1000))
    routed = sum(group.routed_parameters for group in groups)
    shared = 2 * (vocabulary or 0) * hidden + draw(st.integers(1, 10**7))
    published = draw(st.booleans())
    experts = sum(g.layers * (g.experts or 0) * (g.expert_bytes or 4 * (g.expert_parameters or 0)) for g in groups)
    kv_heads = next((group.kv_heads for group in groups if group.kv_heads), 8)
    return sl.Model(
        name="random",
        parameters=shared + routed,
        layers=sum(group.layers for group in groups),
        query_heads=8,
        kv_heads=kv_heads,
        head_dim=16,
        hidden_size=hidden,
        vocab_size=vocabulary,
        tied_embeddings=draw(st.booleans()),
        checkpoint_format=draw(st.sampled_from(["bf16", "fp8", "int4"])),
        checkpoint_bytes=4.0 * shared + experts if published else None,
        embedding_format="bf16" if published else None,
        groups=tuple(groups),
        parts=draw(st.sampled_from([(), (sl_groups.Part("tower", 10**6, 3e6), sl_groups.Part("MTP", 7))])),
    )

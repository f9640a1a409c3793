"""The definition of an estimate as a plain loop over passes: slow, obvious, shares no code with servelab."""

from __future__ import annotations

WEIGHT_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1, "int4": 0.5, "mxfp4": 4.25 / 8, "nvfp4": 4.5 / 8}
KV_BYTES = {"bf16": 2, "fp8": 1, "int8": 1}


def weight_bytes(d):
    size = WEIGHT_BYTES[d.weights or d.model.checkpoint_format]
    if (d.weights or d.model.checkpoint_format) in ("int8", "int4"):
        size *= 1 + d.format_metadata_fraction
    return size


def kv_ways(d):
    return min(d.tensor_parallel, d.model.kv_heads)


def memory(d, w):
    m, n = d.model, d.tensor_parallel
    kappa = 2 * m.layers * m.kv_heads * m.head_dim * KV_BYTES[d.kv_cache]
    parts = {
        "weights_bytes": m.parameters * weight_bytes(d) / n,
        "kv_cache_bytes": kappa * (w.prompt_tokens + w.output_tokens) * w.batch / kv_ways(d),
        "workspace_bytes": d.workspace_buffers * w.batch * w.prompt_tokens * m.hidden_size * 2 / n,
        "reserve_bytes": d.reserve_bytes,
    }
    return parts | {"total_bytes": sum(parts.values()), "capacity_bytes": d.accelerator.memory_bytes}


def compute_format(d):
    rates = d.accelerator.flop_per_s
    return d.compute or ("bf16" if "bf16" in rates or "fp16" not in rates else "fp16")


def one_pass(d, decode_contexts, prompts):
    """One pass over decodes at these contexts and whole prompts of these lengths."""
    m, n = d.model, d.tensor_parallel
    peak, bandwidth = d.accelerator.flop_per_s[compute_format(d)], d.accelerator.bandwidth_bytes_per_s
    flop_rate, byte_rate = n * peak * d.compute_utilization, n * bandwidth * d.bandwidth_utilization
    tokens = len(decode_contexts) + sum(prompts)
    pairs = sum(decode_contexts) + sum(p * (p + 1) / 2 for p in prompts)
    cached = sum(decode_contexts) + sum(prompts)
    width = m.query_heads * m.head_dim
    weights = m.parameters * weight_bytes(d)
    kappa = 2 * m.layers * m.kv_heads * m.head_dim * KV_BYTES[d.kv_cache]
    held = kappa * n / kv_ways(d)
    activations = 4 * m.layers * tokens * m.hidden_size
    linear = (2 * m.parameters * tokens, weights + activations)
    attention = (4 * m.layers * width * pairs, held * (cached + tokens) + activations)
    stages = []
    for flop, moved in (linear, attention):
        math_s, data_s = flop / flop_rate, moved / byte_rate
        bound = "compute" if math_s >= data_s else "memory"
        stages.append({"flop": flop, "bytes": moved, "math": math_s, "data": data_s, "bound": bound})
    communication = 0
    if n > 1:
        link = (d.link_bytes_per_s or d.accelerator.link_bytes_per_s) * d.link_utilization
        payload = 2 * (n - 1) / n * tokens * m.hidden_size * 2
        communication = 2 * m.layers * (d.all_reduce_latency_s + payload / link)
    table = (m.vocab_size or 0) * m.hidden_size
    head = 0 if m.tied_embeddings else table
    emitting = len(decode_contexts) + len(prompts)
    least_flop = 2 * tokens * (m.parameters - table - head) + attention[0]
    least_flop += 2 * (table if m.tied_embeddings else head) * emitting
    read = m.parameters if m.tied_embeddings else m.parameters - table
    least_bytes = weight_bytes(d) * read + kappa * cached
    floor = max(least_flop / (n * peak), least_bytes / (n * bandwidth))
    return stages, communication, floor


def phase(d, passes):
    """Sum of passes, each (decode contexts, prompts)."""
    total = {"time_s": 0, "floor_s": 0, "communication_s": 0, "overhead_s": 0}
    stages = [{"flop": 0, "bytes": 0, "time_s": 0, "compute": 0, "memory": 0} for _ in range(2)]
    for decode_contexts, prompts in passes:
        parts, communication, floor = one_pass(d, decode_contexts, prompts)
        for stage, part in zip(stages, parts, strict=True):
            time = max(part["math"], part["data"])
            stage["flop"] += part["flop"]
            stage["bytes"] += part["bytes"]
            stage["time_s"] += time
            stage[part["bound"]] += time
            total["time_s"] += time
        total["time_s"] += communication + d.pass_overhead_s
        total["communication_s"] += communication
        total["overhead_s"] += d.pass_overhead_s
        total["floor_s"] += floor
    shares = {
        "compute": stages[0]["compute"] + stages[1]["compute"],
        "memory": stages[0]["memory"] + stages[1]["memory"],
        "communication": total["communication_s"],
        "overhead": total["overhead_s"],
    }
    return total | {"linear": stages[0], "attention": stages[1], "shares": shares}


def estimate(d, w):
    """Both phases and every figure that follows from them."""
    b, p, o = w.batch, w.prompt_tokens, w.output_tokens
    prefill = phase(d, [([], [p] * b)])
    decode = phase(d, [([p + i] * b, []) for i in range(1, o)])
    e2e = prefill["time_s"] + decode["time_s"]
    price = d.accelerator.price_usd_per_hour
    figures = {
        "ttft_s": prefill["time_s"],
        "tpot_s": decode["time_s"] / (o - 1) if o > 1 else None,
        "e2e_s": e2e,
        "output_tokens_per_s": b * o / e2e,
        "decode_tokens_per_s": b * (o - 1) / decode["time_s"] if o > 1 else None,
        "request_tokens_per_s": (o - 1) / decode["time_s"] if o > 1 else None,
        "cost_usd_per_million_output_tokens": None
        if price is None
        else d.tensor_parallel * price / 3600 / (b * o / e2e) * 1e6,
    }
    return prefill, decode, figures

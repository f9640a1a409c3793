"""An estimate of a model made of layer groups, as plain loops over groups, requests and tokens: slow and obvious.

Shares no code with servelab. Every sum over a context is a loop over its tokens.
"""

from __future__ import annotations

from tests.oracles.estimate import KV_BYTES, WEIGHT_BYTES, compute_format


def weight_size(d, name):
    size = WEIGHT_BYTES[name]
    return size * (1 + d.format_metadata_fraction) if name in ("int8", "int4") else size


def touched(experts, per_token, tokens, skew):
    """Expected number of experts that at least one of `tokens` tokens goes through."""
    chances = [0.0] * experts
    shares = {e: (e + 1) ** -skew for e in range(experts)}
    left = per_token
    while shares:
        scale = left / sum(shares.values())
        over = [e for e, share in shares.items() if share * scale >= 1]
        if not over:
            for e, share in shares.items():
                chances[e] = share * scale
            break
        first = min(over)
        chances[first] = 1.0
        left -= 1
        del shares[first]
    return sum(1 - (1 - chance) ** tokens for chance in chances)


def ways(group, n):
    if group.attention == "latent":
        return 1
    return min(n, group.kv_heads)


def kept_of_token(d, group):
    """Bytes of keys and values of one token in these layers."""
    v = KV_BYTES[d.kv_cache]
    if group.attention == "grouped":
        return group.layers * group.kv_heads * (group.key_dim + group.value_dim) * v
    if group.attention == "latent":
        return group.layers * (group.latent_dim + group.rope_dim) * v
    return 0


def indexer_bytes(group):
    return group.layers * group.index_head_dim if group.index_heads else 0


def memory(d, w):
    m, n = d.model, d.tensor_parallel
    weights = decoder_bytes(d)
    for part in m.parts:
        own = d.weights is None and part.weights_bytes is not None
        weights += part.weights_bytes if own else part.parameters * weight_size(d, d.weights or m.checkpoint_format)
    cache = 0
    for group in m.groups:
        tokens = w.prompt_tokens + w.output_tokens
        if group.window and d.free_windows:
            cache += kept_of_token(d, group) * min(tokens, group.window) * w.batch / ways(group, n)
        elif group.attention in ("grouped", "latent"):
            cache += kept_of_token(d, group) * tokens * w.batch / ways(group, n)
        cache += indexer_bytes(group) * tokens * w.batch
        cache += group.layers * (group.state_bytes or 0) * w.batch
    return weights / n, cache


def decoder_bytes(d):
    m = d.model
    if d.weights is None and m.checkpoint_bytes is not None:
        return m.checkpoint_bytes
    return m.parameters * weight_size(d, d.weights or m.checkpoint_format)


def expert_size(d, group):
    if d.weights is None and group.expert_bytes is not None:
        return group.expert_bytes
    return group.expert_parameters * weight_size(d, d.weights or d.model.checkpoint_format)


def flop_of_pair(group, decode):
    if group.attention == "grouped":
        return group.layers * 2 * group.query_heads * (group.key_dim + group.value_dim)
    if group.attention == "latent" and decode:
        return group.layers * 2 * group.query_heads * (2 * group.latent_dim + group.rope_dim)
    if group.attention == "latent":
        return group.layers * 2 * group.query_heads * (group.nope_dim + group.rope_dim + group.value_dim)
    return 0


def attention(d, decode_contexts, chunks, *, floor=False):
    """FLOP and bytes of attention; under the floor each part of the cache moves once and nothing is written."""
    m, n = d.model, d.tensor_parallel
    flop = moved = 0.0
    for group in m.groups:
        limits = [limit for limit in (group.window, group.index_topk) if limit]
        seen = min(limits) if limits else 10**18
        decode_pairs = sum(min(context, seen) for context in decode_contexts)
        chunk_pairs = sum(min(s + i, seen) for s, c in chunks for i in range(1, c + 1))
        reads = decode_pairs + sum(min(s, seen - 1) + c for s, c in chunks)
        written = 0 if floor else len(decode_contexts) + sum(c for _, c in chunks)
        flop += flop_of_pair(group, True) * decode_pairs + flop_of_pair(group, False) * chunk_pairs
        if group.attention in ("grouped", "latent"):
            copies = 1 if floor else n / ways(group, n)
            moved += kept_of_token(d, group) * (reads + written) * copies
        if group.index_heads:
            all_pairs = sum(decode_contexts) + sum(s + i for s, c in chunks for i in range(1, c + 1))
            all_reads = sum(decode_contexts) + sum(s + c for s, c in chunks)
            flop += group.layers * 2 * group.index_heads * group.index_head_dim * all_pairs
            moved += indexer_bytes(group) * (all_reads + written) * (1 if floor else n)
        if group.state_bytes and not floor:
            moved += n * 2 * group.layers * group.state_bytes * (len(decode_contexts) + len(chunks))
    return flop, moved


def one_pass(d, decode_contexts, chunks, emitting):
    """Time and floor of one pass, and FLOP and bytes of its two stages."""
    m, n = d.model, d.tensor_parallel
    peak, bandwidth = d.accelerator.flop_per_s[compute_format(d)], d.accelerator.bandwidth_bytes_per_s
    tokens = len(decode_contexts) + sum(c for _, c in chunks)
    active, read = m.parameters, decoder_bytes(d)
    for group in m.groups:
        if group.experts:
            active -= group.layers * (group.experts - group.experts_per_token) * group.expert_parameters
            idle = group.experts - touched(group.experts, group.experts_per_token, tokens, d.expert_skew)
            read -= group.layers * idle * expert_size(d, group)
    activations = 4 * m.layers * tokens * m.hidden_size
    pairs_flop, cache = attention(d, decode_contexts, chunks)
    stages = [(2 * active * tokens, read + activations), (pairs_flop, cache + activations)]
    time = d.pass_overhead_s
    for flop, moved in stages:
        math_s = flop / (n * peak * d.compute_utilization)
        time += max(math_s, moved / (n * bandwidth * d.bandwidth_utilization))
    if n > 1:
        link = (d.link_bytes_per_s or d.accelerator.link_bytes_per_s) * d.link_utilization
        time += 2 * m.layers * (d.all_reduce_latency_s + 2 * (n - 1) / n * tokens * m.hidden_size * 2 / link)
    table = (m.vocab_size or 0) * m.hidden_size
    head = 0 if m.tied_embeddings else table
    least_flop, least_cache = attention(d, decode_contexts, chunks, floor=True)
    least_flop += 2 * tokens * (active - table - head) + 2 * (head or table) * emitting
    unread = 0
    if not m.tied_embeddings:
        own = d.weights is None and m.checkpoint_bytes is not None and m.embedding_format
        unread = table * weight_size(d, own or d.weights or m.checkpoint_format)
    floor = max(least_flop / (n * peak), (read - unread + least_cache) / (n * bandwidth))
    return time, floor, stages


def estimate(d, w):
    """Time, floor, FLOP and bytes of prefill and decode, pass by pass."""
    b, p = w.batch, w.prompt_tokens
    prefill = [one_pass(d, [], [(0, p)] * b, b)]
    decode = [one_pass(d, [p + i] * b, [], b) for i in range(1, w.output_tokens)]
    return [
        {
            "time_s": sum(time for time, _, _ in passes),
            "floor_s": sum(floor for _, floor, _ in passes),
            "flop": sum(flop for _, _, stages in passes for flop, _ in stages),
            "bytes": sum(moved for _, _, stages in passes for _, moved in stages),
        }
        for passes in (prefill, decode)
    ]

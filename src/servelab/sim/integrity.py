"""What must hold of an engine's state between two passes; every test asks."""

from __future__ import annotations

from typing import Any

from servelab.sim.blocks import blocks
from servelab.sim.state import STATIC, Replica


def check_integrity(r: Replica) -> None:
    """Recount everything that is kept as a count; raises AssertionError where one is wrong."""
    s = _View(r.state)
    running, waiting = _ring(r, s)
    _same("running", s.running, len(running))
    _same("waiting", s.waiting, len(waiting))
    partial = running[-1:] if s.prefill_left else []
    decodes = running[: len(running) - len(partial)]
    _same("decodes", s.decoding, len(decodes))
    held = sum(_held(s, request, decoding=True) for request in decodes)
    held += sum(_held(s, request, decoding=False) for request in partial)
    if s.policy == STATIC:
        _hold(held <= s.kv_blocks - s.free_blocks, "a batch holds at least its unfinished requests' blocks")
    else:
        _same("blocks held", s.kv_blocks - s.free_blocks, held)
    _hold(0 <= s.free_blocks <= s.kv_blocks, "free blocks are between none and all")
    _check_decodes(r, s, decodes)


def _ring(r: Replica, s: Any) -> tuple[list[Any], list[Any]]:
    """The unfinished requests that have joined: running, then waiting ones, in order of arrival."""
    order, at = [], _View(r.requests[s.requests]).newer
    while at < s.arrived:
        order.append(int(at))
        at = _View(r.requests[at]).newer
    _hold(order == sorted(order), "the ring is in order of arrival")
    split = order.index(s.newest) + 1 if s.running else 0
    return [_View(r.requests[i]) for i in order[:split]], [_View(r.requests[i]) for i in order[split:]]


def _held(s: Any, request: Any, *, decoding: bool) -> int:
    if s.reserves:
        return blocks(s, request.prompt + request.limit)
    if decoding:
        return blocks(s, request.prompt + s.decode_steps - request.decode_base - 1)
    return blocks(s, request.prompt + request.tokens_out)


def _check_decodes(r: Replica, s: Any, decodes: list[Any]) -> None:
    contexts = [request.prompt + s.decode_steps - request.decode_base for request in decodes]
    for kind in map(_View, r.kinds):
        _same("Σ context", kind.context_sum, sum(min(context, kind.window) for context in contexts))
        _same("growing", kind.growing, sum(context < kind.window for context in contexts))
    due = [0] * s.block_size
    for request in decodes:
        due[(request.decode_base - request.prompt + 2) % s.block_size] += 1
    _same("phase", s.phase, s.decode_steps % s.block_size)
    _same("blocks due", [int(count) for count in r.due_blocks], due)
    _same("events", s.events, len(decodes))
    for place, event in enumerate(map(_View, r.heap[: s.events])):
        _same("place in the heap", _View(r.requests[event.request]).heap_place, place)
        _hold(place == 0 or _View(r.heap[(place - 1) // 2]).step <= event.step, "the heap is in order")


class _View:
    """A record of a plain or a compiled run by attribute."""

    def __init__(self, record: Any) -> None:
        self._record = record

    def __getattr__(self, name: str) -> Any:
        record = self._record
        return getattr(record, name) if hasattr(record, name) else record[name].item()


def _same(what: str, kept: Any, counted: Any) -> None:
    _hold(kept == counted, f"{what}: kept {kept}, counted {counted}")


def _hold(condition: bool, rule: str) -> None:
    if not condition:
        raise AssertionError(rule)

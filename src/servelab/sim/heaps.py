"""A binary heap of the decodes' next events, earliest first (ties by index); any request can be taken out."""

from __future__ import annotations

from servelab.sim.state import Event, Request, State


def push(s: State, heap: list[Event], requests: list[Request], step: int, i: int) -> None:
    """Put an event of request `i` at `step` into the heap."""
    s.events += 1
    rise(heap, requests, s.events - 1, step, i)


def take(s: State, heap: list[Event], requests: list[Request], i: int) -> None:
    """Take the event of request `i` out of the heap."""
    at = requests[i].heap_place
    requests[i].heap_place = -1
    s.events -= 1
    if at == s.events:
        return
    step, moved = heap[s.events].step, heap[s.events].request
    if at > 0 and not comes_first(heap[(at - 1) >> 1], step, moved):
        rise(heap, requests, at, step, moved)
    else:
        sink(s, heap, requests, at, step, moved)


def rise(heap: list[Event], requests: list[Request], at: int, step: int, i: int) -> None:
    """Put an event at the free place `at`, or above it where those are later."""
    while at > 0:
        above = heap[(at - 1) >> 1]
        if comes_first(above, step, i):
            break
        place(heap[at], requests, at, above.step, above.request)
        at = (at - 1) >> 1
    place(heap[at], requests, at, step, i)


def sink(s: State, heap: list[Event], requests: list[Request], at: int, step: int, i: int) -> None:
    """Put an event at the free place `at`, or below it where those are earlier."""
    while 2 * at + 1 < s.events:
        below = 2 * at + 1
        if below + 1 < s.events and comes_first(heap[below + 1], heap[below].step, heap[below].request):
            below += 1
        if not comes_first(heap[below], step, i):
            break
        place(heap[at], requests, at, heap[below].step, heap[below].request)
        at = below
    place(heap[at], requests, at, step, i)


def comes_first(event: Event, step: int, i: int) -> bool:
    """Whether an event goes before that of request `i` at `step`."""
    return event.step < step or (event.step == step and event.request < i)


def place(event: Event, requests: list[Request], at: int, step: int, i: int) -> None:
    """Write an event down in its place."""
    event.step = step
    event.request = i
    requests[i].heap_place = at


KERNELS = (push, take, rise, sink, comes_first, place)

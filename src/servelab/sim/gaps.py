"""Gaps between the tokens of one request, counted in a histogram whose bins are at most 1 % wide.

A bin is the binary exponent of a time and the seven bits that follow, read off its 64 bits: 128 bins an octave, 0.4 to
0.8 % wide. The time is scaled first, so that round numbers of seconds fall inside a bin and not on an edge, where
rounding would decide.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from servelab.sim.state import FreshGroup, State

_BINS_AN_OCTAVE = 128
_LOWEST_EXPONENT = -60
_OCTAVES = 140
_SCALE = 1.0023456789
BINS = _BINS_AN_OCTAVE * _OCTAVES

#: Of the bits of a double, those below the seven after the exponent; and what stands above them in the first bin.
_FINER_BITS = 45
_FIRST_BIN = (1022 + _LOWEST_EXPONENT) * _BINS_AN_OCTAVE


def bin_of(gap_s: float) -> int:
    """The bin of a gap; gaps beyond the range go to its first or last bin."""
    at = (int(np.float64(gap_s * _SCALE).view(np.int64)) >> _FINER_BITS) - _FIRST_BIN
    return min(max(at, 0), BINS - 1)


def lower_edge(at: int) -> float:
    """The shortest gap of a bin, in seconds."""
    return float(np.int64((at + _FIRST_BIN) << _FINER_BITS).view(np.float64)) / _SCALE


def lower_edges(at: NDArray[np.int64]) -> NDArray[np.float64]:
    """The shortest gap of each of some bins, in seconds."""
    return ((at + _FIRST_BIN) << _FINER_BITS).view(np.float64) / _SCALE


def count_gap(s: State, gaps: list[int], gap_s: float) -> None:
    """Count one gap."""
    gaps[bin_of(gap_s)] += 1
    note_extremes(s, gap_s, gap_s)


def note_extremes(s: State, shortest_s: float, longest_s: float) -> None:
    """Remember the shortest and the longest gap of all."""
    s.gap_min_s = min(s.gap_min_s, shortest_s)
    s.gap_max_s = max(s.gap_max_s, longest_s)


def count_gaps(s: State, gaps: list[int], first_s: float, slope_s: float, passes: int) -> None:
    """Count gaps of first, first + slope, first + 2 slope … for each of `passes`, for every decode."""
    last_s = first_s + slope_s * (passes - 1)
    lowest = bin_of(first_s)
    highest = bin_of(last_s) if passes > 1 else lowest
    counted = 0
    for at in range(lowest, highest):
        below = math.ceil((lower_edge(at + 1) - first_s) / slope_s)
        below = min(max(below, counted), passes)
        gaps[at] += s.decodes * (below - counted)
        counted = below
    gaps[highest] += s.decodes * (passes - counted)
    note_extremes(s, first_s, last_s)


def join_fresh(s: State, fresh: list[FreshGroup]) -> None:
    """Count one more decode whose last token came with the pass that ends now."""
    if s.fresh_groups > 0 and fresh[s.fresh_groups - 1].token_s == s.now_s:
        fresh[s.fresh_groups - 1].count += 1
    else:
        fresh[s.fresh_groups].count = 1
        fresh[s.fresh_groups].token_s = s.now_s
        s.fresh_groups += 1


def leave_fresh(s: State, fresh: list[FreshGroup], token_s: float) -> None:
    """Take out one of the decodes whose last token came at `token_s`, where it was after the last decode pass.

    Only the newest request leaves before it has decoded, so that it is in the last group.
    """
    if s.fresh_groups > 0 and fresh[s.fresh_groups - 1].token_s == token_s:
        fresh[s.fresh_groups - 1].count -= 1
        if fresh[s.fresh_groups - 1].count == 0:
            s.fresh_groups -= 1


def count_first_gaps(s: State, gaps: list[int], fresh: list[FreshGroup], end_s: float) -> None:
    """Count the gaps that a decode pass ends after passes without decodes: since each group's own last token."""
    others = s.decodes
    for group in range(s.fresh_groups):
        others -= fresh[group].count
        gap_s = end_s - fresh[group].token_s
        gaps[bin_of(gap_s)] += fresh[group].count
        note_extremes(s, gap_s, gap_s)
    s.fresh_groups = 0
    if others > 0:
        gap_s = end_s - s.last_decode_s
        gaps[bin_of(gap_s)] += others
        note_extremes(s, gap_s, gap_s)


KERNELS = (bin_of, lower_edge, count_gap, note_extremes, count_gaps, join_fresh, leave_fresh, count_first_gaps)

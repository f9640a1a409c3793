"""Figures of labs for people, written exactly as the page writes them, so that a sentence and a tile agree.

The page has its own code for it (web/src/ui/show.ts); web/src/ui/figures.json holds what both are tested against.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400

_LARGE = tuple((prefix, 3 * index) for index, prefix in enumerate(("", "k", "M", "G", "T", "P", "E", "Z")))
_SMALL = (("n", -9), ("µ", -6), ("m", -3), ("", 0))

#: Units with prefixes, from the smallest up.
_PREFIXES = {"s": _SMALL, "B": _LARGE, "B/s": _LARGE, "FLOP": _LARGE, "FLOP/s": _LARGE}

#: Units whose figures always have three digits, counts among them too.
_PATTERNS = {"fraction": "{} %", "tokens/s": "{} tok/s", "USD": "${}"}

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

#: A whole number below this is a count, and is written in full.
_COUNTED = 10**6


def show(value: float, unit: str) -> str:
    """`value` in the base unit of a tile or axis: show(0.2134, "s") is "213 ms", show(0.025, "fraction") "2.50 %"."""
    if unit == "s":
        return _seconds(value)
    if unit in _PREFIXES:
        return _climbed(value, unit)
    if unit in _PATTERNS:
        return _PATTERNS[unit].format(three(100 * value if unit == "fraction" else value))
    whole = value == int(value) and abs(value) < _COUNTED
    unit = unit.removesuffix("s") if value == 1 and unit.isalpha() else unit
    return f"{int(value):,} {unit}".strip() if whole else f"{three(value)} {unit}".strip()


def three(value: float | Decimal) -> str:
    """Three significant figures: 0.0124, 12.4, 5,460, 1.23 × 10¹²."""
    rounded = _rounded(value)
    size = abs(rounded)
    if not size:
        return "0"
    if size >= 10**9 or size < Decimal("0.0001"):
        exponent = rounded.adjusted()
        return f"{rounded.scaleb(-exponent):.2f} × 10{str(exponent).translate(_RAISED)}"
    return f"{rounded:,.0f}" if size >= 1000 else f"{rounded:.{2 - rounded.adjusted()}f}"


def _rounded(value: float | Decimal) -> Decimal:
    return _DIGITS.plus(Decimal(value))


def _seconds(value: float) -> str:
    if value == 0:
        return "0 s"
    if value >= 2 * _DAY_S:
        return f"{three(value / _DAY_S)} days"
    if value >= 2 * _HOUR_S:
        return f"{three(value / _HOUR_S)} h"
    if value >= 2 * _MINUTE_S:
        return f"{three(value / _MINUTE_S)} min"
    return _climbed(value, "s")


def _climbed(value: float, unit: str) -> str:
    """With the largest prefix that is not above the value; rounding comes first, so that 999.9 MB is 1.00 GB."""
    rounded = _rounded(value)
    rungs = _PREFIXES[unit]
    prefix, exponent = next((rung for rung in reversed(rungs) if abs(rounded) >= Decimal(10) ** rung[1]), rungs[0])
    return f"{three(rounded.scaleb(-exponent))} {prefix}{unit}"

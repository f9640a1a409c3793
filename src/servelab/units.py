"""The only place where a quantity meets a prefix: text such as "80 GB" in, "3.35 TB/s" out.

Everything else in servelab is a plain number in base SI units (bytes, seconds, FLOP, tokens).
"""

from __future__ import annotations

import math
import re

from servelab.errors import shown

_DECIMAL = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_SMALL = {"m": 1e-3, "µ": 1e-6, "u": 1e-6, "n": 1e-9}

#: Units that may be read, each with the prefixes that make sense for it.
_UNITS = {
    "B": _DECIMAL | _BINARY,
    "B/s": _DECIMAL | _BINARY,
    "FLOP": _DECIMAL,
    "FLOP/s": _DECIMAL,
    "s": {"": 1.0} | _SMALL,
}

#: Prefixes used when showing, largest first. A unit not listed is shown without a prefix.
_LARGE_PREFIXES = tuple((prefix, factor) for prefix, factor in reversed(_DECIMAL.items()) if prefix)
_SHOWN_PREFIXES = {
    "B": _LARGE_PREFIXES,
    "B/s": _LARGE_PREFIXES,
    "FLOP": _LARGE_PREFIXES,
    "FLOP/s": _LARGE_PREFIXES,
    "s": (("", 1.0), ("m", 1e-3), ("µ", 1e-6), ("n", 1e-9)),
    "parameters": (("billion ", 1e9), ("million ", 1e6)),
}

#: A lower-case letter is a power of ten, an upper-case one a power of two.
_COUNT_FACTORS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30}
_COUNT = re.compile(r"\s*(\d[\d,_]{0,20}(?:\.\d{0,9})?)([kmgKMG]?)\s*")

_QUANTITY = re.compile(r"\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*([A-Za-zµ]+(?:/s)?)\s*")


def parse(text: str, unit: str) -> float:
    """Read a quantity of `unit` ("B", "B/s", "FLOP", "FLOP/s", "s") with its prefix: parse("80 GB", "B") is 8e10.

    Raises ValueError with a sentence where the text is something else.
    """
    match = _QUANTITY.fullmatch(text)
    if match and match[2].endswith(unit):
        factor = _UNITS[unit].get(match[2][: -len(unit)])
        if factor is not None:
            return float(match[1]) * factor
    raise ValueError(f"{shown(text)} is no quantity in {unit}; write a number and a unit, such as '80 G{unit}'")


def parse_count(text: str) -> int:
    """Read a count as engines' flags take it: 32768, "32k" (thousands), "32K" (times 1,024), "1.5m".

    Raises ValueError with a sentence where the text is something else.
    """
    match = _COUNT.fullmatch(text)
    if match is None:
        raise ValueError(f"{shown(text)} is no count; write a whole number, such as 32768 or 32K")
    return round(float(match[1].replace(",", "").replace("_", "")) * _COUNT_FACTORS[match[2] or ""])


def show(value: float, unit: str) -> str:
    """`value` for people, three significant figures: show(3.35e12, "B/s") is "3.35 TB/s"."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g} {unit}".strip()
    prefix, factor = _prefix(abs(value), _SHOWN_PREFIXES.get(unit, ()))
    return f"{_three_figures(value / factor)} {prefix}{unit}".strip()


def show_binary(value: float) -> str:
    """Bytes as inference engines log them, in GiB to two decimals: show_binary(2**30) is "1.00 GiB"."""
    return f"{value / _BINARY['Gi']:,.2f} GiB"


def binary_of(value: float) -> float:
    """As many GiB as `value` is GB, in bytes: what a memory sold as "80 GB" is meant to be."""
    return value / _DECIMAL["G"] * _BINARY["Gi"]


def show_ratio(before: float, after: float) -> str:
    """How far `after` is from `before`, whichever way, for people: "2.7×", or "4 %" where it is little."""
    factor = max(before, after) / min(before, after)
    if factor < 1.1:
        return f"{abs(after - before) / before:.1%}".replace("%", " %")
    return f"{factor:,.0f}×" if factor >= 10 else f"{factor:.1f}×"


def _prefix(size: float, prefixes: tuple[tuple[str, float], ...]) -> tuple[str, float]:
    """The largest prefix that leaves at least 1 after rounding to three figures."""
    for prefix, factor in prefixes:
        if float(f"{size / factor:.3g}") >= 1:
            return prefix, factor
    return prefixes[-1] if prefixes and prefixes[-1][1] < 1 else ("", 1.0)


def _three_figures(value: float) -> str:
    rounded = float(f"{value:.3g}")
    size = abs(rounded)
    if size >= 1e15 or size < 1e-4:
        return f"{rounded:.3g}"
    decimals = max(0, 2 - math.floor(math.log10(size))) if size else 0
    return f"{rounded:,.{decimals}f}"

"""Tables for a terminal."""

from __future__ import annotations


def table(lines: list[tuple[str, ...]]) -> str:
    """Columns as wide as their widest cell; the first to the left, the others to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(_line(line, widths) for line in lines)


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    return "  ".join((first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others))).rstrip()

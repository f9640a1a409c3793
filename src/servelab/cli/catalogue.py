"""`servelab models` and `servelab accelerators`: what the catalogue holds."""

from __future__ import annotations

import json
from typing import Any

import click

from servelab.units import show


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def models(as_json: bool) -> None:
    """List the models of the catalogue."""
    _list("model", as_json)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def accelerators(as_json: bool) -> None:
    """List the accelerators of the catalogue."""
    _list("accelerator", as_json)


def _list(kind: str, as_json: bool) -> None:
    from servelab.specs.catalog.listing import rows

    found = rows(kind)
    if as_json:
        click.echo(json.dumps({f"{kind}s": found}, separators=(",", ":"), allow_nan=False))
        return
    header, line = _TABLES[kind]
    click.echo(table([header, *(line(row) for row in found)]))


def table(lines: list[tuple[str, ...]]) -> str:
    """Columns as wide as their widest cell; the first to the left, the others to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def _model_line(row: dict[str, Any]) -> tuple[str, ...]:
    heads = f"{row['query_heads']}/{row['kv_heads']} × {row['head_dim']}"
    context = f"{row['context_length']:,}" if row["context_length"] else "?"
    return (
        row["id"],
        show(row["parameters"], "parameters").removesuffix(" parameters"),
        f"{row['layers']}",
        heads,
        context,
        row["checkpoint_format"],
    )


def _accelerator_line(row: dict[str, Any]) -> tuple[str, ...]:
    rates = row["flop_per_s"]
    rate = rates.get("bf16", rates.get("fp16"))
    return (
        row["id"],
        show(row["memory_bytes"], "B"),
        show(row["bandwidth_bytes_per_s"], "B/s"),
        show(rate, "FLOP/s") if rate else "?",
        show(row["link_bytes_per_s"], "B/s") if row["link_bytes_per_s"] else "?",
        f"{row['price_usd_per_hour']:.2f}" if row["price_usd_per_hour"] is not None else "?",
    )


_TABLES: dict[str, Any] = {
    "model": (("id", "parameters", "layers", "heads q/kv", "context", "format"), _model_line),
    "accelerator": (
        ("id", "memory", "bandwidth", "bf16 (else fp16)", "link one way", "USD/h"),
        _accelerator_line,
    ),
}

"""`servelab models` and `servelab accelerators`: what the catalogue holds, and what is known of one."""

from __future__ import annotations

from typing import Any

import click

from servelab.cli.tables import table
from servelab.errors import SpecError
from servelab.specs import fields
from servelab.units import parse, show

_FILTER = click.option("--filter", "words", default="", metavar="TEXT", help="List those whose names hold these words.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


@click.command()
@click.argument("model", required=False)
@_FILTER
@click.option("--family", help="List those of this family, such as llama or qwen.")
@click.option("--fits", metavar="MEMORY", help='List those whose weights, as published, take at most this: "80 GB".')
@_JSON
def models(model: str | None, words: str, family: str | None, fits: str | None, as_json: bool) -> None:
    """List the models of the catalogue, or show one.

    MODEL is a catalogue id, a Hugging Face id, a config.json or the folder that holds one, or a TOML file: its
    layers, heads, experts, windows and cache are shown, and what of it no figure counts.
    """
    if model is not None:
        _show_model(model, as_json)
        return
    from servelab.specs.catalog.listing import model_rows

    rows = [row for row in model_rows(words, family=family) if _weights_fit(row.id, fits)]
    _print("models", rows, as_json, _MODEL_COLUMNS, _model_line)


@click.command()
@click.argument("accelerator", required=False)
@_FILTER
@click.option("--vendor", help="List those of this vendor.")
@click.option("--fits", metavar="MODEL", help="List those whose memory takes the weights of MODEL as published.")
@_JSON
def accelerators(accelerator: str | None, words: str, vendor: str | None, fits: str | None, as_json: bool) -> None:
    """List the accelerators of the catalogue, or show one.

    ACCELERATOR is a catalogue id or a TOML file: every figure is shown with its source, and what is unknown.
    """
    if accelerator is not None:
        _show_accelerator(accelerator, as_json)
        return
    from servelab.specs.catalog.listing import accelerator_rows

    needed = _checkpoint(fits) if fits else 0.0
    rows = [row for row in accelerator_rows(words, vendor=vendor) if row.memory_bytes >= needed]
    _print("accelerators", rows, as_json, _ACCELERATOR_COLUMNS, _accelerator_line)


def _weights_fit(entry_id: str, memory: str | None) -> bool:
    if memory is None:
        return True
    try:
        limit = parse(memory, "B")
    except ValueError as error:
        raise SpecError("fits", str(error)) from None
    return _checkpoint(entry_id) <= limit


def _checkpoint(ref: str) -> float:
    from servelab import api
    from servelab.specs.references import load_model

    return api.checkpoint_bytes(load_model(ref))


def _show_model(ref: str, as_json: bool) -> None:
    from servelab import api
    from servelab.cli.shown import model_text
    from servelab.specs.catalog import loader
    from servelab.specs.references import load_model

    answer = api.catalogue_model(ref) if loader.knows("model", ref) else api.understood(load_model(ref))
    _print_one(answer, as_json, model_text)


def _show_accelerator(ref: str, as_json: bool) -> None:
    from servelab.cli.shown import accelerator_text
    from servelab.specs.catalog import listing, loader
    from servelab.specs.references import load_accelerator

    if loader.knows("accelerator", ref):
        _print_one(listing.accelerator_row(ref), as_json, accelerator_text)
    else:
        _print_one(load_accelerator(ref), as_json, accelerator_text)


def _print_one(record: Any, as_json: bool, text: Any) -> None:
    click.echo(fields.as_json(record) if as_json else text(record))


def _print(kind: str, rows: list[Any], as_json: bool, columns: tuple[str, ...], line: Any) -> None:
    click.echo(fields.as_json({kind: rows}) if as_json else table([columns, *map(line, rows)]))


_MODEL_COLUMNS = ("id", "parameters", "for a token", "layers", "heads q/kv", "context", "format")
_ACCELERATOR_COLUMNS = ("id", "memory", "bandwidth", "bf16 (else fp16)", "link one way", "USD/h")


def _model_line(row: Any) -> tuple[str, ...]:
    return (
        row.id,
        _millions(row.parameters),
        _millions(row.active_parameters),
        f"{row.layers}",
        f"{row.query_heads}/{row.kv_heads} × {row.head_dim}",
        f"{row.context_length:,}" if row.context_length else "?",
        row.checkpoint_format,
    )


def _millions(parameters: int) -> str:
    return show(parameters, "parameters").removesuffix(" parameters")


def _accelerator_line(row: Any) -> tuple[str, ...]:
    rate = row.flop_per_s.get("bf16", row.flop_per_s.get("fp16"))
    return (
        row.id,
        show(row.memory_bytes, "B"),
        show(row.bandwidth_bytes_per_s, "B/s"),
        show(rate, "FLOP/s") if rate else "?",
        show(row.link_bytes_per_s, "B/s") if row.link_bytes_per_s else "?",
        f"{row.price_usd_per_hour:.2f}" if row.price_usd_per_hour is not None else "?",
    )

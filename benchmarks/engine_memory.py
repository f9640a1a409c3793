"""`python -m benchmarks.engine_memory`: predicted against reported, written into docs/engine-memory.md.

With a path, scores that table instead (its columns are those of tests/data/engine_memory.csv) and prints the result.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from tests.cost.engines import scoring
from tests.cost.engines.scoring import GIB, Scored

PAGE = Path(__file__).parents[1] / "docs" / "engine-memory.md"
_BEGIN, _END = "<!-- scored -->\n", "<!-- end of scored -->"


def table(scored: list[Scored]) -> str:
    """The summary and every row, as Markdown."""
    found = scoring.summary(scored)
    held = [abs(error) for error in scoring.held_out(scored)]
    head = (
        f"{found.rows} starts. Weights within {_percent(scoring.WEIGHTS_BAR)}: {_percent(found.weights_within)} of "
        f"{found.weights}. KV cache: median error {_percent(found.cache_median)} of {found.caches}, "
        f"worst {_worst(scored)}. Outcome right: {_percent(found.outcomes_right)} of {found.outcomes}. "
        f'With "other" memory taken from other sources only: median error {_percent(statistics.median(held))}.'
    )
    lines = [
        head,
        "",
        "| start | engine | weights, GiB | peak, GiB | KV cache | outcome |",
        "| --- | --- | --- | --- | --- | --- |",
        *map(_line, scored),
    ]
    return "\n".join(lines) + "\n"


def _worst(scored: list[Scored]) -> str:
    worst = max((one for one in scored if one.cache_error is not None), key=lambda one: abs(one.cache_error or 0.0))
    return f"{_percent(worst.cache_error or 0.0)} ({worst.row['id']}: {worst.row['note']})"


def _line(one: Scored) -> str:
    row, answer = one.row, one.answer
    tokens = bool(row["kv_tokens"])
    cells = (
        f"{row['id']} {one.name}",
        f"{row['engine']} {row['version']}",
        _pair(row["weights_gib"], answer.weights_bytes / GIB, one.weights_error),
        _pair(row["activation_gib"], answer.activation_bytes / GIB, one.activation_error),
        _pair(row["kv_tokens"], answer.kv_tokens, one.cache_error)
        if tokens
        else _pair(row["kv_gib"], answer.kv_cache_bytes / GIB, one.cache_error),
        answer.outcome if one.outcome_right is not False else f"{answer.outcome}, was {row['outcome']}",
    )
    return f"| {' | '.join(cells)} |"


def _pair(reported: str, predicted: float, error: float | None) -> str:
    if error is None:
        return ""
    if isinstance(predicted, int):
        return f"{predicted:,} of {int(reported):,} ({_percent(error)})"
    return f"{predicted:.2f} of {float(reported):.2f} ({_percent(error)})"


def _percent(value: float) -> str:
    return f"{value:.1%}".replace("%", " %").replace("-", "−")


def main() -> None:
    if len(sys.argv) > 1:
        print(table([scoring.score(row) for row in scoring.rows(Path(sys.argv[1]))]))
        return
    scored = [scoring.score(row) for row in scoring.rows()]
    before, rest = PAGE.read_text(encoding="utf-8").split(_BEGIN)
    after = rest.split(_END)[1]
    PAGE.write_text(f"{before}{_BEGIN}{table(scored)}{_END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

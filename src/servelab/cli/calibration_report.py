"""A calibration as text for a terminal."""

from __future__ import annotations

from servelab.cli.tables import table
from servelab.fidelity.advice import NextRun
from servelab.fidelity.calibrate import FigureFit, TermFit
from servelab.fidelity.calibration import Calibration
from servelab.units import show

_UNKNOWN = "—"
_FIGURES = 40
_SECONDS = ("pass_s", "layer_s", "sequence_s", "logit_s", "prompt_s", "request_s", "all_reduce_s", "all_reduce_rank_s")
_NAMES = {
    "ttft_s": "time to first token",
    "tpot_s": "time per output token",
    "e2e_s": "end to end",
    "output_tokens_per_s": "output tokens, all requests",
}


def report(answer: Calibration, output: str | None) -> str:
    """How well it fits, figure by figure, the terms, what to measure next, what was left out."""
    sections = [_lead(answer, output), _figures(answer)]
    if answer.terms:
        sections.append(_terms(answer))
    if answer.next_runs:
        sections.append(_next(answer))
    for title, lines in (
        ("Left out:", [f"{line.source}: {line.reason}" for line in answer.left_out]),
        ("Taken for granted:", list(answer.remarks)),
    ):
        if lines:
            sections.append("\n".join((title, *(f"  {line}" for line in lines))))
    return "\n\n".join(sections)


def _lead(answer: Calibration, output: str | None) -> str:
    profile = answer.profile
    runs = len({figure.source for figure in answer.figures})
    counted = f"{len(answer.figures):,} figures of {runs:,} {'run' if runs == 1 else 'runs'}"
    fitted, textbook = _share(answer.fitted_error_fraction), _share(answer.textbook_error_fraction)
    lines = [
        f"{counted}: {profile.engine} on {profile.accelerator}.",
        f"Median error {fitted}; the textbook's is {textbook}. Of measurements, 80 % are expected",
    ]
    for metric, (low, high) in profile.spread.items():
        lines.append(f"  from {_off(low - 1)} to {_off(high - 1)} of the {_NAMES[metric]}")
    if output is not None:
        lines.append(f"The profile is in {output}: --profile {output}, or profile={output!r} in Python.")
    return "\n".join(lines)


def _figures(answer: Calibration) -> str:
    rows: list[tuple[str, ...]] = [("", "measured", "fitted", "off", "textbook", "off")]
    rows += [_figure(figure) for figure in answer.figures[:_FIGURES]]
    more = len(answer.figures) - _FIGURES
    return table(rows) + (f"\nand {more:,} more; --json has all" if more > 0 else "")


def _figure(figure: FigureFit) -> tuple[str, ...]:
    unit = "tok/s" if figure.metric.endswith("per_s") else "s"
    cells = [f"{figure.source}: {_NAMES[figure.metric]}", show(figure.measured, unit)]
    for value in (figure.fitted, figure.textbook):
        cells += [_UNKNOWN, ""] if value is None else [show(value, unit), _off(value / figure.measured - 1)]
    return tuple(cells)


def _terms(answer: Calibration) -> str:
    lines = ["What these runs tell of (with 80 % intervals); all else stays what is known of the engine:"]
    rows: list[tuple[str, ...]] = [
        (f"  {term.name}", *(_term(term, value) for value in (term.value, term.low, term.high)))
        for term in answer.terms
    ]
    return "\n".join((*lines, table([("", "", "from", "to"), *rows])))


def _term(term: TermFit, value: float) -> str:
    if term.name in _SECONDS:
        return show(value, "s")
    return f"{value:,.0f} tokens" if term.name == "half_tokens" else _share(value)


def _next(answer: Calibration) -> str:
    lines = ["What to measure next, the run that tells most first:"]
    for place, run in enumerate(answer.next_runs, 1):
        lines += [f"  {place}. {_load(run)}: {_narrows(run)}", f"     {run.command}"]
    return "\n".join(lines)


def _load(run: NextRun) -> str:
    batch = run.load.batch or 1
    requests = f"{batch:,} {'request' if batch == 1 else 'requests'} at a time"
    return f"{requests}, {run.load.prompt_tokens:,} tokens in, {run.load.output_tokens:,} out"


def _narrows(run: NextRun) -> str:
    return ", ".join(
        f"{_NAMES[one.metric]} from ± {_share(one.before_fraction)} to ± {_share(one.after_fraction)}"
        for one in run.narrows
    )


def _off(value: float) -> str:
    return f"{value:+.1%}".replace("%", " %")


def _share(value: float) -> str:
    return f"{value:.1%}".replace("%", " %")

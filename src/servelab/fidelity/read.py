"""Reads a text: a start-up log, a command, a compose file, a manifest. Nothing is run, opened or sent anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from servelab import api
from servelab.cost.engines import EngineMemory
from servelab.errors import SpecError
from servelab.fidelity.case import Case
from servelab.fidelity.causes import Cause, causes
from servelab.fidelity.commands.reader import read_command, refuse_unread
from servelab.fidelity.commands.told import Told
from servelab.fidelity.compare import compared, ranks, reported
from servelab.fidelity.logs.reader import LogFacts, read_log
from servelab.fidelity.reading import Advice, Reading, Recovered, Understood
from servelab.fidelity.resolve import Resolved, resolve
from servelab.fidelity.sentences import headline, named
from servelab.fidelity.setup import Setup
from servelab.specs.accelerator import Accelerator
from servelab.specs.model import Model

#: Reading takes time in proportion to the text; a start-up log is far shorter.
LONGEST_BYTES = 64_000_000
#: No command or manifest is longer.
_LONGEST_COMMAND = 400_000


def read(text: str, *, model: Model | None = None, accelerator: Accelerator | None = None) -> Reading:
    """What a log or a command says, and why its KV cache is as large as it is.

    A model or an accelerator given here replaces what the text names. Raises SpecError where the text is neither, or
    holds nothing that can be answered; its sentence says what was understood so far.
    """
    facts = read_log(text)
    if facts is not None and facts.tells:
        return explain(facts, model, accelerator)
    found = read_command(text) if len(text) <= _LONGEST_COMMAND else None
    if found is not None:
        return _explain_command(*found, model, accelerator)
    if facts is not None:
        raise _nothing_told("text", facts)
    raise refuse_unread(text)


def explain_log(text: str, *, model: Model | None = None, accelerator: Accelerator | None = None) -> Reading:
    """As `read`, for a text that has to be a log."""
    facts = read_log(text)
    if facts is None:
        raise SpecError(
            "log",
            f"nothing in these {len(text):,} characters is known from a start-up log of vLLM, SGLang or llama.cpp;"
            " give the log from the server's first line on",
        )
    if not facts.tells:
        raise _nothing_told("log", facts)
    return explain(facts, model, accelerator)


def explain(facts: LogFacts, model: Model | None, accelerator: Accelerator | None) -> Reading:
    """The reading of a log's facts."""
    setup = Setup.of({**facts.settings, "engine": facts.engine, "free_bytes": facts.number("free_bytes")})
    resolved = resolve(setup, model, accelerator)
    remarks = [f"the log holds {facts.starts} start-ups; the last one is read"] if facts.starts > 1 else []
    return _reading("log", resolved, facts, None, remarks)


def _explain_command(kind: str, told: Told, model: Model | None, accelerator: Accelerator | None) -> Reading:
    setup = Setup.of(told.fields)
    return _reading(kind, resolve(setup, model, accelerator), None, told, list(told.remarks))


def _reading(kind: str, resolved: Resolved, facts: LogFacts | None, told: Told | None, remarks: list[str]) -> Reading:
    setup = resolved.setup
    known = reported(facts, setup) if facts else {}
    predicted = _predicted(resolved)
    model = resolved.deployment.model if resolved.deployment else None
    case = Case(setup, facts, known, predicted, model)
    found = causes(case)
    not_read = [f"{what} cannot be read and is left out" for what in setup.unread]
    return Reading(
        kind=kind,
        headline=headline(case),
        outcome=case.outcome,
        understood=tuple(Understood(name, value) for name, value in named(setup)),
        recovered=_recovered(resolved),
        lines=compared(known, setup, predicted),
        ranks=ranks(facts) if facts else (),
        causes=found,
        remedies=tuple(dict.fromkeys(_advice(found, predicted))),
        flags=told.read if told else (),
        unknown_flags=told.unknown if told else (),
        not_modelled=told.not_modelled if told else (),
        missing=tuple(resolved.missing),
        remarks=(*remarks, *resolved.remarks, *not_read),
        predicted=predicted,
    )


def _predicted(resolved: Resolved) -> EngineMemory | None:
    """What is expected of the deployment; None where something is missing for it."""
    if resolved.deployment is None:
        return None
    return api.memory_of(resolved.deployment, resolved.settings)


def _advice(found: Iterable[Cause], predicted: EngineMemory | None) -> Iterator[Advice]:
    """What the causes ask for, then what the prediction found to be enough; a setting is named once."""
    sure = predicted.remedies if predicted else ()
    sure_fields = {remedy.change.field for remedy in sure}
    for cause in found:
        if cause.remedy and (cause.change is None or cause.change.field not in sure_fields):
            yield Advice(cause.remedy, cause.change, None)
    for remedy in sure:
        yield Advice(remedy.sentence, remedy.change, remedy.kv_tokens)


def _recovered(resolved: Resolved) -> Recovered:
    setup, deployment = resolved.setup, resolved.deployment
    settings = resolved.settings
    return Recovered(
        model=resolved.model_id,
        accelerator=resolved.accelerator_id,
        tensor_parallel=setup.tensor_parallel,
        weights=deployment.weights if deployment else None,
        kv_cache=deployment.kv_cache if deployment else None,
        engine=setup.engine,
        version=settings.version,
        gpu_memory_utilization=setup.gpu_memory_utilization,
        max_model_len=setup.max_model_len,
        max_num_batched_tokens=setup.max_num_batched_tokens,
        max_num_seqs=setup.max_num_seqs,
        enforce_eager=setup.enforce_eager,
        device_memory_bytes=setup.device_bytes,
    )


def _nothing_told(field: str, facts: LogFacts) -> SpecError:
    """The refusal of a log that ends before it says anything of memory."""
    setup = Setup.of({**facts.settings, "engine": facts.engine})
    so_far = ", ".join(value if name == "engine" else f"{name} {value}" for name, value in named(setup))
    return SpecError(
        field,
        f"no line of this log says anything of memory (understood so far: {so_far}); give it from the server's first"
        " line to the one that tells the KV cache, or the error",
    )

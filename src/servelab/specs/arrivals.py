"""How traffic is described: rates, lengths and a seed, which every door takes alike and draws requests from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from servelab.errors import SpecError, shown
from servelab.specs.fields import STRICT, Amount, AmountOrZero, Check, Choice, Count, Number, check_fields
from servelab.specs.lengths import Lengths, LengthsReference

if TYPE_CHECKING:
    import numpy as np
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

#: Most requests of one simulation: their table takes about a quarter of a kilobyte each.
MOST_REQUESTS = 10_000_000

PROCESSES = ("poisson", "gamma", "constant")


@dataclass(frozen=True)
class Burst:
    """The arrival rate is `factor` times what it would be, for start_s ≤ t < end_s."""

    __pydantic_config__ = STRICT

    start_s: Annotated[float, AmountOrZero("start, seconds")]
    end_s: Annotated[float, AmountOrZero("end, seconds")]
    factor: Annotated[float, AmountOrZero("what the rate is multiplied by")]

    def __post_init__(self) -> None:
        check_fields(self)
        if self.end_s <= self.start_s:
            raise SpecError("end_s", f"{self.end_s:g} is not after start_s, {self.start_s:g}; give a later end")


@dataclass(frozen=True)
class RateStep:
    """From start_s on the arrival rate is this, until the next step."""

    __pydantic_config__ = STRICT

    start_s: Annotated[float, AmountOrZero("start, seconds")]
    requests_per_s: Annotated[float, AmountOrZero("arrival rate from then on, requests/s")]

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class _Records(Check):
    """A list of one kind of record."""

    record: type[Any] = Burst

    def check(self, field: str, value: Any) -> tuple[Any, ...]:
        name = self.record.__name__
        if not isinstance(value, (list, tuple)) or not all(isinstance(one, self.record) for one in value):
            raise SpecError(field, f"{shown(value)} is no list of {name}; give such as [{name}(…)]")
        return tuple(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler(source)


@dataclass(frozen=True)
class Arrivals:
    """Requests yet to be drawn: `requests` of them, at a rate (open loop) or from a number of clients (closed loop).

    Arrival gaps, prompts, outputs and pauses come from independent streams of `seed`, drawn as unit variates and then
    scaled: a change of one setting leaves every other draw as it was. Raises SpecError where fields do not go together.
    """

    __pydantic_config__ = STRICT

    requests: Annotated[int, Number("requests in all", 1, MOST_REQUESTS, whole=True)]
    prompt: Annotated[Lengths, LengthsReference("tokens of each prompt: a number or a distribution")]
    output: Annotated[Lengths, LengthsReference("tokens each request generates: a number or a distribution")]
    requests_per_s: Annotated[float, Amount("arrival rate, requests/s")] | None = None
    process: Annotated[str, Choice("how arrivals are spaced", "arrival process", PROCESSES)] = "poisson"
    burstiness: Annotated[
        float, Number("gamma: shape of the gaps' distribution; 1 is Poisson, less is burstier", 1e-6, 1e6)
    ] = 1.0
    bursts: Annotated[tuple[Burst, ...], _Records("stretches of time in which the rate is multiplied", Burst)] = ()
    rates: Annotated[tuple[RateStep, ...], _Records("rates from a time on, in order of time", RateStep)] = ()
    clients: Annotated[int, Count("closed loop: clients, each with one request at a time")] | None = None
    think_s: Annotated[float, AmountOrZero("closed loop: mean pause of a client between requests, seconds")] = 0.0
    output_limit_tokens: Annotated[int, Count("most tokens a request may generate; longer outputs are cut")] | None = (
        None
    )
    seed: Annotated[int, Number("seed of all draws", 0, 2**63 - 1, whole=True)] = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.clients is None and self.requests_per_s is None and not self.rates:
            raise SpecError("requests_per_s", "nothing given; give a rate, or clients for a closed loop")
        if self.clients is not None and (self.requests_per_s is not None or self.rates):
            raise SpecError("clients", f"{self.clients} clients make their own rate; leave requests_per_s out")
        if self.clients is not None and self.bursts:
            raise SpecError("bursts", "a closed loop has no rate to multiply; leave them out")
        starts = [step.start_s for step in self.rates]
        if starts != sorted(starts):
            raise SpecError("rates", "their times go back; sort them by start_s")
        if self.process != "gamma" and self.burstiness != 1.0:
            raise SpecError("burstiness", f"{self.process} arrivals have none; choose gamma")

    def draw(self) -> dict[str, Any]:
        """Columns of the requests: arrival_s, prompt_tokens, output_tokens, output_limit_tokens, think_s."""
        import numpy as np

        streams = np.random.SeedSequence(self.seed).spawn(4)
        gaps, prompts, outputs, pauses = (np.random.Generator(np.random.PCG64(stream)) for stream in streams)
        output = self.output.draw(outputs, self.requests)
        limit = self.output_limit_tokens
        closed = self.clients is not None
        return {
            "arrival_s": self._first_of_clients() if closed else self._arrivals(gaps),
            "prompt_tokens": self.prompt.draw(prompts, self.requests),
            "output_tokens": output if limit is None else np.minimum(output, limit),
            "output_limit_tokens": None if limit is None else np.full(self.requests, limit, np.int64),
            "think_s": self.think_s * pauses.standard_exponential(self.requests) if closed else None,
        }

    def _first_of_clients(self) -> Any:
        """All clients begin at time 0; later arrivals depend on the answers."""
        import numpy as np

        arrivals = np.full(self.requests, np.inf)
        arrivals[: self.clients] = 0.0
        return arrivals

    def _arrivals(self, rng: np.random.Generator) -> Any:
        """Arrivals at unit rate, mapped through the integrated rate."""
        import numpy as np

        if self.process == "poisson":
            gaps = rng.standard_exponential(self.requests)
        elif self.process == "gamma":
            gaps = rng.standard_gamma(self.burstiness, self.requests) / self.burstiness
        else:
            gaps = np.ones(self.requests)
        unit = np.cumsum(gaps)
        with np.errstate(all="ignore"):  # times beyond all numbers are refused by the traffic that they are for
            if not self.bursts and not self.rates:
                return unit / float(self.requests_per_s or 0)
            return self._at_varying_rate(unit)

    def _at_varying_rate(self, unit: Any) -> Any:
        """The times at which the integrated rate reaches `unit`."""
        import numpy as np

        times = {0.0} | {step.start_s for step in self.rates}
        times |= {time for burst in self.bursts for time in (burst.start_s, burst.end_s)}
        starts = np.array(sorted(times))
        rates = np.array([self.rate_at(start) for start in starts])
        if rates[-1] <= 0:
            raise SpecError("rates", "the rate ends at 0, so that not all requests arrive; let it end above 0")
        reached = np.concatenate(([0.0], np.cumsum(np.diff(starts) * rates[:-1])))
        piece = np.searchsorted(reached, unit, side="left") - 1  # a stretch at rate 0 is passed over
        piece = np.maximum(piece, 0)
        return starts[piece] + (unit - reached[piece]) / rates[piece]

    def rate_at(self, time_s: float) -> float:
        """Requests per second at a time."""
        rate = self.requests_per_s or 0.0
        for step in self.rates:
            if step.start_s <= time_s:
                rate = step.requests_per_s
        for burst in self.bursts:
            if burst.start_s <= time_s < burst.end_s:
                rate *= burst.factor
        return rate

"""Have a model choose the inputs of the variations of a rule, one after the other (section 3.2).

Each variation: the expander chooses inputs, the rule's code is run on them in the sandbox, and a judge
decides. What fails goes back to the expander with what was wrong. V0 comes from the rule's own inputs, which
are run again here.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.errors import in_one_line
from schemas.model_calls.calls import ModelChoice
from tasks.a2rbench.authors.forms import verdict_schema
from tasks.a2rbench.authors.refusals import refuse_mirrored
from tasks.a2rbench.catalogue.rule import Dimension, Value
from tasks.a2rbench.coded_rule import AuthoredRule
from tasks.a2rbench.expansion.attempt import Attempt, Attempts
from tasks.a2rbench.expansion.messages import (
    expansion_request,
    expansion_schema,
    judgement_request,
)
from tasks.a2rbench.expansion.replies import read_expansion, read_judgement
from tasks.a2rbench.fits import Fits
from tasks.a2rbench.items import Shown, instance_id
from tasks.a2rbench.seeds import Drawn, Rejected, SeedRequest
from tasks.a2rbench.trials import UnfitItem, check_item, run_inputs
from tasks.a2rbench.values import fault_of_input
from tasks.authors.reply import Unusable
from tasks.llm.structured import JsonAsker
from tasks.sandbox.refusal import Refused

# Reasons after which asking for the same variation again makes no sense.
_FINAL = ("skipped", "rejected")


@dataclass(frozen=True, slots=True)
class ExpansionRequest:
    """What to expand: a seed, the inputs of its V0 (the query last), who chooses and who judges.

    `retries` is how often a step is tried again with what was wrong.
    """

    seed: SeedRequest[AuthoredRule]
    inputs: Sequence[Value]
    expander: ModelChoice
    judge: ModelChoice
    retries: int


@dataclass
class Expansion:
    """The variations of a rule, every step that was tried, and the variations that are missing."""

    drawn: dict[int, Drawn] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


async def expand_rule(ask_json: JsonAsker, request: ExpansionRequest, slots: asyncio.Semaphore) -> Expansion:
    """Return the variations of a rule; a function of the replies alone.

    `slots` bounds how many workers of the sandbox run at once. Where V0 gives no item, nobody is asked for
    anything. Raises EndpointFailed where a call failed without an answer, and what `ask_json` raises.
    """
    work = _Work(ask_json, request, slots)
    first = await work.run(0, list(request.inputs))
    if isinstance(first, Unusable):
        work.reject(0, first)
        return work.expansion
    work.expansion.drawn[0] = Drawn(*first, 0)
    for variation in request.seed.variations:
        if variation:
            await work.expand(variation)
    return work.expansion


@dataclass
class _Work:
    ask_json: JsonAsker
    request: ExpansionRequest
    slots: asyncio.Semaphore
    expansion: Expansion = field(default_factory=Expansion)
    attempts: Attempts = field(default_factory=Attempts)

    def __post_init__(self) -> None:
        self.expansion.attempts = self.attempts.made

    def reject(self, variation: int, problem: Unusable) -> None:
        self.expansion.rejected.append(Rejected(variation, problem.rule, problem.message))

    async def expand(self, variation: int) -> None:
        """Find the inputs of a variation, or reject it for the last reason."""
        problem: Unusable | None = None
        refused: Sequence[Value] = ()
        for attempt in range(self.request.retries + 1):
            inputs = await self._choose(variation, problem, refused, attempt)
            if isinstance(inputs, Unusable):
                problem, refused = inputs, ()
                if problem.rule in _FINAL:
                    break
                continue
            tried = await self.run(variation, inputs)
            self.attempts.add(variation, "inputs_run", tried if isinstance(tried, Unusable) else None)
            if isinstance(tried, Unusable):
                problem, refused = tried, inputs
                continue
            problem, refused = await self._judge(variation, tried[0]), inputs
            if problem is None:
                self.expansion.drawn[variation] = Drawn(*tried, attempt)
                return
            if problem.rule != "refused_by_judge":
                break
        assert problem is not None
        self.reject(variation, problem)

    async def _choose(
        self, variation: int, problem: Unusable | None, refused: Sequence[Value], attempt: int
    ) -> list[Value] | Unusable:
        rule = self.request.seed.rule
        history = {each: drawn.shown.inputs for each, drawn in self.expansion.drawn.items()}
        message = None if problem is None else problem.message
        request = expansion_request(
            self.request.expander, rule, history, variation, message, refused, attempt
        )
        name = f"inputs_{rule.dimension}"
        reply = await self.ask_json(request, name, expansion_schema(rule.dimension))
        read = read_expansion(reply, rule.dimension, history.values())
        self.attempts.add(variation, "inputs", read if isinstance(read, Unusable) else None, reply.call_id)
        return read

    async def run(self, variation: int, inputs: list[Value]) -> tuple[Shown, Fits] | Unusable:
        """Return what the inputs show and the programs that fit; Unusable where they give no item."""
        async with self.slots:
            # A worker of the sandbox dies with the thread that started it: the whole run is in one.
            return await asyncio.to_thread(self._try, variation, inputs)

    def _try(self, variation: int, inputs: list[Value]) -> tuple[Shown, Fits] | Unusable:
        seed = self.request.seed
        known = {instance_id(drawn.shown) for drawn in self.expansion.drawn.values()}
        try:
            (shown,) = self._run_twice(inputs)
            if isinstance(shown, UnfitItem):
                raise shown
            _check_outputs(shown, seed.rule.dimension)
            refuse_mirrored(shown)
            return shown, check_item(seed.rule, variation, shown, known, seed.issued)
        except UnfitItem as error:
            return Unusable(error.reason, str(error))
        except Refused as error:
            return Unusable(error.reason, in_one_line(error.detail))

    def _run_twice(self, inputs: list[Value]) -> list[Shown | UnfitItem]:
        """Run the inputs, and once more where time ran out: the machine may have been busy.

        A run of another hour, which reads the replies again, should come to the same.
        """
        seed = self.request.seed
        try:
            return run_inputs(seed.rule, [inputs], seed.jail, seed.hash_seeds)
        except Refused as error:
            if error.reason != "time":
                raise
        return run_inputs(seed.rule, [inputs], seed.jail, seed.hash_seeds)

    async def _judge(self, variation: int, shown: Shown) -> Unusable | None:
        """Return why the judge refuses the inputs, None where it accepts them.

        A reply that cannot be read says nothing of the inputs: the judge is asked again.
        """
        rule, problem = self.request.seed.rule, None
        for attempt in range(self.request.retries + 1):
            message = None if problem is None else problem.message
            request = judgement_request(self.request.judge, rule, variation, shown, message, attempt)
            reply = await self.ask_json(request, "judgement", verdict_schema())
            read = read_judgement(reply)
            if not isinstance(read, Unusable):
                refusal = Unusable("refused_by_judge", f"the judge refuses them: {read.reasoning}")
                problem = None if read.is_valid else refusal
                self.attempts.add(variation, "inputs_judged", problem, reply.call_id)
                return problem
            problem = read
            self.attempts.add(variation, "inputs_judged", problem, reply.call_id)
            if problem.is_final:
                break
        assert problem is not None
        return Unusable(
            "unjudged", f"no reply of the judge could be used, the last one because {problem.message}"
        )


def _check_outputs(shown: Shown, dimension: Dimension) -> None:
    """Raise UnfitItem for an output that is too large to be shown, as stage `rules` does."""
    for number, output in enumerate(shown.outputs, 1):
        fault = fault_of_input(output, dimension)
        if fault:
            raise UnfitItem("bad_shape", f"the output of input {number} (the query is the last) is {fault}")

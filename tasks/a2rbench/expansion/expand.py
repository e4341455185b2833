"""Have a model choose the inputs of the variations of a rule, one after the other (section 3.2).

Each variation: the expander chooses inputs, the rule's code is run on them in the sandbox, and a judge
decides. What fails goes back to the expander with what was wrong. V0 comes from the rule's own inputs, which
are run again here.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from perennial.schemas.a2rbench.authoring import Step
from perennial.schemas.errors import in_one_line
from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest, Reply
from perennial.tasks.a2rbench.authors.attempts import Attempt, Attempts
from perennial.tasks.a2rbench.authors.forms import verdict_schema
from perennial.tasks.a2rbench.authors.refusals import refuse_mirrored
from perennial.tasks.a2rbench.catalogue.rule import Dimension, Value
from perennial.tasks.a2rbench.coded_rule import AuthoredRule
from perennial.tasks.a2rbench.expansion.messages import (
    expansion_request,
    expansion_schema,
    judgement_request,
)
from perennial.tasks.a2rbench.expansion.replies import Judgement, read_expansion, read_judgement
from perennial.tasks.a2rbench.fits import Fits
from perennial.tasks.a2rbench.items import Shown, instance_id
from perennial.tasks.a2rbench.seeds import Drawn, Rejected, SeedRequest
from perennial.tasks.a2rbench.trials import UnfitItem, check_item, run_inputs
from perennial.tasks.a2rbench.values import fault_of_input
from perennial.tasks.authors.attempts import BadReply, ask_until_read
from perennial.tasks.authors.reply import Unusable
from perennial.tasks.llm.structured import JsonAsker
from perennial.tasks.sandbox.refusal import Refused


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
        self.expansion.attempts = self.attempts.rows

    def reject(self, variation: int, problem: Unusable) -> None:
        self.expansion.rejected.append(Rejected(variation, problem.rule, problem.message))

    async def expand(self, variation: int) -> None:
        """Find the inputs of a variation, or reject it for the last reason."""
        rule = self.request.seed.rule
        history = {each: drawn.shown.inputs for each, drawn in self.expansion.drawn.items()}

        def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
            refused = read_expansion(bad.reply, rule.dimension, history.values()) if bad else ()
            return expansion_request(
                self.request.expander,
                rule,
                history,
                variation,
                problem=bad.problem.message if bad else None,
                refused=() if isinstance(refused, Unusable) else refused,
                repeat=attempt,
            )

        name, schema = f"inputs_{rule.dimension}", expansion_schema(rule.dimension)
        asked = await ask_until_read(
            partial(self.ask_json, name=name, schema=schema),
            make_request,
            partial(self._try_inputs, variation, list(history.values())),
            self.request.retries + 1,
        )
        if asked.problem is not None:
            self.reject(variation, asked.problem)
        elif asked.value is not None:
            self.expansion.drawn[variation] = Drawn(*asked.value, len(asked.call_ids) - 1)

    async def _try_inputs(
        self, variation: int, history: Sequence[Sequence[Value]], reply: Reply
    ) -> tuple[Shown, Fits] | Unusable:
        """Return what the inputs of a reply show if the judge accepts them; else why they are refused."""
        inputs = read_expansion(reply, self.request.seed.rule.dimension, history)
        self._add("inputs", variation, inputs, reply.call_id)
        if isinstance(inputs, Unusable):
            return inputs
        tried = await self.run(variation, inputs)
        self._add("inputs_run", variation, tried)
        if isinstance(tried, Unusable):
            return tried
        return await self._judge(variation, tried[0]) or tried

    def _add(self, step: Step, variation: int, result: object, call_id: str | None = None) -> None:
        problem = result if isinstance(result, Unusable) else None
        self.attempts.add(step, problem, call_id, variation=variation)

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
        choice, rule = self.request.judge, self.request.seed.rule

        def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
            return judgement_request(
                choice,
                rule=rule,
                variation=variation,
                shown=shown,
                problem=bad.problem.message if bad else None,
                repeat=attempt,
            )

        async def read(reply: Reply) -> Judgement | Unusable:
            return read_judgement(reply)

        asking = partial(self.ask_json, name="judgement", schema=verdict_schema())
        asked = await ask_until_read(asking, make_request, read, self.request.retries + 1)
        for bad in asked.bad:
            self._add("inputs_judged", variation, bad.problem, bad.reply.call_id)
        if asked.value is None:
            last = asked.bad[-1].problem.message
            why = f"no reply of the judge could be used, the last one because {last}"
            return Unusable("unjudged", why, is_final=True)
        refusal = Unusable("refused_by_judge", f"the judge refuses them: {asked.value.reasoning}")
        problem = None if asked.value.is_valid else refusal
        self._add("inputs_judged", variation, problem, asked.call_ids[-1])
        return problem


def _check_outputs(shown: Shown, dimension: Dimension) -> None:
    """Raise UnfitItem for an output that is too large to be shown, as stage `rules` does."""
    for number, output in enumerate(shown.outputs, 1):
        fault = fault_of_input(output, dimension)
        if fault:
            raise UnfitItem("bad_shape", f"the output of input {number} (the query is the last) is {fault}")

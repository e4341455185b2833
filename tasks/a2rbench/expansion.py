"""Variations V1 to V9 of a rule that a model wrote: a model chooses inputs, code is run, a judge decides."""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from perennial.schemas.a2rbench.things import Step
from perennial.schemas.errors import in_one_line, shorten
from perennial.schemas.model_calls import ModelChoice, ModelRequest, Reply
from perennial.tasks.a2rbench.authored_code import refuse_mirrored
from perennial.tasks.a2rbench.catalogue import Dimension, Value
from perennial.tasks.a2rbench.fits import Fits
from perennial.tasks.a2rbench.growing import DrawnItem, Rejected, SeedRequest
from perennial.tasks.a2rbench.inputs import EXAMPLES, VARIATION_NAMES
from perennial.tasks.a2rbench.items import (
    AuthoredRule,
    CodedRule,
    ItemParts,
    UnfitItem,
    check_item,
    instance_id,
    run_inputs,
)
from perennial.tasks.a2rbench.rule_author import (
    VERDICT_SCHEMA,
    Attempt,
    Form,
    Reasoning,
    SeedSteps,
    VerdictForm,
    input_schemas,
    read_reply,
)
from perennial.tasks.a2rbench.values import LONGEST_TOKEN, MOST_TOKENS, fault_of_input
from perennial.tasks.analysts import mark_of
from perennial.tasks.authors import BadReply, Unusable, ask_until_read, author_request
from perennial.tasks.llm.structured import JsonAsker, object_schema
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import try_twice

# The calls for inputs of a variation, and for the judgement of them.

EXPAND_TEMPLATE = "a2rbench/expander/expand.md.j2"
EXPAND_SYSTEM_TEMPLATE = "a2rbench/expander/expand_system.md.j2"
JUDGE_TEMPLATE = "a2rbench/expander/judge_inputs.md.j2"
JUDGE_SYSTEM_TEMPLATE = "a2rbench/expander/judge_inputs_system.md.j2"
CONTINUE, SKIPPED = "CONTINUE", "SKIPPED_LOW_ENTROPY"


def expansion_request(
    expander: ModelChoice,
    rule: CodedRule,
    history: Mapping[int, Sequence[Value]],
    variation: int,
    problem: str | None = None,
    refused: Sequence[Value] = (),
    repeat: int = 0,
) -> ModelRequest:
    """Return the call for the inputs of a variation.

    `history` holds the inputs by variation, the query last. `problem` is what was wrong with the reply
    before, and `refused` the inputs that it held.
    """
    return author_request(
        "expander",
        expander,
        EXPAND_SYSTEM_TEMPLATE,
        EXPAND_TEMPLATE,
        repeat,
        description=rule.description,
        code=rule.code.strip("\n"),
        dimension=rule.dimension,
        longest_token=LONGEST_TOKEN,
        most_tokens=MOST_TOKENS,
        history=[(number, list(map(_write_input_line, history[number]))) for number in sorted(history)],
        variation=variation,
        kind=VARIATION_NAMES[variation],
        number=EXAMPLES,
        problem=problem,
        refused=list(map(_write_input_line, refused)),
    )


def judgement_request(
    judge: ModelChoice,
    rule: CodedRule,
    variation: int,
    puzzle: ItemParts,
    problem: str | None = None,
    repeat: int = 0,
) -> ModelRequest:
    """Return the call that asks whether these inputs are valid; `problem` is what the reply before lacked."""
    return author_request(
        "judge",
        judge,
        JUDGE_SYSTEM_TEMPLATE,
        JUDGE_TEMPLATE,
        repeat,
        mark=mark_of(rule.description),
        description=rule.description,
        examples=[(_write_input_line(value), _write_input_line(wanted)) for value, wanted in puzzle.examples],
        query=_write_input_line(puzzle.query),
        answer=_write_input_line(puzzle.answer),
        kind=VARIATION_NAMES[variation],
        problem=problem,
    )


def _write_input_line(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)


# Read the replies of the expander and of the judge of its inputs: bounded, and nothing in them repaired.

_MESSAGE_CHARACTERS = 500


class _NewInput(BaseModel):
    examples: list[Any]
    query: Any


class _ExpansionForm(BaseModel):
    # A key that was not asked for does no harm: it is kept with the call and not read.
    model_config = ConfigDict(extra="ignore")

    reasoning: Reasoning = ""
    new_input: _NewInput | None = None
    status: Literal["CONTINUE", "SKIPPED_LOW_ENTROPY"]


def read_expansion(
    reply: Reply, dimension: Dimension, history: Iterable[Sequence[Value]]
) -> list[Value] | Unusable:
    """Return the inputs of a reply, the query last, or why there are none.

    They must have the rule's shape and a bounded size; all differ; the query is in no list of `history`,
    and most of the examples are in none. The rule `skipped` says that the model sees no further inputs.
    Raises EndpointFailed where the call failed without an answer.
    """
    form = read_in_lines(reply, _ExpansionForm)
    if isinstance(form, Unusable):
        return form
    if form.status == SKIPPED:
        why = f"the expander sees no further inputs: {_line(form.reasoning)}"
        return Unusable("skipped", why, is_final=True)
    if form.new_input is None:
        return Unusable("not_the_form", "the key new_input is missing; give examples and a query")
    examples = form.new_input.examples
    if len(examples) != EXAMPLES:
        return Unusable(
            "wrong_number", f"there are {len(examples):,} examples; give exactly {EXAMPLES} and one query"
        )
    inputs = [*examples, form.new_input.query]
    for number, value in enumerate(inputs, 1):
        fault = fault_of_input(value, dimension)
        if fault:
            part = f"example {number}" if number <= EXAMPLES else "the query"
            return Unusable("bad_input", f"{part} is {fault}")
    return _fault_of_novelty(inputs, history) or inputs


def _fault_of_novelty(inputs: Sequence[Value], history: Iterable[Sequence[Value]]) -> Unusable | None:
    texts = [json.dumps(value) for value in inputs]
    if len(set(texts)) < len(texts):
        return Unusable("repeated", "two of the inputs are the same; give six that differ")
    earlier_texts = {json.dumps(value) for values in history for value in values}
    if texts[-1] in earlier_texts:
        return Unusable("not_new", "the query is an input of an earlier variation; give another one")
    recurring = sum(text in earlier_texts for text in texts[:-1])
    if 2 * recurring > EXAMPLES:
        return Unusable(
            "not_new",
            f"{recurring} of the {EXAMPLES} examples are inputs of earlier variations; most must be new",
        )
    return None


def read_in_lines(reply: Reply, form: type[Form]) -> Form | Unusable:
    """Return what a reply says in this form, or in one line why that cannot be read (`read_reply`)."""
    read = read_reply(reply, form)
    return replace(read, message=_line(read.message)) if isinstance(read, Unusable) else read


def _line(text: str) -> str:
    return shorten(in_one_line(text), _MESSAGE_CHARACTERS)


# Have a model choose the inputs of the variations of a rule, one after the other (section 3.2).
#
# Each variation: the expander chooses inputs, the rule's code is run on them in the sandbox, and a judge
# decides. What fails goes back to the expander with what was wrong. V0 comes from the rule's own inputs,
# which are run again here.


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

    drawn: dict[int, DrawnItem] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


async def expand_rule(ask_json: JsonAsker, request: ExpansionRequest, slots: asyncio.Semaphore) -> Expansion:
    """Return the variations of a rule; a function of the replies alone.

    `slots` bounds how many workers of the sandbox run at once. Where V0 gives no item, nobody is asked for
    anything. Raises EndpointFailed where a call failed without an answer, and what `ask_json` raises.
    """
    work = _ExpansionWork(ask_json, request, slots)
    first = await work.run(0, list(request.inputs))
    if isinstance(first, Unusable):
        work.reject(0, first)
        return work.expansion
    work.expansion.drawn[0] = DrawnItem(*first, 0)
    for variation in request.seed.variations:
        if variation:
            await work.expand(variation)
    return work.expansion


@dataclass
class _ExpansionWork:
    ask_json: JsonAsker
    request: ExpansionRequest
    slots: asyncio.Semaphore
    expansion: Expansion = field(default_factory=Expansion)
    attempts: SeedSteps = field(default_factory=SeedSteps)

    def __post_init__(self) -> None:
        self.expansion.attempts = self.attempts.rows

    def reject(self, variation: int, problem: Unusable) -> None:
        self.expansion.rejected.append(Rejected(variation, problem.rule, problem.message))

    async def expand(self, variation: int) -> None:
        """Find the inputs of a variation, or reject it for the last reason."""
        rule = self.request.seed.rule
        history = {variation: drawn.puzzle.inputs for variation, drawn in self.expansion.drawn.items()}

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

        schema = object_schema(
            reasoning={"type": "string"},
            variation_type={"type": "string"},
            new_input=object_schema(**input_schemas(rule.dimension)),
            status={"type": "string", "enum": [CONTINUE, SKIPPED]},
        )
        asked = await ask_until_read(
            partial(self.ask_json, name=f"inputs_{rule.dimension}", schema=schema),
            make_request,
            partial(self._try_inputs, variation, list(history.values())),
            self.request.retries + 1,
        )
        if asked.problem is not None:
            self.reject(variation, asked.problem)
        elif asked.value is not None:
            self.expansion.drawn[variation] = DrawnItem(*asked.value, len(asked.call_ids) - 1)

    async def _try_inputs(
        self, variation: int, history: Sequence[Sequence[Value]], reply: Reply
    ) -> tuple[ItemParts, Fits] | Unusable:
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

    async def run(self, variation: int, inputs: list[Value]) -> tuple[ItemParts, Fits] | Unusable:
        """Return what the inputs show and the programs that fit; Unusable where they give no item."""
        async with self.slots:
            # A worker of the sandbox dies with the thread that started it: the whole run is in one.
            return await asyncio.to_thread(self._try, variation, inputs)

    def _try(self, variation: int, inputs: list[Value]) -> tuple[ItemParts, Fits] | Unusable:
        seed = self.request.seed
        earlier_ids = {instance_id(drawn.puzzle) for drawn in self.expansion.drawn.values()}
        try:
            # A run of another hour, which reads the replies again, should come to the same.
            (puzzle,) = try_twice(partial(run_inputs, seed.rule, [inputs], seed.jail, seed.hash_seeds))
            if isinstance(puzzle, UnfitItem):
                raise puzzle
            _check_outputs(puzzle, seed.rule.dimension)
            refuse_mirrored(puzzle)
            return puzzle, check_item(seed.rule, variation, puzzle, earlier_ids, seed.issued)
        except UnfitItem as error:
            return Unusable(error.reason, str(error))
        except SandboxRefusal as error:
            return Unusable(error.reason, in_one_line(error.detail))

    async def _judge(self, variation: int, puzzle: ItemParts) -> Unusable | None:
        """Return why the judge refuses the inputs, None where it accepts them.

        A reply that cannot be read says nothing of the inputs: the judge is asked again.
        """
        choice, rule = self.request.judge, self.request.seed.rule

        def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
            return judgement_request(
                choice,
                rule=rule,
                variation=variation,
                puzzle=puzzle,
                problem=bad.problem.message if bad else None,
                repeat=attempt,
            )

        async def read(reply: Reply) -> VerdictForm | Unusable:
            return read_in_lines(reply, VerdictForm)

        asking = partial(self.ask_json, name="judgement", schema=VERDICT_SCHEMA)
        asked = await ask_until_read(asking, make_request, read, self.request.retries + 1)
        for bad in asked.bad:
            self._add("inputs_judged", variation, bad.problem, bad.reply.call_id)
        if asked.value is None:
            last = asked.bad[-1].problem.message
            why = f"no reply of the judge could be used, the last one because {last}"
            return Unusable("unjudged", why, is_final=True)
        refusal = Unusable("refused_by_judge", f"the judge refuses them: {_line(asked.value.reasoning)}")
        problem = None if asked.value.is_valid else refusal
        self._add("inputs_judged", variation, problem, asked.call_ids[-1])
        return problem


def _check_outputs(puzzle: ItemParts, dimension: Dimension) -> None:
    """Raise UnfitItem for an output that is too large to be shown, as stage `rules` does."""
    for number, output in enumerate(puzzle.outputs, 1):
        fault = fault_of_input(output, dimension)
        if fault:
            raise UnfitItem("bad_shape", f"the output of input {number} (the query is the last) is {fault}")

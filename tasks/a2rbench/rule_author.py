"""Have a model write the rule of one seed (section 3.1 of the paper), candidate by candidate.

A candidate: the designer writes a rule in words, the judge judges them before code is paid for, the
architect writes code and inputs, these are run (`code_tests`), and the judge judges what came of it. What
cannot be used goes back to its author with the reason; where the judge refuses the words, the next candidate
begins.
"""

import asyncio
import tomllib
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib.resources import files
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from perennial.schemas.a2rbench.things import AuthorRole, RuleAuthoringPlan, RuleType, Step, name_domain
from perennial.schemas.errors import UnreadableInput, shorten
from perennial.schemas.ids import canonical_json, content_id, derive_rng
from perennial.schemas.model_calls import ModelChoice, ModelRequest, Reply
from perennial.schemas.text import expect_plain
from perennial.tasks.a2rbench.authored_code import KNOWN, EarlierCode, TestedRule, run_rule
from perennial.tasks.a2rbench.catalogue import RULES, Dimension, Value
from perennial.tasks.a2rbench.inputs import EXAMPLES
from perennial.tasks.a2rbench.items import AuthoredRule, ItemParts, UnfitItem
from perennial.tasks.a2rbench.values import LONGEST_TOKEN, MOST_TOKENS
from perennial.tasks.analysts import mark_of
from perennial.tasks.authors import (
    Asked,
    BadReply,
    Unusable,
    ask_until_read,
    author_request,
    conversation_request,
    describe_problems,
    message,
    unusable_status,
)
from perennial.tasks.llm.structured import JsonAsker, JsonSchema, json_text, object_schema
from perennial.tasks.sandbox.guest.names import MODULES
from perennial.tasks.sandbox.refusal import LIMITS
from perennial.tasks.sandbox.tier import Jail

# What writing a rule and its variations came to, step by step: the rows of `a2rbench_attempts`.


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step that was tried; `reason` and `message` say why it did not pass, `call_id` which call it took.

    Rules are written as variation 0, by several candidates; variations by the first candidate.
    """

    variation: int
    candidate: int
    step: Step
    attempt: int
    passed: bool
    reason: str | None
    message: str | None
    call_id: str | None


@dataclass
class SeedSteps:
    """All steps of one seed, in order."""

    rows: list[Attempt] = field(default_factory=list)

    def add(
        self,
        step: Step,
        problem: Unusable | None,
        call_id: str | None = None,
        *,
        variation: int = 0,
        candidate: int = 1,
    ) -> None:
        """Add a step; `problem` says why it did not pass, None where it did."""
        key = variation, candidate, step
        tried = sum((row.variation, row.candidate, row.step) == key for row in self.rows)
        reason, message = (problem.rule, problem.message) if problem else (None, None)
        self.rows.append(Attempt(*key, tried + 1, problem is None, reason, message or None, call_id))


# The JSON forms of what designer, architect and judge reply; whatever they supply is bounded in size.

LONGEST_DESCRIPTION = 2_000
_LONGEST_REASONING = 50_000
# A reply with six inputs of the largest size has some 40,000.
_MOST_CHARACTERS = 200_000
_PROBLEMS_SHOWN = 5
_TEXT: JsonSchema = {"type": "string"}

Reasoning = Annotated[str, Field(strict=True, max_length=_LONGEST_REASONING)]
Description = Annotated[str, Field(strict=True, min_length=1, max_length=LONGEST_DESCRIPTION)]


class RuleForm(BaseModel):
    """A rule and its inverse in words."""

    model_config = ConfigDict(extra="forbid")

    reasoning: Reasoning
    rule_description: Description
    inverse_rule_description: Description

    @field_validator("rule_description", "inverse_rule_description")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("expected some words, got a blank")
        return expect_plain(value.strip())


class CodeForm(BaseModel):
    """A rule as a script, with inputs that are still to be tested."""

    model_config = ConfigDict(extra="forbid")

    reasoning: Reasoning
    python_code: Annotated[
        str, Field(strict=True, min_length=1, max_length=LIMITS.source_bytes), AfterValidator(expect_plain)
    ]
    examples: Annotated[list[Any], Field(min_length=EXAMPLES, max_length=EXAMPLES)]
    query: Any

    @property
    def inputs(self) -> list[Value]:
        """The inputs of the examples, and the query last."""
        return [*self.examples, self.query]


class VerdictForm(BaseModel):
    """What a judge decides."""

    model_config = ConfigDict(extra="forbid")

    reasoning: Annotated[Reasoning, AfterValidator(expect_plain)]
    is_valid: Annotated[bool, Field(strict=True)]


Form = TypeVar("Form", bound=BaseModel)


_RULE_SCHEMA = object_schema(reasoning=_TEXT, rule_description=_TEXT, inverse_rule_description=_TEXT)
VERDICT_SCHEMA = object_schema(reasoning=_TEXT, is_valid={"type": "boolean"})


def input_schemas(dimension: Dimension) -> dict[str, JsonSchema]:
    """Return the JSON schemas of inputs that a model chooses: examples and a query."""
    value = _TEXT
    for _ in range(dimension):
        value = {"type": "array", "items": value}
    return {"examples": {"type": "array", "items": value}, "query": value}


def read_reply(reply: Reply, form: type[Form]) -> Form | Unusable:
    """Return what a reply says in this form, or why it cannot be used.

    The rules are the reply's status, `too_long`, `not_json` and `not_the_form`. Raises EndpointFailed where
    the call failed without an answer.
    """
    problem = unusable_status(reply)
    if problem is not None:
        return problem
    if len(reply.content) > _MOST_CHARACTERS:
        return Unusable(
            "too_long",
            f"the reply has {len(reply.content):,} characters, at most {_MOST_CHARACTERS:,} are read; "
            "give one JSON object and nothing else",
        )
    try:
        text = json_text(reply.content)
        text.encode()
    except UnreadableInput as error:
        return Unusable("not_json", str(error))
    except UnicodeEncodeError:
        return Unusable("not_json", "the reply holds half of a character; write the whole one")
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        broken = any(problem["type"] == "json_invalid" for problem in error.errors())
        return Unusable("not_json" if broken else "not_the_form", describe_problems(error, _PROBLEMS_SHOWN))


# The calls of designer, architect and judge, and how a call is repeated with what was wrong.

_FOLDER = "a2rbench/authors"
REPAIR_TEMPLATE = f"{_FOLDER}/repair.md.j2"
# Of a former reply that is shown again, and of an output that a judge is shown.
_LONGEST_REPLY, _LONGEST_VALUE = 40_000, 8_000


def rule_verdict_request(
    judge: ModelChoice, dimension: Dimension, type_: RuleType, rule: RuleForm
) -> ModelRequest:
    """Return the call for the judgement of a rule in words."""
    words = _describe(rule)
    mark = mark_of(*words.values())
    return _request("judge", judge, "judge_rule", dimension=dimension, type=type_, mark=mark, **words)


def code_verdict_request(
    judge: ModelChoice, rule: RuleForm, code: CodeForm, puzzle: ItemParts
) -> ModelRequest:
    """Return the call for the judgement of a script and what it made of the inputs."""
    return _request(
        "judge",
        judge,
        "judge_code",
        mark=mark_of(*_describe(rule).values(), code.python_code),
        code=code.python_code,
        examples=[(_cut(source), _cut(wanted)) for source, wanted in puzzle.examples],
        query=_cut(puzzle.query),
        answer=_cut(puzzle.answer),
        **_describe(rule),
    )


def repeat_request(first: ModelRequest, reply: str, problem: str, attempt: int) -> ModelRequest:
    """Return the call that shows a former reply, if there was any, and says what was wrong with it."""
    wrong = message("user", REPAIR_TEMPLATE, problem=problem)
    if reply.strip():
        former = {"role": "assistant", "content": reply[:_LONGEST_REPLY]}
        messages = (*first.messages, former, wrong)
    else:
        *before, last = first.messages
        messages = (*before, {**last, "content": f"{last['content']}\n\n{wrong['content']}"})
    choice = ModelChoice(first.model, first.params)
    return conversation_request(first.role, choice, messages, REPAIR_TEMPLATE, attempt)


def _request(role: AuthorRole, choice: ModelChoice, name: str, /, **values: object) -> ModelRequest:
    system, template = f"{_FOLDER}/{name}_system.md.j2", f"{_FOLDER}/{name}.md.j2"
    return author_request(role, choice, system, template, 0, **values)


def _describe(rule: RuleForm) -> dict[str, str]:
    return {"description": rule.rule_description, "inverse_description": rule.inverse_rule_description}


def _cut(value: object) -> str:
    text = canonical_json(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} (cut off here)"


# Of twenty, each candidate is shown a few; the paper draws them from ARC.
INSPIRATIONS = 5
_LONGEST_MESSAGE = 1_000

ReplyValue = TypeVar("ReplyValue")


@dataclass(frozen=True, slots=True)
class RuleRequest:
    """A seed for which a model writes a rule: its cell and number, its author, and what is known already.

    Code is run in `pool`, so that calls to models go on meanwhile: a worker of the sandbox dies with the
    thread that started it, so the pool's threads must outlive a test.
    """

    dimension: Dimension
    type: RuleType
    number: int
    author: str
    plan: RuleAuthoringPlan
    seed: int
    existing: EarlierCode
    jail: Jail
    pool: Executor

    @property
    def domain(self) -> str:
        """The cell."""
        return name_domain(self.dimension, self.type)


@dataclass
class RuleWork:
    """The work on one seed so far: candidates begun, steps tried, and the rule that passed, if any."""

    request: RuleRequest
    candidate: int = 0
    attempts: SeedSteps = field(default_factory=SeedSteps)
    tested: TestedRule | None = None
    is_over: bool = False

    @property
    def call_ids(self) -> list[str]:
        """The calls that wrote and judged the rule that passed, in order."""
        rows = (row for row in self.attempts.rows if row.candidate == self.candidate)
        return list(dict.fromkeys(row.call_id for row in rows if row.call_id))

    def refuse_twin(self, why: str) -> None:
        """Take the rule back, as another seed has it: its last step did not pass after all."""
        last = self.attempts.rows[-1]
        self.attempts.rows[-1] = replace(last, passed=False, reason=KNOWN, message=why)
        self.tested = None

    def add(self, step: Step, call_id: str | None, problem: Unusable | None = None) -> None:
        """Add a step of the candidate that was begun last; a message is one line of bounded length."""
        if problem is not None:
            line = shorten(" ".join(problem.message.split()), _LONGEST_MESSAGE)
            problem = Unusable(problem.rule, line)
        self.attempts.add(step, problem, call_id, candidate=self.candidate)


async def write_rule(ask: JsonAsker, work: RuleWork) -> None:
    """Begin further candidates until one has passed all steps (`work.tested`) or no more are allowed.

    Deterministic in the edition's seed, the cell, the number and the replies. Raises EndpointFailed where a
    call fails without an answer: the same call on the same ledger resumes there.
    """
    while work.tested is None and not work.is_over and work.candidate < work.request.plan.candidates:
        work.candidate += 1
        rule = await _write_words(ask, work)
        if rule is not None:
            work.tested = await _write_code(ask, work, rule)


@lru_cache(maxsize=1)
def load_inspirations() -> list[str]:
    """Return the twenty rules in words of `inspirations.toml`; none of them is in the catalogue."""
    text = (files("perennial.prompts") / "a2rbench/inspirations.toml").read_text(encoding="utf-8")
    rules: list[str] = tomllib.loads(text)["rules"]
    return rules


async def _write_words(ask: JsonAsker, work: RuleWork) -> RuleForm | None:
    """Return a rule in words that the judge accepts; None where the candidate ends."""
    request, plan = work.request, work.request.plan
    rng = derive_rng(request.seed, f"a2rbench/inspirations/{request.domain}/{request.number}", work.candidate)
    cell = request.dimension, request.type
    first = _request(
        "designer",
        plan.choice("designer", request.author),
        "design",
        dimension=request.dimension,
        type=request.type,
        # They distinguish the candidates of all seeds.
        inspirations=rng.sample(load_inspirations(), INSPIRATIONS),
        existing=[rule.description for rule in RULES.values() if (rule.dimension, rule.type) == cell],
        longest=LONGEST_DESCRIPTION,
    )
    read = partial(_read_step, work, "rule", RuleForm)
    asked = await _ask_for(ask, work, "hidden_rule", _RULE_SCHEMA, first, read)
    if asked.value is None:
        return None
    work.add("rule", asked.call_ids[-1])
    judge = plan.choice("judge", plan.judge)
    verdict = rule_verdict_request(judge, request.dimension, request.type, asked.value)
    return asked.value if await _refuse(ask, work, "rule_judged", verdict) is None else None


async def _write_code(ask: JsonAsker, work: RuleWork, rule: RuleForm) -> TestedRule | None:
    """Return the rule with code that passes its tests and the judge; None where the candidate ends."""
    request, plan = work.request, work.request.plan
    first = _request(
        "architect",
        plan.choice("architect", request.author),
        "write_code",
        type=request.type,
        dimension=request.dimension,
        modules=sorted(MODULES),
        seconds=f"{LIMITS.call_seconds:g}",
        examples=EXAMPLES,
        longest_token=LONGEST_TOKEN,
        most_tokens=MOST_TOKENS,
        **_describe(rule),
    )

    async def read(reply: Reply) -> TestedRule | Unusable:
        code = await _read_step(work, "code", CodeForm, reply)
        if isinstance(code, Unusable):
            return _shorten(code)
        work.add("code", reply.call_id)
        tested = await _run_code(work, rule, code)
        if isinstance(tested, Unusable):
            return _shorten(tested, f"{tested.rule}: ")
        verdict = code_verdict_request(plan.choice("judge", plan.judge), rule, code, tested.puzzle)
        refusal = await _refuse(ask, work, "judged", verdict)
        return _shorten(refusal, "the reviewer refuses the puzzle: ") if refusal else tested

    schema = object_schema(reasoning=_TEXT, python_code=_TEXT, **input_schemas(request.dimension))
    asked = await _ask_for(ask, work, f"rule_code_{request.dimension}", schema, first, read)
    return asked.value


def _shorten(problem: Unusable, prefix: str = "") -> Unusable:
    return replace(problem, message=shorten(f"{prefix}{problem.message}", _LONGEST_MESSAGE))


async def _run_code(work: RuleWork, rule: RuleForm, form: CodeForm) -> TestedRule | Unusable:
    """Return the tested rule, or why its code cannot be used; both are a step without a call."""
    request = work.request
    coded = AuthoredRule(
        content_id("rule", form.python_code),
        request.author,
        request.dimension,
        request.type,
        rule.rule_description,
        rule.inverse_rule_description,
        form.python_code,
    )
    rng = derive_rng(request.seed, f"a2rbench/generated/{request.domain}/{request.number}", work.candidate)
    run: Callable[[], TestedRule] = partial(
        run_rule, coded, form.inputs, request.existing, request.jail, request.seed, rng
    )
    try:
        tested = await asyncio.get_running_loop().run_in_executor(request.pool, run)
    except UnfitItem as unfit:
        problem = Unusable(unfit.reason, str(unfit))
        work.add("run", None, problem)
        return problem
    work.add("run", None)
    return tested


async def _refuse(ask: JsonAsker, work: RuleWork, step: Step, first: ModelRequest) -> Unusable | None:
    """Return why the judge refuses, None where it accepts; final where no judgement could be read."""
    read = partial(_read_step, work, step, VerdictForm)
    asked = await _ask_for(ask, work, "verdict", VERDICT_SCHEMA, first, read)
    verdict = asked.value
    if verdict is None:
        return Unusable("unjudged", "no judgement could be read", is_final=True)
    reasoning = verdict.reasoning.strip() or "the judge gave no reason"
    refusal = None if verdict.is_valid else Unusable("refused_by_judge", reasoning)
    work.add(step, asked.call_ids[-1], refusal)
    return refusal


async def _ask_for(
    ask: JsonAsker,
    work: RuleWork,
    name: str,
    schema: JsonSchema,
    first: ModelRequest,
    read: Callable[[Reply], Awaitable[ReplyValue | Unusable]],
) -> Asked[ReplyValue]:
    """Ask for JSON of this schema; a repeat shows the reply before and what was wrong with it."""

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        if bad is None:
            return first
        return repeat_request(first, bad.reply.content, bad.problem.message, attempt)

    asking = partial(ask, name=name, schema=schema)
    return await ask_until_read(asking, make_request, read, work.request.plan.retries + 1)


async def _read_step(work: RuleWork, step: Step, form: type[Form], reply: Reply) -> Form | Unusable:
    """Return what a reply says; what cannot be used is a step that did not pass.

    A request that the endpoint refuses ends the work on the seed.
    """
    read = read_reply(reply, form)
    if isinstance(read, Unusable):
        work.add(step, reply.call_id, read)
        work.is_over = read.is_final
    return read

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
from typing import TypeVar

from pydantic import BaseModel

from perennial.schemas.a2rbench.authoring import AuthoringPlan, Step
from perennial.schemas.a2rbench.item import name_domain
from perennial.schemas.errors import shorten
from perennial.schemas.ids import content_id, derive_rng
from perennial.schemas.model_calls.calls import ModelRequest, Reply
from perennial.tasks.a2rbench.authors.attempts import Attempts
from perennial.tasks.a2rbench.authors.code_tests import KNOWN, Known, TestedRule, run_rule
from perennial.tasks.a2rbench.authors.forms import (
    CodeForm,
    RuleForm,
    VerdictForm,
    code_schema,
    read_reply,
    rule_schema,
    verdict_schema,
)
from perennial.tasks.a2rbench.authors.requests import (
    code_request,
    code_verdict_request,
    repeat_request,
    rule_request,
    rule_verdict_request,
)
from perennial.tasks.a2rbench.catalogue.registry import RULES
from perennial.tasks.a2rbench.catalogue.rule import Dimension, RuleType
from perennial.tasks.a2rbench.coded_rule import AuthoredRule
from perennial.tasks.a2rbench.trials import UnfitItem
from perennial.tasks.authors.attempts import Asked, BadReply, ask_until_read
from perennial.tasks.authors.reply import Unusable
from perennial.tasks.llm.structured import JsonAsker, JsonSchema
from perennial.tasks.sandbox.run import Jail

# Of twenty, each candidate is shown a few; the paper draws them from ARC.
INSPIRATIONS = 5
_LONGEST_MESSAGE = 1_000
_REFUSED_BY_JUDGE = "refused_by_judge"

Form = TypeVar("Form", bound=BaseModel)
Value = TypeVar("Value")


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
    plan: AuthoringPlan
    seed: int
    known: Known
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
    attempts: Attempts = field(default_factory=Attempts)
    tested: TestedRule | None = None
    is_over: bool = False

    @property
    def call_ids(self) -> list[str]:
        """The calls that wrote and judged the rule that passed, in order."""
        return self.attempts.calls_of(self.candidate)

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


def draw_inspirations(request: RuleRequest, candidate: int) -> list[str]:
    """Return some of the rules that a candidate is inspired by; none of them is in the catalogue."""
    rng = derive_rng(request.seed, f"a2rbench/inspirations/{request.domain}/{request.number}", candidate)
    return rng.sample(load_inspirations(), INSPIRATIONS)


@lru_cache(maxsize=1)
def load_inspirations() -> list[str]:
    """Return the twenty rules in words of `inspirations.toml`."""
    text = (files("perennial.prompts") / "a2rbench/inspirations.toml").read_text(encoding="utf-8")
    rules: list[str] = tomllib.loads(text)["rules"]
    return rules


def _list_existing(request: RuleRequest) -> list[str]:
    """Return the catalogue's rules of the cell, which a new rule must not repeat."""
    cell = (request.dimension, request.type)
    return [rule.description for rule in RULES.values() if (rule.dimension, rule.type) == cell]


async def _write_words(ask: JsonAsker, work: RuleWork) -> RuleForm | None:
    """Return a rule in words that the judge accepts; None where the candidate ends."""
    request, plan = work.request, work.request.plan
    designer = plan.choice("designer", request.author)
    inspirations = draw_inspirations(request, work.candidate)
    first = rule_request(designer, request.dimension, request.type, inspirations, _list_existing(request))
    read = partial(_read_step, work, "rule", RuleForm)
    asked = await _ask_for(ask, work, "hidden_rule", rule_schema(), first, read)
    if asked.value is None:
        return None
    work.add("rule", asked.call_ids[-1])
    judge = plan.choice("judge", plan.judge)
    verdict = rule_verdict_request(judge, request.dimension, request.type, asked.value)
    return asked.value if await _refuse(ask, work, "rule_judged", verdict) is None else None


async def _write_code(ask: JsonAsker, work: RuleWork, rule: RuleForm) -> TestedRule | None:
    """Return the rule with code that passes its tests and the judge; None where the candidate ends."""
    request, plan = work.request, work.request.plan
    architect = plan.choice("architect", request.author)
    first = code_request(architect, request.dimension, request.type, rule)

    async def read(reply: Reply) -> TestedRule | Unusable:
        code = await _read_step(work, "code", CodeForm, reply)
        if isinstance(code, Unusable):
            return _shorten(code)
        work.add("code", reply.call_id)
        tested = await _run_code(work, rule, code)
        if isinstance(tested, Unusable):
            return _shorten(tested, f"{tested.rule}: ")
        verdict = code_verdict_request(plan.choice("judge", plan.judge), rule, code, tested.shown)
        refusal = await _refuse(ask, work, "judged", verdict)
        return _shorten(refusal, "the reviewer refuses the puzzle: ") if refusal else tested

    schema = code_schema(request.dimension)
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
        run_rule, coded, form.inputs, request.known, request.jail, request.seed, rng
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
    asked = await _ask_for(ask, work, "verdict", verdict_schema(), first, read)
    verdict = asked.value
    if verdict is None:
        return Unusable("unjudged", "no judgement could be read", is_final=True)
    reasoning = verdict.reasoning.strip() or "the judge gave no reason"
    refusal = None if verdict.is_valid else Unusable(_REFUSED_BY_JUDGE, reasoning)
    work.add(step, asked.call_ids[-1], refusal)
    return refusal


async def _ask_for(
    ask: JsonAsker,
    work: RuleWork,
    name: str,
    schema: JsonSchema,
    first: ModelRequest,
    read: Callable[[Reply], Awaitable[Value | Unusable]],
) -> Asked[Value]:
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

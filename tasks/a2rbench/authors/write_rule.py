"""Have a model write the rule of one seed (section 3.1 of the paper), candidate by candidate.

A candidate: the designer writes a rule in words, the judge judges them before code is paid for, the
architect writes code and inputs, these are run (`code_tests`), and the judge judges what came of it. What
cannot be used goes back to its author with the reason; where the judge refuses the words, the next candidate
begins.
"""

import asyncio
import tomllib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib.resources import files
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from schemas.a2rbench.authoring import AuthoringPlan, Step
from schemas.a2rbench.item import name_domain
from schemas.errors import shorten
from schemas.ids import content_id, derive_rng
from schemas.model_calls.calls import ModelRequest
from tasks.a2rbench.authors.attempts import Attempts
from tasks.a2rbench.authors.code_tests import KNOWN, Known, TestedRule, run_rule
from tasks.a2rbench.authors.forms import (
    CodeForm,
    RuleForm,
    VerdictForm,
    code_schema,
    read_reply,
    rule_schema,
    verdict_schema,
)
from tasks.a2rbench.authors.requests import (
    code_request,
    code_verdict_request,
    repeat_request,
    rule_request,
    rule_verdict_request,
)
from tasks.a2rbench.catalogue.registry import RULES
from tasks.a2rbench.catalogue.rule import Dimension, RuleType
from tasks.a2rbench.coded_rule import AuthoredRule
from tasks.a2rbench.trials import UnfitItem
from tasks.authors.reply import Unusable
from tasks.llm.structured import JsonAsker, JsonSchema
from tasks.sandbox.run import Jail

# Of twenty, each candidate is shown a few; the paper draws them from ARC.
INSPIRATIONS = 5
_LONGEST_MESSAGE = 1_000
_REFUSED_BY_JUDGE = "refused_by_judge"

Form = TypeVar("Form", bound=BaseModel)


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

    def add(self, step: Step, call_id: str | None, reason: str = "", message: str = "") -> None:
        """Add a step of the candidate that was begun last; a message is one line of bounded length."""
        line = shorten(" ".join(message.split()), _LONGEST_MESSAGE)
        self.attempts.add(self.candidate, step, call_id, reason, line)


class _Answer(NamedTuple):
    form: BaseModel
    text: str
    call_id: str


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
    text = (files("prompts") / "a2rbench/inspirations.toml").read_text(encoding="utf-8")
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
    asked = rule_request(designer, request.dimension, request.type, inspirations, _list_existing(request))
    written = await _ask_for(ask, work, "rule", asked, RuleForm, rule_schema())
    if written is None:
        return None
    work.add("rule", written.call_id)
    rule = written.form
    assert isinstance(rule, RuleForm)
    judge = plan.choice("judge", plan.judge)
    asked = rule_verdict_request(judge, request.dimension, request.type, rule)
    refusal = await _ask_judge(ask, work, "rule_judged", asked)
    return rule if refusal == "" else None


async def _write_code(ask: JsonAsker, work: RuleWork, rule: RuleForm) -> TestedRule | None:
    """Return the rule with code that passes its tests and the judge; None where the candidate ends."""
    request, plan = work.request, work.request.plan
    architect = plan.choice("architect", request.author)
    schema = code_schema(request.dimension)
    first = asked = code_request(architect, request.dimension, request.type, rule)
    for attempt in range(1, plan.retries + 2):
        reply = await _ask_once(ask, work, "code", asked, CodeForm, schema)
        if isinstance(reply, _Answer):
            work.add("code", reply.call_id)
            tested = await _run_code(work, rule, reply)
            if isinstance(tested, TestedRule):
                verdict = code_verdict_request(
                    plan.choice("judge", plan.judge), rule, _code_of(reply), tested.shown
                )
                refusal = await _ask_judge(ask, work, "judged", verdict)
                if refusal is None:
                    return None
                if not refusal:
                    return tested
                problem = f"the reviewer refuses the puzzle: {refusal}"
            else:
                problem = f"{tested.reason}: {tested}"
            text = reply.text
        else:
            text, problem = reply
            if work.is_over:
                return None
        asked = repeat_request(first, text, shorten(problem, _LONGEST_MESSAGE), attempt)
    return None


async def _run_code(work: RuleWork, rule: RuleForm, reply: _Answer) -> TestedRule | UnfitItem:
    """Return the tested rule, or why its code cannot be used; both are a step without a call."""
    request, form = work.request, _code_of(reply)
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
        work.add("run", None, unfit.reason, str(unfit))
        return unfit
    work.add("run", None)
    return tested


def _code_of(reply: _Answer) -> CodeForm:
    assert isinstance(reply.form, CodeForm)
    return reply.form


async def _ask_judge(ask: JsonAsker, work: RuleWork, step: Step, asked: ModelRequest) -> str | None:
    """Return "" where the judge accepts, else the judge's reason; None where no usable judgement came."""
    reply = await _ask_for(ask, work, step, asked, VerdictForm, verdict_schema())
    if reply is None:
        return None
    verdict = reply.form
    assert isinstance(verdict, VerdictForm)
    if verdict.is_valid:
        work.add(step, reply.call_id)
        return ""
    reasoning = verdict.reasoning.strip() or "the judge gave no reason"
    work.add(step, reply.call_id, _REFUSED_BY_JUDGE, reasoning)
    return reasoning


async def _ask_for(
    ask: JsonAsker, work: RuleWork, step: Step, first: ModelRequest, form: type[Form], schema: JsonSchema
) -> _Answer | None:
    """Return the first usable reply, asked for again with what was wrong; None where none came."""
    asked = first
    for attempt in range(1, work.request.plan.retries + 2):
        reply = await _ask_once(ask, work, step, asked, form, schema)
        if isinstance(reply, _Answer):
            return reply
        if work.is_over:
            return None
        asked = repeat_request(first, *reply, attempt)
    return None


async def _ask_once(
    ask: JsonAsker, work: RuleWork, step: Step, asked: ModelRequest, form: type[Form], schema: JsonSchema
) -> _Answer | tuple[str, str]:
    """Return a usable reply; else its text and what is wrong, which is a step that did not pass.

    A request that the endpoint refuses ends the work on the seed.
    """
    reply = await ask(asked, _schema_name(step, work.request.dimension), schema)
    read = read_reply(reply, form)
    if not isinstance(read, Unusable):
        return _Answer(read, reply.content, reply.call_id)
    work.add(step, reply.call_id, read.rule, read.message)
    work.is_over = read.is_final
    return reply.content, read.message


def _schema_name(step: Step, dimension: Dimension) -> str:
    names = {"rule": "hidden_rule", "code": f"rule_code_{dimension}"}
    return names.get(step, "verdict")

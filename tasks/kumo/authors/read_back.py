"""Have a model read a book's rules back out of its text, as structured data.

The reader gets the book and the names of truths and actions; the rules it does not get, so that it can
only find them in the book.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    ValidationError,
    model_validator,
)

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import BookRule, BookVerdict, Instance, SeedConfig
from perennial.schemas.model_calls import ModelChoice, ModelRequest, Reply
from perennial.schemas.text import expect_plain
from perennial.tasks.authors import (
    Asked,
    BadReply,
    Unusable,
    ask_until_read,
    author_request,
    describe_problems,
    unusable_status,
)
from perennial.tasks.kumo.books import closed_ends, describe_rule
from perennial.tasks.kumo.configuration import parse_json
from perennial.tasks.kumo.validation.validate import match_name
from perennial.tasks.llm.structured import JsonAsker, json_text

# The JSON form in which a model writes down what a book says.
#
# Every key must be given and no other one may be: strict structured output wants a form with nothing
# optional, and a reader that leaves a question out has not answered it.


Bound = Annotated[float, Field(allow_inf_nan=False)]
_MOST_ACTIONS = 1_000  # the wrong places of so many are counted
# The reviser reads what the reader wrote.
Words = Annotated[str, AfterValidator(expect_plain)]
# Of a longer list the first wrong entry is enough.
Names = Annotated[list[Words], FailFast()]


def _not_too_many(value: object) -> object:
    if isinstance(value, list) and len(value) > _MOST_ACTIONS:
        raise ValueError(f"expected {_MOST_ACTIONS:,} actions at most, got {len(value):,}")
    return value


class _ReadBackForm(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class RangeForm(_ReadBackForm):
    """A range of numbers; null where the guidebook does not say."""

    low: Bound | None
    high: Bound | None
    low_included: bool | None
    high_included: bool | None


class PassageForm(_ReadBackForm):
    """A passage that leaves open what is ruled out, and the names that it may mean."""

    passage: Words
    names: Names


class ReadBackOutcome(_ReadBackForm):
    """One outcome, a label or a range, and what the guidebook says of it."""

    label: Words | None
    range: RangeForm | None
    rules_out: Names
    confirms: Names
    unclear: Annotated[list[PassageForm], FailFast()]

    @model_validator(mode="after")
    def _one_of_both(self) -> "ReadBackOutcome":
        if (self.label is None) == (self.range is None):
            filled = "neither" if self.label is None else "both"
            raise ValueError(f"expected either a label or a range, and null for the other one, got {filled}")
        return self


class ActionForm(_ReadBackForm):
    """An action with all outcomes that the guidebook describes."""

    action: Words
    outcomes: Annotated[list[ReadBackOutcome], FailFast()]


class ReadBackForm(_ReadBackForm):
    """What the guidebook says of each action, and unclear passages that belong to no single outcome."""

    actions: Annotated[list[ActionForm], BeforeValidator(_not_too_many)]
    unclear: Names


@lru_cache(maxsize=1)
def read_back_schema() -> dict[str, Any]:
    """The form's JSON schema."""
    return ReadBackForm.model_json_schema()


# Compare what a book was read to say with the rules that it had to say, set by set.
#
# The four kinds of error are those of the paper's revision prompt (figure 11): rules missing, rules added,
# exclusion turned into confirmation, and passages that leave open what is ruled out.


def compare(book: ReadBackForm, truths: Sequence[str], rules: Sequence[BookRule]) -> BookVerdict:
    """How what a book was read to say differs from `rules`, all outcome states of its instance.

    Names match exactly, or by their folded form where only one listed name has that; bounds match as
    floats. An outcome may be described in several places: what these rule out is taken together. One that
    rules out nothing may be left out, as in the paper, and then nothing hangs on the ends of its range
    either.

    A truth that should be ruled out is missing only where the book neither rules it out nor confirms it nor
    has a passage that may mean it: those are findings of their own kinds. What an outcome that no rule knows
    rules out is extra, and so is an unknown truth. Any confirmation is an error, whatever the rules say.

    The end of a range counts only where another range of the action shares it; elsewhere no other
    outcome can claim the value, so both readings come to the same. A shared value belongs to the range
    above it: a range below that takes it in, and one above that leaves it out, is another range than
    the rules have (missing and extra). One below that does not say so leaves it open (ambiguous), while
    silence about the lower end does not: once the range below leaves the value out, only this one is left.
    """
    matching = _Matching(truths, rules)
    findings = _Found()
    sayings: list[list[ReadBackOutcome]] = [[] for _ in rules]
    strangers: list[tuple[str, ReadBackOutcome]] = []
    for entry in book.actions:
        for outcome in entry.outcomes:
            index = matching.place_of(entry.action, outcome)
            if index is None:
                strangers.append((entry.action, outcome))
            else:
                sayings[index].append(outcome)
    for index, outcomes in enumerate(sayings):
        _compare_rule(matching, index, outcomes, findings)
    for action, outcome in strangers:
        _take_stranger(matching, action, outcome, findings)
    findings.ambiguous += [f"“{passage}”" for passage in book.unclear]
    return findings.verdict()


@dataclass(slots=True)
class _Found:
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    ambiguous: list[str] = field(default_factory=list)

    def verdict(self) -> BookVerdict:
        """The findings, without repeats: a thing said twice is one finding."""
        kinds = (self.missing, self.extra, self.confirmed, self.ambiguous)
        missing, extra, confirmed, ambiguous = (tuple(dict.fromkeys(lines)) for lines in kinds)
        return BookVerdict(missing, extra, confirmed, ambiguous)


class _Matching:
    """The rules of an instance, and which of them an outcome that a book describes is."""

    def __init__(self, truths: Sequence[str], rules: Sequence[BookRule]) -> None:
        self.rules = rules
        self.closed = closed_ends(rules)
        self._truths = list(dict.fromkeys(truths))
        self._places: dict[str, list[int]] = {}
        for index, rule in enumerate(rules):
            self._places.setdefault(rule.action, []).append(index)
        self._actions = list(self._places)

    def truths_of(self, written: Sequence[str]) -> frozenset[str]:
        """The listed names; a name that is not listed stays as it was written."""
        return frozenset(match_name(name, self._truths) or name for name in written)

    def place_of(self, written: str, outcome: ReadBackOutcome) -> int | None:
        """The index of the rule for this outcome, None where there is none."""
        action = match_name(written, self._actions)
        if action is None:
            return None
        if outcome.label is not None:
            labels = {label: i for i in reversed(self._places[action]) if (label := self.rules[i].label)}
            label = match_name(outcome.label, list(labels))
            return None if label is None else labels[label]
        return next((i for i in self._places[action] if self._is_range(i, outcome.range)), None)

    def _is_range(self, index: int, described: RangeForm | None) -> bool:
        rule = self.rules[index]
        if described is None or rule.low is None or (described.low, described.high) != (rule.low, rule.high):
            return False
        takes_in_shared_high = self.closed[index] is False and described.high_included is True
        leaves_out_shared_low = described.low_included is False and self._low_is_shared(index)
        return not takes_in_shared_high and not leaves_out_shared_low

    def _low_is_shared(self, index: int) -> bool:
        rule = self.rules[index]
        others = (self.rules[i] for i in self._places[rule.action] if i != index)
        return any(_touches(other, rule.low) for other in others)

    def leaves_end_open(self, index: int, described: RangeForm | None) -> bool:
        """Whether the book does not say to which range a shared upper end belongs."""
        return described is not None and described.high_included is None and self.closed[index] is False


def _touches(rule: BookRule, value: float | None) -> bool:
    if rule.low is None or rule.high is None or value is None:
        return False
    return rule.low <= value <= rule.high


def _compare_rule(
    matching: _Matching, index: int, outcomes: Sequence[ReadBackOutcome], findings: _Found
) -> None:
    """Add what all that a book says of one rule's outcome lacks, adds, confirms and leaves open."""
    rule, closed = matching.rules[index], matching.closed[index]
    ruled_out = matching.truths_of([name for outcome in outcomes for name in outcome.rules_out])
    confirmed = matching.truths_of([name for outcome in outcomes for name in outcome.confirms])
    passages = [passage for outcome in outcomes for passage in outcome.unclear]
    open_truths = matching.truths_of([name for passage in passages for name in passage.names])
    missing = rule.rules_out - ruled_out - confirmed - open_truths
    extra = ruled_out - rule.rules_out
    if missing:
        findings.missing.append(describe_rule(_with(rule, missing), closed))
    if extra:
        findings.extra.append(describe_rule(_with(rule, extra), closed))
    where = describe_rule(_with(rule, frozenset()), closed).removesuffix(" rules out nothing")
    _note_unclear(findings, where, confirmed, passages)
    has_open_end = any(matching.leaves_end_open(index, outcome.range) for outcome in outcomes)
    if has_open_end and (ruled_out or rule.rules_out):
        findings.ambiguous.append(f"{where}: whether {rule.high} belongs to this range is not said")


def _take_stranger(matching: _Matching, action: str, outcome: ReadBackOutcome, findings: _Found) -> None:
    """Add what a book says of an outcome that the rules do not know."""
    where = f'action "{action}": {_said_words(outcome)}'
    ruled_out = matching.truths_of(outcome.rules_out)
    if ruled_out:
        findings.extra.append(f"{where} rules out {_join(ruled_out)}")
    _note_unclear(findings, where, matching.truths_of(outcome.confirms), outcome.unclear)


def _note_unclear(
    findings: _Found, where: str, confirmed: frozenset[str], passages: Sequence[PassageForm]
) -> None:
    if confirmed:
        findings.confirmed.append(f"{where} confirms {_join(confirmed)}")
    findings.ambiguous += [f"{where}: “{passage.passage}”" for passage in passages]


def _with(rule: BookRule, rules_out: frozenset[str]) -> BookRule:
    return BookRule(rule.action, rule.label, rule.low, rule.high, rules_out)


def _said_words(outcome: ReadBackOutcome) -> str:
    if outcome.range is None:
        return f'"{outcome.label}"'
    range_read = outcome.range
    ends = ((range_read.low, range_read.low_included), (range_read.high, range_read.high_included))
    return " to ".join(f"{'no bound' if bound is None else bound} ({_END_WORDS[end]})" for bound, end in ends)


_END_WORDS = {None: "not said", True: "included", False: "excluded"}


def _join(names: frozenset[str]) -> str:
    return ", ".join(f'"{name}"' for name in sorted(names))


READ_BACK_TEMPLATE = "kumo/authors/read_back.md.j2"
READ_BACK_SYSTEM_TEMPLATE = "kumo/authors/read_back_system.md.j2"
READ_BACK_ATTEMPTS = 3

_SCHEMA_NAME = "read_back"
_PROBLEMS_SHOWN = 4


async def read_back(
    ask_json: JsonAsker, checker: ModelChoice, config: SeedConfig, instance: Instance, book: str
) -> Asked[ReadBackForm]:
    """What a model reads out of the book.

    A reply that is cut off, refused, empty, no JSON or not of the form is asked for again, with the
    reason, up to READ_BACK_ATTEMPTS calls in all; a request that the endpoint rejects is not. Raises
    EndpointFailed where a call failed without an answer.
    """

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        return read_back_request(checker, config, instance, book, attempt, bad.problem if bad else None)

    ask = partial(ask_json, name=_SCHEMA_NAME, schema=read_back_schema())
    return await ask_until_read(ask, make_request, _read, READ_BACK_ATTEMPTS)


def read_back_request(
    checker: ModelChoice,
    config: SeedConfig,
    instance: Instance,
    book: str,
    attempt: int,
    problem: Unusable | None,
) -> ModelRequest:
    """The call that asks what a book says; `problem` is what was wrong with the attempt before."""
    return author_request(
        "checker",
        checker,
        READ_BACK_SYSTEM_TEMPLATE,
        READ_BACK_TEMPLATE,
        attempt,
        truth_noun=config.truth_noun,
        action_noun=config.action_noun,
        truths=instance.truths,
        actions=instance.actions,
        book=book.strip("\n"),
        problem=None if problem is None else problem.message,
    )


def parse_read_back(content: str) -> ReadBackForm:
    """What a reply says that the book says.

    Raises UnreadableInput, with the first wrong places, where the reply holds no JSON of the form asked for.
    """
    value = parse_json(json_text(content), "the reply")
    try:
        return ReadBackForm.model_validate(value)
    except ValidationError as error:
        raise UnreadableInput(
            f"the reply is not of the form asked for: {describe_problems(error, _PROBLEMS_SHOWN)}"
        ) from None


async def _read(reply: Reply) -> ReadBackForm | Unusable:
    problem = unusable_status(reply)
    if problem is not None:
        return problem
    try:
        return parse_read_back(reply.content)
    except UnreadableInput as error:
        return Unusable("unreadable_read_back", str(error))

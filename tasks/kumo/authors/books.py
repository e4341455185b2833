"""Knowledge books by models: one writes, one reads back, the comparison judges, one revises, and again.

A cycle check: a book passes when the rules that a model reads out of its text alone are the rules that it
was written from. Unlike the paper's reviser, which evaluates every book, ours is asked about those only
that failed the check.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from perennial.schemas.errors import shorten
from perennial.schemas.kumo.things import BookRule, BookVerdict, Instance, Judgement, SeedConfig
from perennial.schemas.model_calls import ModelChoice, ModelRequest, Reply
from perennial.schemas.rows import Rejection
from perennial.schemas.text import unfit_part
from perennial.tasks.authors import Asked, BadReply, Unusable, ask_until_read, author_request, unusable_status
from perennial.tasks.kumo.answers import find_tagged
from perennial.tasks.kumo.authors.read_back import ReadBackForm, compare, read_back
from perennial.tasks.kumo.books import closed_ends, count_characters, other_sentences
from perennial.tasks.llm.structured import Ask, JsonAsker

# Read a book out of a model's reply, or say why the reply has none.


def read_book_reply(reply: Reply) -> str | Unusable:
    """The book between <BOOK> and </BOOK>, or why there is none.

    Tags count in any case; of several complete pairs the last that holds any text wins. A reply without
    tags is not taken for a book, whatever it says: nobody could tell the book from the talk around it.
    White space around the book is dropped, and it ends with one line end. Raises EndpointFailed as
    `unusable_status` does.
    """
    problem = unusable_status(reply)
    if problem is not None:
        return problem
    books = (reply.content[span].strip() for span in reversed(find_tagged(reply.content, "book")))
    book = next((text for text in books if text), None)
    if book is None:
        return Unusable(
            "no_book", "the reply has no text between <BOOK> and </BOOK>; put the whole book there"
        )
    if (unfit := unfit_part(book)) is not None:
        return Unusable("unfit_text", f"the book holds {unfit}; write it in plain text, for readers alone")
    return book + "\n"


def read_judgement(content: str) -> bool | None:
    """What the last complete pair of <ANSWER> tags says, True or False in any case; None otherwise.

    A pair inside a book is part of the book and does not count.
    """
    outside = "".join(content[piece] for piece in _around(content, find_tagged(content, "book")))
    answers = find_tagged(outside, "answer")
    verdict = outside[answers[-1]].strip().casefold() if answers else ""
    return {"true": True, "false": False}.get(verdict)


def _around(content: str, texts: list[slice]) -> Iterator[slice]:
    """What is left of the content without these texts, in order."""
    start = 0
    for text in texts:
        yield slice(start, text.start)
        start = text.stop
    yield slice(start, len(content))


# Ask a model to write an instance's knowledge book, from the instance's own rules alone.
#
# What the request holds is a function of truths, actions, rules and the number of valid truths. No
# observation, no observed state and no valid truth is in it: a book cannot give its instance away (paper,
# figure 10).


WRITING_TEMPLATE = "kumo/authors/write_book.md.j2"
WRITING_SYSTEM_TEMPLATE = "kumo/authors/write_book_system.md.j2"

_WHOLE_BELOW = 1e15  # larger whole numbers read better as 1e+20


def writing_request(
    writer: ModelChoice, config: SeedConfig, instance: Instance, rules: Sequence[BookRule]
) -> ModelRequest:
    """The call that asks for the book; it is the same for all observations of the instance."""
    values = rule_values(config, instance, rules)
    return author_request("writer", writer, WRITING_SYSTEM_TEMPLATE, WRITING_TEMPLATE, 0, **values)


def rule_values(config: SeedConfig, instance: Instance, rules: Sequence[BookRule]) -> dict[str, object]:
    """The template values that describe a game: its nouns, goal, title, and `rules` as JSON text.

    Truths and actions are in the instance's order, outcomes in that of `rules`, what they rule out in the
    order of the truths.
    """
    values = {
        "truths": [_name_things(name, config.truth_notes) for name in instance.truths],
        "actions": [_action_values(name, config, instance, rules) for name in instance.actions],
    }
    return {
        "truth_noun": config.truth_noun,
        "action_noun": config.action_noun,
        "goal": config.goal.strip(),
        "title": config.book_title.strip(),
        "is_counterfactual": config.is_counterfactual,
        "n_valid": len(instance.valid_truths),
        "rules": json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False),
    }


def _name_things(name: str, notes: dict[str, str]) -> dict[str, Any]:
    note = " ".join(notes.get(name, "").split())
    return {"name": name, "note": note} if note else {"name": name}


def _action_values(
    name: str, config: SeedConfig, instance: Instance, rules: Sequence[BookRule]
) -> dict[str, Any]:
    entry = _name_things(name, config.action_notes)
    unit = next((" ".join(o.unit.split()) for o in config.outcomes if o.action == name), "")
    if unit:
        entry["unit"] = unit
    entry["outcomes"] = [
        {**_outcome_values(rule, closed), "rules_out": [t for t in instance.truths if t in rule.rules_out]}
        for rule, closed in zip(rules, closed_ends(rules), strict=True)
        if rule.action == name
    ]
    return entry


def _outcome_values(rule: BookRule, closed: bool | None) -> dict[str, Any]:
    if rule.low is None or rule.high is None:
        return {"label": rule.label}
    return {
        "low": _number(rule.low),
        "low_included": True,
        "high": _number(rule.high),
        "high_included": closed,
    }


def _number(value: float) -> int | float:
    """A whole number without a fraction, as books show it."""
    return int(value) if value.is_integer() and abs(value) < _WHOLE_BELOW else value


# Ask a model to revise a book that the check found wrong (paper, figure 11).


REVISION_TEMPLATE = "kumo/authors/revise_book.md.j2"
REVISION_SYSTEM_TEMPLATE = "kumo/authors/revise_book_system.md.j2"


def revision_request(
    reviser: ModelChoice,
    config: SeedConfig,
    instance: Instance,
    rules: Sequence[BookRule],
    book: str | None,
    verdict: BookVerdict,
    problem: Unusable | None,
    repeat: int,
) -> ModelRequest:
    """The call that asks to evaluate the book and to revise it.

    `book` None: there is none yet, it is to be written. `verdict` is what the check found in the book,
    `problem` why the reply before this one could not be used. `repeat` distinguishes rounds with the same
    request.
    """
    return author_request(
        "reviser",
        reviser,
        REVISION_SYSTEM_TEMPLATE,
        REVISION_TEMPLATE,
        repeat,
        **rule_values(config, instance, rules),
        book=None if book is None else book.strip("\n"),
        findings=_findings(verdict),
        was_read=verdict.was_read,
        problem=None if problem is None else problem.message,
    )


def read_revision(reply: Reply, book: str | None) -> str | Unusable:
    """The revised book, or why there is none.

    <ANSWER>True</ANSWER> means that the reviser sees no error in `book`, which the check found wrong:
    nothing was revised then, even where a book is given too. Any other reply is read for the book between
    <BOOK> tags, with or without <ANSWER>False</ANSWER>: the check judges it next.
    """
    if book is not None and reply.status == "ok" and read_judgement(reply.content):
        return Unusable(
            "reviser_saw_no_error",
            "the reviser answered True and revised nothing, but the check did not pass the book; "
            "expected <ANSWER>False</ANSWER> and the revised book",
        )
    return read_book_reply(reply)


def _findings(verdict: BookVerdict) -> list[tuple[str, tuple[str, ...]]]:
    kinds = [
        ("Rules that the guidebook lacks", verdict.missing),
        ("Exclusions that the rules do not have", verdict.extra),
        ("Confirmations, which do not exist in this game", verdict.confirmed),
        ("Passages that leave open what is ruled out", verdict.ambiguous),
        (
            f"Sentences that carry no rule and define nothing ({verdict.other_text:,} of "
            f"{verdict.characters:,} characters, expected a tenth at most)",
            tuple(shorten(sentence, _LONGEST_SHOWN) for sentence in verdict.other)
            if verdict.is_wordy
            else (),
        ),
    ]
    return [(kind, lines) for kind, lines in kinds if lines]


_LONGEST_SHOWN = 200
_NOT_READ = BookVerdict(was_read=False)


@dataclass(frozen=True, slots=True)
class BookVersion:
    """One version of a book; `revision` numbers the versions of a history from 0, without gaps.

    `author` is the model that wrote it by the call `call_id`, `checked_by` the one that read it back by
    the calls `check_call_ids`.
    """

    revision: int
    text: str
    author: str
    checked_by: str
    verdict: BookVerdict
    call_id: str
    check_call_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BookHistory:
    """All versions of an instance's book, in order, and a rejection for each round that gave no good one.

    A round whose reply holds no book gives no version, only a rejection.
    """

    versions: tuple[BookVersion, ...]
    rejections: tuple[Rejection, ...]

    @property
    def passed_version(self) -> BookVersion | None:
        """The version whose check found nothing, None where there is none."""
        return next((version for version in self.versions if version.verdict.passed), None)


async def write_model_book(
    ask: Ask,
    writer: ModelChoice,
    reviser: ModelChoice,
    config: SeedConfig,
    instance: Instance,
    rules: Sequence[BookRule],
    *,
    instance_id: str,
    rounds: int = 3,
    ask_json: JsonAsker | None = None,
) -> BookHistory:
    """The history of the instance's book: written, read back, and revised up to `rounds` times.

    `reviser` reads back and revises. `rules` are all outcome states of the instance's actions
    (`perennial.tasks.kumo.books.rules_of`). Give one `ask_json` to many books: it remembers what the
    server can do.

    Round 0 is the writer's; where it gives no book, the reviser is asked to write one. The history ends with
    the first version that passes, after all rounds, or where the endpoint rejects a request itself, which
    it always will. `rejections` (stage `books`, subject `instance_id`) has one row for each other round:
    `book_rules_differ` with the counts of each kind of error; `no_book`, `truncated`, `refused`, `empty`
    for a reply that gives no book; `reviser_saw_no_error`; `unreadable_read_back` where no reply of the
    reading model could be used, which is said of the check and not of the book; `rejected`.

    A function of the replies alone. Raises EndpointFailed where a call failed without an answer, and what
    `ask` raises.
    """
    work = _BookWork(ask_json or JsonAsker(ask), writer, reviser, config, instance, rules, instance_id)
    await ask_until_read(ask, work.make_request, work.check, rounds + 1)
    return BookHistory(tuple(work.versions), tuple(work.rejections))


@dataclass(slots=True)
class _BookWork:
    """The book of one instance while it is worked on: what is there to revise, and what is known of it."""

    ask_json: JsonAsker
    writer: ModelChoice
    reviser: ModelChoice
    config: SeedConfig
    instance: Instance
    rules: Sequence[BookRule]
    instance_id: str
    versions: list[BookVersion] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    round: int = 0
    problem: Unusable | None = None  # why the last reply holds no book

    def make_request(self, attempt: int, bad: BadReply | None) -> ModelRequest:
        """The request of a round: the writer's, then the reviser's."""
        self.round = attempt
        if attempt == 0:
            return writing_request(self.writer, self.config, self.instance, self.rules)
        return revision_request(
            self.reviser,
            self.config,
            self.instance,
            self.rules,
            self._last_text(),
            self.versions[-1].verdict if self.versions else BookVerdict(),
            self.problem,
            repeat=attempt - 1,
        )

    async def check(self, reply: Reply) -> BookVersion | Unusable:
        """The version that the reply gives if it passes the check; else what is wrong with either."""
        text = read_revision(reply, self._last_text()) if self.round else read_book_reply(reply)
        self.problem = text if isinstance(text, Unusable) else None
        if isinstance(text, Unusable):
            return self._reject(text, reply.call_id)
        reading = await read_back(self.ask_json, self.reviser, self.config, self.instance, text)
        read = reading.value
        version = BookVersion(
            len(self.versions),
            text,
            author=(self.reviser if self.round else self.writer).model,
            checked_by=self.reviser.model,
            verdict=replace(
                _NOT_READ if read is None else compare(read, self.instance.truths, self.rules),
                other=other_sentences(text, self.config, self.instance, self.rules),
                characters=count_characters(text),
            ),
            call_id=reply.call_id,
            check_call_ids=reading.call_ids,
        )
        self.versions.append(version)
        if reading.problem is not None:
            return self._reject(_why_not_read(reading, reading.problem), reading.call_ids[-1])
        if not version.verdict.passed:
            return self._reject(Unusable("book_rules_differ", _counts(version.verdict)), reply.call_id)
        return version

    def _last_text(self) -> str | None:
        return self.versions[-1].text if self.versions else None

    def _reject(self, problem: Unusable, call_id: str) -> Unusable:
        # The round keeps rows apart that would say the same of two rounds.
        text = f"round {self.round}: {problem.message}"
        self.rejections.append(Rejection("books", self.instance_id, problem.rule, text, call_id))
        return problem


def _why_not_read(reading: Asked[ReadBackForm], last: Unusable) -> Unusable:
    if last.is_final:
        return last
    message = f"not read back in {len(reading.call_ids)} calls, last because {last.message}"
    return Unusable("unreadable_read_back", message)


def _counts(verdict: BookVerdict) -> str:
    return (
        f"{len(verdict.missing)} missing, {len(verdict.extra)} extra, {len(verdict.confirmed)} confirmed, "
        f"{len(verdict.ambiguous)} ambiguous; {verdict.other_text:,} of {verdict.characters:,} characters "
        "other text; expected exactly the instance's rules, and a tenth other text at most"
    )


# Have a model judge a book against its rules, as the reviser of the paper judges every book (figure 11).
#
# Unlike the model that reads a book back, the judge sees the rules. What it says is kept beside the check and
# decides nothing.


JUDGE_TEMPLATE = "kumo/authors/judge_book.md.j2"
JUDGE_SYSTEM_TEMPLATE = "kumo/authors/judge_book_system.md.j2"
JUDGE_ATTEMPTS = 3


async def judge_book(
    ask: Ask, judge: ModelChoice, config: SeedConfig, instance: Instance, rules: Sequence[BookRule], book: str
) -> Judgement:
    """What a model judges of a book that was written from these rules.

    A reply without a judgement is asked for again, with the reason, up to JUDGE_ATTEMPTS calls in all; a
    request that the endpoint rejects is not. Raises EndpointFailed where a call failed without an answer.
    """

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        return author_request(
            "judge",
            judge,
            JUDGE_SYSTEM_TEMPLATE,
            JUDGE_TEMPLATE,
            attempt,
            **rule_values(config, instance, rules),
            book=book.strip("\n"),
            problem=bad.problem.message if bad else None,
        )

    asked = await ask_until_read(ask, make_request, _read, JUDGE_ATTEMPTS)
    return Judgement(judge.model, asked.value, asked.call_ids)


async def _read(reply: Reply) -> bool | Unusable:
    if problem := unusable_status(reply):
        return problem
    verdict = read_judgement(reply.content)
    if verdict is None:
        return Unusable(
            "no_judgement", "the reply has neither <ANSWER>True</ANSWER> nor <ANSWER>False</ANSWER>"
        )
    return verdict

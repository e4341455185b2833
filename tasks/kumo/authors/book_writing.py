"""Knowledge books by models: one writes, one reads back, the comparison judges, one revises, and again.

A cycle check: a book passes when the rules that a model reads out of its text alone are the rules that it
was written from. Unlike the paper's reviser, which evaluates every book, ours is asked about those only
that failed the check.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.kumo.things import BookVerdict, Instance, Rejection, Rule, SeedConfig
from schemas.model_calls.calls import ModelChoice, Reply
from tasks.authors.reply import Unusable
from tasks.kumo.authors.book_replies import read_book_reply
from tasks.kumo.authors.book_request import writing_request
from tasks.kumo.authors.comparison import compare
from tasks.kumo.authors.read_back import ReadingBack, read_back
from tasks.kumo.authors.revision import read_revision, revision_request
from tasks.llm.asking import Ask
from tasks.llm.structured import JsonAsker

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
    rules: Sequence[Rule],
    *,
    instance_id: str,
    rounds: int = 3,
    ask_json: JsonAsker | None = None,
) -> BookHistory:
    """Return the history of the instance's book: written, read back, and revised up to `rounds` times.

    `reviser` reads back and revises. `rules` are all outcome states of the instance's actions
    (`tasks.kumo.books.rules.rules_of`). Give one `ask_json` to many books: it remembers what the server can
    do.

    Round 0 is the writer's; where it gives no book, the reviser is asked to write one. The history ends with
    the first version that passes, after all rounds, or where the endpoint rejects a request itself, which
    it always will. `rejections` (stage `books`, subject `instance_id`) has one row for each other round:
    `book_rules_differ` with the counts of the four kinds of error; `no_book`, `truncated`, `refused`, `empty`
    for a reply that gives no book; `reviser_saw_no_error`; `unreadable_read_back` where no reply of the
    reading model could be used, which is said of the check and not of the book; `rejected`.

    A function of the replies alone. Raises EndpointFailed where a call failed without an answer, and what
    `ask` raises.
    """
    work = _Work(ask, ask_json or JsonAsker(ask), writer, reviser, config, instance, rules, instance_id)
    for number in range(rounds + 1):
        if await work.round_ends(number):
            break
    return BookHistory(tuple(work.versions), tuple(work.rejections))


@dataclass(slots=True)
class _Work:
    """The book of one instance while it is worked on: what is there to revise, and what is known of it."""

    ask: Ask
    ask_json: JsonAsker
    writer: ModelChoice
    reviser: ModelChoice
    config: SeedConfig
    instance: Instance
    rules: Sequence[Rule]
    instance_id: str
    versions: list[BookVersion] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    problem: Unusable | None = None

    async def round_ends(self, number: int) -> bool:
        """Make the next version, if the reply gives one; return whether the work ends with this round."""
        if number == 0:
            author, reply = self.writer.model, await self._write()
            text = read_book_reply(reply)
        else:
            author, reply = self.reviser.model, await self._revise(repeat=number - 1)
            text = read_revision(reply, self._last_text())
        if isinstance(text, Unusable):
            self.problem = text
            self._reject(number, text.rule, text.message, reply.call_id)
            return text.is_final
        self.problem = None
        return await self._check(number, text, author, reply.call_id)

    async def _write(self) -> Reply:
        return await self.ask(writing_request(self.writer, self.config, self.instance, self.rules))

    async def _revise(self, repeat: int) -> Reply:
        request = revision_request(
            self.reviser,
            self.config,
            self.instance,
            self.rules,
            self._last_text(),
            self.versions[-1].verdict if self.versions else BookVerdict(),
            self.problem,
            repeat,
        )
        return await self.ask(request)

    def _last_text(self) -> str | None:
        return self.versions[-1].text if self.versions else None

    async def _check(self, number: int, text: str, author: str, call_id: str) -> bool:
        """Check a version and keep it; return whether the work ends with this round."""
        reading = await read_back(self.ask_json, self.reviser, self.config, self.instance, text)
        verdict = (
            _NOT_READ if reading.said is None else compare(reading.said, self.instance.truths, self.rules)
        )
        revision, checked_by = len(self.versions), self.reviser.model
        self.versions.append(
            BookVersion(revision, text, author, checked_by, verdict, call_id, reading.call_ids)
        )
        if reading.problem is not None:
            return self._refuse_reading(number, reading, reading.problem)
        if not verdict.passed:
            self._reject(number, "book_rules_differ", _counts(verdict), call_id)
        return verdict.passed

    def _refuse_reading(self, number: int, reading: ReadingBack, problem: Unusable) -> bool:
        if problem.is_final:
            self._reject(number, problem.rule, problem.message, reading.call_ids[-1])
            return True
        message = f"not read back in {len(reading.call_ids)} calls, last because {problem.message}"
        self._reject(number, "unreadable_read_back", message, reading.call_ids[-1])
        return False

    def _reject(self, number: int, rule: str, message: str, call_id: str) -> None:
        # The number keeps rows apart that would say the same of two rounds.
        text = f"round {number}: {message}"
        self.rejections.append(Rejection("books", self.instance_id, rule, text, call_id))


def _counts(verdict: BookVerdict) -> str:
    return (
        f"{len(verdict.missing)} missing, {len(verdict.extra)} extra, {len(verdict.confirmed)} confirmed, "
        f"{len(verdict.ambiguous)} ambiguous; expected exactly the instance's rules"
    )

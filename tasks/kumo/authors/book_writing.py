"""Knowledge books by models: one writes, one reads back, the comparison judges, one revises, and again.

A cycle check: a book passes when the rules that a model reads out of its text alone are the rules that it
was written from. Unlike the paper's reviser, which evaluates every book, ours is asked about those only
that failed the check.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from perennial.schemas.kumo.things import BookVerdict, Instance, Rule, SeedConfig
from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest, Reply
from perennial.schemas.rows import Rejection
from perennial.tasks.authors.attempts import Asked, BadReply, ask_until_read
from perennial.tasks.authors.reply import Unusable
from perennial.tasks.kumo.authors.book_replies import read_book_reply
from perennial.tasks.kumo.authors.book_request import writing_request
from perennial.tasks.kumo.authors.comparison import compare
from perennial.tasks.kumo.authors.forms.read_back_form import ReadBackForm
from perennial.tasks.kumo.authors.read_back import read_back
from perennial.tasks.kumo.authors.revision import read_revision, revision_request
from perennial.tasks.llm.asking import Ask
from perennial.tasks.llm.structured import JsonAsker

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
    (`perennial.tasks.kumo.books.rules.rules_of`). Give one `ask_json` to many books: it remembers what the
    server can do.

    Round 0 is the writer's; where it gives no book, the reviser is asked to write one. The history ends with
    the first version that passes, after all rounds, or where the endpoint rejects a request itself, which
    it always will. `rejections` (stage `books`, subject `instance_id`) has one row for each other round:
    `book_rules_differ` with the counts of the four kinds of error; `no_book`, `truncated`, `refused`, `empty`
    for a reply that gives no book; `reviser_saw_no_error`; `unreadable_read_back` where no reply of the
    reading model could be used, which is said of the check and not of the book; `rejected`.

    A function of the replies alone. Raises EndpointFailed where a call failed without an answer, and what
    `ask` raises.
    """
    work = _Work(ask_json or JsonAsker(ask), writer, reviser, config, instance, rules, instance_id)
    await ask_until_read(ask, work.make_request, work.check, rounds + 1)
    return BookHistory(tuple(work.versions), tuple(work.rejections))


@dataclass(slots=True)
class _Work:
    """The book of one instance while it is worked on: what is there to revise, and what is known of it."""

    ask_json: JsonAsker
    writer: ModelChoice
    reviser: ModelChoice
    config: SeedConfig
    instance: Instance
    rules: Sequence[Rule]
    instance_id: str
    versions: list[BookVersion] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    round: int = 0
    problem: Unusable | None = None  # why the last reply holds no book

    def make_request(self, attempt: int, bad: BadReply | None) -> ModelRequest:
        """Return the request of a round: the writer's, then the reviser's."""
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
        """Return the version that the reply gives if it passes the check; else what is wrong with either."""
        text = read_revision(reply, self._last_text()) if self.round else read_book_reply(reply)
        self.problem = text if isinstance(text, Unusable) else None
        if isinstance(text, Unusable):
            return self._reject(text, reply.call_id)
        reading = await read_back(self.ask_json, self.reviser, self.config, self.instance, text)
        said = reading.value
        version = BookVersion(
            len(self.versions),
            text,
            author=(self.reviser if self.round else self.writer).model,
            checked_by=self.reviser.model,
            verdict=_NOT_READ if said is None else compare(said, self.instance.truths, self.rules),
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
        f"{len(verdict.ambiguous)} ambiguous; expected exactly the instance's rules"
    )

"""Ask a model to revise a book that the check found wrong (paper, figure 11)."""

from collections.abc import Sequence

from perennial.schemas.kumo.things import BookVerdict, Instance, Rule, SeedConfig
from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest, Reply
from perennial.tasks.authors.reply import Unusable
from perennial.tasks.authors.request import author_request
from perennial.tasks.kumo.authors.book_replies import read_book_reply, read_judgement
from perennial.tasks.kumo.authors.book_request import rule_values

REVISION_TEMPLATE = "kumo/authors/revise_book.md.j2"
REVISION_SYSTEM_TEMPLATE = "kumo/authors/revise_book_system.md.j2"


def revision_request(
    reviser: ModelChoice,
    config: SeedConfig,
    instance: Instance,
    rules: Sequence[Rule],
    book: str | None,
    verdict: BookVerdict,
    problem: Unusable | None,
    repeat: int,
) -> ModelRequest:
    """Return the call that asks to evaluate the book and to revise it.

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
    """Return the revised book, or why there is none.

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
    """Return the kinds of error that were found, each with its lines."""
    kinds = [
        ("Rules that the guidebook lacks", verdict.missing),
        ("Exclusions that the rules do not have", verdict.extra),
        ("Confirmations, which do not exist in this game", verdict.confirmed),
        ("Passages that leave open what is ruled out", verdict.ambiguous),
    ]
    return [(kind, lines) for kind, lines in kinds if lines]

"""Have a model read a book's rules back out of its text, as structured data.

The reader gets the book and the names of truths and actions; the rules it does not get, so that it can
only find them in the book.
"""

from functools import partial

from pydantic import ValidationError

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import Instance, SeedConfig
from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest, Reply
from perennial.tasks.authors.attempts import Asked, BadReply, ask_until_read
from perennial.tasks.authors.reply import Unusable, describe_problems, unusable_status
from perennial.tasks.authors.request import author_request
from perennial.tasks.kumo.authors.forms.read_back_form import ReadBackForm, read_back_schema
from perennial.tasks.kumo.configuration import parse_json
from perennial.tasks.llm.json_replies import json_text
from perennial.tasks.llm.structured import JsonAsker

READ_BACK_TEMPLATE = "kumo/authors/read_back.md.j2"
READ_BACK_SYSTEM_TEMPLATE = "kumo/authors/read_back_system.md.j2"
READ_BACK_ATTEMPTS = 3

_SCHEMA_NAME = "read_back"
_PROBLEMS_SHOWN = 4


async def read_back(
    ask_json: JsonAsker, checker: ModelChoice, config: SeedConfig, instance: Instance, book: str
) -> Asked[ReadBackForm]:
    """Return what a model reads out of the book.

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
    """Return the call that asks what a book says; `problem` is what was wrong with the attempt before."""
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
    """Return what a reply says that the book says.

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

"""Read a book out of a model's reply, or say why the reply has none."""

from collections.abc import Iterator

from perennial.schemas.model_calls.calls import Reply
from perennial.tasks.authors.reply import Unusable, unusable_status
from perennial.tasks.kumo.tags import find_tagged


def read_book_reply(reply: Reply) -> str | Unusable:
    """Return the book between <BOOK> and </BOOK>, or why there is none.

    Tags count in any case; of several complete pairs the last that holds any text wins. A reply without
    tags is not taken for a book, whatever it says: nobody could tell the book from the talk around it.
    White space around the book is dropped, and it ends with one line end. Raises EndpointFailed as
    `unusable_status` does.
    """
    problem = unusable_status(reply)
    if problem is not None:
        return problem
    books = (reply.content[place].strip() for place in reversed(find_tagged(reply.content, "book")))
    book = next((text for text in books if text), None)
    if book is None:
        return Unusable(
            "no_book", "the reply has no text between <BOOK> and </BOOK>; put the whole book there"
        )
    return book + "\n"


def read_judgement(content: str) -> bool | None:
    """Return what the last complete pair of <ANSWER> tags says, True or False in any case; None otherwise.

    A pair inside a book is part of the book and does not count.
    """
    outside = "".join(content[piece] for piece in _around(content, find_tagged(content, "book")))
    answers = find_tagged(outside, "answer")
    said = outside[answers[-1]].strip().casefold() if answers else ""
    return {"true": True, "false": False}.get(said)


def _around(content: str, texts: list[slice]) -> Iterator[slice]:
    """Yield what is left of the content without these texts, in order."""
    start = 0
    for text in texts:
        yield slice(start, text.start)
        start = text.stop
    yield slice(start, len(content))

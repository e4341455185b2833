"""Read a book out of a model's reply, or tell why the reply gives none."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from schemas.calls import Reply
from schemas.errors import EndpointFailed

_TAG = re.compile(r"<(/?)(book|answer)>", re.IGNORECASE | re.ASCII)

_STATUS_MESSAGES = {
    "truncated": "the reply was cut off at the length limit; be brief, or allow more tokens (max_tokens)",
    "refused": "the model refused to answer; expected a reply to the whole prompt",
    "empty": "the reply was empty; expected an answer",
}


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a reply cannot be used: the rule that it broke, and what was expected, in one line."""

    rule: str
    message: str

    @property
    def is_final(self) -> bool:
        """Whether asking again makes no sense: the endpoint refuses the request itself."""
        return self.rule == "rejected"


def unusable_status(reply: Reply) -> Unusable | None:
    """Return why a reply's status alone makes it unusable, None for a text to read.

    The rule is the status: truncated, refused, empty, or rejected by the endpoint. Raises EndpointFailed
    where the call failed without an answer: a later run may get one.
    """
    if reply.status == "ok":
        return None
    if reply.status == "rejected":
        return Unusable("rejected", f"the endpoint refuses the request: {reply.error or 'no reason given'}")
    if not reply.answered:
        raise EndpointFailed(reply.error or f"call {reply.call_id} failed ({reply.status}); run again later")
    return Unusable(reply.status, _STATUS_MESSAGES[reply.status])


def read_book_reply(reply: Reply) -> str | Unusable:
    """Return the book that stands between <BOOK> and </BOOK>, or why there is none to be had.

    Tags count in any case; of several complete pairs the last that holds any text wins. A reply without
    tags is not taken for a book, whatever it says: nobody could tell the book from the talk around it.
    White space around the book is dropped, and it ends with one line end. Raises EndpointFailed as
    `unusable_status` does.
    """
    problem = unusable_status(reply)
    if problem is not None:
        return problem
    books = (reply.content[place].strip() for place in reversed(_pairs(reply.content, "book")))
    book = next((text for text in books if text), None)
    if book is None:
        return Unusable(
            "no_book", "the reply has no text between <BOOK> and </BOOK>; put the whole book there"
        )
    return book + "\n"


def says_true(content: str) -> bool:
    """Return whether the last complete pair of <ANSWER> tags says True, in any case.

    A pair inside a book is part of the book and does not count.
    """
    outside = "".join(content[piece] for piece in _around(content, _pairs(content, "book")))
    answers = _pairs(outside, "answer")
    return bool(answers) and outside[answers[-1]].strip().casefold() == "true"


def _pairs(content: str, name: str) -> list[slice]:
    """Return where each pair of the named tags holds its text, of nested pairs the innermost one's."""
    texts: list[slice] = []
    opened: int | None = None
    for tag in _TAG.finditer(content):
        if tag[2].lower() != name:
            continue
        if not tag[1]:
            opened = tag.end()
        elif opened is not None:
            texts.append(slice(opened, tag.start()))
            opened = None
    return texts


def _around(content: str, texts: list[slice]) -> Iterator[slice]:
    """Yield what is left of the content without these texts, in order."""
    start = 0
    for text in texts:
        yield slice(start, text.start)
        start = text.stop
    yield slice(start, len(content))

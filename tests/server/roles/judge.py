"""The judge of books: reads a book by the checker's grammar and compares it with the rules of the prompt."""

import random

from perennial.tasks.kumo.authors.read_back import ReadBackForm, compare
from tests.server.book_text import book_in, given_in, read_back_of
from tests.server.script import Asked

_OPENING = "You judge guidebooks for a reasoning game of elimination."


class Judge:
    role = "judge"
    faults = ("sees_no_error", "no_tags")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith(_OPENING)

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        if fault == "no_tags":
            return "The guidebook is right."
        given = given_in(asked)
        said = ReadBackForm.model_validate(read_back_of(book_in(asked) or ""))
        is_right = fault == "sees_no_error" or compare(said, given.instance.truths, given.rules).passed
        return f"I went through the rules.\n\n<ANSWER>{is_right}</ANSWER>"


SCRIPT = Judge()

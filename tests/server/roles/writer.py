"""The writer: a right book of the rules in the prompt, in the wording of the template book."""

import random

from tests.server.book_text import BOOK_ERRORS, faulty_book, find_tagged, given_in, right_book
from tests.server.script import Asked

SPEECH = "Whatever happens, take what stands on top and finish. " * 12
_OPENING = "You write guidebooks for a reasoning game of elimination."


class Writer:
    role = "writer"
    faults = (*BOOK_ERRORS, "no_tags", "speech")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith(_OPENING)

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        given = given_in(asked)
        if fault == "no_tags":
            return right_book(given, rng)
        if fault == "speech":
            return find_tagged(right_book(given, rng).replace("\n## ", f"\n{SPEECH}\n\n## ", 1))
        book = faulty_book(given, fault, rng) if fault in BOOK_ERRORS else right_book(given, rng)
        return f"Here is the guidebook.\n\n{find_tagged(book)}"


SCRIPT = Writer()

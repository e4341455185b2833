"""The reviser: reads the book itself, and where anything was found wrong writes it again from the rules."""

import random

from tests.server.book_text import BOOK_ERRORS, book_in, faulty_book, find_tagged, given_in, right_book
from tests.server.script import Asked

_OPENING = "You evaluate and revise guidebooks for a reasoning game of elimination."


class Reviser:
    role = "reviser"
    faults = ("sees_no_error", "still_wrong", "never_right")

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith(_OPENING)

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        if fault == "sees_no_error":
            return "Every rule is there.\n\n<ANSWER>True</ANSWER>"
        book = self._book(asked, fault, rng)
        return f"The guidebook is wrong.\n\n<ANSWER>False</ANSWER>\n\n{find_tagged(book)}"

    def _book(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        given = given_in(asked)
        if fault == "still_wrong":
            return faulty_book(given, rng.choice(BOOK_ERRORS), rng)
        if fault == "never_right":
            return book_in(asked) or faulty_book(given, "missing_rule", rng)
        return right_book(given, rng)


SCRIPT = Reviser()

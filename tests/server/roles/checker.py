"""The checker: reads a book by a grammar and writes down what it says."""

import json
import random

from tests.server.book_text import book_in, read_back_of
from tests.server.script import Asked

_OPENING = "You read a guidebook and write down what it says, as data."


class Checker:
    role = "checker"
    faults = ("wrong_form",)

    def recognises(self, asked: Asked) -> bool:
        return asked.system.startswith(_OPENING)

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        said = read_back_of(book_in(asked) or "")
        if fault == "wrong_form":
            said = {"rules": said["actions"]}
        return json.dumps(said, ensure_ascii=False)


SCRIPT = Checker()

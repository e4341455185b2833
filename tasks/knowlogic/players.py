"""Players of KnowLogic that need no model."""

import csv
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from perennial.schemas.game import Move, Program
from perennial.schemas.knowlogic.things import DIFFICULTIES, LETTERS, ErrorClass, Language
from perennial.tasks.knowlogic.answers import (
    ReadLetters,
    classify_error,
    letter_sets,
    read_answer,
    read_leniently,
    write_answer,
)
from perennial.tasks.knowlogic.layout import prompt_template, read_text, split_prompt
from perennial.tasks.knowlogic.problem import Domain, right_letters
from perennial.tasks.play import OneShotGame

# One run on one question: it ends at the first reply (`perennial.schemas.game.Game`).


class QuestionForm(NamedTuple):
    """What is known of a question without its text; an imported one has no type."""

    domain: str = ""
    type: str | None = None
    difficulty: str = ""
    has_none: bool = False


@dataclass
class QuestionGame(OneShotGame):
    """A question as it is played: the prompt, the right letters, and what was read of the reply.

    `find_domain` returns the domain that the text is of, for a program that reads it; `form` is for one that
    does not.
    """

    prompt: str
    letters: str
    language: Language
    find_domain: Callable[[], Domain]
    template_hash: str = ""
    form: QuestionForm = field(default_factory=QuestionForm)
    answer: ReadLetters | None = None
    lenient: str | None = None

    @property
    def template(self) -> str:
        """The template of the prompt."""
        return prompt_template(self.language)

    def take(self, reply: str) -> None:
        """Read the reply and grade it: right is exactly the set of right letters. The game ends.

        The lenient reading is kept beside the strict one, which alone counts.
        """
        self.answer, self.lenient = read_answer(reply), read_leniently(reply)
        if self.answer is None:
            self.end("unparsed")
        else:
            self.end("solved" if self.answer.letters == self.letters else "wrong")

    @property
    def error_class(self) -> ErrorClass | None:
        """What wrong letters are to the right ones, None where they are right or none were read."""
        return None if self.answer is None else classify_error(self.answer.letters, self.letters)


# The guesser: letters by the form of a question alone. Its rate is the floor of an edition.


@lru_cache(maxsize=1)
def usual_letters() -> dict[QuestionForm, str]:
    """The most frequent right letters by form, of 3,000 questions drawn for it.

    Written by `python -m tests.benchmarks.knowlogic_guesser --learn`.
    """
    text = (files("perennial.tasks.knowlogic") / "usual_letters.csv").read_text(encoding="utf-8")
    return {
        QuestionForm(row["domain"], row["type"], difficulty, row["fourth"] == "none"): row[difficulty]
        for row in csv.DictReader(text.splitlines())
        for difficulty in DIFFICULTIES
        if row[difficulty]
    }


def guess(form: QuestionForm) -> str:
    """The letters that were right most often in questions of this form, A where there were none."""
    return usual_letters().get(form, "A")


# The players of KnowLogic that need no model, by name.


def solve_prompt(domain: Domain, prompt: str) -> str:
    """The answer that follows from the prompt alone: statements are read back and solved.

    Raises ValueError for a text that the domain's templates do not say, and for an option left open.
    """
    text, language = split_prompt(prompt)
    problem = read_text(domain, text, language)
    return write_answer(right_letters(problem, domain.decide(problem).verdicts), language)


def _exact(game: QuestionGame, _rng: random.Random) -> Move:
    answer = solve_prompt(game.find_domain(), game.prompt)
    return lambda: answer


def _random(game: QuestionGame, rng: random.Random) -> Move:
    answer = write_answer(rng.choice(letter_sets()), game.language)
    return lambda: answer


def _single(game: QuestionGame, _rng: random.Random) -> Move:
    digest = sha256(game.prompt.encode()).digest()
    answer = write_answer(LETTERS[digest[0] % len(LETTERS)], game.language)
    return lambda: answer


def _guess(game: QuestionGame, _rng: random.Random) -> Move:
    answer = write_answer(guess(game.form), game.language)
    return lambda: answer


PLAYERS: dict[str, Program[QuestionGame]] = {
    program.name: program
    for program in (
        Program("exact", False, "solves what the prompt's text alone says", _exact),
        Program("guesser", False, "gives the letters most often right in questions of this form", _guess),
        Program("random", True, "draws one of the 15 sets of letters", _random),
        Program("single", False, "gives one letter, which the prompt's SHA-256 decides", _single),
    )
}

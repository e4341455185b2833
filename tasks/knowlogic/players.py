"""Players of KnowLogic that need no model."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from perennial.schemas.game import Move, Program
from perennial.schemas.knowlogic.things import LETTERS, ErrorClass, Language
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

    @property
    def key(self) -> str:
        """The form in one line."""
        return f"{self.domain} {self.type} {self.difficulty}{' none' if self.has_none else ''}"


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


# The most frequent right letters by form of a question, of 3,000 questions drawn for it.
#
# Written by `python -m tests.benchmarks.knowlogic_guesser --learn`.


USUAL = {
    "mix correct_statements easy": "AB",
    "mix correct_statements hard": "ABD",
    "mix correct_statements medium": "ABD",
    "mix incorrect_statements easy": "ABC",
    "mix incorrect_statements hard": "BCD",
    "mix incorrect_statements medium": "AD",
    "mix precise_entity easy": "D",
    "mix precise_entity easy none": "C",
    "mix precise_entity hard": "A",
    "mix precise_entity hard none": "A",
    "mix precise_entity medium": "A",
    "mix precise_entity medium none": "B",
    "mix vague_entity easy": "ABCD",
    "mix vague_entity easy none": "ABC",
    "mix vague_entity hard": "A",
    "mix vague_entity hard none": "A",
    "mix vague_entity medium": "ABC",
    "mix vague_entity medium none": "AB",
    "nature correct_statements easy": "BCD",
    "nature correct_statements hard": "ACD",
    "nature correct_statements medium": "A",
    "nature incorrect_statements easy": "C",
    "nature incorrect_statements hard": "A",
    "nature incorrect_statements medium": "D",
    "nature precise_entity easy": "D",
    "nature precise_entity hard": "A",
    "nature precise_entity medium": "A",
    "nature precise_slot easy": "B",
    "nature precise_slot hard": "B",
    "nature precise_slot medium": "A",
    "nature vague_entity easy": "ABD",
    "nature vague_entity hard": "AC",
    "nature vague_entity medium": "AC",
    "nature vague_slot easy": "ABC",
    "nature vague_slot hard": "AC",
    "nature vague_slot medium": "ACD",
    "social correct_statements easy": "AC",
    "social correct_statements hard": "CD",
    "social correct_statements medium": "AB",
    "social incorrect_statements easy": "AC",
    "social incorrect_statements hard": "CD",
    "social incorrect_statements medium": "C",
    "social precise_entity hard": "A",
    "social precise_entity hard none": "D",
    "social precise_entity medium": "A",
    "social precise_entity medium none": "A",
    "social vague_entity easy": "ABCD",
    "social vague_entity easy none": "BC",
    "social vague_entity hard": "CD",
    "social vague_entity hard none": "BC",
    "social vague_entity medium": "AB",
    "social vague_entity medium none": "AB",
    "space correct_statements easy": "AD",
    "space correct_statements hard": "C",
    "space correct_statements medium": "BD",
    "space incorrect_statements easy": "AD",
    "space incorrect_statements hard": "CD",
    "space incorrect_statements medium": "D",
    "space precise_entity easy": "C",
    "space precise_entity hard": "B",
    "space precise_entity hard none": "A",
    "space precise_entity medium": "C",
    "space precise_entity medium none": "D",
    "space precise_slot easy": "A",
    "space precise_slot hard": "C",
    "space precise_slot hard none": "C",
    "space precise_slot medium": "C",
    "space vague_entity easy": "AC",
    "space vague_entity easy none": "AB",
    "space vague_entity hard": "AB",
    "space vague_entity hard none": "AB",
    "space vague_entity medium": "BC",
    "space vague_entity medium none": "A",
    "space vague_slot easy": "ABD",
    "space vague_slot easy none": "A",
    "space vague_slot hard": "ABD",
    "space vague_slot hard none": "B",
    "space vague_slot medium": "BC",
    "space vague_slot medium none": "A",
    "time correct_statements easy": "A",
    "time correct_statements hard": "A",
    "time correct_statements medium": "D",
    "time incorrect_statements easy": "BC",
    "time incorrect_statements hard": "AB",
    "time incorrect_statements medium": "AB",
    "time precise_event easy": "D",
    "time precise_event easy none": "B",
    "time precise_event hard": "B",
    "time precise_event hard none": "A",
    "time precise_event medium": "A",
    "time precise_slot easy none": "B",
    "time precise_slot hard": "B",
    "time precise_slot hard none": "B",
    "time precise_slot medium none": "B",
    "time vague_event easy": "B",
    "time vague_event easy none": "D",
    "time vague_event hard": "AC",
    "time vague_event hard none": "ABC",
    "time vague_event medium": "AB",
    "time vague_event medium none": "A",
}


# The guesser: letters by the form of a question alone. Its rate is the floor of an edition.


def guess(form: QuestionForm) -> str:
    """The letters that were right most often in questions of this form, A where there were none."""
    return USUAL.get(form.key, "A")


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

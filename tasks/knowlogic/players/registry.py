"""The players of KnowLogic that need no model, by name."""

import random
from hashlib import sha256

from perennial.schemas.game import Move, Program
from perennial.schemas.knowlogic.things import LETTERS
from perennial.tasks.knowlogic.answers import letter_sets, write_answer
from perennial.tasks.knowlogic.domain import Domain
from perennial.tasks.knowlogic.game import QuestionGame
from perennial.tasks.knowlogic.players.guesser import guess
from perennial.tasks.knowlogic.problem import right_letters
from perennial.tasks.knowlogic.wording.layout import read_text, split_prompt


def solve_prompt(domain: Domain, prompt: str) -> str:
    """Return the answer that follows from the prompt alone: statements are read back and solved.

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

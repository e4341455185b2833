"""The players of A2RBench that need no model, by name. They see the prompt's text alone."""

import json
import random

from rapidfuzz.distance import Levenshtein

from perennial.schemas.game import Move, Program
from perennial.tasks.a2rbench.fits import find_fits
from perennial.tasks.a2rbench.game import ItemGame
from perennial.tasks.a2rbench.players.guesser import guess
from perennial.tasks.a2rbench.replies.answers import write_answer
from perennial.tasks.a2rbench.values import join_texts, split_texts, tokens_of
from perennial.tasks.a2rbench.wording import read_dimension, read_prompt


def search_prompt(prompt: str) -> str:
    """Return the answer of the first program that fits the examples of a prompt; it names the program."""
    examples, query = read_prompt(prompt)
    dimension = read_dimension(prompt)
    split = [(split_texts(given, dimension), split_texts(wanted, dimension)) for given, wanted in examples]
    found = find_fits(dimension, split, split_texts(query, dimension))
    if not found.count:
        return write_answer(None)
    answer = join_texts(found.answer, dimension, [wanted for _, wanted in examples])
    return write_answer(answer, ", then ".join(found.agreeing[0]))


def repeat_query(prompt: str) -> str:
    """Return the query as the answer."""
    return write_answer(read_prompt(prompt)[1], "the output is the input")


def copy_nearest(prompt: str) -> str:
    """Return the output of the first example whose input is nearest to the query, token by token."""
    examples, query = read_prompt(prompt)
    dimension = read_dimension(prompt)
    wanted, *others = (
        list(tokens_of(split_texts(value, dimension))) for value in (query, *(given for given, _ in examples))
    )
    distances = [Levenshtein.distance(tokens, wanted) for tokens in others]
    answer = examples[distances.index(min(distances))][1] if examples else query
    return write_answer(answer, "the output is that of the most similar example")


def _search(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: search_prompt(game.prompt)


def _identity(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: repeat_query(game.prompt)


def _nearest(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: copy_nearest(game.prompt)


def _guess(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: write_answer(json.loads(guess(game.form)))


PLAYERS: dict[str, Program[ItemGame]] = {
    program.name: program
    for program in (
        Program(
            "search",
            False,
            "tries the catalogue's rules, all pairs of them and primitives on the examples",
            _search,
        ),
        Program("guesser", False, "gives the answer most often right in items of this form", _guess),
        Program("identity", False, "answers with the query itself", _identity),
        Program("nearest", False, "gives the output of the example that is most like the query", _nearest),
    )
}

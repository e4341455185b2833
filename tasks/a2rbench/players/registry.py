"""The players of A2RBench that need no model, by name. They see the prompt's text alone."""

import random

from rapidfuzz.distance import Levenshtein

from tasks.a2rbench.answers import write_answer
from tasks.a2rbench.fits import find_fits
from tasks.a2rbench.game import ItemGame
from tasks.a2rbench.values import tokens_of
from tasks.a2rbench.wording import depth_of, read_prompt
from tasks.play.program_player import Move, Program


def search_prompt(prompt: str) -> str:
    """Return the answer of the first program that fits the examples of a prompt; it names the program."""
    examples, query = read_prompt(prompt)
    dimension = depth_of(query)
    if dimension not in (1, 2, 3):
        return write_answer(None)
    found = find_fits(dimension, examples, query)  # type: ignore[arg-type]
    return write_answer(found.answer, ", then ".join(found.agreeing[0]) if found.agreeing else "")


def repeat_query(prompt: str) -> str:
    """Return the query as the answer."""
    return write_answer(read_prompt(prompt)[1], "the output is the input")


def copy_nearest(prompt: str) -> str:
    """Return the output of the first example whose input is nearest to the query, token by token."""
    examples, query = read_prompt(prompt)
    tokens = list(tokens_of(query))
    distances = [Levenshtein.distance(list(tokens_of(given)), tokens) for given, _ in examples]
    answer = examples[distances.index(min(distances))][1] if examples else query
    return write_answer(answer, "the output is that of the most similar example")


def _search(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: search_prompt(game.prompt)


def _identity(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: repeat_query(game.prompt)


def _nearest(game: ItemGame, _rng: random.Random) -> Move:
    return lambda: copy_nearest(game.prompt)


PLAYERS: dict[str, Program] = {
    program.name: program
    for program in (
        Program(
            "search", False, "tries the catalogue's rules and all pairs of them on the examples", _search
        ),
        Program("identity", False, "answers with the query itself", _identity),
        Program("nearest", False, "gives the output of the example that is most like the query", _nearest),
    )
}

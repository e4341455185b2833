"""The programs answer from the prompt's text alone, as they say they do."""

import json
import random
from typing import Any

import pytest

from perennial.tasks.a2rbench.catalogue import RULES, Dimension
from perennial.tasks.a2rbench.item_text import write_prompt
from perennial.tasks.a2rbench.players import PLAYERS, ItemGame
from perennial.tasks.a2rbench.replies import read_answer
from tests.a2rbench import made_edition


def play(player: str, prompt: str) -> tuple[object, str | None]:
    reply = PLAYERS[player].start(ItemGame(prompt, ""), random.Random(0))()
    read = read_answer(reply)
    return (None, None) if read is None else (json.loads(read.answer), read.rule)


@pytest.mark.slow
def test_search_solves_every_item_and_names_a_program() -> None:
    for item in made_edition.items():
        answer, rule = play("search", item.prompt)
        assert answer == json.loads(item.answer)
        assert rule is not None
        assert 1 <= len(rule.split(", then ")) <= 2


def test_search_gives_up_where_no_program_fits() -> None:
    prompt = write_prompt(1, [(["a", "b"], ["z", "z", "z"])], ["a"])
    assert play("search", prompt) == (None, None)


def test_search_finds_a_composition() -> None:
    inputs = [list("abcdefg"), list("hjkmnp"), list("qrstu")]

    def both(x: list[str]) -> list[str]:
        return list(RULES["line_reverse"].forward(RULES["line_caesar"].forward(x)))

    upper = [[token.upper() for token in x] for x in inputs]
    prompt = write_prompt(1, [(x, both(x)) for x in upper[:2]], upper[2])
    answer, rule = play("search", prompt)
    assert answer == both(upper[2])
    assert rule is not None
    assert "line_caesar" in rule


def test_identity_gives_the_query_and_nearest_an_output() -> None:
    for item in made_edition.items():
        assert play("identity", item.prompt)[0] == json.loads(item.query)
        assert play("nearest", item.prompt)[0] in [wanted for _, wanted in json.loads(item.examples)]


@pytest.mark.parametrize(
    ("dimension", "examples", "query", "answer"),
    [
        # Places of the one example of three tokens; the other example is of another shape.
        (1, [("abcd", "badc"), ("xyz", "zxy")], "123", "312"),
        # A token that is there twice: two examples of the shape settle it; else each place is taken once.
        (1, [("aab", "baa"), ("aba", "aba")], "123", "321"),
        (1, [("aab", "baa")], "123", "312"),
        (1, [("ab", "abba")], "12", "1221"),
        (2, [(["ab", "cd"], ["ca", "db"])], ["12", "34"], ["31", "42"]),
        # Nothing to look up: the query.
        (2, [(["abc"], ["cba"])], ["12", "34"], ["12", "34"]),
        (1, [("ab", "bc")], "12", "12"),
        (1, [("ab", "ba"), ("cd", "dcd")], "12", "12"),
        (1, [], "12", "12"),
    ],
)
def test_the_guesser_looks_places_up_in_examples_of_the_query_s_shape(
    dimension: Dimension, examples: Any, query: Any, answer: Any
) -> None:
    assert play("guesser", write_prompt(dimension, examples, query))[0] == answer


def test_no_item_that_is_grown_can_be_looked_up() -> None:
    for item in made_edition.items():
        assert play("guesser", item.prompt) == play("identity", item.prompt)


@pytest.mark.parametrize(
    ("query", "answer"), [(["a", "b", "c"], ["1"]), (["x", "y"], ["2"]), (["q"], ["2"]), (["a"], ["1"])]
)
def test_nearest_goes_by_edit_distance_of_tokens_and_takes_the_first(
    query: list[str], answer: list[str]
) -> None:
    prompt = write_prompt(1, [(["a", "b", "d"], ["1"]), (["x", "z"], ["2"])], query)
    assert play("nearest", prompt)[0] == answer

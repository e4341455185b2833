"""The programs answer from the prompt's text alone, as they say they do."""

import json
import random

import pytest

from perennial.tasks.a2rbench.item_text import write_prompt
from perennial.tasks.a2rbench.players import PLAYERS, USUAL, ItemForm, ItemGame, guess, shape_of
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
    from perennial.tasks.a2rbench.catalogue import RULES

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


def test_the_guesser_goes_by_the_form_alone() -> None:
    form = ItemForm("line_semantic", 4, False, (3,))
    replies = {
        PLAYERS["guesser"].start(ItemGame(item.prompt, item.answer, form=form), random.Random(0))()
        for item in made_edition.items()
    }
    assert len(replies) == 1
    read = read_answer(replies.pop())
    assert read is not None
    assert read.answer == guess(form) == USUAL["line_semantic"]
    assert form.key == "line_semantic V4 3"
    assert shape_of([[["a", "b"]], [["c", "d"]]]) == (2, 1, 2)
    assert guess(ItemForm()) == "null"


@pytest.mark.parametrize(
    ("query", "answer"), [(["a", "b", "c"], ["1"]), (["x", "y"], ["2"]), (["q"], ["2"]), (["a"], ["1"])]
)
def test_nearest_goes_by_edit_distance_of_tokens_and_takes_the_first(
    query: list[str], answer: list[str]
) -> None:
    prompt = write_prompt(1, [(["a", "b", "d"], ["1"]), (["x", "z"], ["2"])], query)
    assert play("nearest", prompt)[0] == answer

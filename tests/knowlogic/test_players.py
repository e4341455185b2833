"""One reply ends a game; the programs answer as they say."""

import random
from collections import Counter
from typing import Any

import pytest

from perennial.schemas.game import EpisodeStatus
from perennial.tasks.knowlogic.answers import read_answer
from perennial.tasks.knowlogic.layout import split_prompt
from perennial.tasks.knowlogic.players import PLAYERS, QuestionForm, QuestionGame, solve_prompt
from tests.knowlogic import toy_edition

DOMAIN = toy_edition.domain()
GROWN = toy_edition.grow(36)


def game(question: Any, letters: str = "") -> QuestionGame:
    right = letters or question.letters
    return QuestionGame(question.prompt, right, question.language, lambda: DOMAIN)


def reply(player: str, played: QuestionGame, seed: int = 0) -> str:
    return PLAYERS[player].start(played, random.Random(seed))()


@pytest.mark.parametrize(
    ("text", "status", "error"),
    [
        ("[AC]", "solved", None),
        ("【C、A】", "solved", None),
        ("[A]", "wrong", "subset"),
        ("[ABC]", "wrong", "superset"),
        ("[AB]", "wrong", "overlap"),
        ("[BD]", "wrong", "disjoint"),
        ("AC", "unparsed", None),
        ("", "unparsed", None),
    ],
)
def test_exactly_the_right_letters_solve_it(text: str, status: EpisodeStatus, error: str | None) -> None:
    played = game(GROWN[0], "AC")
    assert played.result() is None
    assert played.take(text) is None
    result = played.result()
    assert result is not None
    assert (result.status, result.success, result.score) == (status, status == "solved", status == "solved")
    assert played.error_class == error


def test_the_prompt_is_the_only_message() -> None:
    opening = game(GROWN[1]).opening("")
    assert [message["content"] for message in opening.messages] == [GROWN[1].prompt]
    assert opening.template == "knowlogic/question_en.md.j2"


def test_exact_is_right_everywhere_and_reads_nothing_but_the_prompt() -> None:
    for question in GROWN:
        played = game(question, "D" if question.letters != "D" else "A")
        answer = read_answer(reply("exact", played))
        assert answer is not None
        assert answer.letters == question.letters
        assert answer.brackets == ("square" if question.language == "en" else "lenticular")


def test_exact_follows_the_text_where_it_says_something_else() -> None:
    question = next(
        each
        for each in GROWN
        if (each.type, each.language) == ("correct_statements", "en") and len(each.letters) < 4
    )
    changed = question.prompt.replace("are correct?", "are incorrect?")
    assert changed != question.prompt
    right, other = (read_answer(solve_prompt(DOMAIN, prompt)) for prompt in (question.prompt, changed))
    assert right is not None
    assert other is not None
    assert set(right.letters).isdisjoint(other.letters)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text.replace("Options:", "Choices:"),
        lambda text: text.replace("It is known that:\n", ""),
        lambda text: text.replace(" is ", " was "),
        lambda text: text.replace("\nC. ", "\nE. "),
    ],
)
def test_a_text_that_no_template_says_is_not_solved(change: Any) -> None:
    question = next(each for each in GROWN if each.type == "vague_entity" and each.language == "en")
    assert change(question.prompt) != question.prompt
    with pytest.raises(ValueError):
        solve_prompt(DOMAIN, change(question.prompt))


def test_random_draws_all_sets_and_single_gives_one_letter_by_the_prompt() -> None:
    drawn = Counter(reply("random", game(GROWN[1]), seed) for seed in range(600))
    assert len(drawn) == 15
    assert max(drawn.values()) < 100
    single = [reply("single", game(question)) for question in GROWN]
    assert single == [reply("single", game(question), seed=9) for question in GROWN]
    assert {answer[1:-1] for answer in single} == set("ABCD")


def test_a_prompt_is_split_into_what_it_was_made_of() -> None:
    for question in GROWN:
        assert split_prompt(question.prompt) == (question.as_text, question.language)


def test_a_guesser_knows_the_form_alone() -> None:
    asked = game(GROWN[0])
    asked.form = QuestionForm("space", "precise_entity", "easy", has_none=True)
    other = game(GROWN[1], "B")
    other.form = asked.form
    assert reply("guesser", asked).strip("[]【】") == reply("guesser", other).strip("[]【】") in set("ABCD")
    assert reply("guesser", game(GROWN[0])).strip("[]【】") == "A"

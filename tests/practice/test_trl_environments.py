"""Environments of TRL: what the library looks for in their classes, and what a rollout is worth."""

import inspect
import json
from typing import Any

import pytest

from perennial.flows.practice.grade import find_practice, grade, open_question
from perennial.flows.practice.trl_environments import environment_class, training_rows
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import InvalidOption, UnreadableInput
from tests.practice.drawn import draw

ONE_SHOT = ("a2rbench", "beyondbench", "knowlogic")


def tools_of(environment: Any) -> dict[str, Any]:
    """Return the methods that TRL offers, found as `GRPOTrainer` finds them."""
    return {
        name: getattr(environment, name)
        for name, _ in inspect.getmembers(type(environment), predicate=inspect.isfunction)
        if name not in ("reset", "get_reward") and not name.startswith("_")
    }


@pytest.mark.parametrize("benchmark", ONE_SHOT)
def test_the_reply_of_a_question_is_worth_what_its_grader_says(benchmark: str) -> None:
    environment = environment_class(benchmark)()
    questions = draw(benchmark, 2)
    for question, row in zip(questions, training_rows(questions), strict=True):
        assert row["prompt"] == [*question.question]
        for reply in (question.reply, "no idea", ""):
            assert "function" in environment.reset(**row)
            assert environment.get_reward() == 0.0
            tools_of(environment)["answer"](reply)
            assert environment.get_reward() == grade(question, reply).score
            with pytest.raises(InvalidOption, match="has ended"):
                tools_of(environment)["answer"](reply)
        environment.reset(**row)
        tools_of(environment)["answer"](question.reply)
        assert environment.get_reward() == 1.0


def test_a_game_is_played_by_its_moves_and_begins_anew_with_each_reset() -> None:
    (question,) = draw("kumo", 1)
    (row,) = training_rows([question])
    instance = find_practice("kumo").open_seat(question).start().board.instance
    (right,) = instance.valid_truths
    wrong = next(name for name in instance.truths if name != right)
    environment = environment_class("kumo")()
    for name, score in ((right, 1.0), (wrong, 0.0)):
        environment.reset(**row, prompt_of_another_column=1)
        moves = tools_of(environment)
        assert set(moves) == {"take_action", "answer"}
        for action in instance.actions:
            outcome = open_question(question).take(f"<ANSWER>{action}</ANSWER>")
            assert moves["take_action"](action) == outcome
        moves["answer"](name)
        assert environment.get_reward() == score


@pytest.mark.parametrize("line", ["", "{}", "[]", json.dumps({"question": 1}), "{" * 10_000])
def test_a_row_that_is_no_practice_question_is_refused(line: str) -> None:
    with pytest.raises(UnreadableInput) as caught:
        environment_class("kumo")().reset(line=line)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_transformers_describes_every_move_to_the_model() -> None:
    """TRL hands the methods to the chat template, which makes the schemas of tools by this function."""
    utils = pytest.importorskip("transformers.utils", reason="transformers is not installed")
    for benchmark in benchmarks():
        for name, move in tools_of(environment_class(benchmark)()).items():
            function = utils.get_json_schema(move)["function"]
            assert function["name"] == name
            assert function["description"]
            (argument,) = function["parameters"]["properties"].values()
            assert argument["type"] == "string"
            assert argument["description"]

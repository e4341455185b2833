"""The grader that a line names: the benchmark's own game, whatever the line and the replies are."""

import json
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.practice.grade import find_practice, grade, open_question
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import InvalidOption, UnreadableInput
from perennial.schemas.ids import derive_rng
from perennial.schemas.practice import GRADER, USE, PracticeQuestion
from perennial.tasks.play import play_program
from tests.practice.drawn import GIVEN, draw
from tests.toy.benchmark import BENCHMARK as TOY
from tests.toy.benchmark import Toy


class Lines(dict[str, dict[str, Any]]):
    """A line of each benchmark, drawn where a test asks for it: not in each process that collects tests."""

    def __missing__(self, name: str) -> dict[str, Any]:
        return self.setdefault(name, draw(name, 2)[1].as_json())


LINES = Lines()
SOLVER = {"a2rbench": "search", "beyondbench": "exact", "knowlogic": "exact", "kumo": "algorithm-3"}


def solve(line: dict[str, Any]) -> list[str]:
    """Return the replies of a program that solves the question."""
    name = line["benchmark"]
    seat = find_practice(name).open_seat(PracticeQuestion.from_json(line))
    program = find_benchmark(name).programs[SOLVER[name]]
    return [turn.reply for turn in play_program(program, seat.start(), 0, derive_rng(0, "t", 0)).turns]


@pytest.mark.parametrize("name", GIVEN)
def test_a_line_names_the_function_that_grades_it(name: str) -> None:
    line = json.loads(json.dumps(LINES[name], ensure_ascii=False))
    module, _, function = line["grader"].partition(":")
    found = getattr(import_module(module), function)
    assert found is grade
    replies = solve(line)
    graded = found(line, replies)
    assert (graded.status, graded.success, graded.score) == ("solved", True, 1.0)
    assert found(line, "I give up.").score == 0.0
    assert bool(line["reply"]) == (len(replies) == 1)
    assert found(line, line["reply"]).success == bool(line["reply"])
    assert set(graded.measures) == set(found(line, "").measures)
    assert (
        (line["use"], line["grader"]) == (USE, GRADER) == ("training", "perennial.flows.practice.grade:grade")
    )
    assert "canary" not in json.dumps(line).casefold()
    assert PracticeQuestion.from_json(line).as_json() == line


def test_measures_are_those_of_leaderboards() -> None:
    columns = {
        "a2rbench": "collapse_rate",
        "beyondbench": "instruction_following",
        "knowlogic": "unextracted_rate",
    }
    for name, column in columns.items():
        read, unread = grade(LINES[name], solve(LINES[name])), grade(LINES[name], "?")
        assert {read.measures[column], unread.measures[column]} == {0.0, 1.0}
    replies = solve(LINES["kumo"])
    assert grade(LINES["kumo"], replies).measures == {
        "tests": len(replies) - 1,
        "excess_tests": 0.0,
        "guess_share": 0.0,
    }
    answer = f"<ANSWER>{LINES['kumo']['answer']}</ANSWER>"
    guessed = grade(LINES["kumo"], answer)
    assert guessed.success
    assert guessed.measures["guess_share"] == 1.0
    assert guessed.measures["excess_tests"] == LINES["kumo"]["difficulty"]["actions"] - (len(replies) - 1)


def test_a_game_of_several_turns_is_graded_turn_by_turn() -> None:
    line, replies = LINES["kumo"], solve(LINES["kumo"])
    assert len(replies) > 1
    assert grade(line, replies[:1]).status == "unfinished"
    assert grade(line, []).status == "unfinished"
    assert grade(line, [*replies, "I take it back."]) == grade(line, replies)
    assert grade(line, replies[0]).score == 0.0
    run = open_question(line)
    assert run.messages == line["question"]
    for reply in replies[:-1]:
        assert run.take(reply) is not None
    assert run.messages[-2]["content"] == replies[-2]
    run.take(replies[-1])
    assert run.result is not None
    assert run.result.success


@pytest.mark.parametrize("name", GIVEN)
def test_a_reply_that_was_cut_off_is_not_read(name: str) -> None:
    replies = solve(LINES[name])
    assert grade(LINES[name], replies, "truncated").status == "truncated"
    assert grade(LINES[name], replies, "refused").score == 0.0


def test_two_answers_are_none() -> None:
    line = LINES["knowlogic"]
    right = line["answer"]
    wrong = next(letters for letters in "ABCD" if letters != right)
    assert grade(line, f"[{right}]").success
    assert not grade(line, f"The answer is [{right}], or the answer is [{wrong}]").success


@pytest.mark.parametrize("name", GIVEN)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_line_is_refused_or_read(name: str, data: Any) -> None:
    line = json.loads(json.dumps(LINES[name]))
    places = [(line, key) for key in line] + [(line["game"], key) for key in line["game"]]
    of, key = data.draw(st.sampled_from(places))
    strange = [None, "", "x", [], {}, 7, -1, True, [[]], {"a": 1}, "[", "\ud800", ["x"]]
    value = data.draw(st.sampled_from(strange) | st.text())
    if data.draw(st.booleans()):
        of[key] = value
    else:
        del of[key]
    with suppress(UnreadableInput, InvalidOption):
        assert 0 <= grade(line, "The answer is [A].").score <= 1


@pytest.mark.parametrize("line", [None, [], "x", 7, {}, {"benchmark": "kumo"}])
def test_what_is_no_line_is_refused(line: Any) -> None:
    with pytest.raises(UnreadableInput, match="practice question"):
        grade(line, "")


def test_replies_are_texts() -> None:
    with pytest.raises(UnreadableInput, match="expected a text, or a list of texts"):
        grade(LINES["kumo"], [None])  # type: ignore[list-item]


def test_a_benchmark_without_practice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = type("Silent", (Toy,), {"practice": Benchmark.practice})
    monkeypatch.setitem(benchmarks(), "toy", replace(TOY, implementation=lambda: silent))
    with pytest.raises(InvalidOption, match="benchmark 'toy' draws no practice questions"):
        find_practice("toy")

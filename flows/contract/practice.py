"""A benchmark's practice questions: drawn, written as lines, read back, played and graded."""

import json
from itertools import islice
from typing import TYPE_CHECKING

from perennial.flows.benchmark import Benchmark
from perennial.flows.practice.draw import PracticeQuestions, held_ids
from perennial.flows.practice.grade import grade, open_question
from perennial.schemas.errors import PerennialError, UnusableBenchmark
from perennial.schemas.ids import derive_rng
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import JsonObject
from perennial.tasks.play import play_program

if TYPE_CHECKING:
    from perennial.flows.contract.sample import Sample

_DRAWN = 3


def check_practice(sample: "Sample") -> None:
    """Practice questions come back from their lines, are new, and are graded as its own game grades them."""
    if not sample.benchmark.offers(Benchmark.practice):
        return
    lines = _draw(sample, _DRAWN)
    _require(lines[:1] == _draw(sample, 1), "practice questions depend on how many are drawn")
    ids = [line["instance_id"] for line in lines]
    _require(len({*ids}) == len(ids), f"practice questions {ids} are drawn twice")
    for line in lines:
        _check_line(sample, json.loads(json.dumps(line)))


def _draw(sample: "Sample", count: int) -> list[JsonObject]:
    questions = PracticeQuestions(sample.benchmark.name, 1, {}, held_ids(sample.store))
    return [one.as_json() for one in islice(questions, count)]


def _check_line(sample: "Sample", line: JsonObject) -> None:
    where = f"practice question {line['instance_id']}"
    seat = sample.benchmark.practice().open_seat(PracticeQuestion.from_json(line))
    _require(seat.instance_id == line["instance_id"], f"{where}: its line gives {seat.instance_id}")
    _require(open_question(line).messages == line["question"], f"{where}: its line opens another game")
    _require(not grade(line, "I do not know.").success, f"{where}: it is solved by a reply that says nothing")
    solved = False
    for program in sample.benchmark.programs.values():
        try:
            episode = play_program(program, seat.start(), 0, derive_rng(1, "contract", 0))
        except PerennialError:
            continue  # it needs what only an edition holds, such as the optimum
        graded = grade(line, [turn.reply for turn in episode.turns])
        result = episode.result
        _require(
            (graded.status, graded.score) == (result.status, result.score),
            f"{where}: {program.name} has {graded} by its line, and {result} by its game",
        )
        solved = solved or result.success
    _require(solved, f"{where}: no program solves it")


def _require(holds: bool, expected: str) -> None:
    if not holds:
        raise UnusableBenchmark(expected)

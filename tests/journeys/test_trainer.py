"""A trainer draws questions that no edition holds, and grades replies as an evaluation would."""

import json

import pytest

from perennial.flows.practice.grade import grade
from tests.journeys.walking import Walk

BENCHMARKS = {
    "knowlogic": "--domains nature --languages en",
    "beyondbench": "--tasks sorting --size smallest",
    "kumo": "--size 4x6",
}


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_trainer_draws_questions_and_grades_replies(benchmark: str, walk: Walk) -> None:
    questions = f"--benchmark {benchmark} {BENCHMARKS[benchmark]} --count 3 --seed 7"
    draw = f"perennial sample {questions} --out lines.jsonl"
    drawn = walk.type(draw)
    assert f"3 practice questions of {benchmark}" in drawn.beside
    first_bytes = (walk.folder / "lines.jsonl").read_bytes()
    for line in map(json.loads, first_bytes.splitlines()):
        assert line["use"] == "training"
        right = f"<ANSWER>{line['answer']}</ANSWER>" if benchmark == "kumo" else f"[{line['answer']}]"
        assert grade(line, right).success, line["answer"]
        # What was only thought is no answer.
        assert not grade(line, f"<think>{right}").success
        assert not grade(line, "I cannot say.").success

    walk.type(draw)
    assert (walk.folder / "lines.jsonl").read_bytes() == first_bytes

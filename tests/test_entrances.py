"""One reader, every entrance: a reply is worth the same wherever it comes in."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.export.hugging_face import write_task
from perennial.flows.export.source import Source, open_games
from perennial.flows.inspect_tasks.record import Record, open_questions, replay
from perennial.flows.practice.grade import find_practice, grade, open_question
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.schemas.practice import PracticeQuestion
from perennial.tasks.llm.replies import read_attempt
from perennial.tasks.llm.retry_policy import HttpResult
from perennial.tasks.llm.server_batches.forms import ServerBatch, read_line
from perennial.tasks.play import parse_model_player, play_model, play_program
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store
from tests.entrance_texts import TEXTS
from tests.flows.made_units import make_edition
from tests.practice.drawn import draw

# Programs that solve a question of each benchmark, and what a question of each is drawn with.
SOLVERS = {"a2rbench": "search", "beyondbench": "exact", "knowlogic": "exact"}
DRAWN: dict[str, dict[str, Any]] = {
    "a2rbench": {"dimension": 1, "variation": "standard"},
    "beyondbench": {"tasks": ["sorting"], "size": "smallest"},
    "knowlogic": {"domains": ["nature"], "languages": ["en"]},
    "kumo": {"domains": ["medical_diagnosis"], "truths": 4, "actions": 5},
}
Worth = tuple[str, float]


def solve(benchmark: str, seat: Any) -> str:
    """Return a right reply that ends the game."""
    if benchmark == "kumo":
        return f"I am sure.\n<ANSWER>{seat.start().board.instance.valid_truths[0]}</ANSWER>"
    program = find_benchmark(benchmark).programs[SOLVERS[benchmark]]
    (turn,) = play_program(program, seat.start(), 0, derive_rng(0, "entrances", 0)).turns
    return turn.reply


def draft(benchmark: str, seat: Any, other: Any) -> str:
    """Return a reply that ends the game and is wrong: of another question, or a truth that is ruled out."""
    if benchmark == "kumo":
        instance = seat.start().board.instance
        return (
            f"<ANSWER>{next(name for name in instance.truths if name not in instance.valid_truths)}</ANSWER>"
        )
    return solve(benchmark, other)


def fill(right: str, wrong: str) -> list[tuple[str, Worth]]:
    """Return the texts of the table with these replies in it, and what each is worth."""
    return [
        (
            text.format(right=right, draft=wrong) if "{" in text else text,
            ("solved", 1.0) if told else ("unparsed", 0.0),
        )
        for text, told in TEXTS
    ]


def completion(text: str) -> dict[str, Any]:
    return {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]
    }


def evaluate(seat: Any, text: str, *, is_batch: bool = False) -> Worth:
    """Play the seat as `perennial evaluate` does, with a model that says this at once, or in a batch."""

    async def ask(request: ModelRequest) -> Reply:
        received = HttpResult(200, json.dumps(completion(text)), 0.0)
        if is_batch:
            line = {"custom_id": request.call_id, "response": {"status_code": 200, "body": completion(text)}}
            batch = ServerBatch.model_validate({"id": "batch", "status": "completed"})
            received = read_line(json.dumps(line).encode(), False, 1_000_000, batch).received
        return read_attempt(request, received, None).reply

    result = asyncio.run(play_model(ask, parse_model_player("model", {}, ()), seat.start(), 0)).result
    return result.status, result.score


def converse(run: Any, text: str) -> Worth:
    run.take(text)
    return run.result.status, run.result.score


@pytest.mark.parametrize("benchmark", DRAWN)
def test_practice_and_evaluations_read_the_table_alike(benchmark: str) -> None:
    questions = [question.as_json() for question in draw(benchmark, 2, **DRAWN[benchmark])]
    line = questions[0]
    seat, other = (find_practice(benchmark).open_seat(PracticeQuestion.from_json(one)) for one in questions)
    texts = fill(solve(benchmark, seat), draft(benchmark, seat, other))
    for text, worth in texts[:: 2 if benchmark == "kumo" else 1]:  # whose questions cost more to open
        graded = grade(line, text)
        found = {
            "evaluate": evaluate(seat, text),
            "batch": evaluate(seat, text, is_batch=True),
            "grade": (graded.status, graded.score),
            "take": converse(open_question(line), text),
        }
        assert found == dict.fromkeys(found, worth), text


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A root with an edition of two questions that nobody played."""
    root = tmp_path_factory.mktemp("root")
    make_edition(root, "e", benchmark="beyondbench", tasks=["addition"], instances=2, players=[], seed=1)
    return Store(str(root))


def entrances(store: Store, folder: Path, id_: str) -> Iterator[tuple[str, Callable[[str], Worth]]]:
    """Yield the ways in that need a published edition, by name."""
    yield "open_games", lambda text: converse(open_games(store.root).start(id_), text)

    write_task(Source(store, read_published_plan(store, "e"), "", leave_out=False, with_answers=True), folder)
    grader: dict[str, Any] = {"__file__": str(folder / "grade.py")}
    exec((folder / "grade.py").read_text("utf-8"), grader)

    def lm_eval(text: str) -> Worth:
        scores = grader["grade"]({"instance_id": id_}, [text])
        return "solved" if scores["success"] else "unparsed", scores["score"]

    yield "lm_eval", lm_eval
    questions = open_questions(store.root, "e")

    def inspect(text: str) -> Worth:
        record = Record({}, [completion(text)])
        result = asyncio.run(replay(questions, questions.seat(id_), "model", 0, record)).episode.result
        return result.status, result.score

    yield "inspect", inspect


def test_editions_read_the_table_alike(edition: Store, tmp_path: Path) -> None:
    questions = open_questions(edition.root, "e")
    seat, other, *_ = questions.seats.values()
    for name, enter in entrances(edition, tmp_path, seat.instance_id):
        for text, worth in fill(solve("beyondbench", seat), draft("beyondbench", seat, other)):
            assert enter(text) == worth, (name, text)


def test_the_table_has_no_text_twice() -> None:
    assert len(dict(TEXTS)) == len(TEXTS) >= 90


def test_traces_of_verifiers_are_read_alike() -> None:
    pytest.importorskip("verifiers.v1", reason="the extra `verifiers` is not installed")
    from perennial.flows.verifiers_tasks.question_task import QuestionData, QuestionTask, grade_trace
    from tests.verifiers_tasks.traces import trace_of

    question, second = draw("knowlogic", 2, **DRAWN["knowlogic"])
    task = QuestionTask(QuestionData.from_question(question))
    seat, other = (find_practice("knowlogic").open_seat(one) for one in (question, second))
    for text, worth in fill(solve("knowlogic", seat), draft("knowlogic", seat, other)):
        graded = grade_trace(question.as_json(), trace_of(task, text, "stop"))
        assert (graded.status, graded.score) == worth, text


def test_outputs_of_inspect_are_read_alike() -> None:
    model = pytest.importorskip("inspect_ai.model", reason="the extra `inspect` is not installed")
    from perennial.flows.inspect_tasks.play import as_completion
    from perennial.flows.inspect_tasks.record import read_completion

    request = ModelRequest("player", "m", (), {}, "", "")
    for text, _ in fill("[A]", "[B]"):
        theirs = read_completion(request, as_completion(model.ModelOutput.from_content("m", text)))
        ours = read_attempt(request, HttpResult(200, json.dumps(completion(text)), 0.0), None).reply
        assert (theirs.status, theirs.content) == (ours.status, ours.content)

"""The prompts of BeyondBench's authors are read from a copy, asked with our problems, and never executed."""

import random
from pathlib import Path

import pytest

from perennial.flows.beyondbench.authors_protocol import choose_protocol
from perennial.schemas.beyondbench.settings import BeyondBenchSettings
from perennial.schemas.errors import PerennialError
from perennial.tasks.beyondbench.authors_prompts import has_words, write_prompt
from perennial.tasks.beyondbench.problem import TaskProblem
from perennial.tasks.beyondbench.registry import TASKS
from tests.beyondbench.authors_copy import LIST, MODULE, answer_prompt, file_of, module_of, write_copy

WITH_WORDS = [task for task in TASKS if has_words(task)]
ADDITION = LIST.format(task="addition", shown="data_point")


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    copy = write_copy(tmp_path_factory.mktemp("copy"))
    protocol = choose_protocol(_settings(release=str(copy)), TASKS)
    assert set(protocol["templates"]) == set(protocol["texts"]) == set(WITH_WORDS)
    return dict(protocol["texts"])


def _settings(**changed: object) -> BeyondBenchSettings:
    return BeyondBenchSettings.model_validate({"protocol": "beyondbench-2025", **changed})


@pytest.mark.parametrize("name", WITH_WORDS)
def test_a_prompt_shows_the_whole_problem(name: str, texts: dict[str, str]) -> None:
    task = TASKS[name]
    variation = task.variations[0]
    params = next(p for seed in range(999) if (p := _draw(name, variation.name, variation.sizes[0], seed)))
    prompt = write_prompt(texts[name], task.words(params))
    assert prompt is not None
    problem = TaskProblem(task, variation.name, variation.sizes[0], params)
    parsed = problem.parse(answer_prompt(prompt))
    assert problem.is_right(parsed.answer)


def _draw(name: str, variation: str, size: int, seed: int) -> object:
    params = TASKS[name].draw(variation, size, random.Random(seed))
    return params if getattr(params, "divisor", 3) == 3 else None


@pytest.mark.parametrize(("divisor", "is_asked"), [(2, False), (3, True), (5, False), (33, False)])
def test_a_prompt_that_names_another_divisor_asks_nothing(
    divisor: int, is_asked: bool, texts: dict[str, str]
) -> None:
    prompt = write_prompt(texts["count_multiples"], {"values": [2, 3, 5, 33], "divisor": divisor})
    assert (prompt is not None) == is_asked


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read"),
        ("def (", "line 1: not Python"),
        (MODULE.format(body="        return 'Add.'"), "shows nothing of a problem"),
        (MODULE.format(body="        return str(data_point)"), "an expression of kind Call"),
        (
            MODULE.format(body="        return f'{data_point[2]} {data_point}'"),
            "line 15: an expression of kind",
        ),
        (MODULE.format(body="        return f'{data_point!r}'"), "line 15: an expression of kind"),
        (MODULE.format(body="        return f'{data_point[0]} and {data_point[1]}'"), "shows first, second"),
        (MODULE.format(body="        while True:\n            pass"), "a statement of kind While"),
        (MODULE.format(body=ADDITION) + MODULE.format(body=ADDITION), "2 methods `create_prompt`"),
        ("x = 1", "0 methods `create_prompt`"),
        ("x" * 1_000_001, "larger than 1,000,000 bytes"),
        (b"\xff", "not UTF-8"),
        ("(" * 5_000, "Python"),
        ("-" * 300_000 + "1", "nested too deeply"),
        (MODULE.format(body="        return " + " + ".join(["'a'"] * 400)), "nested too deeply"),
    ],
    ids=range(15),
)
def test_an_altered_prompt_is_one_line_with_file_and_remedy(
    content: str | bytes | None, told: str, tmp_path: Path
) -> None:
    path = write_copy(tmp_path) / file_of("addition")
    path.unlink()
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PerennialError) as caught:
        choose_protocol(_settings(release=str(tmp_path)), ["addition"])
    message = str(caught.value)
    assert message.startswith(file_of("addition"))
    assert told in message
    assert "--release" in message
    assert "\n" not in message


def test_of_tasks_that_are_not_asked_no_file_is_needed(tmp_path: Path) -> None:
    path = tmp_path / file_of("sorting").removeprefix("beyondbench/")
    path.parent.mkdir(parents=True)
    path.write_text(module_of("sorting"))
    assert set(choose_protocol(_settings(release=str(tmp_path)), ["sorting", "sudoku"])["texts"]) == {
        "sorting"
    }


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, "name a copy of their package with --release"),
        ({"protocol": "perennial", "release": "x"}, "give both or none"),
        ({"release": "/nowhere"}, "no such folder"),
        ({"release": "."}, "no folder beyondbench/tasks or tasks"),
    ],
    ids=["no release", "release alone", "nowhere", "another folder"],
)
def test_settings_that_do_not_fit_are_refused(
    changed: dict[str, str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PerennialError, match=told):
        choose_protocol(_settings(**changed), ["addition"])


def test_hard_tasks_alone_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PerennialError, match="name tasks of the suites easy and medium"):
        choose_protocol(_settings(release=str(tmp_path)), ["sudoku", "n_queens"])

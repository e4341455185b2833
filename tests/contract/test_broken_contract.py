"""What a package gets wrong is found by the check that is for it, and said in one line."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.flows.contract import CHECKS, SampleEdition, check_benchmark
from perennial.flows.web.page import Page
from perennial.schemas.benchmark import Declaration, benchmarks
from perennial.schemas.game import Program, Result
from perennial.schemas.table_form import Column
from perennial.tasks.report.content import Content, Record, Report, ReportData, figure
from tests.flows.hand_made_root import perennial
from tests.toy import benchmark as toy

Break = Callable[[pytest.MonkeyPatch], Declaration]


def _with(**parts: Any) -> Break:
    return lambda _patch: replace(toy.BENCHMARK, **parts)


def _does(**methods: Any) -> Break:
    return _with(implementation=lambda: type("Broken", (toy.Toy,), methods))


def _patched(target: object, name: str, value: Any) -> Break:
    def apply(patch: pytest.MonkeyPatch) -> Declaration:
        patch.setattr(target, name, value)
        return toy.BENCHMARK

    return apply


def _fail(*_of: object) -> Any:
    raise ZeroDivisionError("by nothing")


@figure("Undeclared", key="undeclared", table="headline")
def _undeclared(data: ReportData, _rows: list[Record]) -> Content:
    return Content(data.tables["domains"].sql)


def _numbers_of(game: dict[str, Any]) -> dict[str, int]:
    return {name: game[name] for name in ("a", "b")}


def _solve(game: toy.SumGame, _reply: str) -> None:
    game._ended = Result("solved", True, 1.0)


MUTE = replace(toy.SUMS, columns=(*toy.SUMS.columns[:2], Column("b", "int64", "")))
GUESSER = Program("adder", False, "guesses", lambda _game, _rng: lambda: str(random.random()))
BROKEN: dict[str, tuple[str, Break, str]] = {
    "a column without a meaning": (
        "documentation",
        _with(tables=(MUTE,)),
        "column toy_sums.b must say what it means",
    ),
    "a table of another name": (
        "documentation",
        _with(tables=(replace(toy.SUMS, name="sums"),)),
        "table 'sums' must begin with toy_",
    ),
    "an estimate without calls": (
        "estimate",
        _does(estimate=lambda *_of: []),
        "estimate of a refresh: expected at least 28 calls of a model for 4 questions and 7 runs, and it "
        "says 0",
    ),
    "answers of no episodes": (
        "views",
        _with(answers="SELECT 'a', '1', episode_id, '', '', NULL FROM episodes WHERE false"),
        "`answers` has 0 rows: expected one per episode",
    ),
    "a program that draws unseen": (
        "play",
        _does(programs={"adder": GUESSER}),
        "program 'adder' differs on toy_",
    ),
    "a game that any reply solves": (
        "play",
        _patched(toy.SumGame, "take", _solve),
        "is solved by the reply 'I do not know.'",
    ),
    "a score of 2": (
        "play",
        _patched(
            toy.SumGame,
            "end",
            lambda game, status: setattr(game, "_ended", Result(status, status == "solved", 2.0)),
        ),
        "score 2.0 is not from 0 to 1",
    ),
    "a section that fails": (
        "report",
        _does(report=lambda _self: Report(after_rates=(figure("F", key="f", table="headline")(_fail),))),
        "by nothing",
    ),
    "a figure that reads what it does not declare": (
        "report",
        _does(report=lambda _self: Report(after_rates=(_undeclared,))),
        "figure 'undeclared' reads 'domains', which its @figure does not name",
    ),
    "a template that is missing": ("export", _patched(toy, "TEMPLATE", "toy/none.md.j2"), "toy/none.md.j2"),
    "practice of another id": (
        "practice",
        _patched(
            toy.ToyPractice,
            "open_seat",
            lambda _self, question: toy.SumSeat("x", **_numbers_of(question.game)),
        ),
        "its line gives x",
    ),
    "practice that nobody solves": (
        "practice",
        _patched(
            toy.ToyPractice, "open_seat", lambda _self, question: toy.SumSeat(question.instance_id, -1, -1)
        ),
        "its line opens another game",
    ),
    "a page that fails": (
        "pages",
        _does(pages=lambda _self: (Page("toy-sums", "Sums", _fail),)),
        "page 'toy-sums' fails: by nothing",
    ),
    "a presentation that fails": ("website", _does(presentation=_fail), "by nothing"),
    "draws without the seed": (
        "reproduction",
        _patched(toy, "derive_rng", lambda *_of: random.Random()),
        "contract is not the same when it is made again: instances, toy_sums",
    ),
}


@pytest.mark.parametrize("sample", ["toy"], indirect=True)
@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.slow
def test_what_is_broken_is_found(sample: SampleEdition, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check, apply, told = BROKEN[name]
    broken = apply(monkeypatch)
    monkeypatch.setitem(benchmarks(), "toy", broken)
    with pytest.raises(Exception) as caught:
        CHECKS[check](replace(sample, benchmark=find_benchmark("toy")))
    assert told in str(caught.value)


def test_each_check_has_something_that_it_finds() -> None:
    assert {check for check, _, _ in BROKEN.values()} == set(CHECKS)


@pytest.mark.slow
def test_the_command_says_what_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(benchmarks(), "toy", _does(estimate=_fail)(monkeypatch))
    done = perennial(monkeypatch, capsys, "benchmarks", "--check", "toy")
    verdicts = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert done.code == 1
    assert verdicts["estimate"].startswith("FAILED: ZeroDivisionError: by nothing (")
    assert [check for check in CHECKS if verdicts[check] != "ok"] == ["estimate"]
    assert verdicts["benchmark"] == "toy breaks 1 check"


@pytest.mark.slow
def test_what_cannot_be_grown_is_the_only_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(toy, "TEMPLATE", "toy/none.md.j2")
    (outcome,) = check_benchmark("toy")
    assert "benchmark 'toy' cannot show question" in outcome.error

"""`perennial sample`: lines of practice questions, whole or not at all, and a summary."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.cli.run import sample as command
from perennial.flows.console.root_option import data_root
from perennial.schemas.practice import PracticeQuestion
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, perennial
from tests.flows.installed_benchmarks import installed, write_package
from tests.flows.made_units import make_edition

KNOWLOGIC = ("sample", "--benchmark", "knowlogic", "--domains", "nature", "--scenarios", "zoo")


@pytest.fixture
def give(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Run]:
    """Commands in this process and an empty folder, with the toy beside the four benchmarks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    with installed(write_package(tmp_path_factory.mktemp("site"))):
        yield lambda *arguments: perennial(monkeypatch, capsys, *arguments)


def test_lines_are_questions_and_the_same_command_writes_the_same_bytes(give: Run, tmp_path: Path) -> None:
    done = give(*KNOWLOGIC, "--count", "4", "--seed", "3", "--out", "a.jsonl")
    assert done.code == 0, done.err
    assert done.err.startswith("4 practice questions of knowlogic in a.jsonl, ")
    assert done.err.endswith(f"left out: 0 that an edition of {data_root(None).root} holds, 0 drawn twice\n")
    lines = (tmp_path / "a.jsonl").read_text("utf-8").splitlines()
    assert [PracticeQuestion.from_json(json.loads(line)).index for line in lines] == [0, 1, 2, 3]
    give(*KNOWLOGIC, "--count", "4", "--seed", "3", "--out", "b.jsonl")
    give(*KNOWLOGIC, "--count", "2", "--seed", "3", "--out", "c.jsonl")
    whole = (tmp_path / "a.jsonl").read_bytes()
    assert (tmp_path / "b.jsonl").read_bytes() == whole
    assert whole.startswith((tmp_path / "c.jsonl").read_bytes())


@pytest.mark.slow
def test_no_line_is_of_an_edition_of_the_root(give: Run, tmp_path: Path) -> None:
    """A space of a few problems, most of which an edition holds, some of them privately."""
    cells = {"benchmark": "beyondbench", "tasks": ["tower_of_hanoi/disks_3"], "private_share": 0.5}
    make_edition(tmp_path / "data", "held", instances=20, **cells)
    store = Store(str(tmp_path / "data"))
    _, rows = open_catalog(store).query("SELECT instance_id FROM instances")
    held = {id_ for (id_,) in rows}
    assert len(held) >= 10
    tasks = ("--tasks", "tower_of_hanoi/disks_3", "--root", "data", "--out", "rest.jsonl")
    done = give("sample", "--benchmark", "beyondbench", *tasks, "--count", "500", "--json")
    assert done.code == 3
    summary = json.loads(done.out)
    text = (tmp_path / "rest.jsonl").read_text("utf-8")
    ids = [json.loads(line)["instance_id"] for line in text.splitlines()]
    assert summary["written"] == len(ids) == len({*ids}) < 500
    assert not held & {*ids}
    assert summary["held_back"] >= len(held)
    assert f"question {len(ids)}" in done.err.replace(",", "")
    canary = read_published_plan(store, "held").canary
    assert canary
    assert canary not in text


def test_none_is_an_empty_file(give: Run, tmp_path: Path) -> None:
    done = give("sample", "--benchmark", "kumo", "--count", "0", "--out", "none.jsonl", "--json")
    assert (done.code, json.loads(done.out)["written"]) == (0, 0)
    assert (tmp_path / "none.jsonl").read_bytes() == b""


def test_an_interrupted_command_leaves_the_file_as_it_was(
    give: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept.jsonl").write_text("kept")
    drawn = []

    def dumps(question: Any, **_options: Any) -> str:
        drawn.append(question)
        if len(drawn) == 3:
            raise KeyboardInterrupt
        return "{}"

    monkeypatch.setattr(command.json, "dumps", dumps)
    done = give("sample", "--benchmark", "toy", "--count", "5", "--out", "kept.jsonl")
    assert done.code == 130
    assert (tmp_path / "kept.jsonl").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["kept.jsonl"]


def test_levels_are_an_option(give: Run, tmp_path: Path) -> None:
    give("sample", "--benchmark", "toy", "--count", "5", "--curriculum", "2", "--out", "t.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [line["difficulty"]["size"] for line in lines] == ["small"] * 2 + ["large"] * 3
    assert lines[0]["question"][0]["content"].startswith("What is ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--benchmark nope", "benchmark 'nope' is not installed; installed: a2rbench, beyondbench, "),
        ("--benchmark all", "benchmark 'all' is not installed"),
        ("--benchmark kumo,toy", "benchmark 'kumo,toy' is not installed"),
        ("--benchmark knowlogic --truths 4", "--truths: there is no such option"),
        ("--benchmark kumo --truths x", "--truths 'x': expected a whole number"),
        (
            "--curriculum 5 --truths 4",
            "--truths: set by --curriculum in each of its 4",
        ),
        ("--curriculum -1", "--curriculum '-1': expected at least 0"),
        ("--count -1", "--count '-1': expected at least 0"),
        ("--seed x", "--seed 'x': expected a whole number"),
        ("--out /proc/x/y", "--out /proc/x/y: No such file or directory; name a file in a folder"),
        ("--out .", "--out .: not a regular file"),
    ],
)
def test_wrong_input_is_one_line(give: Run, options: str, said: str) -> None:
    given = dict(zip(*[iter(f"--count 1 --out x.jsonl {options}".split())] * 2, strict=True))
    done = give("sample", *(word for pair in given.items() for word in pair))
    assert done.code == 2
    assert done.err.startswith(f"perennial: error: {said}")
    assert done.err.count("\n") == 1


def test_help_has_the_parameters_of_the_benchmark(give: Run) -> None:
    kumo, a2r = (give("sample", "--benchmark", name, "--help").out for name in ("kumo", "a2rbench"))
    assert "--truths" in kumo
    assert "--truths" not in a2r
    assert "--dimension" in a2r
    assert "--curriculum" in kumo

"""`perennial tasks`: the catalogue, a problem to try, problems as JSON Lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from perennial.tasks.beyondbench.problem import TaskProblem, draw_problem
from perennial.tasks.beyondbench.registry import TASKS
from perennial.warehouse.editions import issued_ids
from tests.flows.hand_made_root import Run, perennial

SYSTEMS, PLANS, HANOI = "modular_systems", "constraint_optimization", "tower_of_hanoi"


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Commands of `perennial` in this process and an empty folder, at 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *arguments: perennial(monkeypatch, capsys, "tasks", *arguments)


def sampled(folder: Path, name: str = "out.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


def test_the_catalogue_has_each_variation_and_fits_80_columns(give: Run) -> None:
    shown = give("list")
    assert (shown.code, shown.err) == (0, "")
    assert max(map(len, shown.out.splitlines())) <= 80
    listed = {line.split()[0] for line in shown.out.splitlines() if line and line[0] != " "}
    assert set(TASKS) <= listed
    variations = sum(len(task.variations) for task in TASKS.values())
    spaces = [line for line in shown.out.splitlines() if line[-1:].isdigit()]
    assert len(spaces) == variations


def test_the_catalogue_as_json_has_each_size_with_the_space_and_why(give: Run) -> None:
    rows = json.loads(give("list", "--json").out)
    assert len(rows) == sum(len(one.sizes) for task in TASKS.values() for one in task.variations)
    hard = json.loads(give("list", "--suite", "hard", "--json").out)
    assert {row["suite"] for row in hard} == {"hard"}
    assert [row for row in rows if row["suite"] == "hard"] == hard
    (basic,) = [row for row in hard if (row["task"], row["variation"], row["size"]) == (SYSTEMS, "basic", 3)]
    assert basic["space_exact"] is True
    assert basic["space_log10"] == pytest.approx(TASKS[SYSTEMS].space("basic", 3).log10, abs=0.01)
    assert basic["space_doc"]
    csv = give("list", "--suite", "hard", "--format", "csv").out.splitlines()
    assert len(csv) == len(hard) + 1
    assert csv[0].startswith("suite,task,title,variation,size")


def test_the_catalogue_has_complexity_classes_and_what_the_paper_counts(give: Run) -> None:
    rows = json.loads(give("list", "--json").out)
    ours = {(row["task"], row["variation"]): row["complexity"] for row in rows}
    paper = {row["task"]: row["complexity_paper"] for row in rows}
    assert {task for task, listed in paper.items() if "NP-" in listed} == {
        *("n_queens", "graph_coloring", "boolean_sat", "sudoku", "cryptarithmetic", "logic_grid"),
        "constraint_optimization",
    }
    assert (ours["boolean_sat", "horn"], ours["boolean_sat", "random_k"]) == ("P", "NP-complete")
    assert (ours["matrix_chain", "random"], paper["matrix_chain"]) == ("O(n^3)", "O(n^3)")
    assert (ours["sorting", "large"], ours["division", "standard"]) == ("O(n log n)", "O(1)")
    cells = {(row["task"], row["variation"]) for row in rows if row["counted_by_paper"]}
    assert len(cells) == 29 + 117
    shown = give("list").out.splitlines()
    (line,) = [line for line in shown if line.startswith("  toroidal")]
    assert line.split()[:5] == ["toroidal", "+", "*", "7-13", "NP-complete"]


def test_the_catalogue_says_what_counted_cells_ask_unlike_the_paper(give: Run) -> None:
    rows = json.loads(give("list", "--json").out)
    unlike = {(row["task"], row["variation"]): row["unlike_paper"] for row in rows}
    assert "must stay" in unlike["n_queens", "queens_8"]
    assert unlike["n_queens", "empty"] is unlike["matrix_chain", "random"] is None
    assert "must stay" in give("show", "n_queens", "queens_8").out
    assert "Unlike the paper" not in give("show", "n_queens", "empty").out


def test_a_problem_is_shown_with_its_solutions(give: Run) -> None:
    shown = give("show", HANOI, "disks_4", "--seed", "3", "--index", "2")
    problem, _ = draw_problem(TASKS[HANOI], "disks_4", 4, 3, 2)
    assert problem.prompt in shown.out
    assert "solutions: 1 (all)" in shown.out
    assert problem.write_answer(problem.solutions.reference) in shown.out
    assert "grader" not in shown.out
    again = give("show", HANOI, "disks_4", "--seed", "3", "--index", "3")
    assert again.out != shown.out
    assert give("show", SYSTEMS).out == give("show", SYSTEMS, "basic", "--size", "3", "--seed", "0").out


def plan_of(index: int) -> TaskProblem:
    return draw_problem(TASKS[PLANS], "basic", 6, 0, index)[0]


def test_a_reply_is_read_and_graded(give: Run, tmp_path: Path) -> None:
    index = next(index for index in range(50) if plan_of(index).solutions.count > 1)
    best, nearly, *_ = plan_of(index).solutions.answers

    def graded(reply: str) -> str:
        shown = give("show", PLANS, "basic", "--index", str(index), "--answer", reply)
        assert shown.code == 0
        return shown.out.split("\n\nread, ")[1]

    assert graded(f"<answer>{best}</answer>") == (
        f"level 1: the exact required format\nanswer: {best}\ngrader: right, and none is better\n"
    )
    assert "grader: right, but not the best\n" in graded(f"The answer is {nearly}")
    assert graded(f"Perhaps {best[:1]} or so").endswith("grader: wrong, profit_too_low\n")
    assert graded("I do not know") == "level 0: nothing was read\n"
    assert graded("") == "level 0: nothing was read\n"
    (tmp_path / "reply.txt").write_text(f"Long.\n<answer>{best}</answer>\n")
    given = give("show", PLANS, "basic", "--index", str(index), "--answer-file", "reply.txt", "--json")
    document = json.loads(given.out)
    assert document["reply"] == {
        "level": 1,
        "instruction_followed": True,
        "answer": best,
        "is_right": True,
        "detail": None,
        "is_best": True,
    }
    assert document["answers"][:2] == [best, nearly]


def test_a_reply_cannot_steer_the_terminal(give: Run) -> None:
    shown = give("show", SYSTEMS, "--answer", "\x1b[2J<answer>\x1b]0;x\x07 5</answer>")
    assert "\x1b" not in shown.out


def test_a_sample_takes_variations_and_sizes_in_turn(give: Run, tmp_path: Path) -> None:
    arguments = ("sample", SYSTEMS, "--count", "31", "--seed", "4", "--out", "out.jsonl", "--root", ".")
    done = give(*arguments)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("31 problems of modular_systems in out.jsonl")
    rows = sampled(tmp_path)
    assert len({row["instance_id"] for row in rows}) == 31
    names = [variation.name for variation in TASKS[SYSTEMS].variations]
    assert [row["variation"] for row in rows[:6]] == [*names, names[0]]
    assert [row["size"] for row in rows if row["variation"] == "prime"] == [3, 4, 5, 3, 4, 5]
    for row in rows:
        task = TASKS[row["task"]]
        problem, _ = draw_problem(task, row["variation"], row["size"], 4, row["index"])
        assert row["prompt"] == problem.prompt
        assert task.params_of(json.dumps(row["payload"])) == problem.params
        assert all(problem.is_right(answer) for answer in row["answers"])
    before = (tmp_path / "out.jsonl").read_bytes()
    assert give(*arguments).code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == before
    summary = json.loads(
        give("sample", SYSTEMS, "range", "--count", "2", "--size", "5", "--out", "b", "--json").out
    )
    assert (summary["asked"], summary["written"]) == (2, 2)
    assert [row["size"] for row in sampled(tmp_path, "b")] == [5, 5]


def test_a_sample_leaves_out_what_an_edition_holds(
    give: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = ("sample", SYSTEMS, "basic", "--count", "3", "--root", ".", "--out")
    assert give(*sample, "first").code == 0
    issued = {row["instance_id"] for row in sampled(tmp_path, "first")}
    monkeypatch.setattr(issued_ids, "issued_instances", lambda _store, _editions: issued)
    assert give(*sample, "second").code == 0
    assert len(issued & {row["instance_id"] for row in sampled(tmp_path, "second")}) == 0


def test_a_small_space_is_named_when_it_is_exhausted(give: Run, tmp_path: Path) -> None:
    done = give("sample", HANOI, "disks_3", "--count", "200", "--out", "out.jsonl", "--root", ".")
    rows = sampled(tmp_path)
    assert len({row["instance_id"] for row in rows}) == len(rows) < 200
    assert done.code == 3
    assert f"{len(rows)} of 200 problems found; nothing new of disks_3 of size 3\n" in done.err


def test_an_interrupted_sample_leaves_no_file(
    give: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_of: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "out.jsonl").write_text("before")
    monkeypatch.setattr("perennial.tasks.beyondbench.problem.draw_problems", interrupt)
    done = give("sample", SYSTEMS, "--count", "5", "--out", "out.jsonl", "--root", ".")
    assert done.code == 130
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]
    assert (tmp_path / "out.jsonl").read_text() == "before"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("show", "modular_sistems"),
            "task 'modular_sistems' does not exist; did you mean modular_systems? (see `perennial tasks",
        ),
        (
            ("show", SYSTEMS, "basics"),
            "task modular_systems has no variation 'basics'; it has basic, prime, range, divisible, mixed; "
            "did you mean basic?",
        ),
        (("show", SYSTEMS, "--size", "6"), "--size 6: modular_systems basic has the sizes 3, 4, 5"),
        (("show", SYSTEMS, "--size", "0"), "--size 0: modular_systems basic has the sizes 3, 4, 5"),
        (
            ("show", SYSTEMS, "--answer", "5", "--answer-file", "x"),
            "--answer and --answer-file: expected one",
        ),
        (("show", SYSTEMS, "--answer-file", "x"), "x: no such file; check the path"),
        (("sample", "what", "--count", "1", "--out", "x"), "task 'what' does not exist"),
        (
            ("sample", HANOI, "--size", "4", "--count", "1", "--out", "x"),
            "--size 4: tower_of_hanoi disks_3 has the sizes 3",
        ),
        (("sample", SYSTEMS, "--count", "1", "--out", "no/x"), "--out no/x: No such file or directory"),
        (("sample", SYSTEMS, "--count", "0", "--out", "x"), "--count '0': expected at least 1"),
        (("list", "--suite", "harder"), "--suite 'harder': expected easy, medium or hard"),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(
    give: Run, arguments: tuple[str, ...], said: str
) -> None:
    done = give(*arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith(f"perennial: error: {said}")

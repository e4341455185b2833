"""`perennial play`: a line a move, from a pipe or a terminal."""

import io
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perennial.flows.benchmark import find_benchmark
from perennial.warehouse.store.store import Store
from tests.conftest import REPOSITORY
from tests.flows.hand_made_root import Shown, perennial
from tests.study.study_root import EDITION

_GAME = ("play", "--domain", "chemical_analysis", "--seed", "7")


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Return what gives lines to a command in this process."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(lines: str, *arguments: str) -> Shown:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return perennial(monkeypatch, capsys, *arguments)

    return run


def _board():  # type: ignore[no-untyped-def]
    return find_benchmark("kumo").draw_seat("chemical_analysis", "", 7).start().board


def test_a_game_by_numbers_and_names_shows_the_optimum(play) -> None:  # type: ignore[no-untyped-def]
    board = _board()
    right = board.instance.valid_truths[0]
    shown = play(f"2\n\nnonsense\n{board.instance.actions[0].upper()}\n999\n{right}\n", *_GAME)
    assert shown.code == 0
    assert "'nonsense' is none of the numbers and names" in shown.out
    assert "\nright (solved) after 2" in shown.out
    assert f"is {right}" in shown.out
    assert "optimum needs" in shown.out
    assert max(len(line) for line in shown.out.splitlines()) <= 80
    assert all(name in shown.out for name in (*board.instance.actions, *board.instance.truths))


def test_the_same_as_json(play) -> None:  # type: ignore[no-untyped-def]
    board = _board()
    wrong = next(name for name in board.instance.truths if name not in board.instance.valid_truths)
    shown = play(f"1\n{wrong}\n", *_GAME, "--json")
    game = json.loads(shown.out)
    optimum = board.solution.optimum
    assert (game["status"], game["success"], game["tests"]) == ("wrong", False, 1)
    assert [move["choice"] for move in game["moves"]] == [board.instance.actions[0], wrong]
    assert game["reference"] == {
        "player": "optimum",
        "moves": [
            *(board.instance.actions[action] for action in optimum.actions),
            board.instance.valid_truths[0],
        ],
    }


@pytest.mark.parametrize(
    ("arguments", "lines", "expected"),
    [
        (_GAME, "1\n", "the input ended before an answer"),
        (("play", "--domain", "nowhere"), "", "domain 'nowhere' is not bundled"),
        (("play", "--setting", "vast"), "", "setting 'vast' is not known"),
        (("play", "--edition", "e"), "", "--edition and --instance belong together"),
        (("play", "--seed", "1", "--edition", "e", "--instance", "i"), "", "give either"),
        (("play", "--benchmark", "beyondbench"), "", "give --edition and --instance"),
    ],
)
def test_faults_are_one_line(play, arguments, lines, expected) -> None:  # type: ignore[no-untyped-def]
    shown = play(lines, *arguments)
    assert shown.code == 2
    assert expected in shown.err
    assert shown.err.count("\n") == 1


def test_an_instance_of_an_edition_is_played_and_not_recorded(play, grown: Path) -> None:  # type: ignore[no-untyped-def]
    store = Store(str(grown))
    rows = store.read_table(f"tables/kumo_instances/edition={EDITION}/part-0.parquet").to_pylist()
    before = sorted(str(path) for path in grown.rglob("*"))
    at = ("--root", str(grown), "--edition", EDITION)
    shown = play(f"{rows[0]['valid_truths'][0]}\n", "play", *at, "--instance", rows[0]["instance_id"])
    assert (shown.code, "right (solved) after 0" in shown.out) == (0, True)
    assert sorted(str(path) for path in grown.rglob("*")) == before
    assert "has no such instance" in play("", "play", *at, "--instance", "ki_none").err


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_ends_with_130() -> None:
    terminal, inside = pty.openpty()
    program = [sys.executable, "-c", "from perennial.flows.cli.app import main; main()", *_GAME]
    with subprocess.Popen(
        program, stdin=inside, stdout=inside, stderr=inside, cwd=REPOSITORY, start_new_session=True
    ) as process:
        os.close(inside)
        seen = b""
        while b"1> " not in seen:
            seen += os.read(terminal, 65536)
        os.write(terminal, b"1\n")
        while b"2> " not in seen:
            seen += os.read(terminal, 65536)
        process.send_signal(signal.SIGINT)
        rest = b""
        while process.poll() is None or b"recorded" not in rest:
            try:
                rest += os.read(terminal, 65536)
            except OSError:
                break
        assert process.wait() == 130
    os.close(terminal)
    assert b"interrupted: nothing was recorded" in rest
    assert b"Traceback" not in seen + rest

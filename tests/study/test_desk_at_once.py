"""Many at once: no move is lost and none is kept twice, over threads, processes and a kill."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import time

import pytest

from perennial.schemas.text import Screen
from perennial.warehouse.study.ledger import StudyLedger, study_file
from tests.conftest import REPOSITORY
from tests.study.study_root import Lab, open_lab

_MANY = 50


def _moves(lab: Lab, number: int) -> list[tuple[str, int, str]]:
    ledger = StudyLedger(study_file(lab.store, "pilot"))
    return [(e.task, e.turn, e.value) for e in ledger.events(number) if e.kind == "move" and e.task == "1"]


@pytest.mark.slow
def test_fifty_participants_at_once_lose_no_move(root: Path, tmp_path: Path) -> None:
    lab = open_lab(root, tmp_path, lambda text: text.replace("participants = 6", f"participants = {_MANY}"))
    desks = [lab.desk(), lab.desk()]
    barrier = Barrier(_MANY)

    def play(number: int) -> list[str]:
        desk, code = desks[number % 2], lab.codes[number]
        barrier.wait()
        lab.begin(desk, code, seconds=0)
        view = desk.start(code, "1").view
        assert view is not None
        names = [choice.name for choice in view.actions][:3]
        for turn, name in enumerate(names, 1):
            assert not desk.move(code, "1", turn, name).notice
        return names

    with ThreadPoolExecutor(_MANY) as pool:
        clicked = list(pool.map(play, range(_MANY)))
    for number, names in enumerate(clicked):
        assert _moves(lab, number) == [("1", turn, name) for turn, name in enumerate(names, 1)]


@pytest.mark.slow
def test_fifty_clicks_on_one_view_are_one_move(lab: Lab) -> None:
    desks, code = [lab.desk(), lab.desk()], lab.codes[0]
    lab.begin(desks[0], code)
    view = desks[0].start(code, "1").view
    assert view is not None
    names = [choice.name for choice in view.actions]
    barrier = Barrier(_MANY)

    def click(number: int) -> Screen:
        barrier.wait()
        return desks[number % 2].move(code, "1", 1, names[number % len(names)])

    with ThreadPoolExecutor(_MANY) as pool:
        screens = list(pool.map(click, range(_MANY)))
    kept = _moves(lab, 0)
    assert len(kept) == 1
    assert sum(not screen.notice for screen in screens) == 1
    assert {screen.view.observations[0].action for screen in screens if screen.view} == {kept[0][2]}


def _click(lab: Lab, start_at: int) -> "subprocess.Popen[str]":
    program = (sys.executable, "-m", "tests.study.clicking")
    return subprocess.Popen(
        [*program, str(lab.file), str(lab.root), lab.codes[0], str(start_at)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    )


@pytest.fixture
def at_the_first_task(lab: Lab) -> Lab:
    """The first participant's first task has begun, by the wall clock."""
    lab.clock.at = time()
    desk = lab.desk()
    lab.begin(desk, lab.codes[0])
    lab.clock.at = time()
    desk.start(lab.codes[0], "1")
    return lab


@pytest.mark.slow
def test_two_processes_keep_each_turn_once(at_the_first_task: Lab) -> None:
    lab = at_the_first_task
    with _click(lab, 0) as one, _click(lab, 3) as other:
        for process in (one, other):
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in (one, other):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        said = [line for process in (one, other) for line in process.stdout or ()]
    acknowledged = sorted(tuple(line.rstrip("\n").split("\t")) for line in said if "\t" in line)
    kept = _moves(lab, 0)
    assert [turn for _, turn, _ in kept] == list(range(1, len(kept) + 1))
    assert len({name for *_, name in kept}) == len(kept) >= 6
    assert acknowledged == sorted((str(turn), name) for _, turn, name in kept)


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_kill(at_the_first_task: Lab) -> None:
    lab, after = at_the_first_task, 2
    with _click(lab, 0) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        process.stdin.write("go\n")
        process.stdin.flush()
        said = [process.stdout.readline() for _ in range(after)]
        process.kill()
        said += list(process.stdout)
    acknowledged = [tuple(line.rstrip("\n").split("\t")) for line in said if "\t" in line]
    kept = [(str(turn), name) for _, turn, name in _moves(lab, 0)]
    assert len(acknowledged) >= after
    # One more may be there: stored, and killed before it was said.
    assert kept[: len(acknowledged)] == acknowledged
    assert len(kept) <= len(acknowledged) + 1
    assert lab.desk().screen(lab.codes[0]).view is not None

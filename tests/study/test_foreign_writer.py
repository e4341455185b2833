"""While another program locks the ledger, no request waits long, each gets a message, and nothing is lost."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest

from perennial.flows.study.desk import StudyDesk
from perennial.schemas.errors import LedgerBusy
from perennial.warehouse.study import ledger as ledger_module
from perennial.warehouse.study import schema
from tests.study.study_root import Lab

_MANY = 6


@pytest.fixture(autouse=True)
def _short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (schema, ledger_module):
        monkeypatch.setattr(module, "BUSY_TIMEOUT_S", 0.5)


@contextmanager
def foreign_transaction(lab: Lab) -> Iterator[None]:
    """Let a connection of somebody else write to the ledger during the block, and then undo what it wrote."""
    with closing(sqlite3.connect(lab.ledger_file, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE time SET date = date")
        yield
        connection.execute("ROLLBACK")


def _begin_all(lab: Lab, desk: StudyDesk) -> list[list[str]]:
    """Return the actions that each participant can take first."""
    found = []
    for code in lab.codes[:_MANY]:
        lab.begin(desk, code, seconds=0)
        view = desk.start(code, "1").view
        assert view is not None
        found.append([choice.name for choice in view.actions])
    return found


@pytest.mark.slow
def test_screens_come_and_clicks_are_refused_while_somebody_else_writes(lab: Lab) -> None:
    desk = lab.desk()
    actions = _begin_all(lab, desk)
    together = threading.Barrier(_MANY)

    def click(number: int) -> bool:
        together.wait()
        with pytest.raises(LedgerBusy, match=r"another process has held it .* and nothing was stored"):
            desk.move(lab.codes[number], "1", 1, actions[number][0])
        return desk.screen(lab.codes[number]).view is not None

    with foreign_transaction(lab), ThreadPoolExecutor(_MANY) as pool:
        assert all(pool.map(click, range(_MANY)))
    for number in range(_MANY):
        assert not desk.move(lab.codes[number], "1", 1, actions[number][0]).notice
        view = desk.screen(lab.codes[number]).view
        assert view is not None
        assert [seen.action for seen in view.observations] == [actions[number][0]]


@pytest.mark.slow
def test_withdrawal_is_refused_whole_while_somebody_else_writes(lab: Lab) -> None:
    desk = lab.desk()
    _begin_all(lab, desk)
    with foreign_transaction(lab), pytest.raises(LedgerBusy):
        desk.withdraw(lab.codes[0])
    assert desk.screen(lab.codes[0]).view is not None
    assert desk.withdraw(lab.codes[0]).kind == "closed"

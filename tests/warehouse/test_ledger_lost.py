"""The ledger's file is deleted or replaced while it is in use: noticed, and every reply is saved."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from perennial.schemas.errors import Damaged
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.reading import CallFilter, LedgerReader
from perennial.warehouse.ledger.schema import one_ledger
from tests.warehouse.test_ledger import keep, reply, request

URL = "http://localhost/v1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "l.sqlite"


def _store(ledger: CallLedger, *numbers: int) -> None:
    for number in numbers:
        asked = request(f"call {number}")
        keep(ledger, (asked, reply(asked, f"answer {number}")))


def _replace(path: Path) -> None:
    other = path.with_name("other.sqlite")
    CallLedger(other, "e2", URL).close()
    other.rename(path)


LOSSES: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (Path.unlink, r"l\.sqlite was deleted while it was in use"),
    "replaced": (_replace, r"l\.sqlite was replaced while it was in use"),
    "log deleted": (
        lambda path: path.with_name("l.sqlite-wal").unlink(),
        r"l\.sqlite-wal was deleted while it was in use",
    ),
}


def _rescue(path: Path) -> Path:
    (found,) = path.parent.glob("*-rescued-*")
    return found


@pytest.mark.parametrize("how", LOSSES)
def test_a_lost_ledger_is_noticed_at_the_next_commit_and_loses_no_reply(path: Path, how: str) -> None:
    lose, told = LOSSES[how]
    with CallLedger(path, "e1", URL) as ledger:
        _store(ledger, 1, 2)
        lose(path)
        with pytest.raises(Damaged, match=told) as caught:
            _store(ledger, 3)
        assert str(_rescue(path)) in str(caught.value)
        # What was in flight meanwhile.
        with pytest.raises(Damaged, match=told):
            _store(ledger, 4)
    assert "\n" not in str(caught.value)
    rescued = _rescue(path)
    for file in path.parent.iterdir():
        if file != rescued:
            file.unlink()
    shutil.move(rescued, path)
    with CallLedger(path, "e1", URL) as ledger:
        for number in (1, 2, 3, 4):
            found = ledger.find(request(f"call {number}").call_id)
            assert found is not None
            assert found.content == f"answer {number}"
        _store(ledger, 5)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def _use_and_delete(path: Path) -> None:
    with CallLedger(path, "e1", URL) as ledger:
        _store(ledger, 1)
    path.unlink()


def _open_after_a_loss(path: Path) -> None:
    with one_ledger(path):
        _use_and_delete(path)
        CallLedger(path, "e1", URL)


def _end_after_a_loss(path: Path) -> None:
    with one_ledger(path):
        _use_and_delete(path)


@pytest.mark.parametrize("go_on", [_open_after_a_loss, _end_after_a_loss])
def test_a_ledger_that_is_lost_between_two_uses_is_noticed_at_the_next_or_at_the_end(
    path: Path, go_on: Callable[[Path], None]
) -> None:
    with pytest.raises(Damaged, match="was deleted"):
        go_on(path)
    assert not path.exists()
    with LedgerReader(_rescue(path)) as reader:
        assert reader.totals(CallFilter()).calls == 1


def test_a_ledger_that_stays_is_used_again_and_again_and_may_be_new_in_the_next_block(path: Path) -> None:
    with one_ledger(path):
        for number in (1, 2):
            with CallLedger(path, "e1", URL) as ledger:
                _store(ledger, number)
    assert sorted(file.name for file in path.parent.iterdir()) == ["l.sqlite"]
    path.unlink()
    with one_ledger(path), CallLedger(path, "e1", URL) as ledger:
        _store(ledger, 3)
        assert ledger.find(request("call 3").call_id) is not None
        assert ledger.find(request("call 1").call_id) is None


def test_a_lost_folder_is_told_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "root"
    with CallLedger(folder / "l.sqlite", "e1", URL) as ledger:
        _store(ledger, 1)
        shutil.rmtree(folder)
        with pytest.raises(Damaged, match=r"its replies could not be saved .*: restore the ledger") as caught:
            _store(ledger, 2)
    assert "\n" not in str(caught.value)

"""A ledger whose bytes changed under it: what SQLite does not notice is noticed by digests, and named."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.errors import Damaged
from perennial.schemas.model_calls import ModelRequest
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.reading import LedgerReader, check_ledger
from perennial.warehouse.ledger.writer import CALL_COLUMNS
from tests.warehouse.test_ledger import keep, reply, request

URL = "http://localhost/v1"
ANSWER = "It rains, as the flakes are grey. " * 300


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "l.sqlite"


def _keep(path: Path, count: int = 1) -> list[ModelRequest]:
    """Keep so many calls in a ledger at that path; everything is in its main file afterwards."""
    asked = [request(str(number)) for number in range(count)]
    with CallLedger(path, "e1", URL) as ledger:
        keep(ledger, *((one, reply(one, f"{number} {ANSWER}")) for number, one in enumerate(asked)))
    return asked


def _sql(path: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement, values)


def _replace_once(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert len(old) == len(new)
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))


def _refuse(path: Path, call_id: str) -> str:
    """Return what every way to use the call tells."""
    told = set()
    with CallLedger(path, "e1", URL) as ledger, LedgerReader(path) as reader:
        for use in (ledger.find, lambda one: ledger.rows([one]), reader.call):
            with pytest.raises(Damaged) as caught:
                use(call_id)
            told.add(str(caught.value))
    (line,) = told
    assert "\n" not in line
    return line


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"7 It rains", b"7 It rainz"), (b"7 It rains", b"7 It rain\xff"), (b"7 It rains", b"7 It rain\x00")],
    ids=["another letter", "no UTF-8", "a zero"],
)
def test_a_byte_that_flipped_in_a_reply_is_noticed_where_sqlite_notices_nothing(
    path: Path, old: bytes, new: bytes
) -> None:
    asked = _keep(path, 9)
    _replace_once(path, old, new)
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        assert connection.execute("PRAGMA integrity_check").fetchone() == (b"ok",)
    line = _refuse(path, asked[7].call_id)
    assert line.startswith(f"{path}: call {asked[7].call_id} is damaged")
    assert "copy" in line
    assert f"DELETE FROM calls WHERE call_id = '{asked[7].call_id}'" in line
    assert check_ledger(path).flaws == (f"call {asked[7].call_id} is not what was kept",)
    with CallLedger(path, "e1", URL) as ledger:
        assert [ledger.find(one.call_id) is not None for one in asked if one is not asked[7]] == [True] * 8


@pytest.mark.parametrize("column", [name for name in CALL_COLUMNS if name != "call_id"] + ["digest"])
def test_every_cell_of_a_call_is_under_its_digest(path: Path, column: str) -> None:
    (asked,) = _keep(path)
    _sql(path, f"UPDATE calls SET {column} = coalesce({column}, '') || '1'")
    assert "is damaged" in _refuse(path, asked.call_id)


def test_the_remedy_that_is_told_makes_the_call_anew(path: Path) -> None:
    one, other = _keep(path, 2)
    _replace_once(path, b"1 It rains", b"1 It rainz")
    _, statement, _ = _refuse(path, other.call_id).split('"')
    _sql(path, statement)
    with CallLedger(path, "e1", URL) as ledger:
        assert ledger.find(other.call_id) is None
        assert keep(ledger, (other, reply(other, "again"))) == [reply(other, "again")]
        assert ledger.find(one.call_id) is not None
    assert check_ledger(path).flaws == ()


@pytest.mark.parametrize(
    "statement", ["UPDATE messages SET content = content || '.'", "DELETE FROM messages"]
)
def test_a_message_that_was_altered_or_lost_is_noticed_before_it_is_published(
    path: Path, statement: str
) -> None:
    (asked,) = _keep(path)
    _sql(path, statement)
    with CallLedger(path, "e1", URL) as ledger, pytest.raises(Damaged) as caught:
        ledger.rows([asked.call_id])
    line = str(caught.value)
    assert line.startswith(f"{path}: message msg_")
    assert len(check_ledger(path).flaws) == 2
    for remedy in line.split('"')[1].split(";"):
        _sql(path, remedy)
    with CallLedger(path, "e1", URL) as ledger:
        assert ledger.find(asked.call_id) is None


def test_a_reply_that_meets_a_damaged_one_is_told_and_the_others_are_kept(path: Path) -> None:
    (asked,) = _keep(path)
    other = request("other")
    _replace_once(path, b"0 It rains", b"0 It rainz")

    async def both(ledger: CallLedger) -> list[Any]:
        stores = [ledger.store(one, reply(one)) for one in (asked, other)]
        return list(await asyncio.gather(*stores, return_exceptions=True))

    with CallLedger(path, "e1", URL) as ledger:
        outcomes = asyncio.run(both(ledger))
        assert isinstance(outcomes[0], Damaged)
        assert outcomes[1] == ledger.find(other.call_id) == reply(other)


def test_a_broken_page_is_damage_with_a_remedy(path: Path) -> None:
    asked = _keep(path, 300)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    told = r"l\.sqlite: the ledger .* is damaged .*\.recover"
    with CallLedger(path, "e1", URL) as ledger, pytest.raises(Damaged, match=told):
        ledger.find(asked[0].call_id)
    with pytest.raises(Damaged, match=told):
        check_ledger(path)


@pytest.mark.slow
def test_a_whole_ledger_has_no_flaw_and_is_counted(path: Path) -> None:
    _keep(path, 1200)
    lost = request("lost")
    with CallLedger(path, "e1", URL) as ledger:
        keep(ledger, (lost, reply(lost, "half of a pair", status="unavailable", cost_usd=1)))
    state = check_ledger(path)
    assert (state.calls, state.answered, state.messages) == (1201, 1200, 1202)
    assert state.flaws == ()

"""A user's SQL in a process of its own: as confined as in this one, ended past a limit, a few at a time."""

import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from math import inf
from pathlib import Path
from threading import Event, Thread

import psutil
import pytest

from perennial.schemas.errors import Damaged, QueryFailed, QueryTimedOut
from perennial.warehouse.catalog.catalog import list_contents, open_catalog
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.confined_sql.messages import MOST_BYTES, read_plain
from perennial.warehouse.confined_sql.process import (
    ConfinedCatalog,
    QueryLimits,
    SqlPool,
    SqlProcess,
    open_confined,
)
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import digests
from tests.flows.hand_made_root import two_editions
from tests.flows.hostile_sql import ANSWERED_WITHOUT_SECRETS, READING, REFUSED
from tests.flows.prefect_harness import is_running, wait_until
from tests.warehouse.tiny_edition import INSTANCE_ID

WORD = "hidden-word-4711"
MB = 10**6
# One call of a function that takes minutes and little memory.
SLOW = "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))"
HUNGRY = (
    "SELECT list_aggregate(range(1,400000000),'sum')",
    "SELECT length(repeat('é', 900000000))",
    "SELECT list(i) FROM range(400_000_000) t(i)",
)
ENDED_PARENT = """
import sys
from pathlib import Path
from math import inf
from perennial.warehouse.catalog.catalog import list_contents
from perennial.warehouse.confined_sql.process import ConfinedCatalog
from perennial.warehouse.confined_sql.process import QueryLimits, SqlProcess
from perennial.warehouse.store.store import Store
process = SqlProcess()
catalog = ConfinedCatalog(list_contents(Store(sys.argv[1])), QueryLimits(10**9), process,
    lambda: (print(process.pid, flush=True)))
catalog.stream(sys.argv[2])
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    root = tmp_path_factory.mktemp("root")
    (root / "secret.csv").write_text(f"{WORD}\n")
    return two_editions(root)


@pytest.fixture(scope="module")
def process() -> Iterator[SqlProcess]:
    started = SqlProcess()
    yield started
    started.kill()


def confined(store: Store, process: SqlProcess, seconds: float = inf) -> ConfinedCatalog:
    return ConfinedCatalog(list_contents(store), QueryLimits(500 * MB, seconds), process)


@pytest.mark.slow
def test_the_confinement_holds_in_the_process(store: Store, process: SqlProcess) -> None:
    before = digests(Path(store.root))
    catalog = confined(store, process)
    part, new = store.location(table_file("episodes", "e1@1")), store.location("tables/new.csv")
    # All of them in this process: tests/flows/test_query_confinement.py.
    for sql in REFUSED[::6]:
        hostile = (
            sql.replace("{part}", part)
            .replace("{new}", new)
            .replace("{secret}", store.location("secret.csv"))
        )
        with pytest.raises(QueryFailed) as refused:
            catalog.stream(hostile)
        assert WORD not in str(refused.value)
        assert "\n" not in str(refused.value)
    with pytest.raises(QueryFailed):
        catalog.count(REFUSED[0])
    for sql in ANSWERED_WITHOUT_SECRETS:
        assert WORD not in str(list(catalog.stream(sql)[1]))
    assert digests(Path(store.root)) == before


@pytest.mark.slow
def test_rows_are_those_of_a_catalog(store: Store, process: SqlProcess) -> None:
    opened, catalog = open_catalog(store), confined(store, process)
    for sql in (*READING[::6], "FROM test_all_types()", "SELECT TIMESTAMPTZ '2026-01-01'"):
        names, rows = catalog.stream(sql)
        expected = opened.query(sql)
        found = list(rows)
        assert names == expected[0]
        # A plan has times, and quartiles of a summary are estimates that depend on threads.
        if not any(word in sql.upper() for word in ("EXPLAIN", "SUMMARIZE")):
            assert str(sorted(map(str, found))) == str(sorted(map(str, expected[1])))
            assert catalog.count(sql) == len(found)
    assert len(list(catalog.stream("FROM range(100_000)", 700)[1])) == 700


@pytest.mark.slow
def test_a_row_that_is_too_large_is_one_line(store: Store, process: SqlProcess) -> None:
    catalog = confined(store, process)
    with pytest.raises(QueryFailed, match="a row of more than 32 MB"):
        list(catalog.stream("SELECT repeat('a', 40_000_000)")[1])
    rows = list(catalog.stream("SELECT repeat('a', 1_000_000) FROM range(70)")[1])
    assert len(rows) == 70


@pytest.mark.slow
@pytest.mark.parametrize("sql", HUNGRY)
def test_memory_ends_at_the_limit(store: Store, sql: str) -> None:
    process = SqlProcess()
    peak, ended = [0], Event()

    def look() -> None:
        while not ended.wait(0.002):
            try:
                peak[0] = max(peak[0], psutil.Process(process.pid).memory_info().rss)
            except psutil.Error:
                return

    watch = Thread(target=look)
    watch.start()
    try:
        with pytest.raises((QueryFailed, QueryTimedOut)):
            list(confined(store, process, 20).stream(sql)[1])
    finally:
        ended.set()
        watch.join()
        process.kill()
    assert 0 < peak[0] < 800 * MB


@pytest.mark.slow
def test_time_ends_one_call_of_a_function(store: Store) -> None:
    with (
        open_confined(store, QueryLimits(500 * MB, 0.2)) as catalog,
        pytest.raises(QueryTimedOut, match="longer than allowed"),
    ):
        catalog.stream(SLOW)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_query_ends_with_the_process_that_asked(store: Store, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDED_PARENT, store.root, SLOW],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_running(child)
        parent.send_signal(number)
        parent.stdout.close()
        parent.wait(60)
    wait_until(lambda: not is_running(child))


@pytest.mark.slow
def test_who_leaves_ends_the_query_and_nobody_waits_for_ever(store: Store) -> None:
    pool = SqlPool(most=1, wait_s=0.1)
    pids = []

    class LeftError(Exception):
        pass

    def leave() -> None:
        raise LeftError

    try:
        with pool.borrow(lambda: None) as process:
            pids.append(process.pid)
            with pytest.raises(QueryFailed, match=r"1 other queries.*try again"), pool.borrow(lambda: None):
                pass
        with pool.borrow(lambda: None) as process:
            assert process.pid == pids[0]  # it was warm
            with pytest.raises(LeftError):
                ConfinedCatalog(list_contents(store), QueryLimits(500 * MB, inf), process, leave).stream(SLOW)
        assert not is_running(pids[0])
        with pool.borrow(lambda: None) as process:
            names, rows = confined(store, process).stream("SELECT 1 AS x")
            assert (names, list(rows)) == (["x"], [(1,)])
            pids.append(process.pid)
    finally:
        pool.close()
    wait_until(lambda: not any(map(is_running, pids)))


class _Runs:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


@pytest.mark.parametrize("content", [pickle.dumps(_Runs()), pickle.dumps(Path("a")), b"no pickle", b""])
def test_a_message_holds_plain_values_alone(content: bytes) -> None:
    framed = BytesIO(struct.pack(">Q", len(content)) + content)
    with pytest.raises((ValueError, EOFError)):
        read_plain(framed.read)
    with pytest.raises(ValueError, match="bytes"):
        read_plain(BytesIO(struct.pack(">Q", MOST_BYTES + 1)).read)
    good = pickle.dumps(("rows", [(1, datetime(2026, 1, 1), INSTANCE_ID)]))
    assert read_plain(BytesIO(struct.pack(">Q", len(good)) + good).read)[0] == "rows"


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["flipped", "a pipe"])
def test_a_damaged_file_is_named_with_its_edition(tmp_path: Path, process: SqlProcess, damage: str) -> None:
    store = two_editions(tmp_path)
    path = tmp_path / table_file("episodes", "e1@1")
    content = path.read_bytes()
    path.unlink()
    if damage == "a pipe":
        os.mkfifo(path)
    else:
        middle = len(content) // 2
        flipped = bytes(byte ^ 0xFF for byte in content[middle : middle + 400])
        path.write_bytes(content[:4] + flipped * (len(content) // len(flipped)) + content[-8:])
    for opens in (lambda: open_catalog(store), lambda: confined(store, process)):
        with pytest.raises(Damaged) as named:
            list(opens().stream("FROM episodes")[1])
        line = str(named.value)
        assert "evaluation 'e1@1'" in line
        assert "tables/episodes/edition=e1/1.parquet" in line
        assert "perennial verify e1@1" in line
        assert "withdraw e1@1" in line
        assert "\n" not in line

"""Several processes read while another publishes, withdraws and analyses again: never a mixture.

Every edition is made so that a reader can tell: its tables are as long as its row says, its statistics are
as many as the value that all of them hold, and so are the scores of another benchmark.
"""

import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from perennial.schemas.errors import QueryFailed
from perennial.warehouse.catalog.catalog import MOVED, Catalog, open_catalog
from perennial.warehouse.catalog.later_statistics import as_statistics, keep_analysis
from perennial.warehouse.catalog.scores import keep_scores
from perennial.warehouse.catalog.withdrawals import reinstate, withdraw
from perennial.warehouse.editions.verify import verify_unit
from perennial.warehouse.store.store import Store
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

READERS = 2
EDITIONS = 4
READS_EACH = 5
DEADLINE_S = 60.0
COUNTED = (
    *("instances", "kumo_instances", "kumo_books", "episodes", "turns", "kumo_moves"),
    *("kumo_outcomes", "kumo_domains", "calls", "messages"),
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _publish(store: Store, edition: str, times: int) -> None:
    """Publish an edition whose tables are so many times as long as those of the tiny one."""
    tables = {name: pa.concat_tables([table] * times) for name, table in tiny_edition.tables().items()}
    publish(store, tiny_edition.plan(edition), tables, [], NOW)


def _analyse(store: Store, value: int) -> None:
    rows = [tiny_edition.statistic(f"s{i}", value) for i in range(value)]
    keep_analysis(store, "e0", ["e0@1"], as_statistics("e0", rows))


def _score(store: Store, value: int) -> None:
    players = (f"p{i}" for i in range(value))
    keep_scores(
        store, [{"benchmark": "B", "player": name, "score": value, "source": "a"} for name in players]
    )


def _violations(catalog: Catalog) -> Iterator[str]:
    """Yield what no state of the root can explain."""
    listed = catalog.query("SELECT edition, counts FROM editions")[1]
    expected = {edition: Counter(json.loads(text)) for edition, text in listed}
    for edition, text in catalog.query("SELECT edition, counts FROM evaluations")[1]:
        expected[edition].update(json.loads(text))
    if set(expected) != set(catalog.editions):
        yield f"editions {sorted(expected)}, looked up {catalog.editions}"
    for table in COUNTED:
        found = dict(catalog.query(f"SELECT edition, count(*) FROM {table} GROUP BY 1")[1])
        # An edition is there before its evaluation, and then has no answers.
        if found != {edition: rows[table] for edition, rows in expected.items() if table in rows}:
            yield f"{table}: {found}, expected {expected}"
    for table in ("statistics WHERE edition = 'e0'", "external_scores"):
        column = "score" if table == "external_scores" else "value"
        # Two looks in one query: both must be at the same file.
        ((values, low, high, number),) = catalog.query(
            f"SELECT count(DISTINCT {column}), min({column}), max({column}), count(*) FROM "
            f"(SELECT {column} FROM {table} UNION ALL SELECT {column} FROM {table})"
        )[1]
        if values != 1 or number != 2 * low:
            yield f"{table}: {number} rows of values {low} to {high}"


def _read(root: str, number: int, reads: Any, stop: Any, told: Any) -> None:
    """Read until told to stop; tell all violations, and how often each edition was seen."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    while not stop.is_set():
        try:
            catalog = open_catalog(Store(root))
            listed = "SELECT edition, statistic, value FROM statistics ORDER BY ALL"
            before = catalog.query(listed)[1]
            found += _violations(catalog)
            if catalog.query(listed)[1] != before:
                found.append("a catalog saw two analyses, one after the other")
            seen.update(catalog.editions)
        except QueryFailed as error:
            # What it read was withdrawn or reinstated: one line says so, and the reader reads again.
            if MOVED not in str(error):
                found.append(repr(error))
        except Exception as error:  # noqa: BLE001  whatever a reader meets is what the test is about
            found.append(repr(error))
        reads[number] += 1
    told.put((found, dict(seen)))


def _until(condition: Callable[[], bool], act: Callable[[], None]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"not within {DEADLINE_S:.0f} s"
        act()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(str(tmp_path))
    _publish(store, "e0", times=20)
    _publish(store, "hidden", times=30)
    _analyse(store, 1)
    _score(store, 1)
    return store


@pytest.mark.slow
def test_readers_see_the_old_or_the_new_state_never_a_mixture(store: Store) -> None:
    context = multiprocessing.get_context("spawn")
    reads, stop, told = context.Array("i", READERS), context.Event(), context.Queue()
    readers = [
        context.Process(target=_read, args=(store.root, number, reads, stop, told), daemon=True)
        for number in range(READERS)
    ]
    for reader in readers:
        reader.start()
    try:
        # All of them have seen the state before.
        _until(lambda: all(reads), lambda: time.sleep(0.01))
        rounds = 0

        def change() -> None:
            nonlocal rounds
            rounds += 1
            if rounds <= EDITIONS:
                _publish(store, f"e{rounds}", times=50 * (1 + rounds % 7))
            (withdraw if rounds % 2 else reinstate)(store, "hidden", "a test", "now", "me@here")
            for value in range(2, 12):
                _analyse(store, 1 + (value * rounds) % 400)
                _score(store, 1 + (value * rounds) % 400)

        _until(lambda: min(reads) >= READS_EACH, change)
        last = list(reads)
        # All of them have begun and ended a look at the state after.
        _until(lambda: min(b - a for a, b in zip(last, reads, strict=True)) >= 2, lambda: time.sleep(0.01))
    finally:
        stop.set()
    results = [told.get(timeout=DEADLINE_S) for _ in readers]
    for reader in readers:
        reader.join(DEADLINE_S)
    published = [f"e{number}" for number in range(min(rounds, EDITIONS) + 1)]
    for found, seen in results:
        assert found == []
        assert set(published) <= seen.keys()
        assert seen["e0"] > seen[published[-1]]
    for edition in (*published, "hidden"):
        assert verify_unit(store, edition).is_whole
        assert verify_unit(store, f"{edition}@1").is_whole

"""SQL of `perennial query` reads what is published: nothing else, and it writes nothing."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from perennial.schemas.errors import QueryFailed
from perennial.warehouse.catalog import catalog
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.file_system import file_system
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import digests
from tests.flows.hand_made_root import Run, commands_on, two_editions
from tests.flows.hostile_sql import READING, REFUSED
from tests.flows.prefect_harness import clean_environment
from tests.warehouse import tiny_edition
from tests.warehouse.s3_server import S3, s3
from tests.warehouse.tiny_edition import publish

__all__ = ["s3"]

WORD = "hidden-word-4711"
# One call of a function: DuckDB itself looks at no signal meanwhile.
ENDLESS = "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))"
_ON_S3 = [sql for sql in REFUSED if any(name in sql for name in ("{part}", "{new}", "{secret}", "s3://"))]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A root with two editions, and a file in it that is not published."""
    root = tmp_path_factory.mktemp("root")
    (root / "secret.csv").write_text(f"{WORD}\n")
    return two_editions(root)


@pytest.fixture(scope="module")
def opened(store: Store) -> catalog.Catalog:
    return catalog.open_catalog(store)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in, and secrets in the environment and in Python."""
    for name in ("PERENNIAL_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, WORD)
    monkeypatch.setenv("HTTP_PROXY", f"http://user:{WORD}@127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(catalog, "python_leak", pa.table({"a": [WORD]}), raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill_in(sql: str, store: Store) -> str:
    part = store.location(table_file("episodes", "e1@1"))
    new, secret = store.location("tables/new.csv"), store.location("secret.csv")
    return sql.replace("{part}", part).replace("{new}", new).replace("{secret}", secret)


def assert_refused(shown: Any) -> None:
    assert shown.code == 2, shown.out
    assert shown.out == ""
    assert shown.err.startswith("perennial: error: ")
    assert shown.err.count("\n") == 1
    assert WORD not in shown.err


# Each third of them in the process that the command starts: tests/warehouse/test_confined_sql.py.
@pytest.mark.parametrize("sql", REFUSED[::12])
def test_hostile_sql_is_refused_and_leaves_no_trace(run: Run, store: Store, folder: Path, sql: str) -> None:
    before = digests(Path(store.root))
    assert_refused(run("query", fill_in(sql, store), "--format", "csv"))
    assert digests(Path(store.root)) == before
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_every_way_to_run_sql_refuses_the_same(store: Store, opened: catalog.Catalog, part: int) -> None:
    """The whole result, its first rows, as a table has them, and the number of rows: one confinement."""
    assert len(set(REFUSED)) == len(REFUSED) >= 45
    assert len(_ON_S3) >= 20
    for sql in (*REFUSED[part::4], "SELECT 1) LIMIT 1; COPY (SELECT 1", "FROM range(3)) --"):
        hostile = fill_in(sql, store)
        for run in (opened.query, lambda sql: opened.stream(sql, 5), opened.count):
            with pytest.raises(QueryFailed):
                pytest.fail(f"{hostile} was answered: {run(hostile)}")
    assert opened.stream("SELECT 1 AS a, 2 AS a", 5)[0] == ["a", "a"]


_ORDERED = (
    "FROM range(7) t(i) ORDER BY i LIMIT 3",
    "FROM range(7) t(i) ORDER BY i DESC LIMIT 50%",
    "FROM range(7) t(i) UNION ALL FROM range(3) u(i) ORDER BY i OFFSET 2",
    "SELECT DISTINCT ON (i % 3) i, i % 3 FROM range(7) t(i) ORDER BY i DESC NULLS LAST -- ;",
    "WITH a AS (FROM range(7) t(i) ORDER BY i LIMIT 2) FROM a ORDER BY ALL;",
)


@pytest.mark.parametrize(
    "sql", [*READING, *_ORDERED, "SELECT 'é;' AS \"a;\" -- ;\n; -- ;", "/* ; */ FROM range(5);;"]
)
def test_first_rows_are_those_of_the_whole_result(opened: catalog.Catalog, sql: str) -> None:
    names, rows = opened.query(sql)
    assert sql.startswith("EXPLAIN") or opened.count(sql) == len(rows)
    first, some = opened.stream(sql, 2)
    assert first == names
    assert len(list(some)) == min(2, len(rows)) or sql.startswith("EXPLAIN")


@pytest.mark.slow
def test_a_damaged_file_is_named_and_the_rest_is_read_once_it_is_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = two_editions(tmp_path / "data")
    run = commands_on(store, monkeypatch, capsys)
    path = Path(store.location(table_file("episodes", "e1@1")))
    path.write_bytes(b"PAR1 no more")
    shown = run("query", "SELECT count(*) FROM episodes")
    assert shown.code == 8, shown.err
    assert shown.err.count("\n") == 1
    for part in ("evaluation 'e1@1'", str(path), "perennial verify e1@1", "withdraw e1@1"):
        assert part in shown.err
    assert run("verify", "e1@1").code == 8
    assert run("editions", "withdraw", "e1", "--why", "its disk failed").code == 0
    assert run("query", "SELECT count(*) AS n FROM episodes", "--format", "csv").out == "n\n4\n"


@pytest.mark.slow
def test_a_root_below_the_folder_of_the_command_is_read(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(store.root)
    for place, name in ((root.parent, root.name), (root / "tables", "..")):
        monkeypatch.chdir(place)
        shown = commands_on(Store(name), monkeypatch, capsys)(
            "query", "SELECT count(*) AS n FROM episodes", "--format", "csv"
        )
        assert (shown.code, shown.out) == (0, "n\n8\n"), shown.err


@pytest.mark.slow
def test_a_withdrawn_edition_is_not_read_by_the_name_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = two_editions(tmp_path / "data")
    run = commands_on(store, monkeypatch, capsys)
    sql = fill_in("SELECT count(*) AS n FROM '{part}'", store)
    assert run("query", sql, "--format", "csv").out == "n\n4\n"
    assert run("editions", "withdraw", "e1", "--why", "a test").code == 0
    assert_refused(run("query", sql))


@pytest.mark.slow
def test_the_memory_of_a_query_is_limited(run: Run, store: Store, folder: Path) -> None:
    sql = "SELECT list(i) FROM range(100_000_000) t(i)"
    shown = run("query", sql, "--memory-limit", "64MB")
    assert_refused(shown)
    assert "raise --memory-limit" in shown.err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("size", ["much", "-1GB", "0GB", "unlimited", "80%", "1GB'; SET threads = 1; --"])
def test_a_wrong_memory_limit_is_named(run: Run, size: str) -> None:
    shown = run("query", "SELECT 1", f"--memory-limit={size}")
    assert_refused(shown)
    assert "512MB" in shown.err


@pytest.mark.slow
def test_a_query_past_its_time_is_stopped(run: Run) -> None:
    sql = "SELECT count(*) FROM range(1_000_000_000_000) t(i) WHERE i % 7 = 1"
    shown = run("query", sql, "--timeout", "0.5", "--format", "csv")
    assert shown.code == 7
    assert "took longer than allowed (0.5 s)" in shown.err
    assert shown.err.count("\n") == 1
    assert run("query", "SELECT 1 AS x", "--timeout", "60", "--format", "csv").out == "x\n1\n"


@pytest.mark.slow
def test_ctrl_c_stops_a_query(store: Store) -> None:
    # Started where the shell ignores SIGINT, Python would ignore it as well.
    program = (
        "import signal, sys, threading, os\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from perennial.flows.cli import app\n"
        "from perennial.warehouse.confined_sql.process import ConfinedCatalog as Catalog\n"
        "stream = Catalog.stream\n"
        "def interrupted(*arguments):\n"
        "    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "    return stream(*arguments)\n"
        "Catalog.stream = interrupted\n"
        "app.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "query", ENDLESS, "--root", store.root, "--timeout", "600"],
        capture_output=True,
        text=True,
        env=clean_environment(),
        timeout=240,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.startswith("perennial: interrupted")
    assert done.stderr.count("\n") == 1


@pytest.fixture(scope="module")
def on_s3(s3: S3) -> Store:
    store = Store(s3.new_root())
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], datetime.now(UTC))
    store.write_bytes("secret.csv", f"{WORD}\n".encode())
    return store


def _objects(store: Store) -> dict[str, bytes]:
    filesystem, path = file_system(store.root)
    return {name: filesystem.cat_file(name) for name in sorted(filesystem.find(path))}


@pytest.mark.slow
def test_hostile_sql_is_refused_on_s3(on_s3: Store, folder: Path) -> None:
    before = _objects(on_s3)
    opened = catalog.open_catalog(on_s3)
    for sql in _ON_S3:
        with pytest.raises(QueryFailed) as refused:
            opened.query(fill_in(sql, on_s3))
        assert WORD not in str(refused.value)
        assert "\n" not in str(refused.value)
    assert _objects(on_s3) == before
    assert list(folder.iterdir()) == []
    for sql in ("FROM domain_scores", "SELECT count(*) FROM lineage", "SUMMARIZE episodes"):
        assert opened.query(sql)[1], sql

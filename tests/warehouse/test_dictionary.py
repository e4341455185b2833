"""The dictionary of tables, views and columns: whole, and the same in files, catalog, docs and scripts."""

import json
import pickle
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from perennial.schemas.tables import TABLES
from perennial.warehouse.catalog.catalog import Catalog, open_catalog
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.catalog.dictionary import (
    SHARED,
    column_doc,
    describe_columns,
    describe_relations,
    question_views,
    view_names,
    view_packages,
)
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, commands_on, perennial
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

_OWN_INTERVALS = ("a2rbench_", "beyondbench_", "knowlogic_")
_UNITS = ("a pair counts once", "a rule counts once", "pairs", "rules", "drawn again", "Fisher z")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store(str(tmp_path_factory.mktemp("root") / "it's data"))
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(), [], datetime(2026, 1, 1, tzinfo=UTC))
    return store


@pytest.fixture(scope="module")
def catalog(store: Store) -> Catalog:
    return open_catalog(store)


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return commands_on(store, monkeypatch, capsys)


def test_every_column_of_every_view_is_described_and_its_interval_named_after_it(catalog: Catalog) -> None:
    for name in question_views():
        entries = describe_columns(name)
        described = catalog.query(f'DESCRIBE "{name}"')[1]
        assert [tuple(entry[:2]) for entry in entries] == [row[:2] for row in described], name
        for entry in entries:
            assert len(entry.description) > 5, entry
            assert entry.description.strip() == entry.description.rstrip("."), entry
        columns = {entry.column for entry in entries}
        ends = {one for one in columns if one.endswith(("_low", "_high"))}
        assert not columns & {"low", "high"}, name
        figures = {re.sub("(_these_domains|_simultaneous)?_(low|high)$", "", one) for one in ends}
        assert figures <= columns, name
        if name.startswith(_OWN_INTERVALS):
            for entry in entries:
                said = any(word in entry.description for word in _UNITS)
                assert said or entry.column not in ends, entry


def test_figures_of_shared_views_name_the_benchmark_beside_the_edition() -> None:
    """So that nobody averages over benchmarks, whose settings may have one name."""
    columns = {name: [entry.column for entry in describe_columns(name)] for name in view_names(SHARED)}
    of_figures = {name for name, held in columns.items() if "setting" in held and "instance_id" not in held}
    assert len(of_figures) > 15
    for name in {*of_figures, "losses"} - {"paper_scores"}:
        assert {*columns[name][:2]} == {"edition", "benchmark"}, name


def test_no_entry_describes_what_is_not_there() -> None:
    columns = {view: {entry.column for entry in describe_columns(view)} for view in question_views()}
    for package in view_packages():
        # Those of the shared folder serve all views.
        within = columns if package == view_packages()[0] else view_names(package)
        file = files(package) / "views" / "columns.toml"
        for section, entries in tomllib.loads(file.read_text(encoding="utf-8")).items():
            views = within if section == "shared" else [section]
            assert set(entries) <= set().union(*(columns[view] for view in views)), (package, section)


@pytest.mark.slow
def test_the_catalog_holds_the_descriptions_as_comments(catalog: Catalog) -> None:
    comments = catalog.query("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal")[1]
    assert dict(comments) == describe_relations()
    columns = catalog.query(
        "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal"
    )[1]
    assert sorted(columns) == sorted(
        (name, entry.column, entry.description)
        for name in describe_relations()
        for entry in describe_columns(name)
    )


def test_published_files_hold_the_descriptions_of_their_columns(store: Store) -> None:
    for name, unit in (("episodes", "e1@1"), ("editions", "e1"), ("calls", "e1@1"), ("kumo_books", "e1")):
        schema = pq.read_schema(Path(store.root) / table_file(name, unit))
        found = {field.name: field.metadata[b"description"].decode() for field in schema}
        assert found == {column.name: column.doc for column in TABLES[name].file_columns}


_PLAIN = """
import duckdb, pathlib, pickle, sys
script, database, out = sys.argv[1:]
connection = duckdb.connect(database)
connection.execute(pathlib.Path(script).read_text(encoding="utf-8"))
last = connection.fetchall()
connection.close()
assert not [name for name in sys.modules if name.partition(".")[0] == "perennial"]
# What was made stays in the database file, for dbt or another shell.
with duckdb.connect(database, read_only=True) as connection:
    connection.execute("SET TimeZone = 'UTC'")
    names = connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    rows = {name: connection.execute(f'FROM "{name}"').fetchall() for (name,) in names}
    comments = "SELECT comment FROM duckdb_columns() WHERE column_name = 'excess_tests_algorithm_3'"
    pathlib.Path(out).write_bytes(pickle.dumps((rows, last, connection.execute(comments).fetchall())))
"""


@pytest.mark.slow
def test_a_script_makes_everything_in_a_duckdb_that_knows_no_perennial(
    store: Store,
    catalog: Catalog,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(Path(store.root).parent)
    relative = commands_on(Store("it's data"), monkeypatch, capsys)
    emitted = relative("query", "SELECT count(*) FROM episodes -- all;", "--emit-sql")
    assert emitted.code == 0, emitted.err
    # Its paths are relative: it works where the folder was moved, and where it was made is gone.
    moved = shutil.copytree(Path(store.root).parent, tmp_path / "moved")
    script = emitted.out.replace(str(Path(store.root).parent), "/gone")
    (tmp_path / "script.sql").write_text(script, encoding="utf-8")
    places = [str(tmp_path / name) for name in ("script.sql", "new.duckdb", "out")]
    done = subprocess.run(
        [sys.executable, "-I", "-c", _PLAIN, *places], cwd=moved, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows, last, comment = pickle.loads((tmp_path / "out").read_bytes())
    assert sorted(rows) == sorted(describe_relations())
    for name, found in rows.items():
        assert sorted(map(repr, found)) == sorted(map(repr, catalog.query(f'FROM "{name}"')[1])), name
    assert last == [(len(tiny_edition.rows()["episodes"]),)]
    assert comment == [(column_doc("kumo_leaderboard", "excess_tests_algorithm_3"),)]


def test_the_command_lists_what_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    listed = perennial(monkeypatch, capsys, "tables", "--format", "json")
    assert [row["name"] for row in json.loads(listed.out)] == list(describe_relations())
    columns = perennial(monkeypatch, capsys, "tables", "kumo_leaderboard", "--format", "json")
    assert [tuple(row.values()) for row in json.loads(columns.out)] == list(
        describe_columns("kumo_leaderboard")
    )
    names = list(describe_relations())
    assert names.index("edition_differences") == 9
    assert names.index("editions") < names.index("statuses") < names.index("kumo_moves") < len(names) - 20
    shown = perennial(monkeypatch, capsys, "tables", "domain_scores").out
    assert shown.startswith("domain_scores: How does each player do in each domain")
    assert max(map(len, shown.splitlines())) <= 60
    wrong = perennial(monkeypatch, capsys, "tables", "leaderbord")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err.count("\n") == 1
    assert "did you mean leaderboard? `perennial tables` lists all" in wrong.err


def test_the_picture_has_all_tables_with_keys_and_references(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = perennial(monkeypatch, capsys, "tables", "--picture").out
    assert drawn.startswith("erDiagram\n")
    assert re.findall(r"^    (\w+) \{$", drawn, re.MULTILINE) == list(TABLES)
    assert len(re.findall(r"^    (\w+) \|\|--o\{ \w+ : \w+$", drawn, re.MULTILINE)) == sum(
        len(table.references) for table in TABLES.values()
    )
    assert drawn.count("{") - drawn.count("o{") == drawn.count("}")
    near = perennial(monkeypatch, capsys, "tables", "kumo_beliefs", "--picture").out
    assert "string episode_id PK, FK" in near
    assert "episodes ||--o{ kumo_beliefs : episode_id" in near
    assert "messages" not in near
    wrong = perennial(monkeypatch, capsys, "tables", "token_use", "--picture")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "token_use is a view" in wrong.err


def test_a_query_without_sql_is_refused(run: Run) -> None:
    wrong = run("query")
    assert (wrong.code, wrong.err) == (
        2,
        "perennial: error: SQL: missing; give one statement, or --emit-sql (see `perennial query --help`)\n",
    )

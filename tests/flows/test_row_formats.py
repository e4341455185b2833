"""Rows of data as they are printed: what they are, valid, in bounded memory, and nothing that acts."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import termios
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.console.row_formats import Format, TableForm, print_rows
from perennial.schemas.errors import InvalidOption, QueryFailed, QueryTimedOut
from perennial.warehouse.store.store import Store
from tests.flows.hand_made_root import Run, commands_on, publish_day, two_editions
from tests.flows.prefect_harness import clean_environment
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

ESCAPES = "\x1b[2J\x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x9b31m\x7f\r\u202eback\u2066\u200b"
NASTY = f":x: :smile: [bold red]loud[/bold red] {ESCAPES} end"
ACTING = set("\x1b\x07\x9b\x7f\r\u202e\u2066\u200b")
COMMAND = (sys.executable, "-m", "perennial.flows.cli.app")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return two_editions(tmp_path_factory.mktemp("root"))


def print_rows_as(
    capsys: pytest.CaptureFixture[str], names: list[str], rows: list[tuple[Any, ...]], form: str
) -> str:
    print_rows(names, rows, Format(form))
    return capsys.readouterr().out


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_text_is_shown_as_it_is_and_steers_nothing(capsys: pytest.CaptureFixture[str], form: str) -> None:
    nested = [{NASTY: [NASTY]}, NASTY.encode()]
    for rows in ([(NASTY, nested)], [(NASTY * 5, nested)]):
        out = print_rows_as(capsys, ["a", f"b{ESCAPES}"], rows, form)
        assert not set(out) & ACTING
        assert ":x: :smile: [bold red]loud[/bold red]" in out
        assert "\\u202eback" in out
        assert ("\\u001b[2J" if form == "json" else "\\x1b[2J") in out
    if form == "json":
        assert json.loads(out)[0]["a"] == NASTY * 5


@pytest.mark.slow
def test_editions_domains_errors_and_doctor_are_shown_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(str(tmp_path / ":x: [red]data[/red]"))
    publish_day(store, "e1", 1)
    run = commands_on(store, monkeypatch, capsys)
    assert run("editions", "withdraw", "e1", "--why", NASTY).code == 0
    (tmp_path / "bad.json").write_text(json.dumps({"name": NASTY, "truths": [NASTY] * 2, "actions": []}))
    shown = [
        run("editions", "list", "--all"),
        run("editions", "list", "--all", "--format", "csv"),
        run("editions", "list", "--all", "--format", "json"),
        run("query", f"SELECT * FROM {NASTY!r}"),
        run("query", f'SELECT "{NASTY}"'),
        run("editions", "withdraw", NASTY, "--why", "x"),
        run("domains", "validate", str(tmp_path / "bad.json")),
        run("doctor", "--json"),
        run("doctor"),
    ]
    for one in shown:
        assert not set(one.out + one.err) & ACTING
        assert "❌" not in one.out + one.err
    assert ":x: [red]data[/red]" in " ".join(shown[-1].out.split())
    assert ":x: :smile: [bold red]loud[/bold red] \\x1b[2J" in shown[1].out


def test_formulas_are_neutralised_in_csv_and_only_there(capsys: pytest.CaptureFixture[str]) -> None:
    formulas = [
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "＝1",
        "- item",
        "-1_000",
        "+ 1",
    ]
    others = ["-5", "+5.5", "-1e3", "a=1", "", " = 1", "'quoted"]
    rows = [(text,) for text in formulas + others]
    read = [row[0] for row in csv.reader(io.StringIO(print_rows_as(capsys, ["=name"], rows, "csv")))]
    assert read[0] == "'=name"
    assert [text[0] for text in read[1 : len(formulas) + 1]] == ["'"] * len(formulas)
    assert read[1] == "'" + formulas[0]
    assert read[len(formulas) + 1 :] == others
    numbers = print_rows_as(capsys, ["n", "x"], [(-5, -0.5)], "csv")
    assert numbers == "n,x\n-5,-0.5\n"
    assert [
        record["=name"] for record in json.loads(print_rows_as(capsys, ["=name"], rows, "json"))
    ] == formulas + others


@pytest.mark.slow
def test_report_tables_in_csv_hold_no_formula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(str(tmp_path / "data"))
    content = tiny_edition.rows()
    for episode in content["episodes"]:
        episode["player"] = f"=cmd|{episode['player']}\x1b[2J"
    publish(store, tiny_edition.plan("e1"), tiny_edition.tables(content), [], datetime.now(UTC))
    run = commands_on(store, monkeypatch, capsys)
    assert run("analyse", "e1").code == 0
    shown = run("report", "e1", "--out", str(tmp_path / "out"), "--format", "csv")
    assert shown.code == 0, shown.err
    text = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.csv"))
    assert "'=cmd|algorithm-3\\x1b[2J" in text
    assert "\x1b" not in text
    assert "\n=cmd" not in text.replace(",", "\n")


@pytest.mark.slow
def test_json_is_valid_whatever_the_values(run: Run) -> None:
    shown = run("query", "FROM test_all_types()", "--format", "json")
    assert shown.code == 0, shown.err

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    records = json.loads(shown.out, parse_constant=refuse)
    assert len(records) == 3
    assert records[0]["hugeint"] == -(2**127)
    assert records[1]["double_array"] == [42.0, None, None, None, None, -42.0]
    assert records[1]["varchar"] == "goo\x00se"
    assert records[0]["blob"] == "thisisalongblob\\x00withnullbytes"
    assert records[1]["dec38_10"] == "9999999999999999999999999999.9999999999"
    odd = "SELECT 'nan'::DOUBLE a, '-inf'::FLOAT b, MAP {DATE '2020-01-01': 1} AS c, INTERVAL 9 MINUTE AS d"
    shown = run("query", odd, "--format", "json")
    assert json.loads(shown.out) == [{"a": None, "b": None, "c": {"2020-01-01": 1}, "d": "0:09:00"}]
    assert json.loads(run("query", "SELECT 1 AS x WHERE false", "--format", "json").out) == []


@pytest.mark.parametrize("form", ["csv", "table"])
def test_every_type_is_shown(run: Run, form: str) -> None:
    shown = run("query", "FROM test_all_types()", "--format", form)
    assert shown.code == 0, shown.err
    assert "thisisalongblob\\x00withnullbytes" in shown.out
    assert "-170141183460469231731687303715884105728" in shown.out


@pytest.mark.slow
def test_names_that_stand_twice_are_refused_in_json(run: Run) -> None:
    shown = run("query", "SELECT 1 AS a, 2 AS a, 3 AS b", "--format", "json")
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.count("\n") == 1
    assert "'a'" in shown.err
    assert "AS" in shown.err
    assert run("query", "SELECT 1 AS a, 2 AS a", "--format", "csv").out == "a,a\n1,2\n"
    with pytest.raises(InvalidOption):
        print_rows(["a", "a"], [], Format.json)


@pytest.mark.slow
def test_a_table_ends_after_its_first_hundred_rows_and_says_how_many_there_are(run: Run) -> None:
    more = "--limit ROWS shows more, --format csv or json prints all\n"
    shown = run("query", "FROM range(123_456) t(i) -- all;")
    assert shown.code == 0, shown.err
    assert "│ 99 │" in shown.out
    assert "100 │" not in shown.out
    assert shown.out.endswith(f"\nthe first 100 of 123,456 rows: {more}")
    assert run("query", "FROM range(100) t(i)").out.endswith("\n100 rows\n")
    limited = run("query", "FROM range(1000) t(i)", "--limit", "400")
    assert "│ 399 │" in limited.out
    assert limited.out.endswith(f"\nthe first 400 of 1,000 rows: {more}")
    assert run("query", "FROM range(1000) t(i)", "--limit", "1000").out.endswith("\n1,000 rows\n")
    wide = run("query", "SELECT repeat('x', 1_000_000) AS x FROM range(50)")
    assert wide.out.endswith(f"\nthe first 4 of 50 rows: {more}")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_limit_holds_in_every_format(run: Run, form: str) -> None:
    shown = run("query", "FROM range(1000) t(i) ORDER BY i DESC", "--limit", "3", "--format", form)
    assert [row for row in shown.out.split() if any(map(str.isdecimal, row))] == (
        ["999", "998", "997"] if form == "csv" else ["999},", "998},", "997}"]
    )
    assert run("query", "FROM range(1000) t(i)", "--limit", "0").code == 2
    assert "Rows" not in run("query", "EXPLAIN SELECT 1", "--limit", "3", "--format", form).err


@pytest.mark.parametrize("error", [QueryTimedOut("too long"), QueryFailed("too much memory")])
def test_rows_that_cannot_be_counted_are_more_than_those_shown(
    capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def count_all() -> int:
        raise error

    form = TableForm(rows=3, more_rows="--limit shows more", count_all=count_all)
    print_rows(["n"], ((number,) for number in range(4)), Format.table, form)
    assert capsys.readouterr().out.endswith("\nthe first 3 of more than 3 rows: --limit shows more\n")


@pytest.mark.slow
def test_columns_are_chosen_by_name(run: Run) -> None:
    sql = "SELECT 1 AS a, 2 AS b, 3 AS c"
    assert run("query", sql, "--columns", "c, a", "--format", "csv").out == "c,a\n3,1\n"
    assert json.loads(run("query", sql, "--columns", "b", "--format", "json").out) == [{"b": 2}]
    refused = run("query", sql, "--columns", "a,d")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == "perennial: error: --columns 'd': the result has no such column; it has a, b, c\n"


def _on_a_terminal(store: Store, width: int, *arguments: str) -> str:
    """Return what a query prints on a terminal of that width."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, width))
    environment = {**clean_environment(), "TERM": "xterm"}
    environment.pop("COLUMNS", None)
    with subprocess.Popen(
        [*COMMAND, "query", *arguments, "--root", store.root],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        os.close(theirs)
        parts = []
        with suppress(OSError):  # Linux says that the other end is closed by an error
            while part := os.read(ours, 1 << 16):
                parts.append(part)
        os.close(ours)
    assert process.returncode == 0
    text = b"".join(parts).decode().replace("\r\n", "\n")
    return re.sub(r"\x1b\[[\d;]*m", "", text)


@pytest.mark.slow
def test_on_a_terminal_what_does_not_fit_its_width_stands_one_column_below_the_other(store: Store) -> None:
    sql = "SELECT 'first value' AS one, 'second value' AS two, 'third value' AS three FROM range(2)"
    beside = _on_a_terminal(store, 47, sql)
    assert "│ first value │ second value │ third value │" in beside
    assert beside.endswith("\n2 rows\n")
    below = _on_a_terminal(store, 43, sql)
    assert "one    first value\ntwo    second value\nthree  third value\n" in below
    assert max(map(len, below.splitlines()[:-1])) <= 43
    assert below.endswith("\n2 rows; --columns NAME,... chooses what stands side by side\n")
    assert "│ first value │" in _on_a_terminal(store, 43, sql, "--columns", "one,two")


def test_a_list_longer_than_a_table_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    out = print_rows_as(capsys, ["n"], [(number,) for number in range(1002)], "table")
    assert "the first 1,000 of 1,002 rows" in out


# Prints the peak of the command's memory beyond what it holds once all is imported, in MB.
_MEASURED = """
import resource, sys
from perennial.flows.cli import app as cli
import duckdb

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

before = peak()
try:
    cli.main()
finally:
    sys.stderr.write(f"{peak() - before}\\n")
"""


_LARGE = "SELECT i, 'player ' || i AS player, [i, i + 1] AS steps, i / 3 AS x FROM range(300_000) t(i)"
_SORTED = "SELECT i, 'player ' || i AS player, hash(i) AS x FROM range(6_000_000) t(i) ORDER BY x"


@pytest.mark.slow
@pytest.mark.parametrize(("form", "sql"), [("csv", _LARGE), ("json", _LARGE), ("table", _SORTED)])
def test_a_large_result_takes_little_memory(store: Store, form: str, sql: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _MEASURED, "query", sql, "--root", store.root, "--format", form],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(),
    ) as process:
        assert process.stderr is not None
        told = process.stderr.read()
    assert process.returncode == 0, told
    # As one list of rows, or sorted whole, it takes more than 150 MB.
    assert int(told) < 90


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_ends_the_query_quietly(store: Store) -> None:
    command = [*COMMAND, "query", "FROM range(100_000_000)", "--root", store.root, "--format", "csv"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


_WIDE = "SELECT 'Zoë 日本' AS x".encode()


# An error is a line of its own, whatever the form of the rows.
@pytest.mark.parametrize(
    ("variables", "sql", "code", "form"),
    [
        ({"PYTHONIOENCODING": "ascii"}, _WIDE, 0, "table"),
        ({"PYTHONIOENCODING": "ascii"}, _WIDE, 0, "json"),
        ({"LC_ALL": "C", "PYTHONUTF8": "0"}, _WIDE, 2, "table"),
        ({}, b"SELECT '\xfc' AS x", 2, "csv"),
        ({"PYTHONIOENCODING": "ascii"}, 'SELECT "Zoë 日本"'.encode(), 2, "table"),
    ],
)
@pytest.mark.slow
def test_whatever_the_encoding_there_is_no_traceback(
    store: Store, variables: dict[str, str], sql: bytes, code: int, form: str
) -> None:
    environment = {key: value for key, value in clean_environment().items() if not key.startswith("LC_")}
    arguments = [*COMMAND, "query", sql, "--root", store.root, "--format", form]
    done = subprocess.run(
        arguments, capture_output=True, env={**environment, "LANG": "C.UTF-8", **variables}, check=False
    )
    assert done.returncode == code, done.stderr
    if code:
        assert done.stderr.startswith(b"perennial: error: ")
        assert done.stderr.count(b"\n") == 1
    else:
        assert done.stderr == b""
        if form == "json":
            assert json.loads(done.stdout) == [{"x": "Zoë 日本"}]

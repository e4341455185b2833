"""`perennial calls`: the list, its filters and totals, and one call whole."""

import asyncio
import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.console.row_formats import on_one_line, printable
from perennial.schemas.model_calls import AttemptEnd, ModelRequest, Reply
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.schema import ledger_file
from tests.flows.hand_made_root import Run, Shown, perennial
from tests.flows.prefect_harness import clean_environment

NASTY = "\x1b[2J\x1b]0;title\x07 [bold red]loud[/bold red] :smile: \u202eback\u2066 half\r\nnext\ttab\x9b"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run `perennial calls` in this process, on the data root of the test."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: perennial(monkeypatch, capsys, "calls", "--root", tmp_path, *arguments)


def store(root: Path, *calls: tuple[ModelRequest, Reply], edition: str = "e1") -> None:
    async def in_turn(ledger: CallLedger) -> None:
        for asked, reply in calls:
            await ledger.store(asked, reply)

    with CallLedger(ledger_file(str(root)), edition, "http://localhost:8000/v1") as ledger:
        asyncio.run(in_turn(ledger))


def call(number: int, role: Any = "player", model: str = "m", **fields: Any) -> tuple[ModelRequest, Reply]:
    asked = ModelRequest(
        role,
        model,
        ({"role": "system", "content": "the book"}, {"role": "user", "content": f"turn {number}"}),
        {"temperature": 0.5},
        f"kumo/{role}",
        "tpl_1",
    )
    return asked, Reply(asked.call_id, **{"status": "ok", "content": f"answer {number}", **fields})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Six calls of two editions, three roles and two models; the cost of two of them is known."""
    tokens = {"prompt_tokens": 1000, "completion_tokens": 50, "usage": "reported"}
    store(
        tmp_path,
        call(0, "writer", cost_usd=0.5, **tokens),
        call(1, cost_usd=0.25, **tokens),
        call(2, **tokens),
        call(3, model="other", status="unavailable", content="", error="503 after 6 attempts"),
    )
    store(tmp_path, call(4, "proposer"), call(5, status="truncated"), edition="e2")
    return tmp_path


def list_calls(shown: Shown) -> list[dict[str, Any]]:
    assert shown.code == 0, shown.err
    records: list[dict[str, Any]] = json.loads(shown.out)
    return records


def test_calls_are_listed_newest_first_with_totals(root: Path, run: Run) -> None:
    shown = run()
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[0].split()[:2] == ["call_id", "stored_at"]
    assert lines[0].split()[-1] == "error"
    assert [line.endswith("503 after 6 attempts") for line in lines[1:7]] == [False] * 2 + [True] + [
        False
    ] * 3
    ids = [call(number, role)[0].call_id for number, role in ((5, "player"), (4, "proposer"))]
    assert [line[:15] for line in lines[1:3]] == [call_id[:15] for call_id in ids]
    assert len(lines) == 8
    assert lines[-1] == (
        "6 calls; 3,000 prompt and 150 completion tokens (known for 3 of 6); cost $0.7500 (known for 2 of 6)"
    )


def test_what_counts_towards_the_limits_is_said_with_how_far_it_is_an_estimate(root: Path, run: Run) -> None:
    async def begin(ledger: CallLedger) -> None:
        asked = call(1)[0]
        known, _ = [await ledger.begin_attempt(asked, 0.5) for _ in range(2)]
        await ledger.end_attempt(AttemptEnd(known, 0.25, 0.5))

    for unit in ("e1", "e1@2", "e10"):
        with CallLedger(ledger_file(str(root)), unit, "http://localhost/v1") as ledger:
            asyncio.run(begin(ledger))
    said = "for --max-calls and --max-cost: {} for ${} (estimated for {} without reported usage)"
    assert run().out.splitlines()[-1] == said.format("6 requests sent", "2.250000", 3)
    assert run("--edition", "e1").out.splitlines()[-1] == said.format("4 requests sent", "1.500000", 2)
    assert "--max-calls" not in run("--role", "player").out


def test_a_limit_shortens_the_list_and_not_the_totals(root: Path, run: Run) -> None:
    lines = run("--limit", "2").out.splitlines()
    assert len(lines) == 4
    assert lines[-1].startswith("6 calls, 2 of them listed; 3,000 prompt")
    assert len(list_calls(run("--limit", "2", "--format", "json"))) == 2


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["--role", "player"], 4),
        (["--model", "other"], 1),
        (["--status", "truncated"], 1),
        (["--edition", "e2"], 2),
        (["--template", "kumo/writer"], 1),
        (["--contains", "answer 4"], 1),
        (["--contains", "%"], 0),
        (["--role", "player", "--edition", "e2", "--contains", "5"], 1),
        (["--model", "nobody"], 0),
    ],
)
def test_filters_choose(root: Path, run: Run, filters: list[str], expected: int) -> None:
    assert len(list_calls(run(*filters, "--format", "json"))) == expected
    last = run(*filters).out.splitlines()[-1]
    assert last.startswith(f"{expected} call" if expected else "no model call matches these filters: ")
    assert expected or all(repr(value) in last for value in filters[1::2])


def test_what_is_unknown_is_told_and_never_counted_as_zero(root: Path, run: Run) -> None:
    assert run("--edition", "e2").out.splitlines()[-1] == "2 calls; tokens unknown; cost unknown"
    assert run("--role", "writer").out.splitlines()[-1] == (
        "1 call; 1,000 prompt and 50 completion tokens; cost $0.5000"
    )
    (record,) = list_calls(run("--contains", "answer 2", "--format", "json"))
    assert record["cost_usd"] is None


def test_csv_has_the_rows_of_json(root: Path, run: Run) -> None:
    records = list_calls(run("--format", "json"))
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv").out)))
    assert [row["call_id"] for row in rows] == [record["call_id"] for record in records]
    assert list(rows[0]) == list(records[0])


def test_one_call_is_shown_whole(root: Path, run: Run) -> None:
    asked, _ = call(3, model="other")
    shown = run(asked.call_id)
    assert shown.code == 0
    fields = dict(line.split(None, 1) for line in shown.out.split("\n\n")[0].splitlines())
    assert fields["call_id"] == asked.call_id
    assert fields["error"] == "503 after 6 attempts"
    assert fields["params"] == '{"temperature": 0.5}'
    assert fields["cost_usd"] == "-"
    titles = ["message 1: system", "the book", "message 2: user", "turn 3", "reply"]
    places = [shown.out.index(title) for title in titles]
    assert places == sorted(places)


def test_the_first_letters_of_an_id_will_do(root: Path, run: Run) -> None:
    asked, _ = call(0, "writer")
    for given in (asked.call_id[:20], asked.call_id.removeprefix("call_")[:15]):
        whole = json.loads(run(given, "--format", "json").out)
        assert whole["call_id"] == asked.call_id
        assert whole["messages"] == list(asked.messages)
        assert whole["content"] == "answer 0"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["call_0123"], "no model call 'call_0123' in this root: `perennial calls` lists those there are"),
        (["call_"], "several model calls begin with 'call_': call_"),
        (["call_0123", "--role", "player"], "CALL_ID shows one call in full"),
        (["--role", "jury"], "--role 'jury': expected proposer, configurer,"),
        (["--status", "bad"], "--status 'bad': expected ok, truncated,"),
        (["--limit", "0"], "--limit"),
    ],
)
def test_what_cannot_be_shown_is_one_line_and_exit_code_2(
    root: Path, run: Run, arguments: list[str], told: str
) -> None:
    shown = run(*arguments)
    assert (shown.code, shown.out) == (2, "")
    assert told in shown.err
    assert shown.err.count("\n") == 1


def test_a_root_without_calls_is_told_and_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    shown = run()
    assert shown.code == 2
    assert f"no model has been called in '{tmp_path}'" in shown.err
    assert shown.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_garbage_ledger_is_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"garbage" * 1000)
    shown = run()
    assert shown.code == 8
    assert "ledger.sqlite: not a SQLite database" in shown.err
    assert shown.err.count("\n") == 1


def test_text_of_a_model_neither_steers_the_terminal_nor_is_read_as_markup(run: Run, tmp_path: Path) -> None:
    asked, _ = call(0, model="m[red]x[/red]")
    store(tmp_path, (asked, Reply(asked.call_id, "ok", content=NASTY, reasoning=NASTY, finish_reason=NASTY)))
    for shown in (run(asked.call_id), run()):
        assert shown.code == 0
        assert not set(shown.out) & set("\x1b\x07\x9b\r\u202e\u2066")
        assert "m[red]x[/red]" in shown.out
    page = run(asked.call_id).out
    reply = page[page.index("\nreply ") :]
    assert "\\x1b[2J\\x1b]0;title\\x07 [bold red]loud[/bold red] :smile: \\u202eback" in reply
    assert "half\\r\nnext    tab\\x9b" in reply
    for form in ("csv", "json"):
        for shown in (run(asked.call_id, "--format", form), run("--format", form)):
            assert not set(shown.out) & set("\x1b\x07\x9b\r\u202e\u2066")
    assert json.loads(run(asked.call_id, "--format", "json").out)["content"] == NASTY
    (row,) = csv.DictReader(io.StringIO(run(asked.call_id, "--format", "csv").out, newline=""))
    assert row["content"] == printable(NASTY)


def test_printable_leaves_ordinary_text_alone() -> None:
    for text in ("", "plain", "zwei\nZeilen\tund ein Tab", "日本語 émoji 🎲", "no\u00a0break \u3000 wide"):
        assert printable(text) == text
    assert on_one_line("a\nb\tc") == "a\\nb\\tc"
    assert printable("\u2028\u200b\x00") == "\\u2028\\u200b\\x00"


@pytest.mark.slow
def test_neither_prefect_nor_openai_is_imported(root: Path) -> None:
    program = (
        "import sys\nfrom perennial.flows.cli import app as cli\n"
        f"sys.argv = ['perennial', 'calls', '--root', {str(root)!r}]\n"
        "try:\n    cli.main()\nexcept SystemExit as ended:\n    assert ended.code == 0\n"
        "print(sorted({'prefect', 'openai', 'duckdb', 'pyarrow', 'pandas', 'httpx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=clean_environment()
    )
    assert done.stdout.splitlines()[-1] == "[]"

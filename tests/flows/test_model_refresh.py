"""Refreshes in which models author and play, against the scripted server: well, badly, killed and limited."""

import json
import re
import signal
import sqlite3
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.store.store import Store
from tests.flows.conftest import KEY
from tests.flows.prefect_harness import Harness, edition_content, wait_until
from tests.server.log import LogLine, answers_by_digest
from tests.server.options import ServerOptions
from tests.server.running import RunningServer, running_server
from tests.server.wire import request_digest

pytestmark = pytest.mark.slow

FAULTS = {
    **dict.fromkeys(("429", "500", "503", "408", "409", "drop", "drop_midway", "html", "invalid_json"), 0.02),
    **dict.fromkeys(("fenced", "prose", "think_tags", "reasoning_field", "missing_usage"), 0.1),
    **dict.fromkeys(("player.truncated", "player.empty", "player.refusal", "writer.truncated"), 0.03),
    **dict.fromkeys(("writer.missing_rule", "writer.extra_rule", "writer.confirmation"), 0.15),
    **dict.fromkeys(("configurer.overlapping_ranges", "configurer.truncated"), 0.3),
    **dict.fromkeys(("player.other_case", "player.wrong_name", "player.two_answers"), 0.05),
}
MODEL_REFRESH = (
    *("--author", "scripted", "--propose", "2", "--categories", "science,crafts"),
    *("--players", "scripted,symbolic:scripted,algorithm-3", "--settings", "easy", "--instances", "5"),
    *("--runs", "2", "--edition", "models", "--seed", "0"),
)


@pytest.fixture(scope="module")
def faulty() -> ServerOptions:
    return ServerOptions(seed=3, keys=(KEY,), faults=FAULTS, latency_s=0.01)


@pytest.fixture(scope="module")
def undisturbed(
    keyed: Harness, faulty: ServerOptions, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[LogLine], str]:
    root = tmp_path_factory.mktemp("models")
    with running_server(faulty) as server:
        done = keyed.perennial(*_command(server, root), cwd=root)
        log = server.log()
    assert done.returncode == 0, done.stderr
    return root, log, done.stdout


def _command(server: RunningServer, root: Path, *more: str) -> tuple[str, ...]:
    return ("refresh", *MODEL_REFRESH, "--base-url", server.url, "--root", str(root), *more)


def _count_answers(root: Path) -> int:
    """Return the number of answers that the ledger holds on disk."""
    connection = sqlite3.connect(f"file:{root / 'ledger.sqlite'}?mode=ro", uri=True)
    try:
        statuses = ("ok", "truncated", "refused", "empty")
        marks = ", ".join("?" for _ in statuses)
        return int(
            connection.execute(
                f"SELECT count(*) FROM calls WHERE status IN ({marks}) AND edition <> '(look-up)'", statuses
            ).fetchone()[0]
        )
    finally:
        connection.close()


def test_models_author_and_play_a_whole_edition(undisturbed: tuple[Path, list[LogLine], str]) -> None:
    root, log, out = undisturbed
    catalog = open_catalog(Store(str(root)))
    assert (
        catalog.query("SELECT count(*), count(DISTINCT call_id) FROM kumo_domains WHERE source = 'model'")[1][
            0
        ][0]
        == 2
    )
    assert catalog.query("SELECT bool_and(len(call_ids) >= 2) FROM kumo_seed_configs")[1] == [(True,)]
    roles = {role for (role,) in catalog.query("SELECT DISTINCT role FROM calls")[1]}
    assert roles == {"proposer", "configurer", "writer", "reviser", "checker", "player"}
    players = catalog.query("SELECT player, attempted, scored FROM leaderboard ORDER BY player")[1]
    assert players == [("algorithm-3", 10, 10), ("scripted", 20, 20), ("symbolic:scripted", 20, 20)]
    assert catalog.query("SELECT count(*) FROM kumo_books WHERE revision > 0")[1][0][0] > 0
    assert len({line.outcome for line in log} - {"answered"}) >= 3, "faults of transport were met"
    assert re.search(r"^books: +\d+ passed as they were written, [1-9]\d* after revision", out, re.MULTILINE)
    assert re.search(r"^models: +\d+ calls, cost unknown; [\d,]+ tokens in", out, re.MULTILINE)


def test_the_funnel_and_the_costs_of_authors_add_up(undisturbed: tuple[Path, list[LogLine], str]) -> None:
    catalog = open_catalog(Store(str(undisturbed[0])))
    funnel = dict(catalog.query("SELECT step, number FROM authoring_funnel WHERE category = 'all'")[1])
    refused = catalog.query("SELECT count(*) FROM rejections WHERE stage = 'proposal'")[1][0][0]
    assert (funnel["proposed"], funnel["new"], funnel["accepted"]) == (2 + refused, 2, 2)
    assert funnel["asked for"] == 10
    assert funnel["passed at once"] + funnel["passed after revision"] + funnel["replaced"] == 10
    categories = "SELECT DISTINCT category FROM authoring_funnel ORDER BY 1"
    assert catalog.query(categories)[1] == [("all",), ("crafts",), ("science",)]
    # Independently of the view: every call of the edition is some domain's, and none counts twice.
    sums = "sum({}prompt_tokens), sum({}completion_tokens)"
    (shown,) = catalog.query(f"SELECT sum(calls), {sums.format('', '')} FROM authoring_costs")[1]
    (made,) = catalog.query(f"SELECT count(*), {sums.format('', '')} FROM calls WHERE evaluation = ''")[1]
    assert shown == pytest.approx(made)
    assert catalog.query("SELECT count(*) FROM authoring_costs WHERE domain IS NULL")[1] == [(0,)]


def test_every_turn_of_a_model_leads_to_its_call_and_the_prompt_template_of_its_book(
    undisturbed: tuple[Path, list[LogLine], str],
) -> None:
    catalog = open_catalog(Store(str(undisturbed[0])))
    turns = catalog.query(
        "SELECT count(*), count(call_id) FROM turns JOIN episodes USING (episode_id) "
        "WHERE player <> 'algorithm-3'"
    )[1][0]
    assert turns[0] == turns[1] > 0
    rows = catalog.query(
        "SELECT DISTINCT player_template, book_template, book_template_hash IS NOT NULL FROM kumo_lineage "
        "WHERE player LIKE '%scripted' AND NOT book_is_replacement"
    )[1]
    assert {row[1] for row in rows} <= {"kumo/authors/write_book.md.j2", "kumo/authors/revise_book.md.j2"}
    assert {row[2] for row in rows} == {True}
    assert {row[0] for row in rows} == {"kumo/players/system.md.j2", "kumo/players/system_symbolic.md.j2"}


def test_the_server_gave_each_answer_once(undisturbed: tuple[Path, list[LogLine], str]) -> None:
    root, log, _ = undisturbed
    assert answers_by_digest(log) == _calls_by_digest(root)


def test_a_refresh_killed_twice_gives_the_same_edition_and_repeats_no_stored_call(
    keyed: Harness, faulty: ServerOptions, undisturbed: tuple[Path, list[LogLine], str], tmp_path: Path
) -> None:
    calls = _count_answers(undisturbed[0])
    with running_server(faulty) as server:
        for hold_after in (calls // 3, calls // 3):
            server.release(hold_after)
            process = keyed.start(*_command(server, tmp_path, "--concurrency", "8"), cwd=tmp_path)
            server.wait_held(timeout_s=120)
            wait_until(lambda: _count_answers(tmp_path) == server.status().answered)
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
            assert not (tmp_path / "tables" / "evaluations").exists()
        server.release()
        done = keyed.perennial(*_command(server, tmp_path), cwd=tmp_path)
        log = server.log()
    assert done.returncode == 0, done.stderr
    assert "resuming edition models" in done.stdout
    assert edition_content(tmp_path, "models") == edition_content(undisturbed[0], "models")
    assert answers_by_digest(log) == _calls_by_digest(tmp_path)


def _calls_by_digest(root: Path) -> Counter[str]:
    """Return how many calls of the edition ask the same, by the server's name for it: it knows no repeats."""
    catalog = open_catalog(Store(str(root)))
    told = defaultdict(list)
    sent = "SELECT call_id, role, content FROM call_messages ORDER BY call_id, position"
    for call_id, role, content in catalog.query(sent)[1]:
        told[call_id].append({"role": role, "content": content})
    requests = {
        call_id: json.loads(text) for call_id, text in catalog.query("SELECT call_id, request FROM calls")[1]
    }
    return Counter(
        request_digest(request["model"], told[call_id], request["params"])
        for call_id, request in requests.items()
    )


def test_the_key_is_nowhere(undisturbed: tuple[Path, list[LogLine], str]) -> None:
    root, _, out = undisturbed
    assert KEY not in out
    files = [path for path in root.rglob("*") if path.is_file()]
    assert any(path.name.startswith("ledger.sqlite") for path in files)
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
    catalog = open_catalog(Store(str(root)))
    for table in ("calls", "editions", "rejections"):
        assert KEY not in str(catalog.query(f"FROM {table}")[1])


@pytest.mark.parametrize(("unit", "calls"), [("models", 10), ("models@1", 50)])
def test_what_models_made_is_reproduced_from_its_stored_replies_without_a_server_or_a_key(
    harness: Harness, undisturbed: tuple[Path, list[LogLine], str], unit: str, calls: int
) -> None:
    root, _, _ = undisturbed
    before = {path: path.read_bytes() for path in root.rglob("*.parquet")}
    done = harness.perennial("reproduce", unit, "--root", str(root), "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["same"]
    tables = {table["table"]: table for table in told["tables"]}
    assert all(table["same_bytes"] for table in tables.values() if not table["clock_columns"])
    assert tables["calls"]["published"] == tables["calls"]["rebuilt"] > calls
    assert {path: path.read_bytes() for path in root.rglob("*.parquet")} == before

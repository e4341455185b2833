"""`perennial editions prune`: shown first, and nothing that is published is touched."""

import asyncio
import hashlib
import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perennial.flows.refresh.plan import prepare_refresh
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.catalog.confinement import row_file, table_file
from perennial.warehouse.catalog.later_statistics import as_statistics, keep_analysis
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.lock import lock_root
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import REFRESH, settings_of
from tests.flows.hand_made_root import Run, publish_day
from tests.flows.prefect_harness import Harness
from tests.warehouse import tiny_edition
from tests.warehouse.lock_holding import holding

FOLDERS = ("staging", "tables", "manifests", "analyses")
PAST = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def _hashes(store: Store, *folders: str) -> dict[Path, str]:
    files = (path for folder in folders for path in Path(store.root, folder).rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _stage(store: Store, edition: str, batches: int) -> None:
    """Begin the edition as a refresh does, with its evaluation's plan, and stage so many of its batches."""
    plan = tiny_edition.plan(edition)
    staging = Staging(store, edition)
    Staging(store, plan.evaluation.unit).write_plan(plan.evaluation)
    staging.write_plan(plan.growth)
    for number in range(batches):
        staging.write_batch(f"b{number}", {"kumo_domains": tiny_edition.rows()["kumo_domains"]})


def _pay_for_a_call(store: Store, edition: str) -> None:
    request = ModelRequest("player", "m", ({"role": "user", "content": "?"},), {}, "t", "tpl_1")
    reply = Reply(request.call_id, "ok", "yes", cost_usd=0.25)

    async def keep(ledger: CallLedger) -> None:
        await ledger.store(request, reply)

    with CallLedger(ledger_file(store.root), edition, "http://127.0.0.1/v1") as ledger:
        asyncio.run(keep(ledger))


def _cut_off_publish(store: Store, edition: str) -> None:
    publish_day(store, edition, 3)
    _lose_row(store, edition)
    _lose_row(store, f"{edition}@1")


def _lose_row(store: Store, unit: str) -> None:
    Path(store.root, row_file(unit)).unlink()


def _analyse(store: Store, edition: str, name: str) -> None:
    statistics = as_statistics(edition, [tiny_edition.statistic(name, 1.0)])
    keep_analysis(store, edition, [f"{edition}@1"], statistics)


def _age(path: Path) -> None:
    os.utime(path, (PAST, PAST))


def _leave_over(store: Store) -> None:
    """Leave over one of everything: e1 and e2 published, e3 and e4 staged, e4's publish cut off."""
    _stage(store, "e3", batches=3)
    _stage(store, "e2", batches=1)
    _pay_for_a_call(store, "e3")
    _stage(store, "e4", batches=2)
    _cut_off_publish(store, "e4")
    _analyse(store, "e4", "lost")
    for name in ("first", "second"):
        _analyse(store, "e1", name)
    root = Path(store.root)
    draft = root / table_file("kumo_books", "e1").replace("part-0.parquet", ".0123456789abcdef.draft")
    draft.write_bytes(b"cut off")
    for old in (draft, *root.glob("analyses/statistics/edition=e1/*")):
        _age(old)


@pytest.mark.slow
def test_pruning_shows_everything_that_is_left_over_and_removes_nothing(run: Run, store: Store) -> None:
    _leave_over(store)
    before = _hashes(store, *FOLDERS)
    shown = run("editions", "prune", "--format", "json")
    assert shown.code == 0, shown.err
    assert "nothing was removed: give --yes" in shown.err
    assert _hashes(store, *FOLDERS) == before
    found = {(row["what"], row["edition"]): row for row in json.loads(shown.out)}
    assert found.keys() == {
        *(("work in progress", unit) for unit in ("e2", "e2@1", "e3", "e3@1", "e4", "e4@1")),
        ("tables without a row", "e4"),
        ("tables without a row", "e4@1"),
        ("manifest without a row", "e4"),
        ("manifest without a row", "e4@1"),
        ("analyses without an edition", "e4"),
        ("superseded table", "e1"),
        ("unfinished draft", "e1"),
    }
    staged = found["work in progress", "e3"]
    assert (staged["batches"], staged["files"], staged["published"]) == (3, 7, False)
    assert (staged["paid_calls"], staged["known_cost_usd"]) == (1, 0.25)
    assert staged["bytes"] == sum(
        path.stat().st_size for path in Path(store.root, "staging/e3").rglob("*") if path.is_file()
    )
    published = found["work in progress", "e2"]
    assert (published["batches"], published["published"], published["paid_calls"]) == (1, True, 0)


@pytest.mark.slow
def test_pruning_removes_what_was_shown_and_nothing_that_is_published(run: Run, store: Store) -> None:
    published = _hashes(store, "tables", "manifests")
    _leave_over(store)
    paid_for = Path(store.root, "ledger.sqlite").read_bytes()
    shown = run("editions", "prune", "--yes")
    assert shown.code == 0, shown.err
    assert shown.out.count("removed ") == 13
    assert _hashes(store, "tables", "manifests") == published
    assert list(_hashes(store, "staging")) == []
    assert {path.parent.name for path in _hashes(store, "analyses")} == {"edition=e1", "edition=e2"}
    assert len(_hashes(store, "analyses")) == 2
    assert Path(store.root, "ledger.sqlite").read_bytes() == paid_for
    assert published_editions(store) == ("e1", "e2")
    for unit in ("e1", "e1@1", "e2", "e2@1"):
        assert run("verify", unit).code == 0
    assert "nothing to remove" in run("editions", "prune", "--yes").out


@pytest.mark.slow
def test_pruning_one_edition_leaves_the_others(run: Run, store: Store) -> None:
    _leave_over(store)
    before = _hashes(store, *FOLDERS)
    assert run("editions", "prune", "e3", "--yes").code == 0
    gone = before.keys() - _hashes(store, *FOLDERS).keys()
    assert gone == {path for path in before if {"e3", "e3@1"} & set(path.parts)}
    assert run("editions", "prune", "e2", "--yes").code == 0
    gone = before.keys() - _hashes(store, *FOLDERS).keys() - gone
    assert gone == {path for path in before if "e2" in path.parts}


def test_a_fresh_draft_and_a_fresh_analysis_are_left_to_who_uses_them(run: Run, store: Store) -> None:
    draft = Path(store.root, "tables/kumo_books/edition=e1/.0123456789abcdef.draft")
    draft.write_bytes(b"being written")
    for name in ("first", "second"):
        _analyse(store, "e1", name)
    before = _hashes(store, *FOLDERS)
    assert "nothing to remove" in run("editions", "prune", "--yes").out
    assert _hashes(store, *FOLDERS) == before


@pytest.mark.slow
def test_pruning_waits_for_nobody_and_breaks_no_lock(run: Run, store: Store) -> None:
    _stage(store, "e3", batches=1)
    before = _hashes(store, "staging")
    with holding(store.root, "refresh e3") as holder:
        shown = run("editions", "prune", "--yes")
        holder.go()
        assert holder.line() == "released"
    assert shown.code == 9
    assert "refresh e3" in shown.err
    assert _hashes(store, "staging") == before
    with lock_root(store, "a test"):
        pass


@pytest.mark.slow
def test_what_changes_between_showing_and_removing_is_left(
    run: Run, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stage(store, "e3", batches=1)
    _stage(store, "e5", batches=1)

    def agree_late(_question: str) -> bool:
        _stage(store, "e3", batches=2)
        return True

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", agree_late)
    shown = run("editions", "prune")
    assert shown.code == 0, shown.err
    assert "left as it is, as it changed meanwhile: work in progress of e3" in shown.out
    assert Staging(store, "e3").is_done("b1")
    assert store.names("staging") == ["e3", "e3@1"]


@pytest.mark.slow
def test_saying_no_removes_nothing(run: Run, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _stage(store, "e3", batches=1)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda _question: False)
    assert "nothing was removed" in run("editions", "prune").out
    assert Staging(store, "e3").is_done("b0")


@pytest.mark.slow
def test_what_lost_its_row_is_pruned_only_by_name(run: Run, store: Store) -> None:
    before = _hashes(store, *FOLDERS)
    publish_day(store, "e4", 3)
    for unit in ("e4@1", "e4"):
        _lose_row(store, unit)
        left = _hashes(store, *FOLDERS)
        shown = run("editions", "prune", "--yes")
        assert "nothing to remove" in shown.out
        assert f"warning: {unit} has a manifest but no row" in shown.err
        assert run("verify", unit).code == 8
        assert _hashes(store, *FOLDERS) == left
    assert run("editions", "prune", "e4", "--yes").code == 0
    assert _hashes(store, *FOLDERS) == before


@pytest.mark.slow
def test_a_published_evaluation_stays_where_its_editions_row_is_lost(run: Run, store: Store) -> None:
    publish_day(store, "e4", 3)
    of_evaluation = {path for path in _hashes(store, *FOLDERS) if path.match("*edition=e4/1.parquet")}
    _lose_row(store, "e4")
    assert run("editions", "prune", "e4", "--yes").code == 0
    assert of_evaluation <= _hashes(store, *FOLDERS).keys()
    assert run("verify", "e4@1").code == 0


@pytest.mark.slow
def test_a_refresh_after_its_staging_was_removed_has_the_players_it_asks_for(
    harness: Harness, tmp_path: Path
) -> None:
    settings = settings_of(tmp_path, players=["random"])
    plan = prepare_refresh(settings, Store(settings.root)).plan
    for part in (plan.evaluation, plan.growth):
        Staging(Store(settings.root), part.unit).write_plan(part)
    shutil.rmtree(tmp_path / "staging" / plan.edition)
    done = harness.perennial(*REFRESH, "--root", settings.root, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {row["player"] for row in json.loads(done.stdout)["leaderboard"]} == {"algorithm-3"}

"""What goes wrong around a refresh: a full disk, a read-only root, damaged or deleted data, a clock set back.

Each is detected and told in one line with its remedy; nothing is published, and what was published before
stays as it was, byte for byte.
"""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.console.clock import refuse_clock_set_back
from flows.refresh.plan import prepare_refresh
from flows.refresh.publish import audit_and_publish
from flows.stages.completeness import require_complete
from flows.stages.grow import Work
from flows.stages.workspace import open_workspace
from schemas.errors import Damaged, EditionConflict, PerennialError
from tests.flows.grown_root import (
    REFRESH,
    cut,
    digests,
    flip,
    grow_next,
    published_digests,
    settings_of,
)
from tests.flows.mounted import require_mounts, run_mounted
from tests.flows.prefect_harness import Harness
from tests.flows.report_root import publish_without_models
from tests.server.options import ServerOptions
from tests.server.running import running_server
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish
from warehouse.catalog.catalog import published_editions, table_file
from warehouse.staging.staging import Rows, Staging
from warehouse.store.store import Store

pytestmark = pytest.mark.slow

SAMPLE = ("--config", "chemical_analysis", "--truths", "4", "--actions", "6", "--count", "1")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with a published edition."""
    root = tmp_path_factory.mktemp("base")
    publish_without_models(root)
    return root


@pytest.fixture(scope="module")
def whole(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same root with all of edition `next` staged."""
    root = tmp_path_factory.mktemp("whole") / "root"
    shutil.copytree(base, root)
    grow_next(settings_of(root))
    return root


@pytest.fixture
def staged(whole: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    return Path(shutil.copytree(whole, tmp_path / "root"))


def _refused(done: "subprocess.CompletedProcess[str]", code: int) -> str:
    """Return the one line that the command printed of the error."""
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    line, *rest = [line for line in done.stderr.splitlines() if line.startswith("perennial: error: ")]
    assert rest == []
    return line


# Deleted, cut off, altered: in this process, through the functions that Prefect runs.


def _part(root: Path, table: str) -> Path:
    return next((root / "staging/next" / table).glob("*.parquet"))


def _mark_of(root: Path, stage: str) -> Path:
    workspace = open_workspace(str(root), "next")
    batch = next(s for s in workspace.stages if s.name == stage).batches(workspace)[0]
    return root / "staging/next/done" / f"{workspace.key(batch)}.json"


def _foreign_batch(root: Path) -> None:
    Staging(Store(str(root)), "next").write_batch(
        "other", {"kumo_domains": tiny_edition.rows()["kumo_domains"]}
    )


DAMAGE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a part cut off": (
        lambda root: cut(_part(root, "turns")),
        r"staging/next/turns/.*\.parquet is truncated",
    ),
    "a part altered": (
        lambda root: flip(_part(root, "kumo_books")),
        r"staging/next/kumo_books/.*\.parquet was altered",
    ),
    "a part deleted": (
        lambda root: _part(root, "episodes").unlink(),
        r"next/episodes/.*\.parquet is missing",
    ),
    "a table deleted": (
        lambda root: shutil.rmtree(root / "staging/next/kumo_outcomes"),
        r"outcomes/.*is missing",
    ),
    "a mark deleted": (
        lambda root: _mark_of(root, "episodes").unlink(),
        r"1 of the \d+ batches of edition 'next' are not in .*: episodes cfg_\w+ easy 0 oracle",
    ),
    "a mark cut off": (lambda root: cut(_mark_of(root, "books")), r"done/\w+\.json cannot be read"),
    "all marks deleted": (lambda root: shutil.rmtree(root / "staging/next/done"), r"(\d+) of the \1 batches"),
    "a plan cut off": (lambda root: cut(root / "staging/next/plan.json"), r"plan\.json cannot be read"),
    "a plan altered": (
        lambda root: (root / "staging/next/plan.json").write_text(
            (root / "staging/next/plan.json").read_text().replace('"runs": 5', '"runs": 6')
        ),
        r"plan\.json was altered",
    ),
    "a foreign batch": (_foreign_batch, r"holds 1 batches that the plan .* does not ask for, such as other"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_was_damaged_in_staging_is_neverpublished_digests(staged: Path, name: str) -> None:
    spoil, told = DAMAGE[name]
    before = published_digests(staged)
    spoil(staged)
    with pytest.raises(Damaged, match=told) as caught:
        audit_and_publish(str(staged), "next")
    line = str(caught.value)
    assert str(staged / "staging/next") in line
    assert "perennial editions --prune-staging next" in line
    assert "\n" not in line
    assert published_digests(staged) == before


def test_a_truncated_part_stops_the_stage_that_reads_it(staged: Path) -> None:
    cut(_part(staged, "kumo_books"))
    mark = _mark_of(staged, "episodes")
    mark.unlink()
    before = published_digests(staged)
    with pytest.raises(
        Damaged, match=r"kumo_books/\w+\.parquet is truncated: [\d,]+ of [\d,]+ bytes"
    ) as caught:
        grow_next(settings_of(staged))
    assert "perennial editions --prune-staging next" in str(caught.value)
    assert not mark.exists()
    assert published_digests(staged) == before


@pytest.mark.parametrize("table", ["kumo_instances", "statistics"])
def test_a_staging_folder_that_is_deleted_under_a_batch_which_makes_a_part_of_it_anew_is_noticed(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    root = Path(shutil.copytree(base, tmp_path / "root"))
    before = published_digests(root)
    write = Staging.write_batch

    def delete_then_write(staging: Staging, key: str, tables: Mapping[str, Rows]) -> dict[str, int]:
        if table in tables:
            shutil.rmtree(root / "staging/next")
        return write(staging, key, tables)

    def grow_and_publish() -> None:
        grow_next(settings_of(root))
        audit_and_publish(str(root), "next")

    monkeypatch.setattr(Staging, "write_batch", delete_then_write)
    with pytest.raises(PerennialError, match="nothing is staged for edition 'next'") as caught:
        grow_and_publish()
    assert (root / "staging/next/done").exists()
    assert "perennial refresh" in str(caught.value)
    assert published_digests(root) == before


def test_a_staging_folder_that_is_deleted_while_it_is_published_is_noticed(
    staged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = published_digests(staged)
    keys = Staging.done_keys

    def delete_then_list(staging: Staging) -> list[str]:
        shutil.rmtree(staged / "staging/next", ignore_errors=True)
        return keys(staging)

    monkeypatch.setattr(Staging, "done_keys", delete_then_list)
    with pytest.raises((PerennialError, OSError)):
        audit_and_publish(str(staged), "next")
    assert published_digests(staged) == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("table", ["episodes", "audits"])
def test_a_disk_that_fails_while_publishing_leaves_no_edition_and_no_draft(
    staged: Path, monkeypatch: pytest.MonkeyPatch, table: str, number: int
) -> None:
    """The fault is injected where a draft takes the place of the file: no mount is needed for that."""
    before = published_digests(staged)
    replace = os.replace

    def refuse(source: str, target: str) -> None:
        if f"tables/{table}/edition=next" in target:
            raise OSError(number, os.strerror(number))
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match=os.strerror(number)) as caught:
        publish_staged(staged)
    assert str(caught.value.filename).endswith(table_file(table, "next"))
    monkeypatch.undo()
    assert published_editions(Store(str(staged))) == ("plain",)
    assert {name: digest for name, digest in published_digests(staged).items() if name in before} == before
    assert list(staged.rglob("*.draft")) == []


def publish_staged(root: Path) -> None:
    """Publish what is staged without its audit, which has been tested often enough."""
    store = Store(str(root))
    staging = Staging(store, "next")
    plan = staging.read_plan()
    assert plan is not None
    tables = {name: staging.read_all(name) for name in ("episodes", "kumo_books", "turns")}
    publish(store, plan, tables, [], datetime.now(UTC))


# The clock.


def test_a_clock_is_refused_from_five_minutes_before_the_latest_edition_on(base: Path) -> None:
    store, at = Store(str(base)), datetime(2026, 1, 1, tzinfo=UTC)
    refuse_clock_set_back(store, at + timedelta(days=1))
    refuse_clock_set_back(store, at - timedelta(minutes=5))
    with pytest.raises(EditionConflict) as caught:
        refuse_clock_set_back(store, at - timedelta(minutes=5, seconds=1))
    line = str(caught.value)
    assert "2025-12-31 23:54:59 UTC" in line
    assert "2026-01-01 00:00:00 UTC" in line
    assert "'plain'" in line
    refuse_clock_set_back(Store(str(base / "nothing")), at)


def test_a_clock_that_was_set_back_stops_a_refresh_before_it_begins_and_one_before_it_publishes(
    staged: Path, harness: Harness
) -> None:
    ahead = datetime.now(UTC) + timedelta(days=2)
    publish(Store(str(staged)), tiny_edition.plan("ahead"), tiny_edition.tables(), [], ahead)
    before = digests(staged)
    done = harness.perennial(*REFRESH, "--root", str(staged), cwd=staged)
    line = _refused(done, EditionConflict.exit_code)
    assert "'ahead'" in line
    assert f"{ahead:%Y-%m-%d %H:%M:%S} UTC" in line
    assert "set the clock" in line
    with pytest.raises(EditionConflict, match="set the clock"):
        audit_and_publish(str(staged), "next")
    assert digests(staged) == before


# The ledger.


def test_a_reply_that_was_altered_in_the_ledger_stops_the_batch_that_would_use_it(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(shutil.copytree(base, tmp_path / "root"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PERENNIAL_API_KEY", raising=False)
    with running_server(ServerOptions()) as server:
        settings = settings_of(root, players=["scripted"], runs=1, base_url=server.url)
        policies = grow_next(settings)
        workspace = open_workspace(str(root), "next")
        (batch,) = next(s for s in workspace.stages if s.name == "episodes").batches(workspace)
        Path(root / "staging/next/done" / f"{workspace.key(batch)}.json").unlink()
        answered = server.status().answered
        call_id = _alter_a_reply(root / "ledger.sqlite")
        before = published_digests(root)
        with pytest.raises(Damaged, match=rf"ledger\.sqlite: call {call_id} is damaged"):
            Work(str(root), "next", (batch,), policies).run()
        assert server.status().answered == answered
    assert published_digests(root) == before


def _alter_a_reply(ledger: Path) -> str:
    """Flip a byte of the longest reply where it lies in the file; return its call's id."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(ledger)) as connection:
        query = "SELECT call_id, content FROM calls ORDER BY length(content) DESC, call_id LIMIT 1"
        call_id, content = connection.execute(query).fetchone()
    whole = ledger.read_bytes()
    place = whole.index(content.encode())
    ledger.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    return str(call_id)


# Real processes.


def test_a_published_file_that_was_cut_off_is_told_in_one_line_by_every_reader(
    base: Path, harness: Harness, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(base, tmp_path / "root"))
    cut(root / table_file("kumo_domains", "plain"))
    cut(root / table_file("instances", "plain"))
    before = digests(root)
    for command in (("editions",), ("sample", *SAMPLE, "--out", str(tmp_path / "out.jsonl"))):
        line = _refused(harness.perennial(*command, "--root", str(root), cwd=tmp_path), Damaged.exit_code)
        assert "cannot be read" in line
        assert "`perennial doctor` names" in line
    assert digests(root) == before


def test_a_full_disk_is_told_and_what_is_staged_is_gone_on_with_when_there_is_room(
    base: Path, harness: Harness, tmp_path: Path
) -> None:
    require_mounts()
    disk = tmp_path / "disk"
    disk.mkdir()
    used = sum(-(-path.stat().st_size // 4096) * 4 for path in base.rglob("*") if path.is_file())
    mount = f"mount -t tmpfs -o size={used + 48}k tmpfs {disk} && cp -a {base}/. {disk}"
    kept = f"cp -a {disk}/. {tmp_path}/kept"
    done = run_mounted(mount, (*REFRESH, "--root", str(disk)), harness.environment, tmp_path, after=kept)
    line = _refused(done, 2)
    assert f"{disk}/" in line
    assert "the disk is full: free some space" in line
    kept_root = tmp_path / "kept"
    assert published_digests(kept_root) == published_digests(base)
    assert list(kept_root.rglob("*.draft")) == []
    assert prepare_refresh(settings_of(kept_root), Store(str(kept_root))).resumed
    grow_next(settings_of(kept_root))
    require_complete(open_workspace(str(kept_root), "next"))


def test_a_read_only_root_is_told_before_any_work(base: Path, harness: Harness, tmp_path: Path) -> None:
    require_mounts()
    root = Path(shutil.copytree(base, tmp_path / "root"))
    before = digests(root)
    mount = f"mount --bind {root} {root} && mount -o remount,ro,bind {root}"
    done = run_mounted(mount, (*REFRESH, "--root", str(root)), harness.environment, tmp_path)
    line = _refused(done, 2)
    assert str(root) in line
    assert "ead-only file system" in line
    assert digests(root) == before

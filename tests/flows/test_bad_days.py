"""What goes wrong around a refresh: a full disk, damaged or deleted data, a clock set back.

Each is detected and told in one line with its remedy; nothing is published, and what was published before
stays as it was, byte for byte.
"""

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.console.input_files import refuse_clock_set_back
from perennial.flows.refresh.plan import prepare_refresh
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.stages.grow import Work, require_complete, stages_of
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import Damaged, EditionConflict, PerennialError
from perennial.schemas.rows import Rows
from perennial.schemas.units import describe_unit
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions import publish as publishing
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import (
    ANSWERS,
    REFRESH,
    cut,
    digests,
    flip,
    grow_answers,
    grow_next,
    published_digests,
    settings_of,
)
from tests.flows.mounted import require_mounts, run_mounted
from tests.flows.plain_audit import PLAIN_PROGRAM
from tests.flows.prefect_harness import Harness, clean_environment
from tests.flows.report_root import publish_without_models
from tests.server.options import ServerOptions
from tests.server.running import running_server
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish, staged_rows

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


@pytest.fixture(scope="module")
def whole_answers(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same root with edition `next` published and all of its first evaluation staged."""
    root = tmp_path_factory.mktemp("answers") / "root"
    shutil.copytree(whole, root)
    grow_answers(settings_of(root))
    return root


@pytest.fixture
def staged(whole: Path, tmp_path: Path) -> Path:
    """A copy of the root with the staged edition, to damage."""
    return Path(shutil.copytree(whole, tmp_path / "root"))


@pytest.fixture
def staged_answers(whole_answers: Path, tmp_path: Path) -> Path:
    """A copy of the root with the staged evaluation, to damage."""
    return Path(shutil.copytree(whole_answers, tmp_path / "answers"))


def _root_of(unit: str, request: pytest.FixtureRequest) -> Path:
    """Return a copy of the root in which this edition or evaluation is staged."""
    return Path(request.getfixturevalue("staged_answers" if unit == ANSWERS else "staged"))


def _refuse(done: "subprocess.CompletedProcess[str]", code: int) -> str:
    """Return the one line that the command printed of the error."""
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    line, *rest = [line for line in done.stderr.splitlines() if line.startswith("perennial: error: ")]
    assert rest == []
    return line


# Deleted, cut off, altered: in this process, through the functions that Prefect runs.


def _part(root: Path, unit: str, table: str) -> Path:
    return next((root / "staging" / unit / table).glob("*.parquet"))


def _batch_of(root: Path, unit: str, stage: str) -> Batch:
    workspace = open_workspace(str(root), unit)
    (named,) = (one for one in stages_of(unit, workspace.plan.benchmark) if one.name == stage)
    return named.batches(workspace)[0]


def _mark_of(root: Path, unit: str, stage: str) -> Path:
    key = open_workspace(str(root), unit).key(_batch_of(root, unit, stage))
    return root / "staging" / unit / "done" / f"{key}.json"


def _change_plan(root: Path, unit: str, old: str, new: str) -> None:
    plan = root / "staging" / unit / "plan.json"
    assert old in plan.read_text()
    plan.write_text(plan.read_text().replace(old, new))


def _foreign_batch(root: Path, unit: str) -> None:
    Staging(Store(str(root)), unit).write_batch(
        "other", {"kumo_domains": tiny_edition.rows()["kumo_domains"]}
    )


# What is staged, what is done to it, and what tells of that.
DAMAGE: dict[str, tuple[str, Callable[[Path, str], Any], str]] = {
    "a part cut off": (
        ANSWERS,
        lambda root, unit: cut(_part(root, unit, "turns")),
        r"staging/next@1/turns/.*\.parquet is truncated",
    ),
    "a part altered": (
        "next",
        lambda root, unit: flip(_part(root, unit, "kumo_books")),
        r"staging/next/kumo_books/.*\.parquet was altered",
    ),
    "a part deleted": (
        ANSWERS,
        lambda root, unit: _part(root, unit, "episodes").unlink(),
        r"next@1/episodes/.*\.parquet is missing",
    ),
    "a table deleted": (
        "next",
        lambda root, unit: shutil.rmtree(root / "staging" / unit / "kumo_outcomes"),
        r"outcomes/.*is missing",
    ),
    "a mark of questions deleted": (
        "next",
        lambda root, unit: _mark_of(root, unit, "books").unlink(),
        r"1 of the \d+ batches of edition 'next' are not in .*: books 0 easy 0",
    ),
    "a mark of answers deleted": (
        ANSWERS,
        lambda root, unit: _mark_of(root, unit, "episodes").unlink(),
        r"1 of the \d+ batches of evaluation 'next@1' are not in .*: episodes 0 algorithm-3",
    ),
    "a mark cut off": (
        "next",
        lambda root, unit: cut(_mark_of(root, unit, "books")),
        r"done/\w+\.json cannot be read",
    ),
    "all marks of questions deleted": (
        "next",
        lambda root, unit: shutil.rmtree(root / "staging" / unit / "done"),
        r"(\d+) of the \1 batches",
    ),
    "all marks of answers deleted": (
        ANSWERS,
        lambda root, unit: shutil.rmtree(root / "staging" / unit / "done"),
        r"(\d+) of the \1 batches",
    ),
    "a plan cut off": (
        "next",
        lambda root, unit: cut(root / "staging" / unit / "plan.json"),
        r"plan\.json cannot be read",
    ),
    "an edition's plan altered": (
        "next",
        lambda root, unit: _change_plan(root, unit, '"instances": 2', '"instances": 1'),
        r"plan\.json was altered",
    ),
    "an evaluation's plan altered": (
        ANSWERS,
        lambda root, unit: _change_plan(root, unit, '"runs": 1', '"runs": 6'),
        r"plan\.json was altered",
    ),
    "a foreign batch": (
        "next",
        _foreign_batch,
        r"holds 1 batches that the plan .* does not ask for, such as other",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_was_damaged_in_staging_is_never_published(name: str, request: pytest.FixtureRequest) -> None:
    unit, spoil, told = DAMAGE[name]
    root = _root_of(unit, request)
    before = published_digests(root)
    spoil(root, unit)
    with pytest.raises(Damaged, match=told) as caught:
        audit_and_publish(str(root), unit)
    line = str(caught.value)
    assert str(root / "staging" / unit) in line
    assert f"perennial editions prune {unit}" in line
    assert "\n" not in line
    assert published_digests(root) == before


def test_a_truncated_part_stops_the_stage_that_reads_it(staged: Path) -> None:
    cut(_part(staged, "next", "kumo_books"))
    mark = _mark_of(staged, "next", "gate")
    mark.unlink()
    before = published_digests(staged)
    with pytest.raises(
        Damaged, match=r"kumo_books/\w+\.parquet is truncated: [\d,]+ of [\d,]+ bytes"
    ) as caught:
        grow_next(settings_of(staged))
    assert "perennial editions prune next" in str(caught.value)
    assert not mark.exists()
    assert published_digests(staged) == before


@pytest.mark.parametrize(
    ("unit", "table"), [("next", "kumo_instances"), ("next", "audits"), (ANSWERS, "episodes")]
)
def test_a_staging_folder_that_is_deleted_under_a_batch_which_makes_a_part_of_it_again_is_noticed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, unit: str, table: str
) -> None:
    root = _root_of(unit, request)
    shutil.rmtree(root / "staging" / unit)
    before = published_digests(root)
    write = Staging.write_batch

    def delete_then_write(staging: Staging, key: str, tables: Mapping[str, Rows]) -> dict[str, int]:
        if table in tables:
            shutil.rmtree(root / "staging" / unit)
        return write(staging, key, tables)

    def grow_and_publish() -> None:
        (grow_answers if unit == ANSWERS else grow_next)(settings_of(root))
        audit_and_publish(str(root), unit)

    monkeypatch.setattr(Staging, "write_batch", delete_then_write)
    with pytest.raises(PerennialError, match=f"nothing is staged for {describe_unit(unit)}") as caught:
        grow_and_publish()
    assert (root / "staging" / unit / "done").exists()
    assert "perennial refresh" in str(caught.value)
    assert published_digests(root) == before


@pytest.mark.parametrize("unit", ["next", ANSWERS])
def test_a_staging_folder_that_is_deleted_while_it_is_published_is_noticed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, unit: str
) -> None:
    root = _root_of(unit, request)
    before = published_digests(root)
    keys = Staging.done_keys

    def delete_then_list(staging: Staging) -> list[str]:
        shutil.rmtree(root / "staging" / unit, ignore_errors=True)
        return keys(staging)

    monkeypatch.setattr(Staging, "done_keys", delete_then_list)
    with pytest.raises((PerennialError, OSError)):
        audit_and_publish(str(root), unit)
    assert published_digests(root) == before


@pytest.mark.parametrize(
    ("unit", "table", "number"),
    [
        ("next", "kumo_books", errno.ENOSPC),
        ("next", "instances", errno.EROFS),
        (ANSWERS, "episodes", errno.EDQUOT),
        (ANSWERS, "turns", errno.EIO),
    ],
)
def test_a_disk_that_fails_while_publishing_leaves_nothing_published_and_no_draft(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, unit: str, table: str, number: int
) -> None:
    """The fault is injected where a draft takes the place of the file: no mount is needed for that."""
    root = _root_of(unit, request)
    before, units = published_digests(root), published_units(Store(str(root)))
    replace = os.replace

    def refuse(source: str, target: str) -> None:
        if f"tables/{table}/edition=next" in target:
            raise OSError(number, os.strerror(number))
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match=os.strerror(number)) as caught:
        publish_staged(root, unit)
    assert str(caught.value.filename).endswith(table_file(table, unit))
    monkeypatch.undo()
    assert published_units(Store(str(root))) == units
    assert unit not in units
    assert {name: digest for name, digest in published_digests(root).items() if name in before} == before
    assert list(root.rglob("*.draft")) == []


def publish_staged(root: Path, unit: str) -> None:
    """Publish what is staged without its audit, which has been tested often enough."""
    staging = Staging(Store(str(root)), unit)
    names = ("episodes", "turns") if unit == ANSWERS else ("kumo_books", "instances")
    tables = {name: staged_rows(staging, name) for name in names}
    publishing.publish(staging.store, staging.require_plan(), tables, [], datetime.now(UTC))


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
    assert "'plain@1'" in line
    refuse_clock_set_back(Store(str(base / "nothing")), at)


def test_a_clock_that_was_set_back_stops_a_refresh_before_it_begins_and_one_before_it_publishes(
    staged: Path, harness: Harness
) -> None:
    ahead = datetime.now(UTC) + timedelta(days=2)
    publish(Store(str(staged)), tiny_edition.plan("ahead"), tiny_edition.tables(), [], ahead)
    before = digests(staged)
    done = harness.perennial(*REFRESH, "--root", str(staged), cwd=staged)
    line = _refuse(done, EditionConflict.exit_code)
    assert "'ahead@1'" in line
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
        policies = grow_answers(settings)
        batch = _batch_of(root, ANSWERS, "episodes")
        _mark_of(root, ANSWERS, "episodes").unlink()
        answered = server.status().answered
        call_id = _alter_a_reply(root / "ledger.sqlite")
        before = published_digests(root)
        with pytest.raises(Damaged, match=rf"ledger\.sqlite: call {call_id} is damaged"):
            Work(str(root), ANSWERS, (batch,), policies).run()
        assert server.status().answered == answered
    assert published_digests(root) == before


def _alter_a_reply(ledger: Path) -> str:
    """Flip a byte of the longest reply where it lies in the file; return its call's id."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(ledger)) as connection:
        # The last of an episode: earlier ones stand in the messages of the next call, too.
        query = (
            "SELECT call_id, content FROM calls WHERE content NOT IN (SELECT content FROM messages) "
            "ORDER BY length(content) DESC, call_id LIMIT 1"
        )
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
    # What reads by SQL names edition and file; what reads a file itself refers to doctor, which does.
    for command, remedy in (
        (("editions", "list"), "edition 'plain': .* is damaged .*`perennial verify plain` lists"),
        (
            ("domains", "sample", *SAMPLE, "--out", str(tmp_path / "out.jsonl")),
            "cannot be read.*`perennial doctor` names",
        ),
    ):
        line = _refuse(harness.perennial(*command, "--root", str(root), cwd=tmp_path), Damaged.exit_code)
        assert re.search(remedy, line)
    assert digests(root) == before


def test_a_full_disk_is_told_and_what_is_staged_is_gone_on_with_when_there_is_room(
    base: Path, tmp_path: Path
) -> None:
    require_mounts()
    disk = tmp_path / "disk"
    disk.mkdir()
    used = sum(-(-path.stat().st_size // 4096) * 4 for path in base.rglob("*") if path.is_file())
    mount = f"mount -t tmpfs -o size={used + 48}k tmpfs {disk} && cp -a {base}/. {disk}"
    kept = f"cp -a {disk}/. {tmp_path}/kept"
    command = (*REFRESH, "--root", str(disk))
    done = run_mounted(mount, command, clean_environment(), tmp_path, after=kept, program=PLAIN_PROGRAM)
    line = _refuse(done, 2)
    assert f"{disk}/" in line
    assert "the disk is full: free some space" in line
    kept_root = tmp_path / "kept"
    assert published_digests(kept_root) == published_digests(base)
    assert list(kept_root.rglob("*.draft")) == []
    assert prepare_refresh(settings_of(kept_root), Store(str(kept_root))).resumed
    grow_next(settings_of(kept_root))
    require_complete(open_workspace(str(kept_root), "next"))


# A full disk beside an own Prefect server, which is on the same disk.


def test_a_disk_without_room_for_prefect_is_named_before_any_work(tmp_path: Path) -> None:
    require_mounts()
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=3m tmpfs {disk}"
    done = run_mounted(mount, (*REFRESH, "--root", str(disk)), clean_environment(), tmp_path)
    line = _refuse(done, 2)
    assert f"{disk}/.prefect: the disk is full (" in line
    assert "needs 8 MB" in line
    assert "starting Prefect" not in done.stderr


def test_a_disk_that_gets_full_beside_prefect_ends_the_refresh_in_one_line_and_leaves_nothing_running(
    tmp_path: Path,
) -> None:
    require_mounts()
    disk = tmp_path / "disk"
    disk.mkdir()
    fill = f"until test -d {disk}/staging; do sleep 0.1; done; cat /dev/zero 2>&1 > {disk}/filler || true"
    full, ended, left = (tmp_path / name for name in ("full", "ended", "left"))
    mount = f"mount -t tmpfs -o size=24m tmpfs {disk}; ({fill}; date +%s.%N > {full}) & true"
    large = ("refresh", "--settings", "hard", "--instances", "9000", "--workers", "2", "--root", str(disk))
    # The server and the workers have Prefect's folder in their environment.
    after = f"date +%s.%N > {ended}; sleep 3; grep -lsa {disk}/.prefect /proc/[0-9]*/environ > {left}"
    done = run_mounted(mount, large, clean_environment(), tmp_path, after=after)
    line = _refuse(done, 2)
    assert f"{disk}" in line
    assert "the disk is full" in line
    # 20 s where nothing else runs; Prefect alone would go on for minutes.
    assert float(ended.read_text()) - float(full.read_text()) < 60
    assert left.read_text() == ""

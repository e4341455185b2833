"""Data roots for `perennial doctor`: a healthy one, and what may be wrong with it."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perennial.flows.run.code_version import code_version
from perennial.flows.stages.grow import progress_of
from perennial.flows.stages.workspace import open_workspace
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.schemas.rows import Rows
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.ledger.ledger import CallLedger
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.ledger.writer import LedgerEntry, LedgerWriter, entry
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store
from tests.flows.grown_root import cut, flip
from tests.flows.report_root import publish_two
from tests.warehouse import tiny_edition
from tests.warehouse.tiny_edition import publish

ANSWER = "It rains, as the flakes are grey."


def make_healthy(root: Path) -> None:
    """Publish two editions, keep a call in the ledger, and begin `begun` as a refresh does: two batches."""
    publish_two(root)
    _keep_a_call(root)
    staging = Staging(Store(str(root)), "begun")
    plan = tiny_edition.plan("begun")
    for of in (plan.evaluation, plan.growth):
        Staging(Store(str(root)), of.unit).write_plan(replace(of, code_version=code_version()))
    first, second, *_ = progress_of(open_workspace(str(root), "begun")).asked
    staging.write_batch(first, {"kumo_domains": tiny_edition.rows()["kumo_domains"]})
    staging.write_batch(second, {"kumo_books": tiny_edition.rows()["kumo_books"]})


def _keep_a_call(root: Path) -> None:
    asked = ModelRequest("player", "m", ({"role": "user", "content": "Go on."},), {}, "t", "h")
    with CallLedger(root / "ledger.sqlite", "new", "http://127.0.0.1/v1") as ledger:
        asyncio.run(ledger.store(asked, Reply(asked.call_id, "ok", ANSWER)))


def publish_tiny(store: Store, edition: str, created_at: datetime, episodes: Rows | None = None) -> None:
    """Publish the tiny edition, with other episodes if given, and keep its calls in the root's ledger."""
    tables = tiny_edition.tables({"episodes": list(episodes)} if episodes else {})
    publish(store, tiny_edition.plan(edition), tables, [], created_at)
    asyncio.run(_keep_tiny_calls(ledger_file(store.root)))


async def _keep_tiny_calls(path: Path) -> None:
    writer = LedgerWriter(path, "tiny", "http://127.0.0.1/v1")
    for row in tiny_edition.rows()["calls"]:
        asked = ModelRequest(row["role"], row["model"], (), {}, row["template"], row["template_hash"])
        made = entry(asked, Reply(asked.call_id, row["status"], row["reply"]))
        # Ids of that edition are names, where others are hashes of their requests.
        reply, cells = replace(made.reply, call_id=row["call_id"]), (row["call_id"], *made.cells[1:])
        await writer.store(LedgerEntry(reply, cells, made.messages))
    writer.close()


def _replace(file: Path, old: str, new: str) -> None:
    content = file.read_bytes()
    assert content.count(old.encode()) == 1
    file.write_bytes(content.replace(old.encode(), new.encode()))


def _publish_an_orphan(root: Path) -> None:
    """Publish an edition that no audit would let through: an episode of an instance that is not there."""
    store = Store(str(root))
    episodes = tiny_edition.rows()["episodes"]
    episodes[0]["instance_id"] = "ki_lost"
    publish_tiny(store, "orphan", datetime(2026, 1, 4, tzinfo=UTC), episodes)


def cut_a_part(root: Path) -> None:
    """Cut a staged part off."""
    cut(next((root / "staging/begun/kumo_books").iterdir()))


# What is done to the root, the check that fails by it, and what that tells.
DAMAGE: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "a published file with a flipped byte": (
        lambda root: flip(root / table_file("turns", "old@1")),
        "evaluation old@1",
        "tables/turns/edition=old/1.parquet",
    ),
    "a published file deleted": (
        lambda root: (root / table_file("kumo_books", "new")).unlink(),
        "edition new",
        "tables/kumo_books/edition=new/part-0.parquet: missing",
    ),
    "a reply altered in the ledger": (
        lambda root: _replace(root / "ledger.sqlite", ANSWER, ANSWER.replace("rains", "snows")),
        "ledger",
        "is not what was kept",
    ),
    "a page of the ledger overwritten": (
        lambda root: (root / "ledger.sqlite").write_bytes(
            (root / "ledger.sqlite").read_bytes()[:4096] + b"\xff" * 20480
        ),
        "ledger",
        "ledger.sqlite",
    ),
    "a truncated part": (cut_a_part, "staging begun", "is truncated: "),
    "an orphan": (
        _publish_an_orphan,
        "evaluation orphan@1",
        "episodes.instance_id: 1 rows refer to no row of instances, such as ki_lost",
    ),
    "a plan deleted": (
        lambda root: (root / "staging/begun/plan.json").unlink(),
        "staging begun",
        "has no plan.json",
    ),
    "a batch that no plan asks for": (
        lambda root: Staging(Store(str(root)), "begun").write_batch("other", {}),
        "staging begun",
        "batch other is not in the plan",
    ),
    "an edition's row altered": (
        lambda root: (root / table_file("editions", "old")).write_bytes(b"PAR1"),
        "edition old",
        "tables/editions/edition=old",
    ),
    "an analysis cut off": (
        lambda root: Store(str(root)).write_bytes("analyses/statistics/edition=new/part-0.parquet", b"PAR1"),
        "other files",
        "analyses/statistics/edition=new/part-0.parquet cannot be read",
    ),
}

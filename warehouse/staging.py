"""The work in progress of an edition."""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from perennial.schemas.errors import Damaged, EditionConflict, in_one_line
from perennial.schemas.game import USUAL, Episode
from perennial.schemas.ids import content_id
from perennial.schemas.json_text import read_json
from perennial.schemas.plan import Plan, RefreshPlan, plan_from_json
from perennial.schemas.rows import Row, Rows
from perennial.schemas.tables import TABLES
from perennial.schemas.units import describe_unit
from perennial.warehouse.store.parquet import parquet_bytes, parquet_table
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow


# The rows of the shared tables that every benchmark writes as an edition grows.


def question_row(
    instance_id: str,
    *,
    benchmark: str,
    domain: str,
    setting: str,
    seed: int | None,
    index: int,
    cluster: str = "",
    origin: str = "",
) -> dict[str, Any]:
    """The row of table `instances`; the id is a content id, a prefix and a hash of what is asked.

    `cluster`: what it was drawn together with, `origin`: what it shares with instances that would give it
    away; by default it stands alone.
    """
    return {
        "instance_id": instance_id,
        "benchmark": benchmark,
        "domain": domain,
        "setting": setting,
        "seed": seed,
        "index": index,
        "content_hash": instance_id.partition("_")[2],
        "cluster": cluster or instance_id,
        "origin": origin or instance_id,
    }


# Episodes and their turns as rows of the shared tables.


def episode_row(
    episode: Episode, episode_id: str, instance_id: str, seconds: float, version: str = USUAL
) -> Row:
    """Return the row of table `episodes`."""
    return {
        "episode_id": episode_id,
        "instance_id": instance_id,
        "player": episode.player,
        "run": episode.run,
        "version": None if version == USUAL else version,
        "status": episode.result.status,
        "success": episode.result.success,
        "score": episode.result.score,
        "turns": len(episode.turns),
        "tokens": episode.tokens,
        "cost_usd": episode.cost_usd,
        "seconds": seconds,
    }


def turn_rows(episode: Episode, episode_id: str) -> list[Row]:
    """Return the rows of table `turns`, a row per reply; what a call holds is not kept twice."""
    return [
        {
            "episode_id": episode_id,
            "turn": turn.number,
            "reply": None if turn.call_id else turn.reply,
            "feedback": turn.feedback,
            "call_id": turn.call_id,
        }
        for turn in episode.turns
    ]


# Staging: the work in progress of an edition or evaluation, batch by batch, under `staging/<name>/`.
#
# A batch's parts are written first and its mark under `done/` last. Only marked batches count, so that
# a crash between two parts leaves nothing half done. The mark keeps size and SHA-256 of each part, and a
# part that is no longer so is refused when it is read: a disk, or somebody, may have changed it since.

_PLAN_DIGEST = "digest"


@dataclass(frozen=True, slots=True)
class StagedPart:
    """What a batch's mark keeps of one part: its rows, size in bytes and SHA-256."""

    rows: int
    size: int
    sha256: str


@dataclass(frozen=True)
class Staging:
    """The staged batches of one edition or evaluation."""

    store: Store
    unit: str

    @property
    def folder(self) -> str:
        """The staging folder, relative to the data root."""
        return f"staging/{self.unit}"

    def write_plan(self, plan: Plan) -> None:
        """Keep the plan: the first thing that is staged."""
        values = plan.as_json()
        text = json.dumps({**values, _PLAN_DIGEST: content_id("plan", values)}, indent=1, ensure_ascii=False)
        self.store.write_bytes(f"{self.folder}/plan.json", text.encode())

    def read_plan(self) -> Plan | None:
        """Return the staged plan, or None where nothing is staged.

        Raises Damaged where the plan is not what was written, EditionConflict where it is of another version.
        """
        try:
            content = self.store.read_bytes(f"{self.folder}/plan.json")
        except FileNotFoundError:
            return None
        values = self._plan_values(content)
        try:
            return plan_from_json(self.unit, values)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EditionConflict(
                f"{self.store.location(self.folder)}/plan.json is not a plan of this version ({error}): "
                f"use another --edition, or remove that folder"
            ) from None

    def require_plan(self) -> Plan:
        """Return the staged plan; raise EditionConflict where nothing is staged, and as `read_plan`."""
        plan = self.read_plan()
        if plan is None:
            raise EditionConflict(
                f"nothing is staged for {describe_unit(self.unit)} in {self.store.root}: "
                "run `perennial refresh`"
            )
        return plan

    def is_done(self, key: str) -> bool:
        """Whether the batch is staged whole."""
        return self.store.exists(self._mark(key))

    def counts(self, key: str) -> dict[str, int]:
        """Return the rows of each table that the staged batch holds."""
        return {table: part.rows for table, part in self.parts(key).items()}

    def parts(self, key: str) -> dict[str, StagedPart]:
        """Return what the mark of the staged batch keeps of its part of each table.

        Raises Damaged where there is no mark, or none that can be read.
        """
        name = self._mark(key)
        try:
            mark = read_json(self.store.read_bytes(name))
            return {table: StagedPart(**value) for table, value in mark.items()}
        except FileNotFoundError:
            raise self._make_damaged(name, "is missing") from None
        except (ValueError, TypeError, AttributeError):
            raise self._make_damaged(name, "cannot be read, as it was cut off or altered") from None

    def write_batch(self, key: str, tables: Mapping[str, Rows]) -> dict[str, int]:
        """Stage the rows of a batch, all or none, and return the rows of each table."""
        import pyarrow as pa

        mark = {}
        for name, rows in tables.items():
            if rows:
                _refuse_other_columns(name, rows)
                content = parquet_bytes(pa.Table.from_pylist(rows, schema=TABLES[name].arrow_schema()))
                self.store.write_bytes(self.part_file(name, key), content)
                mark[name] = StagedPart(len(rows), len(content), hashlib.sha256(content).hexdigest())
        # Last: a batch without its mark does not count, and is written again.
        self.store.write_bytes(self._mark(key), json.dumps(mark, default=asdict).encode())
        return {name: part.rows for name, part in mark.items()}

    def read_batch(self, key: str, table: str) -> Rows:
        """Return the batch's rows of that table, in the order in which they were staged.

        Raises Damaged where the part is not what was written.
        """
        part = self.parts(key).get(table)
        rows: Rows = [] if part is None else self.read_part(key, table, part).to_pylist()
        return rows

    def read_column(self, key: str, table: str, column: str) -> list[Any]:
        """Return one column of the batch's rows of that table; raise Damaged as `read_batch` does."""
        part = self.parts(key).get(table)
        return [] if part is None else self.read_part(key, table, part, [column])[column].to_pylist()

    def read_part(
        self, key: str, table: str, part: StagedPart, columns: Sequence[str] | None = None
    ) -> "pyarrow.Table":
        """Return the part that a mark names, or these columns of it; raise Damaged where it is altered."""
        import pyarrow as pa

        name = self.part_file(table, key)
        try:
            content = self.store.read_bytes(name)
        except FileNotFoundError:
            raise self._make_damaged(name, "is missing") from None
        # Before the hash, only to say more plainly what is wrong.
        if len(content) != part.size:
            truncated = "truncated" if len(content) < part.size else "too long"
            raise self._make_damaged(name, f"is {truncated}: {len(content):,} of {part.size:,} bytes")
        if hashlib.sha256(content).hexdigest() != part.sha256:
            raise self._make_damaged(name, f"was altered: its {len(content):,} bytes are not those written")
        try:
            rows = parquet_table(content, None if columns is None else list(columns))
        except (pa.ArrowException, OSError) as error:
            raise self._make_damaged(name, f"cannot be read ({in_one_line(error)})") from None
        if rows.num_rows != part.rows:
            raise self._make_damaged(name, f"holds {rows.num_rows:,} of {part.rows:,} rows")
        return rows

    @contextmanager
    def scratch_folder(self) -> Iterator[Path]:
        """Yield a folder on this machine for files on their way, which is gone afterwards.

        It is in the staging folder where that is local, so that large files need room on one disk alone.
        """
        local = self.store.local_folder
        within = None if local is None else local / self.folder
        with TemporaryDirectory(prefix="perennial-", dir=within) as folder:
            try:
                yield Path(folder)
            except OSError as error:
                if error.errno is None or error.filename is not None:
                    raise
                # Arrow reports a full disk without a file name.
                raise OSError(error.errno, os.strerror(error.errno), folder) from None

    def remove(self) -> None:
        """Remove all that is staged for the edition."""
        self.store.remove_folder(self.folder)

    def done_keys(self) -> list[str]:
        """Return the keys of all batches that are staged whole, sorted."""
        names = self.store.names(f"{self.folder}/done")
        return [name.removesuffix(".json") for name in names if name.endswith(".json")]

    def part_file(self, table: str, key: str) -> str:
        """Return the name of a batch's part, relative to the data root."""
        return f"{self.folder}/{table}/{key}.parquet"

    @property
    def remedy(self) -> str:
        """What to do about damage to what is staged."""
        return (
            f"remove what is staged with `perennial editions prune {self.unit}`, then give the "
            "same refresh again (model calls are in the ledger and are not paid for again)"
        )

    def damage(self, message: str) -> Damaged:
        """Return the error for damage to what is staged, with the remedy."""
        return Damaged(f"{message}: {self.remedy}")

    def _make_damaged(self, name: str, message: str) -> Damaged:
        return self.damage(f"{self.store.location(name)} {message}")

    def _plan_values(self, content: bytes) -> dict[str, Any]:
        name = f"{self.folder}/plan.json"
        try:
            values = read_json(content)
        except ValueError:
            raise self._make_damaged(name, "cannot be read, as it was cut off or altered") from None
        if not isinstance(values, dict):
            raise self._make_damaged(name, "is no plan")
        # A plan that was edited would continue an edition with other settings than those of its first half.
        if values.pop(_PLAN_DIGEST, None) != content_id("plan", values):
            raise self._make_damaged(name, "was altered: it is not the plan that was written")
        return values

    def _mark(self, key: str) -> str:
        return f"{self.folder}/done/{key}.json"


def _refuse_other_columns(table: str, rows: Rows) -> None:
    """Raise ValueError where a row has other keys than the table: Arrow would drop or fill them silently."""
    names = {column.name for column in TABLES[table].columns}
    for row in rows:
        if row.keys() != names:
            raise ValueError(f"a row of {table} differs in {sorted(row.keys() ^ names)} from its columns")


def staged_units(store: Store) -> list[str]:
    """Return the names of the editions and evaluations that have work in progress."""
    return [name for name in store.names("staging") if store.exists(f"staging/{name}/plan.json")]


# The editions of an unfinished run of several benchmarks, so that none is grown twice.
#
# A published edition leaves nothing in staging. Should the run end before the others are published, then the
# same command finds here what it has published.

_FILE = "staging/.unfinished.json"


def run_key(benchmarks: Iterable[str], plan: RefreshPlan) -> str:
    """Return the key of what a run of these benchmarks was asked for one of them."""
    return content_id("run", {"benchmarks": sorted(benchmarks), "asked": plan.asked})


def read_unfinished(store: Store) -> dict[str, str]:
    """Return the names of the editions of unfinished runs, by key; raise Damaged where they are altered."""
    try:
        names = read_json(store.read_bytes(_FILE))
    except FileNotFoundError:
        return {}
    except ValueError:
        names = None
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise Damaged(
            f"{store.location(_FILE)} was altered: remove it; a refresh of several benchmarks that was not "
            "finished then begins anew"
        )
    return names


def keep_unfinished(store: Store, names: Mapping[str, str]) -> None:
    """Keep the editions of a run that begins, by key."""
    _write(store, {**read_unfinished(store), **names})


def forget_unfinished(store: Store, keys: Iterable[str]) -> None:
    """Remove the editions of a run that has ended."""
    kept = read_unfinished(store)
    ended = set(keys)
    if ended & set(kept):
        _write(store, {key: name for key, name in kept.items() if key not in ended})


def _write(store: Store, names: Mapping[str, str]) -> None:
    if names:
        store.write_bytes(_FILE, json.dumps(names, indent=1).encode())
    else:
        # A file goes the way of a folder.
        store.remove_folder(_FILE)

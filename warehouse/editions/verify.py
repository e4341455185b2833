"""Check a published edition or evaluation byte by byte: its row against the seal, its manifest, its files."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from perennial.schemas.errors import in_one_line
from perennial.schemas.json_text import read_json
from perennial.schemas.table_form import Table
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.catalog.confinement import row_file, table_file
from perennial.warehouse.editions.manifest import (
    ListedFile,
    Manifest,
    is_of_root,
    is_sealed,
    manifest_file,
    parse_manifest,
    seal_file,
)
from perennial.warehouse.editions.seeds import reveal_file
from perennial.warehouse.staging import Staging, staged_units
from perennial.warehouse.store.parquet import parquet_table
from perennial.warehouse.store.store import Digest, Store, digests_of

# Whether rebuilt tables are those of a published edition: the same rows, the same bytes.

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Sameness:
    """One table: its rows then and now, whether they are equal, and whether its file's bytes are.

    `clock_columns` hold wall-clock values and are not compared; the file of a table that has any cannot be
    compared by its bytes, and `same_bytes` is None. `difference` says what differs, "" where nothing does.
    """

    table: str
    published: int
    rebuilt: int
    same_rows: bool
    same_bytes: bool | None
    clock_columns: tuple[str, ...]
    difference: str = ""


def compare_unit(store: Store, edition: str, rebuilt: Mapping[str, Path]) -> tuple[Sameness, ...]:
    """How each rebuilt table, a Parquet file, compares with the published one."""
    return tuple(_compare_tables(store, edition, TABLES[name], path) for name, path in rebuilt.items())


def _compare_tables(store: Store, edition: str, table: Table, path: Path) -> Sameness:
    clock = tuple(column.name for column in table.columns if column.volatile)
    name, now_bytes = table_file(table.name, edition), path.read_bytes()
    now = _read(now_bytes)
    then_bytes = store.read_bytes(name) if store.exists(name) else None
    published, difference = now.num_rows, ""
    same_bytes: bool | None = then_bytes == now_bytes
    if then_bytes is None:
        published, difference = 0, "not published" if now.num_rows else ""
        same_bytes = None if now.num_rows else True
    # Equal bytes are equal rows: by value, NaN would differ from itself.
    elif not same_bytes:
        then = _read(then_bytes)
        columns = [column.name for column in table.file_columns if not column.volatile]
        published, difference = then.num_rows, _difference(table, then, now, columns)
    return Sameness(
        table.name,
        published,
        rebuilt=now.num_rows,
        same_rows=not difference,
        same_bytes=None if clock else same_bytes,
        clock_columns=clock,
        difference=difference,
    )


def _difference(table: Table, then: pa.Table, now: pa.Table, columns: list[str]) -> str:
    """What differs between the tables in these columns, "" where nothing does."""
    missing = [name for name in columns if name not in then.column_names]
    if missing:
        return f"published without column {', '.join(missing)}"
    then, now = then.select(columns), now.select(columns)
    if then.equals(now):
        return ""
    keys_then, keys_now = _keys(table, then), _keys(table, now)
    gone, new = keys_then.keys() - keys_now.keys(), keys_now.keys() - keys_then.keys()
    if gone or new:
        return f"{len(gone)} rows only published{_such_as(gone)}, {len(new)} only rebuilt{_such_as(new)}"
    both = ((key, then.slice(row, 1), now.slice(keys_now[key], 1)) for key, row in keys_then.items())
    changed = {key: [n for n in columns if not a[n].equals(b[n])] for key, a, b in both if not a.equals(b)}
    if not changed:
        return "the same rows in another order"
    named = sorted({name for names in changed.values() for name in names})
    return f"{len(changed)} rows differ in {', '.join(named)}{_such_as(changed)}"


def _keys(table: Table, rows: pa.Table) -> dict[tuple[object, ...], int]:
    columns = [rows[name].to_pylist() for name in table.key]
    return {key: row for row, key in enumerate(zip(*columns, strict=True))}


def _such_as(keys: Mapping[tuple[object, ...], object] | set[tuple[object, ...]]) -> str:
    examples = sorted(", ".join(map(str, key)) for key in keys)[:_SHOWN]
    return f" (such as {'; '.join(examples)})" if examples else ""


def _read(content: bytes) -> pa.Table:
    return pq.ParquetFile(pa.BufferReader(content), pre_buffer=False).read(use_threads=False)


Problem = Literal["missing", "truncated", "altered", "unreadable", "unlisted"]
_UNCHECKED = "no file was checked"


@dataclass(frozen=True, slots=True)
class FileFault:
    """One thing that is wrong with one file of an edition, named relative to the data root."""

    edition: str
    file: str
    problem: Problem
    message: str

    @property
    def is_damage(self) -> bool:
        """Whether something is lost; not so a file too many."""
        return self.problem != "unlisted"


@dataclass(slots=True)
class Verification:
    """What was read of an edition, its row and manifest aside, and what was found."""

    edition: str
    files: int = 0
    bytes: int = 0
    rows: int = 0
    findings: list[FileFault] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every byte is as it was published."""
        return not any(finding.is_damage for finding in self.findings)


def lost_units(store: Store) -> tuple[str, ...]:
    """What has a manifest but neither a row nor anything staged, sorted.

    It was published, and its row is lost. A publish that was cut off leaves it staged.
    """
    names = [name for name in store.names("manifests") if name.endswith(".json") and name[0] != "."]
    listed = {name.removesuffix(".json") for name in names} - set(published_units(store))
    return tuple(sorted(name for name in listed if not store.names(Staging(store, name).folder)))


def verifiable_units(store: Store) -> tuple[str, ...]:
    """What there is to verify: editions and evaluations that are published, or whose row is lost."""
    return tuple(sorted({*published_units(store), *lost_units(store)}))


def verify_unit(store: Store, edition: str) -> Verification:
    """Read every file of the edition or evaluation and return what differs from seal, row and manifest."""
    verifier = _Verifier(store, edition)
    verifier.check()
    return verifier.result


class _Verifier:
    """Follows the chain from the row on, and notes what is wrong and what was read."""

    def __init__(self, store: Store, edition: str) -> None:
        self._store = store
        self._edition = edition
        self._row_file = row_file(edition)
        self._manifest_file = manifest_file(edition)
        self.result = Verification(edition)

    def check(self) -> None:
        row = self._row()
        manifest = None if row is None else self._manifest(row)
        if row is None or manifest is None:
            return
        self._compare(row, manifest)
        self._check_files(manifest)
        self._name_unlisted(manifest)
        self._check_reveal(manifest)

    def _note(self, file: str, problem: Problem, message: str) -> None:
        self.result.findings.append(FileFault(self._edition, file, problem, message))

    def _row(self) -> dict[str, Any] | None:
        """The edition's row, or None where nothing can be learnt from it."""
        content = self._read(self._row_file, "the edition's row")
        if content is None:
            return None
        try:
            (row,) = parquet_table(content).to_pylist()
        except Exception as error:  # noqa: BLE001  what a damaged file makes pyarrow raise is anything
            fault = f"the edition's row cannot be read ({in_one_line(error)}): {_UNCHECKED}"
            self._note(self._row_file, "unreadable", fault)
            return None
        seal = self._read(seal_file(self._edition), "the seal of the edition's row")
        if seal is not None and not is_sealed(self._edition, content, seal):
            fault = f"the edition's row or its seal, {seal_file(self._edition)}, was altered: they do not fit"
            self._note(self._row_file, "altered", fault)
        elif seal is not None and not is_of_root(self._store, self._edition, content, seal):
            fault = (
                "its seal does not name this data root: the edition was copied from another one (copy whole "
                "roots only), root.json is lost or was replaced, or an older perennial made the seal"
            )
            self._note(seal_file(self._edition), "altered", fault)
        return dict(row)

    def _manifest(self, row: dict[str, Any]) -> Manifest | None:
        """The manifest that the row names by its hash, or None where there is no such one."""
        name = self._manifest_file
        content = self._read(name, "the manifest")
        if content is None:
            return None
        digest = hashlib.sha256(content).hexdigest()
        if digest != row.get("manifest_sha256"):
            fault = f"the manifest is not the one that the edition's row names: {_UNCHECKED}"
            self._note(name, "altered", fault)
            return None
        try:
            return parse_manifest(content)
        except ValueError as error:
            fault = f"the manifest was written by another version ({error}), use that one: {_UNCHECKED}"
            self._note(name, "unreadable", fault)
            return None

    def _read(self, name: str, what: str) -> bytes | None:
        try:
            return self._store.read_bytes(name)
        except FileNotFoundError:
            self._note(name, "missing", f"{what} is missing: {_UNCHECKED}")
        except OSError as error:
            self._note(name, "unreadable", f"{what} cannot be read ({in_one_line(error)}): {_UNCHECKED}")
        return None

    def _compare(self, row: dict[str, Any], manifest: Manifest) -> None:
        """Note each column of the row in `editions` that the manifest contradicts."""
        made = manifest.made
        claimed = {
            "benchmark": (row.get("benchmark"), made["benchmark"]),
            "seed": (row.get("seed"), made["seeds"].get("refresh")),
            "settings": (_parse(row.get("settings")), made["settings"]),
            "code_version": (row.get("code_version"), made["code_version"]),
            "counts": (_with_rows(_parse(row.get("counts"))), _with_rows(manifest.counts)),
        }
        if not is_evaluation(self._edition):
            commitment = made.get("seed_commitment") or None
            claimed["seed_commitment"] = row.get("seed_commitment"), commitment
            claimed["freshness"] = row.get("freshness"), made.get("freshness")
            claimed["canary"] = row.get("canary"), made.get("canary")
            claimed["is_trial"] = row.get("is_trial"), made["settings"].get("is_trial")
        differing = [column for column, (actual, expected) in claimed.items() if actual != expected]
        if made["unit"] != self._edition:
            differing.append("name")
        if differing:
            fault = f"the edition's row differs from the manifest in {', '.join(differing)}"
            self._note(self._row_file, "altered", fault)

    def _check_files(self, manifest: Manifest) -> None:
        listed = {file.name: file for file in manifest.files}
        for name, digest in digests_of(self._store, listed):
            if isinstance(digest, FileNotFoundError):
                fault = f"missing; it had {listed[name].size:,} bytes and {listed[name].rows:,} rows"
                self._note(name, "missing", fault)
            elif isinstance(digest, OSError):
                self._note(name, "unreadable", f"cannot be read ({in_one_line(digest)})")
            else:
                self._check_file(listed[name], digest)

    def _check_file(self, file: ListedFile, digest: Digest) -> None:
        self.result.files += 1
        self.result.bytes += digest.size
        if digest.size != file.size:
            problem: Problem = "truncated" if digest.size < file.size else "altered"
            self._note(file.name, problem, f"{problem}: {digest.size:,} bytes, expected {file.size:,}")
        elif digest.sha256 != file.sha256:
            fault = f"altered: its SHA-256 is {digest.sha256}, expected {file.sha256}"
            self._note(file.name, "altered", fault)
        else:
            rows = _row_count(self._store, file.name)
            self.result.rows += rows
            if rows != file.rows:
                self._note(file.name, "altered", f"{rows:,} rows, and the manifest says {file.rows:,}")

    def _check_reveal(self, manifest: Manifest) -> None:
        """Hold the seed that was revealed, if it was, against what was committed to."""
        name, commitment = reveal_file(self._edition), manifest.made.get("seed_commitment")
        if commitment and self._store.exists(name):
            content = self._read(name, "the revealed seed")
            if content is not None and hashlib.sha256(content).hexdigest() != commitment:
                fault = f"altered: not the seed that was committed to, whose SHA-256 is {commitment}"
                self._note(name, "altered", fault)

    def _name_unlisted(self, manifest: Manifest) -> None:
        """Note each file in its place, or with the name of its own, that nothing lists."""
        edition, _ = split_unit(self._edition)
        listed = {self._row_file, *(file.name for file in manifest.files)}
        others = {*published_units(self._store), *staged_units(self._store)} - {self._edition}
        for table in self._store.names("tables"):
            of_others = {table_file(table, other) for other in others}
            table_path = table_file(table, self._edition)
            folder = f"tables/{table}/edition={edition}"
            for file in (f"{folder}/{name}" for name in self._store.names(folder)):
                is_own = file == table_path if is_evaluation(self._edition) else file not in of_others
                if is_own and file not in listed:
                    fault = "in the edition's folder, but no file of it: no view reads it, other readers may"
                    self._note(file, "unlisted", fault)


def _with_rows(counts: Any) -> Any:
    """The counts but those of tables without rows, which have no file."""
    return {name: rows for name, rows in counts.items() if rows} if isinstance(counts, dict) else counts


def _row_count(store: Store, name: str) -> int:
    with store.open(name) as file, pq.ParquetFile(file, pre_buffer=False) as source:
        return int(source.metadata.num_rows)


def _parse(text: Any) -> Any:
    try:
        return read_json(text)
    except (TypeError, ValueError):
        return text

"""The manifest of an edition or evaluation, `manifests/<name>.json`: its files, and how they were made.

Its row in `editions` or `evaluations` holds the manifest's SHA-256, and the manifest the SHA-256 of every
other file: one chain from the row to the last byte. The row itself, which holds the time of publication too,
has a seal: its SHA-256 in `manifests/<name>.sha256`, as `sha256sum --check` reads it in the data root. The
same files, plan and code give the same manifest, byte for byte: no clock is in it.
"""

import hashlib
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from perennial.schemas.errors import Damaged, in_one_line, quote
from perennial.schemas.ids import canonical_json
from perennial.schemas.json_text import UnreadableJson, read_json
from perennial.schemas.plan import EditionPlan, EvaluationPlan, Plan
from perennial.schemas.units import describe_unit
from perennial.warehouse.catalog.confinement import FORMAT, row_file, table_file, unit_of
from perennial.warehouse.store.store import ROOT_FILE, WITHDRAWN, Digest, Store, digests_of, root_id

# What made an edition beside its plan: the code that ran, its Python and the libraries below it.

_DISTRIBUTION = "perennial-bench"
_CODE = (".py", ".sql", ".j2", ".json", ".csv", ".toml")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@lru_cache(maxsize=1)
def code_sha256() -> str:
    """The SHA-256 over names and content of all files that the installed code consists of.

    It distinguishes two states of the code that have one version, such as a clone with changes in it.
    """
    installed = Path(__file__).parents[2]
    # Where a clone keeps what it draws if nobody names another root.
    drawn = installed / "warehouse" / "data"
    # In a clone the packages are links, which a search from here would not follow.
    parts = [path for entry in installed.iterdir() for path in (entry, *entry.rglob("*"))]
    whole = hashlib.sha256()
    for path in sorted(path for path in parts if path.suffix in _CODE and drawn not in path.parents):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{content} {path.relative_to(installed).as_posix()}\n".encode())
    return whole.hexdigest()


@lru_cache(maxsize=1)
def dependency_versions() -> dict[str, str]:
    """The installed version of each direct dependency by name; none for code not installed."""
    try:
        required = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        return {}
    matches = (_NAME.match(line) for line in required if "extra ==" not in line)
    names = sorted({match.group().lower() for match in matches if match})
    return {name: version(name) for name in names}


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of an edition as its manifest has it: name relative to the data root, size in bytes."""

    name: str
    table: str
    size: int
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an edition is made of: `made` is all that the manifest says beside the files."""

    files: tuple[ListedFile, ...]
    made: dict[str, Any]

    @property
    def counts(self) -> dict[str, int]:
        """The rows of each table that has some."""
        return {file.table: file.rows for file in self.files}


def manifest_file(edition: str) -> str:
    """The name of the edition's manifest, relative to the data root."""
    return f"manifests/{edition}.json"


def write_manifest(store: Store, plan: Plan, counts: Mapping[str, int], templates: Mapping[str, str]) -> str:
    """Write the manifest of an edition or evaluation whose tables are all there, and return its SHA-256.

    `counts` are the rows of each table but the last, and a table without rows has no file. `templates`
    are the hashes of all prompt templates that were installed, by name, whether or not a model received
    them (a call's own template and hash are in table `calls`); an imported edition has none. Raises
    Damaged where a table cannot be read.
    """
    names = {table_file(table, plan.unit): table for table in sorted(counts) if counts[table]}
    files = []
    for name, digest in digests_of(store, names):
        if not isinstance(digest, Digest):
            raise Damaged(
                f"{store.location(name)}: was just written and cannot be read ({digest}): check the disk, "
                "then give the same command again"
            )
        files.append(ListedFile(name, names[name], digest.size, counts[names[name]], digest.sha256))
    content = canonical_json(_content(plan, files, templates)).encode() + b"\n"
    store.write_bytes(manifest_file(plan.unit), content)
    return hashlib.sha256(content).hexdigest()


def count_rows(store: Store, unit: str) -> dict[str, int]:
    """The rows that each table of an edition or evaluation was published with: without any it has no file."""
    (row,) = store.read_table(row_file(unit), ["counts"]).to_pylist()
    counts: dict[str, int] = read_json(row["counts"])
    return counts


def seal_file(edition: str) -> str:
    """The name of the file that seals the edition's row, relative to the data root."""
    return f"manifests/{edition}.sha256"


def seal_row(store: Store, edition: str, row: bytes) -> None:
    """Keep the SHA-256 of the Parquet file that is to be the edition's row in `editions`."""
    root_id(store)  # which it makes where there is none
    store.write_bytes(seal_file(edition), _seal(edition, row) + _root_line(store))


def is_sealed(edition: str, row: bytes, seal: bytes) -> bool:
    """Whether the row's file is the one that the seal was made for."""
    return seal.startswith(_seal(edition, row))


def is_of_root(store: Store, edition: str, row: bytes, seal: bytes) -> bool:
    """Whether the seal was made in this data root, which has kept its id."""
    return seal == _seal(edition, row) + _root_line(store)


def parse_manifest(content: bytes) -> Manifest:
    """What the file's content says; raise ValueError where it is no manifest of this version."""
    try:
        made = read_json(content)
        if made["format"] != FORMAT:
            raise ValueError(f"format {quote(made['format'])}, expected {FORMAT}")
        return Manifest(tuple(ListedFile(**entry) for entry in made.pop("files")), made)
    except (KeyError, TypeError, UnreadableJson) as error:
        raise ValueError(f"not a manifest ({error!r})") from None


def read_manifest(store: Store, unit: str) -> tuple[bytes, Manifest]:
    """The content of the unit's manifest and what it says; raise Damaged where it cannot be read."""
    name = manifest_file(unit)
    try:
        content = store.read_bytes(name)
        return content, parse_manifest(content)
    except (OSError, ValueError) as error:
        raise _damaged_unit(unit, f"{store.location(name)} cannot be read ({in_one_line(error)})") from None


def _seal(edition: str, row: bytes) -> bytes:
    return f"{hashlib.sha256(row).hexdigest()}  {row_file(edition)}\n".encode()


def _root_line(store: Store) -> bytes:
    content = store.read_bytes(ROOT_FILE) if store.exists(ROOT_FILE) else b""
    return f"{hashlib.sha256(content).hexdigest()}  {ROOT_FILE}\n".encode()


def _content(plan: Plan, files: list[ListedFile], templates: Mapping[str, str]) -> dict[str, Any]:
    seeds: dict[str, int | None] = {"refresh": plan.seed}
    if isinstance(plan, EvaluationPlan):
        seeds["players"] = plan.player_params.get("seed")
    columns = (
        {"freshness": plan.freshness, "seed_commitment": plan.seed_commitment}
        if isinstance(plan, EditionPlan)
        else {}
    )
    return {
        "format": FORMAT,
        "unit": plan.unit,
        "benchmark": plan.benchmark,
        "files": [asdict(file) for file in files],
        "code_version": plan.code_version,
        "code_sha256": code_sha256(),
        "python": platform.python_version(),
        "dependencies": dependency_versions(),
        "settings": plan.as_json(),
        "seeds": {name: seed for name, seed in seeds.items() if seed is not None},
        "templates": dict(templates),
        "canary": plan.canary,
        **columns,
    }


# Whether published files are what was published: their digests against what was kept when they were written.
#
# Commands that build on published files check those that they read. A reader's query checks its files when it
# fails: an altered file makes DuckDB say anything.

_OF_TABLES = "tables/"
# A file that is replaced by later ones has the beginning of its SHA-256 in its name.
_VERSION = re.compile(r"\.v\d+\.(?P<sha256>[0-9a-f]{8})\.parquet$")


def refuse_damaged(store: Store, files: Iterable[str]) -> None:
    """Raise Damaged, naming edition and file, for the first of these that is not as it was written.

    The files are named relative to the data root; each is read whole.
    """
    listed = list(dict.fromkeys(file.removeprefix(WITHDRAWN) for file in files))
    expected: dict[str, Mapping[str, str]] = {}
    for name, digest in digests_of(store, listed):
        if not isinstance(digest, Digest):
            raise damaged_file(store, name, f"cannot be read: {in_one_line(digest)}")
        if not name.startswith(_OF_TABLES):
            version = _VERSION.search(name)
            if version and not digest.sha256.startswith(version["sha256"]):
                raise damaged_file(store, name, "its SHA-256 does not begin as its name says")
            continue
        unit = unit_of(name)
        if name == row_file(unit):
            _check_row(store, unit)
            continue
        if unit not in expected:
            expected[unit] = _digests_in_manifest(store, unit)
        if expected[unit].get(name) != digest.sha256:
            raise damaged_file(store, name, "its SHA-256 is not the one in the manifest")


def _check_row(store: Store, unit: str) -> None:
    name = row_file(unit)
    try:
        sealed = is_sealed(unit, store.read_bytes(name), store.read_bytes(seal_file(unit)))
    except OSError as error:
        raise damaged_file(store, name, f"it or its seal cannot be read: {in_one_line(error)}") from None
    if not sealed:
        raise damaged_file(store, name, f"it does not fit its seal {seal_file(unit)}")


def _digests_in_manifest(store: Store, unit: str) -> Mapping[str, str]:
    content, manifest = read_manifest(store, unit)
    try:
        (row,) = store.read_table(row_file(unit), ["manifest_sha256"]).to_pylist()
    except (OSError, Damaged, ValueError):
        raise damaged_file(store, row_file(unit), "it cannot be read") from None
    if row["manifest_sha256"] != hashlib.sha256(content).hexdigest():
        location = store.location(manifest_file(unit))
        raise _damaged_unit(unit, f"{location} is not the manifest that its row names")
    return {file.name: file.sha256 for file in manifest.files}


def damaged_file(store: Store, name: str, reason: str) -> Damaged:
    """The error that names the file, what it belongs to, and the remedy."""
    if not name.startswith(_OF_TABLES):
        return Damaged(
            f"{store.location(name)} is damaged ({reason}): restore it from a copy; or remove it, and then "
            "`perennial analyse` computes statistics again, `perennial import scores` imports scores again"
        )
    return _damaged_unit(unit_of(name), f"{store.location(name)} is damaged ({reason})")


def _damaged_unit(unit: str, what: str) -> Damaged:
    return Damaged(
        f"{describe_unit(unit)}: {what}: `perennial verify {unit}` lists all damage; restore the files from "
        f'a copy, or withdraw it (`perennial editions withdraw {unit} --why "..."`), and then everything '
        "else is read"
    )

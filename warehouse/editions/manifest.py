"""The manifest of an edition or evaluation, `manifests/<name>.json`: its files, and how they were made.

Its row in `editions` or `evaluations` holds the manifest's SHA-256, and the manifest the SHA-256 of every
other file: one chain from the row to the last byte. The row itself, which holds the time of publication too,
has a seal: its SHA-256 in `manifests/<name>.sha256`, as `sha256sum --check` reads it in the data root. The
same files, plan and code give the same manifest, byte for byte: no clock is in it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from perennial.schemas.errors import Damaged
from perennial.schemas.ids import canonical_json
from perennial.schemas.plan import EditionPlan, EvaluationPlan, Plan
from perennial.warehouse.catalog.sql.names import FORMAT, row_file, table_file
from perennial.warehouse.editions.provenance import code_sha256, dependency_versions, python_version
from perennial.warehouse.store.digests import Digest, digests_of
from perennial.warehouse.store.store import Store


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
        """The rows of each table, as the edition's row in `editions` has them."""
        return {file.table: file.rows for file in self.files}


def manifest_file(edition: str) -> str:
    """Return the name of the edition's manifest, relative to the data root."""
    return f"manifests/{edition}.json"


def write_manifest(store: Store, plan: Plan, counts: Mapping[str, int], templates: Mapping[str, str]) -> str:
    """Write the manifest of an edition or evaluation whose tables are all there, and return its SHA-256.

    `counts` are the rows of each table but the last. `templates` are the hashes of all prompt templates
    that were installed, by name, whether or not a model received them (a call's own template and hash
    are in table `calls`); an imported edition has none. Raises Damaged where a table cannot be read.
    """
    names = {table_file(table, plan.unit): table for table in sorted(counts)}
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


def seal_file(edition: str) -> str:
    """Return the name of the file that seals the edition's row, relative to the data root."""
    return f"manifests/{edition}.sha256"


def seal_row(store: Store, edition: str, row: bytes) -> None:
    """Keep the SHA-256 of the Parquet file that is to be the edition's row in `editions`."""
    store.write_bytes(seal_file(edition), _seal(edition, row))


def is_sealed(edition: str, row: bytes, seal: bytes) -> bool:
    """Whether the row's file is the one that the seal was made for."""
    return seal == _seal(edition, row)


def parse_manifest(content: bytes) -> Manifest:
    """Return what the file's content says; raise ValueError where it is no manifest of this version."""
    try:
        made = json.loads(content)
        if made["format"] != FORMAT:
            raise ValueError(f"format {made['format']!r}, expected {FORMAT}")
        return Manifest(tuple(ListedFile(**entry) for entry in made.pop("files")), made)
    except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"not a manifest ({error!r})") from None


def _seal(edition: str, row: bytes) -> bytes:
    return f"{hashlib.sha256(row).hexdigest()}  {row_file(edition)}\n".encode()


def _content(plan: Plan, files: list[ListedFile], templates: Mapping[str, str]) -> dict[str, Any]:
    seeds: dict[str, int | None] = {"refresh": plan.seed}
    if isinstance(plan, EvaluationPlan):
        seeds["players"] = plan.player_params.get("seed")
    own = (
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
        "python": python_version(),
        "dependencies": dependency_versions(),
        "settings": plan.as_json(),
        "seeds": {name: seed for name, seed in seeds.items() if seed is not None},
        "templates": dict(templates),
        "canary": plan.canary,
        **own,
    }

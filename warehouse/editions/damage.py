"""Whether published files are what was published: their digests against what was kept when they were written.

Commands that build on published files check those that they read. A reader's query checks its files when it
fails: an altered file makes DuckDB say anything.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping

from perennial.schemas.errors import Damaged, in_one_line
from perennial.schemas.units import describe_unit
from perennial.warehouse.catalog.sql.names import row_file, unit_of
from perennial.warehouse.editions.manifest import is_sealed, manifest_file, parse_manifest, seal_file
from perennial.warehouse.store.digests import Digest, digests_of
from perennial.warehouse.store.store import WITHDRAWN, Store

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
    name = manifest_file(unit)
    try:
        content = store.read_bytes(name)
        files = parse_manifest(content).files
    except (OSError, ValueError) as error:
        raise _damaged_unit(unit, f"{store.location(name)} cannot be read ({in_one_line(error)})") from None
    try:
        (row,) = store.read_table(row_file(unit), ["manifest_sha256"]).to_pylist()
    except (OSError, Damaged, ValueError):
        raise damaged_file(store, row_file(unit), "it cannot be read") from None
    if row["manifest_sha256"] != hashlib.sha256(content).hexdigest():
        raise _damaged_unit(unit, f"{store.location(name)} is not the manifest that its row names")
    return {file.name: file.sha256 for file in files}


def damaged_file(store: Store, name: str, reason: str) -> Damaged:
    """Return the error that names the file, what it belongs to, and the remedy."""
    if not name.startswith(_OF_TABLES):
        return Damaged(
            f"{store.location(name)} is damaged ({reason}): restore it from a copy; or remove it, and then "
            "`perennial analyse` computes statistics again, `perennial import scores` imports scores again"
        )
    return _damaged_unit(unit_of(name), f"{store.location(name)} is damaged ({reason})")


def _damaged_unit(unit: str, what: str) -> Damaged:
    return Damaged(
        f"{describe_unit(unit)}: {what}: `perennial verify {unit}` lists all damage; restore the files from "
        f'a copy, or withdraw it (`perennial editions --withdraw {unit} --why "..."`), and then everything '
        "else is read"
    )

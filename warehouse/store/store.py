"""The files of a data root, on any fsspec file system: whole files in, whole files out."""

import hashlib
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from perennial.schemas.errors import Damaged, in_one_line
from perennial.schemas.json_text import read_json
from perennial.warehouse.store import conditional_writes as conditional
from perennial.warehouse.store.file_system import (
    draft_of,
    file_system,
    is_local,
    is_s3,
    open_regular,
    require_regular,
    translate_store_errors,
)
from perennial.warehouse.store.parquet import parquet_bytes, parquet_table

if TYPE_CHECKING:
    import pyarrow


WITHDRAWN = "withdrawn/"
_TABLES = "tables/"
Read = TypeVar("Read")


@dataclass(frozen=True)
class Store:
    """A data root. All names are relative to it, with `/` between their parts.

    A withdrawn file of `tables/` lies in `withdrawn/tables/`, where other programs that read the root do not
    look for it. It is read here under its name all the same: `find_file` says where it lies.
    """

    root: str

    @contextmanager
    def _target(self, name: str = "") -> Iterator[tuple[Any, str]]:
        """The file system and the name's path on it; a remote store's troubles become one line."""
        filesystem, path = file_system(self.root)
        with translate_store_errors(self.root, filesystem):
            yield filesystem, f"{path}/{name}" if name else path

    @property
    def local_folder(self) -> Path | None:
        """The root's folder on this machine; None for a root that lies elsewhere."""
        filesystem, path = file_system(self.root)
        return Path(path) if is_local(filesystem) else None

    def location(self, name: str = "") -> str:
        """Return the name's place as a path or URL that DuckDB and people can open."""
        return f"{self.root.rstrip('/')}/{name}" if name else self.root

    def exists(self, name: str) -> bool:
        """Whether a file or folder of that name is there."""
        return any(map(self._is_there, _places_of(name)))

    def _is_there(self, position: str) -> bool:
        with self._target(position) as (filesystem, path):
            return bool(filesystem.exists(path))

    def find_file(self, name: str) -> str | None:
        """Where the file of that name lies, None for nowhere; raise NotRegular for anything but a file."""
        return next(filter(self.has_file, _places_of(name)), None)

    def has_file(self, position: str) -> bool:
        """Whether a file lies in that position; raise NotRegular or IsADirectoryError for anything else."""
        with self._target(position) as (filesystem, path):
            if not is_local(filesystem):
                return bool(filesystem.exists(path))
            try:
                require_regular(Path(path))
            except FileNotFoundError:
                return False
            return True

    def names(self, folder: str) -> list[str]:
        """Return the sorted names of files and folders directly in `folder`; none where it is absent."""
        return sorted({name for position in _places_of(folder) for name in self.names_in(position)})

    def names_in(self, position: str) -> list[str]:
        """The names of files and folders that lie directly in that very position; none where it is absent."""
        try:
            with self._target(position) as (filesystem, path):
                # Refreshed: fsspec keeps listings, and other processes write here too.
                paths = [str(entry).rstrip("/") for entry in filesystem.ls(path, detail=False, refresh=True)]
        except FileNotFoundError:
            return []
        # An S3 console may have left an object that stands for the folder itself.
        return [entry.rsplit("/", 1)[-1] for entry in paths if entry != path.rstrip("/")]

    def move(self, position: str, target: str) -> None:
        """Move a file, byte for byte; done again, it completes a move that was cut off.

        Raises FileNotFoundError where there is none, Damaged where the copy on a remote store differs: then
        both stay.
        """
        with self._target(position) as (filesystem, source), self._target(target) as (_, path):
            _make_folder_of(filesystem, path)
            if is_local(filesystem):
                Path(source).replace(path)
                with suppress(OSError):
                    Path(source).parent.rmdir()  # unless others lie there
                return
            # There a move is a copy and a removal: only a copy of equal bytes permits the second.
            filesystem.cp_file(source, path)
            hashes = []
            for copy in (source, path):
                with filesystem.open(copy, "rb") as file:
                    hashes.append(hashlib.file_digest(file, "sha256").digest())
            if hashes[0] != hashes[1]:
                raise Damaged(
                    f"{self.location(target)} is not as {self.location(position)}: nothing was removed"
                )
            filesystem.rm_file(source)

    def _read(self, name: str, read: Callable[[str], Read]) -> Read:
        """Read the file under its name, wherever it lies; it may be moved meanwhile."""
        # The first position once more: between the two looks a file may have been moved back.
        *places, last = (*_places_of(name), name)
        for position in places:
            with suppress(FileNotFoundError):
                return read(position)
        return read(last)

    def read_bytes(self, name: str) -> bytes:
        """Return the file's content; raise FileNotFoundError where there is none, NotRegular for a pipe."""
        return self._read(name, self._read_bytes)

    def _read_bytes(self, position: str) -> bytes:
        with self._target(position) as (filesystem, path):
            if is_local(filesystem):
                with open_regular(Path(path)) as file:
                    return file.read()
            return bytes(filesystem.cat_file(path))

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write the file so that it is there whole or not at all, whatever ends the process.

        On a remote store it is one request, or one multipart upload where the file is large.
        """
        with self._target(name) as (filesystem, target):
            _make_folder_of(filesystem, target)
            if not is_local(filesystem):
                filesystem.pipe_file(target, content)
                return
            with draft_of(target) as draft:
                filesystem.pipe_file(draft, content)

    def create_bytes(self, name: str, content: bytes) -> bool:
        """Write the file whole if nothing of that name is there, and return whether it was written.

        Of several writers at once exactly one gets True, locally and on S3; on other file systems as far as
        `perennial.warehouse.store.conditional_writes` says.
        """
        with self._target(name) as (filesystem, target):
            _make_folder_of(filesystem, target)
            return conditional.create(filesystem, target, content)

    def replace_bytes(self, name: str, expected: bytes, content: bytes) -> bool:
        """Write the file in place of exactly the expected content, and return whether it was written.

        Safe against other writers on S3; elsewhere see
        `perennial.warehouse.store.conditional_writes.replace`.
        """
        with self._target(name) as (filesystem, target):
            return conditional.replace(filesystem, target, expected, content)

    def remove_bytes(self, name: str, expected: bytes) -> bool:
        """Remove the file if it has exactly the expected content, and return whether it was removed.

        Safe against other writers on S3; elsewhere see `perennial.warehouse.store.conditional_writes.remove`.
        """
        with self._target(name) as (filesystem, target):
            return conditional.remove(filesystem, target, expected)

    def require_conditional_writes(self) -> None:
        """Raise InvalidOption where the root lies on an object store that ignores the conditions of a write.

        Such a store is only read: `create_bytes` and the like would keep no two writers apart there.
        """
        with self._target() as (filesystem, path):
            conditional.require_conditions(filesystem, path, self.root)

    def write_file(self, name: str, source: Path) -> None:
        """Copy a local file into the root, so that it is there whole or not at all; memory stays flat."""
        with self._target(name) as (filesystem, target):
            _make_folder_of(filesystem, target)
            if not is_local(filesystem):
                filesystem.put_file(str(source), target)
                return
            with draft_of(target) as draft:
                shutil.copyfile(source, draft)

    def remove_folder(self, folder: str) -> None:
        """Remove the folder and all that is in it; an absent one is no error."""
        with self._target(folder) as (filesystem, path):
            if filesystem.exists(path):
                filesystem.rm(path, recursive=True)

    def open(self, name: str) -> "pyarrow.NativeFile":
        """Return the file, open for reading: what is not read is not fetched.

        Raises FileNotFoundError where there is none, NotRegular for a pipe or a device.
        """
        return self._read(name, self._open)

    def _open(self, position: str) -> "pyarrow.NativeFile":
        import pyarrow as pa

        with self._target(position) as (filesystem, path):
            if is_local(filesystem):
                require_regular(Path(path))
                return pa.OSFile(path)
            return pa.PythonFile(filesystem.open(path, "rb"), mode="r")

    def local_file(self, name: str, copy: Path) -> Path:
        """Return the file on this machine: itself, or, where the root lies elsewhere, a copy made at `copy`.

        Raises FileNotFoundError where there is none, NotRegular for a pipe or a device.
        """

        def fetch(position: str) -> Path:
            with self._target(position) as (filesystem, path):
                if is_local(filesystem):
                    require_regular(Path(path))
                    return Path(path)
                filesystem.get_file(path, str(copy))
                return copy

        return self._read(name, fetch)

    def read_table(self, name: str, columns: list[str] | None = None) -> "pyarrow.Table":
        """Return the Parquet file's content, or these columns of it.

        Raises FileNotFoundError where there is none, Damaged where it cannot be read.
        """
        import pyarrow as pa

        content = self.read_bytes(name)
        try:
            return parquet_table(content, columns)
        except (pa.ArrowException, OSError) as error:
            reason = in_one_line(error)
            raise Damaged(
                f"{self.location(name)} cannot be read ({reason}): restore it from a copy, as it cannot be "
                "made again (`perennial doctor` names all such files)"
            ) from None

    def write_table(self, name: str, table: "pyarrow.Table") -> None:
        """Write the table as one zstd Parquet file, whole or not at all; equal tables give equal bytes."""
        self.write_bytes(name, parquet_bytes(table))


def _places_of(name: str) -> tuple[str, ...]:
    """Where a file or folder of that name may lie: a file of a table may have been withdrawn."""
    return (name, WITHDRAWN + name) if f"{name}/".startswith(_TABLES) else (name,)


def _make_folder_of(filesystem: Any, target: str) -> None:
    # S3 has no folders, and asked to make one s3fs makes an absent bucket.
    if not is_s3(filesystem):
        filesystem.makedirs(target.rsplit("/", 1)[0], exist_ok=True)


# Size and SHA-256 of files of a data root, read in blocks: memory stays flat however large they are.

_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Digest:
    """What a file holds: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: int
    sha256: str


def digests_of(store: Store, names: Iterable[str]) -> Iterator[tuple[str, Digest | OSError]]:
    """Yield each file's name and digest, in order; several are read at once.

    A file that is missing or cannot be read comes with its error in place of a digest.
    """
    listed = list(names)
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        yield from zip(listed, pool.map(lambda name: _digest(store, name), listed), strict=True)


def _digest(store: Store, name: str) -> Digest | OSError:
    try:
        with store.open(name) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return Digest(file.tell(), sha256)
    except OSError as error:
        return error


# The id of a data root, kept in `root.json` there and in its ledger: whose ledger is this?

ROOT_FILE = "root.json"


def root_id(store: Store) -> str:
    """Return the root's id, making one where it has none yet; raise Damaged where it cannot be read."""
    while (root := find_root_id(store)) is None:
        store.create_bytes(ROOT_FILE, f'{{"root_id": "{uuid4().hex}"}}\n'.encode())
    return root


def find_root_id(store: Store) -> str | None:
    """Return the root's id, None where it has none yet; raise Damaged where it cannot be read."""
    try:
        return str(read_json(store.read_bytes(ROOT_FILE))["root_id"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise Damaged(
            f"{store.location(ROOT_FILE)} cannot be read: restore it from a copy; editions and the ledger of "
            "model calls are of the root that it names"
        ) from None


# Tables that are replaced now and then, each time as a file of its own; the latest one counts.
#
# A file that readers may have open is never written again: a query of DuckDB opens it more than once, and
# would read the head of one and the rows of another. In `stem.v3.1f2e3d4c.parquet` the number says which is
# the latest, the hash keeps two that were written at the same moment apart.

_NAME = re.compile(r"(?P<stem>[^.]+)\.v(?P<number>\d+)\.[0-9a-f]{8}\.parquet")


def latest_version(store: Store, folder: str, stem: str) -> str | None:
    """Return the latest file of that stem, relative to the data root; None where there is none."""
    versions = _versions(store, folder).get(stem)
    return versions[-1][1] if versions else None


def latest_versions(store: Store, folder: str) -> list[str]:
    """Return the latest file of every stem in the folder, relative to the data root, sorted."""
    return sorted(versions[-1][1] for versions in _versions(store, folder).values())


def superseded_versions(store: Store, folder: str) -> list[str]:
    """Return all files of the folder that a later one took the place of, relative to the data root."""
    return sorted(name for versions in _versions(store, folder).values() for _, name in versions[:-1])


def write_version(store: Store, folder: str, stem: str, table: "pyarrow.Table") -> None:
    """Write the table as the latest file of that stem, unless the latest one holds just that.

    The same tables, one after the other, give the same files.
    """
    content = parquet_bytes(table)
    number, latest = _versions(store, folder).get(stem, [(0, "")])[-1]
    if latest and store.read_bytes(latest) == content:
        return
    digest = hashlib.sha256(content).hexdigest()[:8]
    store.write_bytes(f"{folder}/{stem}.v{number + 1}.{digest}.parquet", content)


def _versions(store: Store, folder: str) -> dict[str, list[tuple[int, str]]]:
    """Number and name of the files of each stem, the latest last."""
    by_stem: dict[str, list[tuple[int, str]]] = {}
    for name in store.names(folder):
        match = _NAME.fullmatch(name)
        if match:
            by_stem.setdefault(match["stem"], []).append((int(match["number"]), f"{folder}/{name}"))
    return {stem: sorted(versions) for stem, versions in by_stem.items()}

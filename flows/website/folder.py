"""The folder of a website: which of its files are ours, and how they change.

`perennial-site.json` lists each part of the website with the key of what it was made from, and its files with
their SHA-256. A part whose key and files are as listed is left alone. A name is listed before its file is
written, and each file takes its place whole: after an interruption the same command knows what is its own,
repairs it, and deletes nothing of others.
"""

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from perennial.flows.console.input_files import show_path
from perennial.schemas.errors import Damaged, InvalidOption
from perennial.schemas.ids import canonical_json
from perennial.schemas.json_text import MAX_BYTES, read_json
from perennial.warehouse.store.file_system import NotRegular, open_regular

RECORD = "perennial-site.json"
FORMAT = 1
_DRAFTS = ".perennial-site-drafts"
Content = bytes | Path
"""What a file of the website holds, or a draft of it that may be moved."""


@dataclass(frozen=True, slots=True)
class SitePart:
    """Files that are made together: `key` says from what, `make` gets an empty folder for drafts."""

    name: str
    key: str
    make: Callable[[Path], Mapping[str, Content]]


@dataclass(slots=True)
class Changes:
    """How many files of a website were written, left as they were, and removed."""

    written: int = 0
    kept: int = 0
    removed: int = 0


@dataclass(slots=True)
class _Listed:
    key: str
    files: dict[str, str] = field(default_factory=dict)


def has_record(folder: Path) -> bool:
    """Whether the folder holds a website of perennial, or is being made one."""
    return (folder / RECORD).exists()


class SiteFolder:
    """The folder while it is open, and its record."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._place = folder.resolve()
        self._drafts = folder / _DRAFTS
        self._parts: dict[str, _Listed] = {}
        self._pending: set[str] = set()
        self._owners: frozenset[str] = frozenset()
        self.changes = Changes()

    def update(self, parts: Sequence[SitePart], step: Callable[[str], None]) -> None:
        """Make the folder hold these parts and no other; `step` gets the name of each one that is made.

        Raises InvalidOption where something of others has the place of a file.
        """
        wanted = {part.name for part in parts}
        self._remove(set(self._files()) - {file for name in wanted for file in self._files_of(name)})
        self._parts = {name: listed for name, listed in self._parts.items() if name in wanted}
        self._pending.clear()  # what is left of them is listed with a part, which says whether it is whole
        self._keep_record()
        for part in parts:
            listed = self._parts.get(part.name)
            if listed is not None and listed.key == part.key and self._is_whole(listed):
                self.changes.kept += len(listed.files)
            else:
                step(part.name)
                self._make(part)

    def read(self) -> None:
        """Read the record; raise InvalidOption for a folder of others, Damaged for a bad record."""
        try:
            with open_regular(self._folder / RECORD) as file:
                content = file.read(MAX_BYTES + 1)
        except (NotRegular, IsADirectoryError):
            raise InvalidOption(f"{show_path(self._folder / RECORD)} is no file: move it away") from None
        except FileNotFoundError:
            self._refuse_foreign()
            self._keep_record()
            return
        try:
            values = read_json(content)
            pending = values["pending"]
            self._owners = frozenset(values["owners"])
            if values["format"] != FORMAT or not isinstance(pending, list):
                raise ValueError("format")
            self._pending = {_require_inside(name) for name in pending}
            self._parts = {
                name: _Listed(
                    part["key"], {_require_inside(file): sha for file, sha in part["files"].items()}
                )
                for name, part in values["parts"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Damaged(
                f"{show_path(self._folder / RECORD)} is not the list of files that this version of perennial "
                "writes: name another folder, or empty this one"
            ) from None

    def take(self, owners: frozenset[str], *, replace: bool) -> None:
        """Let these own the website; raise InvalidOption where others do, unless it is to be replaced."""
        if self._owners and not self._owners & owners and not replace:
            raise InvalidOption(
                f"{show_path(self._folder)} is the website of another data root: name another folder, or "
                "replace it by `perennial site FOLDER --replace`"
            )
        self._owners = owners

    def _refuse_foreign(self) -> None:
        others = sorted(entry.name for entry in self._folder.iterdir() if not entry.name.startswith("."))
        if others:
            raise InvalidOption(
                f"{show_path(self._folder)} holds {others[0]!r} and no {RECORD}, so it is not a website of "
                "perennial: name a new or empty folder"
            )

    def _files(self) -> Iterator[str]:
        yield from self._pending
        for name in self._parts:
            yield from self._files_of(name)

    def _files_of(self, part: str) -> Iterator[str]:
        listed = self._parts.get(part)
        yield from listed.files if listed else ()

    def _is_whole(self, listed: _Listed) -> bool:
        return all(_sha256(self._target(name)) == sha256 for name, sha256 in listed.files.items())

    def _make(self, part: SitePart) -> None:
        self._empty_drafts()
        made = part.make(self._drafts)
        own_files = set(self._files())
        for name in made:
            target = self._target(_require_inside(name))
            if name not in own_files and os.path.lexists(target):
                raise InvalidOption(
                    f"{show_path(target)} is not a file of this website, but has the place of one: move it"
                )
        self._pending |= set(made)
        self._keep_record()
        files = {name: self._put(name, content) for name, content in made.items()}
        before = set(self._files_of(part.name))
        self._parts[part.name] = _Listed(part.key, files)
        self._pending -= set(made)
        others = {file for name in self._parts for file in self._files_of(name)}
        self._remove(before - others)
        self._keep_record()

    def _put(self, name: str, content: Content) -> str:
        """Give the file this content, whole or not at all; return its SHA-256."""
        target = self._target(name)
        draft = content if isinstance(content, Path) else self._draft(content)
        sha256 = str(_sha256(draft))
        if _sha256(target) == sha256:
            self.changes.kept += 1
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(draft, target)
            self.changes.written += 1
        return sha256

    def _draft(self, content: bytes) -> Path:
        draft = self._drafts / "draft"
        draft.write_bytes(content)
        return draft

    def _remove(self, names: set[str]) -> None:
        """Remove files of ours, and folders that they leave empty."""
        for name in sorted(names):
            target = self._target(name)
            with suppress(FileNotFoundError):
                target.unlink()
                self.changes.removed += 1
            self._pending.discard(name)
            for folder in PurePosixPath(name).parents[:-1]:
                with suppress(OSError):
                    (self._folder / folder).rmdir()

    def _target(self, name: str) -> Path:
        """Return the file's place; raise InvalidOption where a link leads out of the folder."""
        target = self._folder / name
        try:
            is_inside = target.parent.resolve().is_relative_to(self._place)
        except (OSError, RuntimeError):  # links that lead to each other
            is_inside = False
        if not is_inside:
            raise InvalidOption(
                f"{show_path(target)} leads out of {show_path(self._folder)}: remove the link"
            )
        return target

    def _keep_record(self) -> None:
        parts = {name: {"key": part.key, "files": part.files} for name, part in self._parts.items()}
        lists = {"pending": sorted(self._pending), "owners": sorted(self._owners)}
        values = {"format": FORMAT, "parts": parts, **lists}
        self._drafts.mkdir(exist_ok=True)
        os.replace(self._draft(canonical_json(values).encode() + b"\n"), self._folder / RECORD)

    def _empty_drafts(self) -> None:
        shutil.rmtree(self._drafts, ignore_errors=True)
        self._drafts.mkdir(exist_ok=True)

    def close(self) -> None:
        """Remove what was only for drafts."""
        shutil.rmtree(self._drafts, ignore_errors=True)


@contextmanager
def open_site_folder(
    folder: Path, owners: frozenset[str] = frozenset(), *, replace: bool = False
) -> Iterator[SiteFolder]:
    """Open the folder, made where it is missing, for this process alone, as a website of these owners.

    Raises InvalidOption for a folder or a website of others, one that another process writes, one that has
    no room or is read-only, or none at all.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except (FileExistsError, NotADirectoryError):
        raise InvalidOption(f"{show_path(folder)} is not a folder: name a new or empty one") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidOption(
                f"another `perennial site` writes {show_path(folder)} now: wait until it ends"
            ) from None
        opened = SiteFolder(folder)
        try:
            opened.read()
            opened.take(owners, replace=replace)
            yield opened
        except OSError as error:
            # What is read needs no room.
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS):
                raise
            raise InvalidOption(
                f"{show_path(folder)}: the website cannot be written ({error.strerror}): free some space "
                "there, or name another folder"
            ) from None
        finally:
            opened.close()
    finally:
        os.close(handle)


def _require_inside(name: str) -> str:
    """Return the name; raise ValueError unless it is that of a file in the folder, with `/` between parts."""
    parts = PurePosixPath(name).parts
    if not parts or not name.isprintable() or name.startswith("/") or ".." in parts:
        raise ValueError(name)
    if str(PurePosixPath(name)) != name:
        raise ValueError(name)
    if name == RECORD or parts[0] == _DRAFTS:
        raise ValueError(name)
    return name


def _sha256(path: Path) -> str | None:
    if path.is_symlink() or not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Folders of a release, listed in one order on every disk, and its text files."""

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from schemas.errors import UnreadableInput
from warehouse.kumo.release.things import ReleaseFile, Skipped
from warehouse.store.regular_files import open_regular

_IGNORED = "__pycache__"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_REASON = "a Git LFS pointer, its content was not fetched: run `git lfs pull` in the clone"
_CHUNK_BYTES = 1 << 20
_SPECIAL = "a pipe, a socket or a device, expected a file or a folder"
_BROKEN_LINKS = {errno.ELOOP: "a link that leads back to itself", errno.ENOENT: "a link to nothing"}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder; `name` is its place below the release's folder, empty for that one itself.

    Links are followed within the release's folder, `real_root`, alone. What a listing passes over, a link
    that leads elsewhere or a pipe, is added to `skipped`, which all folders of a release share.
    """

    path: Path
    name: str
    real_root: Path
    skipped: dict[Skipped, None] = field(compare=False, repr=False)

    @classmethod
    def open(cls, path: Path) -> "Folder":
        """Return the release's folder; raise UnreadableInput where there is none."""
        if not path.is_dir():
            what = "a file" if path.is_file() else "no such folder"
            raise UnreadableInput(
                f"{_printable(str(path))}: {what}, expected the folder of the KUMO authors' repository; "
                "check the path"
            )
        return cls(path, "", Path(os.path.realpath(path)), {})

    @property
    def last(self) -> str:
        """The last part of the name."""
        return self.name.rsplit("/", 1)[-1]

    @property
    def shown(self) -> str:
        """The path as one line of text that any terminal takes."""
        return _printable(str(self.path))

    def folder(self, name: str) -> "Folder | None":
        """Return the folder of that name in this one, or None."""
        return self._inner(name) if name in self.folder_names() else None

    def folder_names(self) -> list[str]:
        """Return the sorted names of the folders in it, hidden ones and Python's caches aside."""
        return self._names("folder")

    def file_names(self) -> list[str]:
        """Return the sorted names of the files in it, hidden ones aside."""
        return self._names("file")

    def folders(self) -> Iterator["Folder"]:
        """Yield the folders in it, sorted by name."""
        return map(self._inner, self.folder_names())

    def files(self) -> Iterator[ReleaseFile]:
        """Yield the files in it, sorted by name."""
        return (ReleaseFile(self._below(name), self.path / name) for name in self.file_names())

    def _inner(self, name: str) -> "Folder":
        return Folder(self.path / name, self._below(name), self.real_root, self.skipped)

    def _below(self, name: str) -> str:
        return f"{self.name}/{_printable(name)}" if self.name else _printable(name)

    def _names(self, kind: Literal["folder", "file"]) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                kinds = {entry.name: self._kind(entry) for entry in entries if not _is_hidden(entry.name)}
        except OSError as error:
            reason = f"cannot be listed: {error.strerror}; check its permissions"
            if not self.name:
                raise UnreadableInput(f"{self.shown}: {reason}") from None
            self.skipped[Skipped(self.name, None, reason)] = None
            return []
        for name, what in kinds.items():
            if what not in ("folder", "file"):
                self.skipped[Skipped(self._below(name), None, what)] = None
        return sorted(name for name, what in kinds.items() if what == kind)

    def _kind(self, entry: os.DirEntry[str]) -> str:
        """Return `folder` or `file`, of a link what it leads to; else why the entry is skipped."""
        if entry.is_symlink():
            return self._kind_of_link(self.path / entry.name)
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else _SPECIAL

    def _kind_of_link(self, link: Path) -> str:
        try:
            target = Path(os.path.realpath(link, strict=True))
            mode = target.lstat().st_mode
        except OSError as error:
            return _BROKEN_LINKS.get(error.errno or 0, f"a link that cannot be followed: {error.strerror}")
        if not target.is_relative_to(self.real_root):
            return "a link to something outside of the release's folder; put a copy in its place"
        if any(map(_is_hidden, target.relative_to(self.real_root).parts)):
            return "a link to something hidden, which is no part of the release"
        if stat.S_ISDIR(mode):
            is_above = Path(os.path.realpath(link.parent)).is_relative_to(target)
            return "a link to a folder that it lies in" if is_above else "folder"
        return "file" if stat.S_ISREG(mode) else _SPECIAL


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name == _IGNORED


def _printable(name: str) -> str:
    """Return a name on the disk, which may be any bytes, as one line of text."""
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def read_text(file: ReleaseFile, max_bytes: int) -> str | Skipped:
    """Return the file's text exactly as stored, or why it was skipped (not UTF-8, too large, unreadable)."""
    try:
        with open_regular(file.path) as stored:
            content = stored.read(max_bytes + 1)
    except OSError as error:
        return Skipped(file.name, None, f"cannot be read: {error.strerror or error}")
    if content.startswith(_LFS_POINTER):
        return Skipped(file.name, None, LFS_REASON)
    if len(content) > max_bytes:
        return Skipped(file.name, None, f"larger than {max_bytes:,} bytes, the most that such a file has")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return Skipped(file.name, line, f"not UTF-8 text (byte 0x{content[error.start]:02x})")


def read_lines(file: ReleaseFile, max_bytes: int) -> Iterator[tuple[int, str] | Skipped]:
    """Yield (number from 1, text) of each line that is not blank, or why one was skipped, a line at a time.

    A line of over `max_bytes`, or that is not UTF-8, is skipped alone; a file that cannot be read, or is a
    Git LFS pointer, as a whole; a file without any line is reported as empty.
    """
    empty = True
    try:
        with open_regular(file.path) as stored:
            for number, line in _read_bounded_lines(stored, max_bytes):
                if number == 1 and line is not None and line.startswith(_LFS_POINTER):
                    yield Skipped(file.name, None, LFS_REASON)
                    return
                if line is not None and not line.strip():
                    continue
                empty = False
                yield _decode(file.name, number, line, max_bytes)
    except OSError as error:
        yield Skipped(file.name, None, f"cannot be read: {error.strerror or error}")
        return
    if empty:
        yield Skipped(file.name, None, "empty, expected a JSON object a line")


def _read_bounded_lines(stored: BinaryIO, max_bytes: int) -> Iterator[tuple[int, bytes | None]]:
    """Yield each line's number and content, None where it has more than `max_bytes`."""
    number = 0
    while line := stored.readline(max_bytes + 1):
        number += 1
        is_whole = len(line) <= max_bytes or line.endswith(b"\n")
        if not is_whole:
            _pass_over_line(stored)
        yield number, line if is_whole else None


def _pass_over_line(stored: BinaryIO) -> None:
    while rest := stored.readline(_CHUNK_BYTES):
        if rest.endswith(b"\n"):
            return


def _decode(name: str, number: int, line: bytes | None, max_bytes: int) -> tuple[int, str] | Skipped:
    if line is None:
        return Skipped(name, number, f"a line of over {max_bytes:,} bytes")
    try:
        return number, line.decode("utf-8")
    except UnicodeDecodeError as error:
        return Skipped(name, number, f"not UTF-8 text (byte 0x{line[error.start]:02x})")

"""Folders of a release, listed in one order on every disk, and its text files."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from schemas.errors import UnreadableInput
from warehouse.kumo.release.things import ReleaseFile, Skipped

_IGNORED = "__pycache__"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_REASON = "a Git LFS pointer, its content was not fetched: run `git lfs pull` in the clone"
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder; `name` is its place below the release's folder, empty for that one itself."""

    path: Path
    name: str

    @classmethod
    def open(cls, path: Path) -> "Folder":
        """Return the release's folder; raise UnreadableInput where there is none."""
        folder = cls(path, "")
        if not path.is_dir():
            what = "a file" if path.is_file() else "no such folder"
            raise UnreadableInput(
                f"{folder.shown}: {what}, expected the folder of the KUMO authors' repository; check the path"
            )
        return folder

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
        path = self.path / name
        return Folder(path, self._below(name)) if path.is_dir() else None

    def folder_names(self) -> list[str]:
        """Return the sorted names of the folders in it, hidden ones and Python's caches aside."""
        return self._names(folders=True)

    def file_names(self) -> list[str]:
        """Return the sorted names of the files in it, hidden ones aside."""
        return self._names(folders=False)

    def folders(self) -> Iterator["Folder"]:
        """Yield the folders in it, sorted by name."""
        return (Folder(self.path / name, self._below(name)) for name in self.folder_names())

    def files(self) -> Iterator[ReleaseFile]:
        """Yield the files in it, sorted by name."""
        return (ReleaseFile(self._below(name), self.path / name) for name in self.file_names())

    def _below(self, name: str) -> str:
        return f"{self.name}/{_printable(name)}" if self.name else _printable(name)

    def _names(self, folders: bool) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                found = [entry.name for entry in entries if entry.is_dir() == folders]
        except OSError as error:
            raise UnreadableInput(
                f"{self.shown}: cannot be listed: {error.strerror}; check its permissions"
            ) from None
        return sorted(name for name in found if not name.startswith(".") and name != _IGNORED)


def _printable(name: str) -> str:
    """Return a name on the disk, which may be any bytes, as one line of text."""
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def read_text(file: ReleaseFile, max_bytes: int) -> str | Skipped:
    """Return the file's text exactly as stored, or why it was skipped (not UTF-8, too large, unreadable)."""
    try:
        with _opened(file) as stored:
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
        with _opened(file) as stored:
            for number, line in _bounded_lines(stored, max_bytes):
                if number == 1 and line is not None and line.startswith(_LFS_POINTER):
                    yield Skipped(file.name, None, LFS_REASON)
                    return
                if line is not None and not line.strip():
                    continue
                empty = False
                yield _decoded(file.name, number, line, max_bytes)
    except OSError as error:
        yield Skipped(file.name, None, f"cannot be read: {error.strerror or error}")
        return
    if empty:
        yield Skipped(file.name, None, "empty, expected a JSON object a line")


def _opened(file: ReleaseFile) -> BinaryIO:
    """Return the file, opened; raise OSError also for a pipe or a device, which may never end."""
    if file.path.exists() and not file.path.is_file():
        raise OSError("not a regular file")
    return file.path.open("rb")


def _bounded_lines(stored: BinaryIO, max_bytes: int) -> Iterator[tuple[int, bytes | None]]:
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


def _decoded(name: str, number: int, line: bytes | None, max_bytes: int) -> tuple[int, str] | Skipped:
    if line is None:
        return Skipped(name, number, f"a line of over {max_bytes:,} bytes")
    try:
        return number, line.decode("utf-8")
    except UnicodeDecodeError as error:
        return Skipped(name, number, f"not UTF-8 text (byte 0x{line[error.start]:02x})")

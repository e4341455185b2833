"""The files of a copy of the KUMO authors' repository and their text; what cannot be read is named."""

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from perennial.warehouse.store.regular_files import open_regular

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_REASON = "a Git LFS pointer, its content was not fetched: run `git lfs pull` in the clone"
_SPECIAL = "a link, a pipe or a device, none of which is followed or opened; put a copy in its place"


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """One file: its `name` below the release's folder, with `/` between the parts, and its path."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was skipped: the file, the line (None: all of it) and why, on one line."""

    file: str
    line: int | None
    reason: str

    @property
    def place(self) -> str:
        """The file, and the line where it is known."""
        return self.file if self.line is None else f"{self.file}, line {self.line}"

    @property
    def warning(self) -> str:
        """The sentence that a user is shown."""
        return f"skipped {self.place}: {self.reason}"


def list_files(root: Path, tops: Collection[str]) -> tuple[list[ReleaseFile], list[Skipped]]:
    """Return the files in the root and in these folders of it, and what is no file or cannot be listed.

    Hidden ones and Python's caches are no part of it. Links are not followed: nothing from outside of the
    root is read.
    """
    files: list[ReleaseFile] = []
    skipped: list[Skipped] = []

    def note_error(error: OSError) -> None:
        name = _printable_name(root, Path(error.filename))
        skipped.append(Skipped(name, None, f"cannot be listed: {error.strerror}; check its permissions"))

    for folder, folders, names in os.walk(root, onerror=note_error):
        kept = tops if Path(folder) == root else folders
        folders[:] = [name for name in folders if name in kept and not _is_hidden(name)]
        for path in (Path(folder, name) for name in (*folders, *names) if not _is_hidden(name)):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                files.append(ReleaseFile(_printable_name(root, path), path))
            elif not stat.S_ISDIR(mode):
                skipped.append(Skipped(_printable_name(root, path), None, _SPECIAL))
    return files, skipped


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__"


def _printable_name(root: Path, path: Path) -> str:
    """Return the path below the root, whose names may be any bytes, as one line of text."""
    text = path.relative_to(root).as_posix().encode("utf-8", "backslashreplace").decode("utf-8")
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

    A line that is not UTF-8 is skipped alone; of a file with a line of over `max_bytes`, the rest; a file
    that cannot be read, is a Git LFS pointer or has no line, as a whole.
    """
    number = 0
    is_empty = True
    try:
        with open_regular(file.path) as stored:
            while line := stored.readline(max_bytes + 1):
                number += 1
                if number == 1 and line.startswith(_LFS_POINTER):
                    yield Skipped(file.name, None, LFS_REASON)
                    return
                if len(line) > max_bytes:
                    yield Skipped(
                        file.name, number, f"a line of over {max_bytes:,} bytes: the rest is not read"
                    )
                    return
                if line.strip():
                    is_empty = False
                    yield _decode(file.name, number, line)
    except OSError as error:
        yield Skipped(file.name, None, f"cannot be read: {error.strerror or error}")
        return
    if is_empty:
        yield Skipped(file.name, None, "empty, expected a JSON object per line")


def _decode(name: str, number: int, line: bytes) -> tuple[int, str] | Skipped:
    try:
        return number, line.decode("utf-8")
    except UnicodeDecodeError as error:
        return Skipped(name, number, f"not UTF-8 text (byte 0x{line[error.start]:02x})")

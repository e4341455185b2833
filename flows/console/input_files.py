"""Read what users hand in: text files, whole or line by line, with an error that says what to do."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from perennial.schemas.errors import EditionConflict, InvalidOption, PerennialError, UnreadableInput
from perennial.schemas.units import describe_unit
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.editions.selectors import read_publication_time
from perennial.warehouse.store.file_system import NotRegular, is_utf8, open_regular
from perennial.warehouse.store.store import Store

# The clock against what is published: a clock that was set back would name and order editions wrongly.
#
# Editions are named by date, and "the last K editions" go by the time of publication.

# Clocks of several machines that write to one root differ by seconds; a summer-time mistake is an hour.
_TOLERANCE = timedelta(minutes=5)


def refuse_clock_set_back(store: Store, now: datetime) -> None:
    """Raise EditionConflict where the latest published edition lies in the future of `now`."""
    published = [(read_publication_time(store, edition), edition) for edition in published_units(store)]
    if not published:
        return
    latest, edition = max(published)
    if now < latest - _TOLERANCE:
        raise EditionConflict(
            f"the clock says {_format(now)}, but {describe_unit(edition)} was published in {store.root} at "
            f"{_format(latest)}, which is later: set the clock of this machine right, then try again "
            "(editions are named and ordered by time)"
        )


def _format(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


MAX_BYTES = 10_000_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text_file(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Read a file that the user named, as UTF-8.

    Raises UnreadableInput where it is not UTF-8, and as `read_bytes_file` does.
    """
    content = read_bytes_file(path, max_bytes)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        guess = "it looks like UTF-16" if content.startswith(_UTF16_MARKS) else "it is not UTF-8 text"
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableInput(
            f"{show_path(path)}: {guess} (byte 0x{content[error.start]:02x}, line {line}); save it as UTF-8"
        ) from None


def read_bytes_file(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Read a file that the user named; links are followed for that reason.

    Raises UnreadableInput where it is missing, a folder, a pipe or a device, not readable, or larger than
    `max_bytes`.
    """
    with open_input(path) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise UnreadableInput(
            f"{show_path(path)}: larger than {max_bytes:,} bytes, the most that is read; give a smaller file"
        )
    return content


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file that the user named; raise UnreadableInput where it cannot be opened or read."""
    try:
        with open_regular(path) as file:
            yield file
    except (UnicodeDecodeError, PerennialError):
        raise  # of what was read: the caller knows what it should be
    except (OSError, ValueError) as error:
        raise UnreadableInput(f"{show_path(path)}: {_reason(error)}") from None


def json_files(path: Path) -> list[Path]:
    """The path itself, or a folder's *.json, sorted; raise UnreadableInput if there is none."""
    try:
        if not path.is_dir():
            return [path]
        files = sorted(entry for entry in path.iterdir() if entry.suffix == ".json" and not entry.is_dir())
    except OSError as error:
        raise UnreadableInput(f"{show_path(path)}: {_reason(error)}") from None
    if not files:
        raise UnreadableInput(f"{show_path(path)}: no *.json file in this folder; name a file or another one")
    return files


def show_path(path: Path) -> str:
    """Write a path as one line of text that any terminal and encoding takes."""
    text = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    return text if text.isprintable() else repr(text)


def _reason(error: OSError | ValueError) -> str:
    match error:
        case FileNotFoundError():
            return "no such file; check the path"
        case IsADirectoryError():
            return "a folder, expected a file in it"
        case NotRegular():
            return "a pipe, a socket or a device, expected a file; save its content in one"
    reason = error.strerror if isinstance(error, OSError) else None
    return f"cannot be read: {reason or error}; check the path and its permissions"


def read_lines(path: Path) -> Iterator[str]:
    """Read a file line by line; raise UnreadableInput if that fails or it is not UTF-8."""
    try:
        with open_input(path) as file:
            yield from TextIOWrapper(file, encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInput(
            f"{show_path(path)}: not UTF-8 text ({error.reason}); save it as UTF-8"
        ) from None


# Where a command is to write: checked before its work, so that nobody waits for an error; whole files.


def require_folder(option: str, folder: Path) -> None:
    """Raise InvalidOption, naming the option, unless the folder can be written, or made; make nothing."""
    existing = Path(os.path.abspath(folder))
    if not is_utf8(str(existing)):
        raise InvalidOption(f"{option} {show_path(folder)}: the path is not UTF-8; name another folder")
    while not os.path.lexists(existing):
        existing = existing.parent
    try:
        with TemporaryFile(dir=existing):
            return
    except OSError as error:
        raise InvalidOption(
            f"{option} {show_path(folder)}: {error.strerror or error} ({show_path(existing)}); name a folder "
            "that you can write"
        ) from None


def require_file_place(option: str, file: Path) -> None:
    """Raise InvalidOption, naming the option, unless the file's folder is there and can be written."""
    target = Path(os.path.realpath(file))
    if os.path.exists(target) and not target.is_file():
        raise InvalidOption(f"{option} {show_path(file)}: not a regular file; name one that may be replaced")
    try:
        with TemporaryFile(dir=target.parent):
            return
    except OSError as error:
        raise InvalidOption(
            f"{option} {show_path(file)}: {error.strerror}; name a file in a folder that you can write"
        ) from None


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the lines so that the file is there whole or not at all; raise InvalidOption if it cannot be.

    Only a regular file is replaced, of a link what it leads to. Whatever ends the lines' own making passes
    through, and leaves no draft.
    """
    require_file_place("--out", path)
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name}.draft")
    try:
        with draft.open("w", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in lines)
        draft.replace(target)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink()
        if not isinstance(error, OSError):
            raise
        raise InvalidOption(
            f"--out {show_path(path)}: {error.strerror}; name a file in a folder that you can write"
        ) from None

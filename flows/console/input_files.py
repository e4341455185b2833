"""Read what users hand in: text files, whole or line by line, with an error that says what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from perennial.schemas.errors import UnreadableInput
from perennial.warehouse.store.local_files import NotRegular, open_regular

MAX_BYTES = 10_000_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_text_file(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the file's text, decoded as UTF-8.

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
    """Return the file's content; links are followed, since the user named the file.

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
    except UnicodeDecodeError:
        raise  # of what was read: the caller knows what it should be
    except (OSError, ValueError) as error:
        raise UnreadableInput(f"{show_path(path)}: {_reason(error)}") from None


def json_files(path: Path) -> list[Path]:
    """Return the path itself, or what a folder holds as *.json, sorted; raise UnreadableInput for none."""
    try:
        if not path.is_dir():
            return [path]
        found = sorted(entry for entry in path.iterdir() if entry.suffix == ".json" and not entry.is_dir())
    except OSError as error:
        raise UnreadableInput(f"{show_path(path)}: {_reason(error)}") from None
    if not found:
        raise UnreadableInput(f"{show_path(path)}: no *.json file in this folder; name a file or another one")
    return found


def show_path(path: Path) -> str:
    """Return the path as one line of text that any terminal and encoder takes."""
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
    """Yield the file's lines; raise UnreadableInput where it cannot be read or is not UTF-8."""
    try:
        with open_input(path) as file:
            yield from TextIOWrapper(file, encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInput(
            f"{show_path(path)}: not UTF-8 text ({error.reason}); save it as UTF-8"
        ) from None

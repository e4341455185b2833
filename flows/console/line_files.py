"""JSON Lines files: read line by line, written whole or not at all."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from flows.console.input_files import shown_path
from schemas.errors import InvalidOption, UnreadableInput


def read_lines(path: Path) -> Iterator[str]:
    """Yield the file's lines; raise UnreadableInput where it is missing, not readable or not UTF-8."""
    try:
        with path.open(encoding="utf-8") as lines:
            yield from lines
    except UnicodeDecodeError as error:
        raise UnreadableInput(
            f"{shown_path(path)}: not UTF-8 text ({error.reason}); save it as UTF-8"
        ) from None
    except OSError as error:
        raise UnreadableInput(f"{shown_path(path)}: {error.strerror}; name a file of JSON Lines") from None


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the lines so that the file is there whole or not at all; raise InvalidOption if it cannot be.

    Whatever ends the lines' own making passes through, and leaves no draft.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        with draft.open("w", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in lines)
        draft.replace(path)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink()
        if not isinstance(error, OSError):
            raise
        raise InvalidOption(
            f"--out {shown_path(path)}: {error.strerror}; name a file in a folder that you can write"
        ) from None

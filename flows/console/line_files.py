"""JSON Lines files: read line by line, written whole or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from flows.console.input_files import open_input, show_path
from flows.console.output_places import require_file_place
from schemas.errors import InvalidOption, UnreadableInput


def read_lines(path: Path) -> Iterator[str]:
    """Yield the file's lines; raise UnreadableInput where it cannot be read or is not UTF-8."""
    try:
        with open_input(path) as file:
            yield from TextIOWrapper(file, encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInput(
            f"{show_path(path)}: not UTF-8 text ({error.reason}); save it as UTF-8"
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

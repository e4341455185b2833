"""Where a command is to write: checked before its work, so that nobody waits for an error; whole files."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from perennial.flows.console.input_files import show_path
from perennial.schemas.errors import InvalidOption


def require_folder(option: str, folder: Path) -> None:
    """Raise InvalidOption, naming the option, unless the folder can be written, or made; make nothing."""
    place = Path(os.path.abspath(folder))
    while not os.path.lexists(place):
        place = place.parent
    try:
        with TemporaryFile(dir=place):
            return
    except OSError as error:
        raise InvalidOption(
            f"{option} {show_path(folder)}: {error.strerror or error} ({show_path(place)}); name a folder "
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

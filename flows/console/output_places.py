"""Where a command is to write: looked at before its work, so that nobody waits for an error."""

import os
from pathlib import Path
from tempfile import TemporaryFile

from flows.console.input_files import show_path
from schemas.errors import InvalidOption


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

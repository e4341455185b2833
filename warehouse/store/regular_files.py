"""Open the files that a user names: regular ones alone, so that no command waits for a pipe or a device."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


class NotRegular(OSError):
    """A pipe, a socket or a device, reading which may wait for ever or never end."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "not a regular file", str(path))


def open_regular(path: Path) -> BinaryIO:
    """Return the file, opened for reading; links are followed.

    Raises OSError where there is none, IsADirectoryError for a folder, and NotRegular, without opening it,
    for whatever else is no regular file.
    """
    require_regular(path)
    # Non-blocking: a pipe that takes the file's place meanwhile is not waited for either.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _refuse_special(os.fstat(descriptor).st_mode, path)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def require_regular(path: Path) -> None:
    """Raise what `open_regular` raises, without opening the file."""
    _refuse_special(path.stat().st_mode, path)


def _refuse_special(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise NotRegular(path)

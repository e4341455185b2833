"""The machine's own file system as fsspec offers it, without fsspec for what every command asks first.

fsspec takes longer to import than a small query runs.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

# A local file that appears whole or not at all: it is written as a draft beside its place.


# How file systems say that they have no hard links; any other trouble is trouble.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


@contextmanager
def draft_of(target: str, *, is_new: bool = False) -> Iterator[str]:
    """Yield the name of a draft, which takes the target's place at the end; none is left behind.

    With `is_new` it raises FileExistsError where something of the target's name is there.
    """
    draft = f"{target.rsplit('/', 1)[0]}/.{uuid4().hex}.draft"
    try:
        yield draft
        if is_new:
            _link(draft, target)
        else:
            os.replace(draft, target)
    except OSError as error:
        if error.errno and (error.filename is None or draft in (error.filename, error.filename2)):
            # A full disk is reported without a name, and a draft's says nothing.
            raise OSError(error.errno, error.strerror, target) from None
        raise
    finally:
        with suppress(OSError):
            os.unlink(draft)


def _link(draft: str, target: str) -> None:
    try:
        os.link(draft, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        with open(target, "xb"):
            os.replace(draft, target)


class LocalFiles:
    """Lists and looks for files by itself; all else is fsspec's, imported then."""

    protocol = ("file", "local")

    def exists(self, path: str) -> bool:
        """Whether a file or folder of that name is there."""
        return os.path.exists(path)

    def ls(self, path: str, **_: object) -> list[str]:
        """Return the paths of what is in a folder, or the path of a file; raise FileNotFoundError."""
        try:
            return [f"{path}/{name}" for name in os.listdir(path)]
        except NotADirectoryError:
            os.stat(path)  # which raises where a part of the path before its name is a file
            return [path]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from fsspec.implementations.local import LocalFileSystem

        return getattr(LocalFileSystem(), name)


def local_path(root: str) -> str | None:
    """Return the absolute path of a root that names a folder and nothing else; None where fsspec must say."""
    if ":" in root or root.startswith("~") or os.sep != "/":
        return None
    inside = "" if root == "." else root.removeprefix("./")
    return os.path.join(os.getcwd(), inside).rstrip("/") or "/"


# Open the files that a user names: regular ones alone, so that no command waits for a pipe or a device.


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

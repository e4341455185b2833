"""The fsspec file system behind a data root, and one-line errors of its faults.

Which credentials and which endpoint an S3 store uses is up to the usual AWS_* environment, AWS_ENDPOINT_URL
included: a root names neither.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from perennial.schemas.errors import InvalidOption, PerennialError, UnreadableInput, add_extra, in_one_line

# The machine's own file system as fsspec offers it, without fsspec for what every command asks first.
#
# fsspec takes longer to import than a small query runs.

# A local file that appears whole or not at all: it is written as a draft beside its place.

# How file systems say that they have no hard links; any other trouble is trouble.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


@contextmanager
def draft_of(target: str, *, is_new: bool = False) -> Iterator[str]:
    """Yield the name of a draft, which takes the target's place at the end; none is left behind.

    With `is_new` it raises FileExistsError where something of the target's name is there.
    """
    # Beside its target: only within one file system is a rename a single step.
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
        # Takes the name, which fails if somebody has it; a reader may see an empty file for a moment.
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


def is_utf8(path: str) -> bool:
    """Whether the libraries that read and write tables take the path."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


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


# A listing that is remembered would hide what another process wrote meanwhile.
_STORAGE_OPTIONS = {"s3": {"use_listings_cache": False}, "s3a": {"use_listings_cache": False}}
_EXTRAS = {"s3": "s3", "s3a": "s3"}
# How S3 answers where a request's condition does not hold, and where it knows no such condition.
UNMET = ("PreconditionFailed", "412")
NOT_OFFERED = ("NotImplemented", "501")
_REFUSED = ("403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken")


def file_system(root: str) -> tuple[Any, str]:
    """Return the root's file system and the root's path on it.

    Raises InvalidOption for one that is blank, a file, of an unknown kind, without its package or with a key.
    """
    if (folder := local_path(root)) is not None:
        if not is_utf8(folder):
            raise InvalidOption(f"the data root {folder!a}: its path is not UTF-8: rename the folder")
        if not root.strip() or os.path.isfile(folder):
            problem = "a file has this name" if root.strip() else "a blank name"
            raise InvalidOption(
                f"the data root {root!r}: {problem}: expected a folder, or a URL such as s3://x/y"
            )
        return LocalFiles(), folder
    from fsspec.core import url_to_fs

    scheme, separator, rest = root.partition("://")
    if not separator:
        filesystem, path = url_to_fs(root)
        return filesystem, path
    if "@" in rest.split("/", 1)[0]:
        raise InvalidOption(
            f"the data root {scheme}://... has a user name or a key in it: leave it out and pass credentials "
            "in the environment (for S3: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)"
        )
    try:
        filesystem, path = url_to_fs(root, **_STORAGE_OPTIONS.get(scheme, {}))
    except ImportError as error:
        extra = _EXTRAS.get(scheme)
        remedy = add_extra(extra) if extra else str(error)
        raise InvalidOption(
            f"the data root {root!r} needs a package that is not installed: {remedy}"
        ) from None
    except ValueError as error:
        raise InvalidOption(
            f"the data root {root!r} cannot be used ({_one_line(error)}): expected a folder, or a URL such "
            "as s3://bucket/prefix"
        ) from None
    filesystem.invalidate_cache()
    return filesystem, path


def is_local(filesystem: Any) -> bool:
    """Whether the file system is the machine's own."""
    return "file" in _protocols(filesystem)


def is_s3(filesystem: Any) -> bool:
    """Whether the file system is an S3 store, which knows conditional writes and no folders."""
    return "s3" in _protocols(filesystem)


def error_code(error: BaseException) -> str:
    """Return the S3 error code behind the error, or "" where there is none."""
    for raised in (error, error.__cause__):
        response = getattr(raised, "response", None)
        if isinstance(response, dict):
            return str(response.get("Error", {}).get("Code", ""))
    return ""


@contextmanager
def translate_store_errors(root: str, filesystem: Any) -> Iterator[None]:
    """Turn what a remote store refuses into InvalidOption, other troubles with it into UnreadableInput.

    FileNotFoundError and FileExistsError pass, since they are answers; so does all of a local file system.
    """
    try:
        yield
    except PerennialError:
        raise
    except Exception as error:
        if is_local(filesystem) or not _is_of_the_store(error):
            raise
        reported = _trouble(root, error)
        if reported is None:
            raise
        raise reported from None


def _trouble(root: str, error: Exception) -> PerennialError | None:
    code = error_code(error)
    if code == "NoSuchBucket":
        return InvalidOption(
            f"the bucket of the data root {root!r} does not exist: create it, or name another --root"
        )
    if isinstance(error, FileNotFoundError | FileExistsError):
        return None
    if isinstance(error, PermissionError) or code in _REFUSED:
        return InvalidOption(
            f"the data root {root!r} refuses these credentials ({_one_line(error)}): check "
            "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL, and what they may do there"
        )
    if "Credential" in type(error).__name__:
        return InvalidOption(
            f"the data root {root!r} needs credentials ({_one_line(error)}): set AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        )
    return UnreadableInput(
        f"the data root {root!r} failed ({_one_line(error)}): check it, AWS_ENDPOINT_URL and the network, "
        "then give the same command again"
    )


def _is_of_the_store(error: Exception) -> bool:
    """Whether it came from the store or the way to it, and not from what we did with its answer."""
    module = type(error).__module__.partition(".")[0]
    return isinstance(error, OSError) or module in ("botocore", "aiobotocore", "aiohttp")


def _one_line(error: BaseException) -> str:
    text = in_one_line(error) or type(error).__name__
    return re.sub(r"(?<=://)[^/\s@]*@", "", text)


def _protocols(filesystem: Any) -> tuple[str, ...]:
    protocol = filesystem.protocol
    return (protocol,) if isinstance(protocol, str) else tuple(protocol)

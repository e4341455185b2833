"""Writes that depend on what is there: for files that several writers reach for at once.

Three kinds of file systems differ in what they promise. Locally, a file is created by a hard link, which
fails where the name is taken. S3 has conditional requests (If-None-Match, If-Match), which AWS and most other
servers keep: `conditional_probe` finds out. Any other file system is asked for what it has, which may be a
look and then a write: there two writers that act within the same moment may both succeed.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from perennial.schemas.errors import InvalidOption
from perennial.warehouse.store.file_system import NOT_OFFERED, UNMET, draft_of, error_code, is_local, is_s3

# A probe of an object store: does it keep the conditions on which one writer a data root rests?
#
# The lock of a root on S3 is written under If-None-Match and If-Match. Some servers that speak S3 ignore
# these headers and write all the same: two writers would then both believe that they hold the lock. So the
# first writer of each process tries both on an object of its own, which costs five requests. The result is
# not stored in the root, because a root that is copied, or reached through another endpoint, is on another
# server.

FOLDER = ".probes"
# What a killed process left is removed by a later probe; a younger object may belong to a probe under way.
_LEFT_BEHIND = timedelta(hours=1)
# The object is there, and no object has this ETag: a store that keeps conditions refuses both.
_CONDITIONS = {"If-None-Match": {"IfNoneMatch": "*"}, "If-Match": {"IfMatch": f'"{"0" * 32}"'}}

_kept: set[tuple[str, str]] = set()


def require_conditions(filesystem: Any, folder: str, root: str) -> None:
    """Raise InvalidOption where the root's object store does not keep If-None-Match and If-Match.

    A store that keeps them is probed once in a process. File systems other than S3 are not probed.
    """
    if not is_s3(filesystem):
        return
    host = urlsplit(str(filesystem.s3.meta.endpoint_url)).netloc.rpartition("@")[2]
    if (host, folder) in _kept:
        return
    broken = _probe(filesystem, f"{folder}/{FOLDER}")
    if broken:
        raise InvalidOption(
            f"the data root {root!r} cannot be written to: its object store {host} does not keep "
            f"{' and '.join(broken)}, so that two writers could not be kept apart: name a --root on a store "
            "that keeps If-None-Match and If-Match, such as AWS S3, or a local folder (commands that only "
            "read work on this root)"
        )
    _kept.add((host, folder))


def _probe(filesystem: Any, folder: str) -> list[str]:
    """Write an object under conditions that do not hold; return those that the store does not keep."""
    path = f"{folder}/{uuid4().hex}"
    filesystem.pipe_file(path, b"")
    try:
        return [name for name, condition in _CONDITIONS.items() if not _refuses(filesystem, path, condition)]
    finally:
        _remove(filesystem, folder, path)


def _refuses(filesystem: Any, path: str, condition: dict[str, str]) -> bool:
    bucket, key, _ = filesystem.split_path(path)
    try:
        filesystem.call_s3("put_object", Bucket=bucket, Key=key, Body=b"", **condition)
    except Exception as error:
        if error_code(error) in UNMET:
            return True
        if error_code(error) not in NOT_OFFERED:
            raise
    return False


def _remove(filesystem: Any, folder: str, path: str) -> None:
    """Remove this probe's object, and those that killed processes left, by the store's own clock."""
    objects = filesystem.find(folder, detail=True)
    newest = max((info["LastModified"] for info in objects.values()), default=None)
    left = [name for name, info in objects.items() if newest - info["LastModified"] >= _LEFT_BEHIND]
    for name in {path, *left}:
        filesystem.rm_file(name)


# S3 answers so while another conditional request for the same name is under way: it says nothing yet.
_UNDECIDED = ("ConditionalRequestConflict", "409", "OperationAborted")
_PAUSES_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, None)


def create(filesystem: Any, path: str, content: bytes) -> bool:
    """Write the file whole if nothing of that name is there; return whether it was written.

    Of several writers at once exactly one gets True: locally, and on S3 servers that keep If-None-Match. The
    folder must be there.
    """
    if is_local(filesystem):
        return _succeeds(lambda: _write_locally(path, content, is_new=True))
    return _succeeds(lambda: filesystem.pipe_file(path, content, mode="create"))


def replace(filesystem: Any, path: str, expected: bytes, content: bytes) -> bool:
    """Write the file in place of exactly this content; return whether it was written.

    Safe against other writers on S3 servers that keep If-Match. Elsewhere it is a look and then a write:
    locally, the caller holds a lock of the operating system that others respect.
    """
    condition = _condition(filesystem, path, expected)
    if condition is None:
        return False
    if is_local(filesystem):
        return _succeeds(lambda: _write_locally(path, content, is_new=False))
    return _succeeds(lambda: filesystem.pipe_file(path, content, **condition))


def remove(filesystem: Any, path: str, expected: bytes) -> bool:
    """Remove the file if it has exactly this content; return whether it was removed.

    As safe as `replace` is; on an S3 server without conditional removal it is a look and then a removal.
    """
    condition = _condition(filesystem, path, expected)
    if condition is None:
        return False
    if not is_s3(filesystem):
        with suppress(FileNotFoundError):
            filesystem.rm_file(path)
        return True
    bucket, key, _ = filesystem.split_path(path)
    try:
        return _succeeds(lambda: filesystem.call_s3("delete_object", Bucket=bucket, Key=key, **condition))
    except Exception as error:
        if error_code(error) not in NOT_OFFERED:
            raise
    return _succeeds(lambda: filesystem.rm_file(path))


def _condition(filesystem: Any, path: str, expected: bytes) -> dict[str, str] | None:
    """The condition for S3 to still have the expected content; None where it is not there now."""
    try:
        # First the version, then the content: what is written in between makes the condition fail.
        condition = {"IfMatch": str(filesystem.info(path)["ETag"])} if is_s3(filesystem) else {}
        return condition if bytes(filesystem.cat_file(path)) == expected else None
    except FileNotFoundError as error:
        if error_code(error) == "NoSuchBucket":
            raise
        return None


def _succeeds(act: Callable[[], object]) -> bool:
    """Act, again while the store does not know; return False where the condition does not hold."""
    for pause in _PAUSES_S:
        try:
            act()
        except FileExistsError:
            return False
        except Exception as error:
            # An object that is gone has not the content that was expected either.
            if error_code(error) in (*UNMET, "NoSuchKey", "404"):
                return False
            if error_code(error) not in _UNDECIDED or pause is None:
                raise
            time.sleep(pause)
        else:
            return True
    return False


def _write_locally(path: str, content: bytes, *, is_new: bool) -> None:
    with draft_of(path, is_new=is_new) as draft, open(draft, "wb") as file:
        file.write(content)

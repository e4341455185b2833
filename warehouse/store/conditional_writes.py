"""Writes that depend on what is there: for files that several writers reach for at once.

Three kinds of file systems differ in what they promise. Locally, a file is created by a hard link, which
fails where the name is taken. S3 has conditional requests (If-None-Match, If-Match), which AWS and most other
servers keep: `conditional_probe` finds out. Any other file system is asked for what it has, which may be a look
and then a write: there two writers that act within the same moment may both succeed.
"""

import errno
import os
import time
from contextlib import suppress
from typing import Any
from uuid import uuid4

from warehouse.store.file_system import error_code, is_local, is_s3

# S3 answers so while another conditional request for the same name is under way: it says nothing yet.
_UNDECIDED = ("ConditionalRequestConflict", "409", "OperationAborted")
_UNMET = ("PreconditionFailed", "412", "NoSuchKey", "404")
_NOT_OFFERED = ("NotImplemented", "501")
_TRIES = 8
_FIRST_WAIT_S = 0.05
# How file systems say that they have no hard links; any other trouble is trouble.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


def create(filesystem: Any, path: str, content: bytes) -> bool:
    """Write the file whole if nothing of that name is there; return whether it was written.

    Of several writers at once exactly one gets True: on local file systems that know hard links, and on S3
    servers that keep If-None-Match. A local file system without hard links keeps that promise too, but a
    process that is killed while it writes leaves a file cut short. The folder must be there.
    """
    if is_local(filesystem):
        return _create_locally(path, content)
    for wait in _waits():
        try:
            filesystem.pipe_file(path, content, mode="create")
        except FileExistsError:
            return False
        except OSError as error:
            if error_code(error) in _UNMET:
                return False
            if error_code(error) not in _UNDECIDED or wait is None:
                raise
            time.sleep(wait)
        else:
            return True
    return False


def replace(filesystem: Any, path: str, expected: bytes, content: bytes) -> bool:
    """Write the file in place of exactly this content; return whether it was written.

    Safe against other writers on S3 servers that keep If-Match. Elsewhere it is a look and then a write:
    locally, whoever calls holds a lock of the operating system that others respect.
    """
    if not is_s3(filesystem):
        if _read(filesystem, path) != expected:
            return False
        _overwrite(filesystem, path, content)
        return True
    return _if_matching(
        filesystem, path, expected, lambda etag: filesystem.pipe_file(path, content, IfMatch=etag)
    )


def remove(filesystem: Any, path: str, expected: bytes) -> bool:
    """Remove the file if it has exactly this content; return whether it was removed.

    As safe as `replace` is; on an S3 server without conditional removal it is a look and then a removal.
    """
    if not is_s3(filesystem):
        if _read(filesystem, path) != expected:
            return False
        with suppress(FileNotFoundError):
            filesystem.rm_file(path)
        return True
    bucket, key, _ = filesystem.split_path(path)

    def remove_it(etag: str) -> None:
        try:
            filesystem.call_s3("delete_object", Bucket=bucket, Key=key, IfMatch=etag)
        except Exception as error:
            if error_code(error) not in _NOT_OFFERED:
                raise
            filesystem.call_s3("delete_object", Bucket=bucket, Key=key)

    return _if_matching(filesystem, path, expected, remove_it)


def _if_matching(filesystem: Any, path: str, expected: bytes, act: Any) -> bool:
    """Act on the version with the expected content; return False where it is not, or no longer, there."""
    for wait in _waits():
        # First the version, then the content: what is written in between makes the condition fail.
        try:
            etag = filesystem.info(path)["ETag"]
            if filesystem.cat_file(path) != expected:
                return False
        except FileNotFoundError as error:
            if error_code(error) == "NoSuchBucket":
                raise
            return False
        try:
            act(etag)
        except Exception as error:
            code = error_code(error)
            if code in _UNMET:
                return False
            if code not in _UNDECIDED or wait is None:
                raise
            time.sleep(wait)
        else:
            return True
    return False


def _create_locally(path: str, content: bytes) -> bool:
    folder = path.rsplit("/", 1)[0]
    draft = f"{folder}/.{uuid4().hex}.draft"
    try:
        with open(draft, "wb") as file:
            file.write(content)
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return _create_without_links(path, content)
        return True
    except OSError as error:
        # A full disk says so while a file that has no name yet is written.
        error.filename = path
        raise
    finally:
        with suppress(OSError):
            os.unlink(draft)


def _create_without_links(path: str, content: bytes) -> bool:
    try:
        with open(path, "xb") as file:
            file.write(content)
    except FileExistsError:
        return False
    except OSError:
        # This process made the file and did not fill it.
        with suppress(OSError):
            os.unlink(path)
        raise
    return True


def _read(filesystem: Any, path: str) -> bytes | None:
    try:
        return bytes(filesystem.cat_file(path))
    except FileNotFoundError:
        return None


def _overwrite(filesystem: Any, path: str, content: bytes) -> None:
    if not is_local(filesystem):
        filesystem.pipe_file(path, content)
        return
    draft = f"{path.rsplit('/', 1)[0]}/.{uuid4().hex}.draft"
    try:
        with open(draft, "wb") as file:
            file.write(content)
        os.replace(draft, path)
    finally:
        with suppress(OSError):
            os.unlink(draft)


def _waits() -> list[float | None]:
    """Return how long to wait after each try; after the last one not at all."""
    return [*(_FIRST_WAIT_S * 2**number for number in range(_TRIES - 1)), None]

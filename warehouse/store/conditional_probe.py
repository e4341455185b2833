"""A probe of an object store: does it keep the conditions on which one writer a data root rests?

The lock of a root on S3 is written under If-None-Match and If-Match. Some servers that speak S3 ignore these
headers and write all the same: two writers would then both believe that they hold the lock. So the first
writer of each process tries both on an object of its own, which costs five requests. The result is not stored
in the root, because a root that is copied, or reached through another endpoint, is on another server.
"""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from perennial.schemas.errors import InvalidOption
from perennial.warehouse.store.file_system import NOT_OFFERED, UNMET, error_code, is_s3

FOLDER = ".probes"
# What a killed process left is removed by a later probe; a younger object may belong to a probe under way.
_LEFT_BEHIND = timedelta(hours=1)
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

"""A probe of an object store: does it keep the conditions on which one writer a data root rests?

The lock of a root on S3 is written under If-None-Match and If-Match. Some servers that speak S3 ignore these
headers and write all the same: two writers would then both believe that they hold the lock. So the first
writer of each process tries both on an object of its own, which costs five requests. The result is not stored
in the root, because a root that is copied, or reached through another endpoint, is on another server.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from schemas.errors import InvalidOption
from warehouse.store.file_system import error_code, is_s3

FOLDER = ".probes"
# What a killed process left is removed by a later probe; a younger object may belong to a probe under way.
_LEFT_BEHIND = timedelta(hours=1)
_UNMET = ("PreconditionFailed", "412")
_NOT_OFFERED = ("NotImplemented", "501")
_NO_OBJECTS_ETAG = f'"{"0" * 32}"'

_kept: set[tuple[str, str]] = set()


class _Answer(StrEnum):
    """What a store made of a write whose condition did not hold."""

    refused = "refuses"
    written = "ignores"
    not_offered = "does not implement"


def require_conditions(filesystem: Any, folder: str, root: str) -> None:
    """Raise InvalidOption where the root's object store does not keep If-None-Match and If-Match.

    A store that keeps them is probed once in a process. File systems other than S3 are not probed.
    """
    if not is_s3(filesystem):
        return
    host = urlsplit(str(filesystem.s3.meta.endpoint_url)).netloc.rpartition("@")[2]
    if (host, folder) in _kept:
        return
    faults = _faults(_probe(filesystem, f"{folder}/{FOLDER}"))
    if faults:
        raise InvalidOption(
            f"the data root {root!r} cannot be written to: its object store {host} {faults}, so that two "
            "writers could not be kept apart: name a --root on a store that keeps If-None-Match and "
            "If-Match, such as AWS S3, or a local folder (commands that only read work on this root)"
        )
    _kept.add((host, folder))


def _faults(answers: dict[str, _Answer]) -> str:
    """Return what the store does to conditions instead of keeping them, "" where it keeps all."""
    told = []
    for answer in (_Answer.written, _Answer.not_offered):
        headers = [header for header, given in answers.items() if given is answer]
        if headers:
            told.append(f"{answer} {' and '.join(headers)}")
    return " and ".join(told)


def _probe(filesystem: Any, folder: str) -> dict[str, _Answer]:
    """Write an object under conditions that do not hold; return what the store made of each."""
    path = f"{folder}/{uuid4().hex}"
    created = _write(filesystem, path, IfNoneMatch="*")
    if created is _Answer.not_offered:
        # Where this fails as well, it is not the condition that the store rejects.
        filesystem.pipe_file(path, b"")
    try:
        return {
            "If-None-Match": _write(filesystem, path, IfNoneMatch="*"),
            "If-Match": _write(filesystem, path, IfMatch=_NO_OBJECTS_ETAG),
        }
    finally:
        _remove(filesystem, folder, path)


def _write(filesystem: Any, path: str, **condition: str) -> _Answer:
    bucket, key, _ = filesystem.split_path(path)
    try:
        filesystem.call_s3("put_object", Bucket=bucket, Key=key, Body=b"", **condition)
    except Exception as error:
        if error_code(error) in _UNMET:
            return _Answer.refused
        if error_code(error) in _NOT_OFFERED:
            return _Answer.not_offered
        raise
    return _Answer.written


def _remove(filesystem: Any, folder: str, path: str) -> None:
    """Remove this probe's object, and those that killed processes left, by the store's own clock."""
    objects = filesystem.find(folder, detail=True)
    newest = max((info["LastModified"] for info in objects.values()), default=None)
    left = [name for name, info in objects.items() if newest - info["LastModified"] >= _LEFT_BEHIND]
    for name in {path, *left}:
        filesystem.rm_file(name)

"""The fsspec file system behind a data root, and one-line errors of its faults.

Which credentials and which endpoint an S3 store uses is up to the usual AWS_* environment, AWS_ENDPOINT_URL
included: a root names neither.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from perennial.schemas.errors import InvalidOption, PerennialError, UnreadableInput, in_one_line
from perennial.warehouse.store.local_files import LocalFiles, local_path

# A listing that is remembered would hide what another process wrote meanwhile.
_STORAGE_OPTIONS = {"s3": {"use_listings_cache": False}, "s3a": {"use_listings_cache": False}}
_EXTRAS = {"s3": "s3", "s3a": "s3"}
# How S3 answers where a request's condition does not hold, and where it knows no such condition.
UNMET = ("PreconditionFailed", "412")
NOT_OFFERED = ("NotImplemented", "501")
_REFUSED = ("403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken")


def file_system(root: str) -> tuple[Any, str]:
    """Return the root's file system and the root's path on it.

    Raises InvalidOption for a root with credentials in it, of an unknown kind, or whose package is missing.
    """
    if (folder := local_path(root)) is not None:
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
        remedy = f"pip install -e '.[{extra}]' in perennial's clone" if extra else str(error)
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

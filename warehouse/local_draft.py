"""A local file that appears whole or not at all: it is written as a draft beside its place."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import uuid4

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

"""Size and SHA-256 of files of a data root, read in blocks: memory stays flat however large they are."""

import hashlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from perennial.warehouse.store.store import Store

_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Digest:
    """What a file holds: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: int
    sha256: str


def digests_of(store: Store, names: Iterable[str]) -> Iterator[tuple[str, Digest | OSError]]:
    """Yield each file's name and digest, in order; several are read at once.

    A file that is missing or cannot be read comes with its error in place of a digest.
    """
    listed = list(names)
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        yield from zip(listed, pool.map(lambda name: _digest(store, name), listed), strict=True)


def _digest(store: Store, name: str) -> Digest | OSError:
    try:
        with store.open(name) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            return Digest(file.tell(), sha256)
    except OSError as error:
        return error

"""Which instances were issued before: the ids that the published editions hold, withdrawn ones included."""

from collections.abc import Container, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from perennial.schemas.ids import which_held
from perennial.warehouse.catalog.catalog import read_batches
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store

# A set of content ids in 16 bytes an id: exact, and as quick with ten million ids as with ten.
#
# An id is known by the 32 hexadecimal digits at its end, whatever stands before them; any other text by a
# hash.

_BYTES = 16
Keys = np.ndarray[Any, np.dtype[np.bytes_]]


class IdSet:
    """Content ids: `in` for one of them, `which` for many."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        # Sorted runs of falling size, each at least twice the next: an id is moved but a few times.
        self._runs: list[Keys] = []
        self.update(ids)

    def __len__(self) -> int:
        while len(self._runs) > 1:
            self._runs.append(_merge(self._runs.pop(), self._runs.pop()))
        return sum(map(len, self._runs))

    def __contains__(self, text: object) -> bool:
        if not isinstance(text, str):
            return False
        key = _keys([text])
        places = ((run, int(run.searchsorted(key)[0])) for run in self._runs)
        return any(run[index : index + 1].tobytes() == key.tobytes() for run, index in places)

    def which(self, ids: Sequence[str]) -> list[bool]:
        """For each id whether it is in the set: for thousands at once, many times faster than `in`."""
        keys = _keys(ids if self._runs else ())
        is_issued = np.zeros(len(ids), np.bool_)
        for run in self._runs:
            is_issued |= run[np.minimum(run.searchsorted(keys), len(run) - 1)] == keys
        return list(is_issued.tolist())

    def update(self, ids: Iterable[str]) -> None:
        """Add the ids; those that are there already are skipped."""
        run = _merge(_keys(ids))
        while self._runs and len(self._runs[-1]) < 2 * len(run):
            run = _merge(self._runs.pop(), run)
        if len(run):
            self._runs.append(run)


class EitherSet:
    """Ids that are in one of several sets, without a copy of the large ones."""

    def __init__(self, *sets: Container[str]) -> None:
        self._sets = sets

    def __contains__(self, text: object) -> bool:
        return any(text in ids for ids in self._sets)

    def which(self, ids: Sequence[str]) -> list[bool]:
        """For each id whether it is in one of the sets, as `IdSet.which`."""
        return list(np.any([which_held(held, ids) for held in self._sets], axis=0).tolist())


def _merge(*runs: Keys) -> Keys:
    """Merge the keys of all runs: sorted, each once."""
    keys = np.concatenate(runs)
    keys.sort(kind="stable")  # linear where the runs are sorted
    is_new = np.ones(len(keys), np.bool_)
    is_new[1:] = keys[1:] != keys[:-1]
    return keys if is_new.all() else keys[is_new]


def _keys(ids: Iterable[str]) -> Keys:
    texts = list(ids)
    try:
        keys = bytes.fromhex("".join([text[-2 * _BYTES :] for text in texts]))
    except ValueError:
        keys = b""
    if len(keys) != _BYTES * len(texts):
        keys = b"".join(map(_key, texts))
    return np.frombuffer(keys, f"S{_BYTES}")


def _key(text: str) -> bytes:
    try:
        key = bytes.fromhex(text[-2 * _BYTES :])
    except ValueError:
        key = b""
    return key if len(key) == _BYTES else blake2b(text.encode(), digest_size=_BYTES).digest()


_TABLE, _COLUMN = "instances", "content_hash"
_BATCH_ROWS = 1 << 18


@lru_cache(maxsize=4)
def issued_instances(store: Store, editions: tuple[str, ...]) -> IdSet:
    """The content of all instances that these published editions hold, in about 16 bytes each.

    Editions never change, so a set that was read is kept for the process's life: add nothing to it.
    """
    issued = IdSet()
    for edition in editions:
        if store.exists(table_file(_TABLE, edition)):
            for batch in read_batches(store, _TABLE, edition, [_COLUMN], _BATCH_ROWS):
                issued.update(batch.column(0).to_pylist())
    return issued

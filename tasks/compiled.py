"""numba's `njit`, once there is a folder that compiled code can be kept in.

numba keeps it beside the source, else in the user's cache folder, and raises where it can write to neither: a
package of another user, and a home that is read-only or missing. A private folder that ends with the process
takes their place then; processes that it starts share it.

Nor does it bear files that are not what it wrote: cut off on a full disk, flipped, or of another user. What
they should hold is compiled again, so that no damage is run as machine code.
"""

# mypy: disable-error-code="no-untyped-call"

import atexit
import hashlib
import os
import pickle
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import config, njit
from numba.core import caching, dispatcher

__all__ = ["njit"]


class _CheckedFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Files of code with its digest before it: what is damaged may still be read, and would be run."""

    def _save_data(self, name: str, data: object) -> None:
        dumped = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(dumped).digest() + dumped)

    def _load_data(self, name: str) -> Any:
        kept = Path(self._data_path(name)).read_bytes()
        digest, dumped = kept[: hashlib.sha256().digest_size], kept[hashlib.sha256().digest_size :]
        if digest != hashlib.sha256(dumped).digest():
            raise ValueError(f"{name} is damaged")
        return pickle.loads(dumped)


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    """numba's cache, which takes what it cannot read or write for missing."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._cache_file.__class__ = _CheckedFiles

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001  unpickling bytes of anybody raises anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


setattr(dispatcher, "FunctionCache", _Cache)  # noqa: B010  no attribute that type checkers know


def _probe() -> None:
    """Stand for any function that is to be kept."""


def _provide_folder() -> None:
    try:
        njit(cache=True)(_probe)
    except RuntimeError:
        # Nobody else's: what is read from it is run.
        folder = tempfile.mkdtemp(prefix="perennial-compiled-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        config.CACHE_DIR = os.environ["NUMBA_CACHE_DIR"] = folder


_provide_folder()

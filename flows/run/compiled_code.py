"""Which compiled code is known to be in numba's cache: loading numba to look takes a second."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from perennial.warehouse.editions.manifest import code_sha256


def compile_once(benchmark: str, warm_up: Callable[[], str]) -> str:
    """Return what `warm_up` says of making this code ready, "" where an earlier process has done it.

    What is in numba's cache is loaded by whoever needs it. Should the cache be gone, it is compiled then.
    """
    # Beside numba's cache, so that whoever removes the one removes the other.
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).parent / "__pycache__")
    note = folder / f"compiled-{benchmark}.txt"
    state = "\n".join((code_sha256(), sys.version, version("numba")))
    with suppress(OSError):
        if note.read_bytes() == state.encode():
            return ""
    done = warm_up()
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        note.write_text(state, encoding="utf-8")
    return done

"""numba's `njit`, once there is a folder that compiled code can be kept in.

numba keeps it beside the source, else in the user's cache folder, and raises where it can write to neither: a
package of another user, and a home that is read-only or missing. A private folder that ends with the process
takes their place then; processes that it starts share it.
"""

# mypy: disable-error-code="no-untyped-call"

import atexit
import os
import shutil
import tempfile

from numba import config, njit

__all__ = ["njit"]


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

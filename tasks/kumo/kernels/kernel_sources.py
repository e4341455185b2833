"""Keep numba's cache honest about kernels that are spread over several files."""

from inspect import getsource
from types import ModuleType
from zlib import crc32


def sources_digest(*modules: ModuleType) -> int:
    """A digest of the modules' source code.

    numba takes a cached kernel for up to date as long as the one file that holds its entry point is
    unchanged. It also looks at the values that a closure holds: an entry point that closes over this
    digest, and uses it, is compiled again when any of the modules changes.
    """
    digest = 0
    for module in modules:
        digest = crc32(getsource(module).encode(), digest)
    return digest

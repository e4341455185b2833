"""Keep numba's cache honest about kernels that are spread over several files, and report what it did."""

from dataclasses import dataclass
from inspect import getsource
from types import ModuleType
from zlib import crc32


@dataclass(frozen=True, slots=True)
class KernelPreparation:
    """How long kernels took to become ready, and whether they were compiled or came from the cache."""

    seconds: float
    compiled: bool


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

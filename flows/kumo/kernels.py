"""Make compiled kernels ready before they are needed, and say what that took."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from perennial.tasks.kumo.sampling import sample
from perennial.tasks.kumo.search import solve

_KERNELS: dict[str, Callable[[], bool]] = {"sampling": sample.prepare, "search": solve.prepare}
_COMPILED = 3  # how a process ends that found no cache to load


def prepare_kernels(*names: str) -> str:
    """Make `sampling`, `search` or, without names, both ready; return a clause that says how and how long.

    Of several all but the first are compiled in processes of their own, which fill the cache that is read
    here: numba compiles in one thread, and the search takes three times as long as the rest.
    """
    names = names or tuple(_KERNELS)
    begun = perf_counter()
    with _compiling(names[1:]) as compiling:
        done = [_KERNELS[names[0]]()]
        ends = [process.wait() for process in compiling]
        done += [_KERNELS[name]() for name in names[1:]]
    how = "compiled, and cached for next time," if _COMPILED in ends or any(done) else "loaded from the cache"
    return f"{' and '.join(names)} {how} in {perf_counter() - begun:.1f} s"


@contextmanager
def _compiling(names: Sequence[str]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A process for each of these kernels, and end it with the block."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-P", "-m", "perennial.flows.kumo.kernels", name], stdin=subprocess.DEVNULL
        )
        for name in names
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(_COMPILED if _KERNELS[sys.argv[1]]() else 0)

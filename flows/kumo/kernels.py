"""Make compiled kernels ready before they are needed, and say what that took."""

from collections.abc import Callable

from tasks.kumo import sampling, search
from tasks.kumo.kernels.kernel_sources import Preparation

_KERNELS: dict[str, Callable[[], Preparation]] = {"sampling": sampling.prepare, "search": search.prepare}


def prepare_kernels(*names: str) -> str:
    """Make `sampling`, `search` or, without names, both ready; return a clause that says how and how long."""
    names = names or tuple(_KERNELS)
    done = [_KERNELS[name]() for name in names]
    how = (
        "compiled, and cached for next time,"
        if any(one.compiled for one in done)
        else "loaded from the cache"
    )
    return f"{' and '.join(names)} {how} in {sum(one.seconds for one in done):.1f} s"

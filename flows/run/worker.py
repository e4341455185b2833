"""What a worker does: a process of this machine's pool, or of Dask's."""

from collections.abc import Callable, Sequence
from typing import Any

from flows.kumo.kernels import limited_threads, prepare_kernels


def prepare_worker() -> None:
    """Import what batches need, without Prefect, and make the kernels ready: before the first batch."""
    import flows.kumo.stages  # noqa: F401

    prepare_kernels("sampling", "search")


def run_batch(function: Callable[..., dict[str, int]], values: Sequence[Any], threads: int) -> dict[str, int]:
    """Return what a batch function returns for these values; its exact search takes so many threads."""
    with limited_threads(threads):
        return function(*values)

"""What a worker does: a process of this machine's pool, or of Dask's."""

from flows.kumo.kernels import limited_threads, prepare_kernels
from flows.stages.grow import Counts, Work


def prepare_worker() -> None:
    """Import what batches need, without Prefect, and make the kernels ready: before the first batch."""
    import flows.kumo.stages  # noqa: F401

    prepare_kernels("sampling", "search")


def run_work(work: Work, threads: int) -> Counts:
    """Return the counts of the work; its exact search takes so many threads."""
    with limited_threads(threads):
        return work.run()

"""What a worker does: a process of this machine's pool, or of Dask's."""

from perennial.flows.benchmark import find_benchmark
from perennial.flows.stages.grow import Counts, Work
from perennial.flows.stages.threads import limit_threads


def prepare_worker(benchmark: str) -> None:
    """Import what batches need, without Prefect, before the first batch."""
    find_benchmark(benchmark).stages()


def run_work(work: Work, threads: int) -> Counts:
    """Return the counts of the work; a batch takes so many threads."""
    with limit_threads(threads):
        return work.run()

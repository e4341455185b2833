"""What takes batches to workers: several in flight, each as one Prefect task run of the flow."""

import os
import queue
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perennial.flows.stages.grow import Counts, Work

if TYPE_CHECKING:
    from uuid import UUID

    from prefect import Task
    from prefect.futures import PrefectFuture
    from prefect.task_runners import TaskRunner


@dataclass
class Runner:
    """Takes batches to their workers: `task_runner` submits task runs that call `call`.

    `width` is how many of them to have in flight, `threads` how many threads the search of a batch takes
    with so many batches left, and `read` returns a task run's counts or raises its error. Until batches
    have taken `patience_s` in this process, they stay there.
    """

    task_runner: "TaskRunner[Any]"
    call: Callable[..., Counts]
    width: Callable[[], int]
    threads: Callable[[int], int]
    read: "Callable[[PrefectFuture[Any]], Counts]"
    patience_s: float = field(default=0.0)

    def is_patient(self) -> bool:
        """Whether the next batch stays in this process."""
        return self.patience_s > 0

    def note_local_batch(self, seconds: float) -> None:
        """Note that a batch took this long in this process."""
        self.patience_s -= seconds

    def run(
        self,
        task: "Task[..., Counts]",
        works: Iterable[Work],
        wait_for: Any,
        note: "Callable[[UUID], None]",
    ) -> Iterator[Counts]:
        """Yield the counts of each work as it ends; on an error let those in flight end, then raise it.

        `wait_for` are states of earlier task runs, and `note` is called with the id of each task run.
        """
        done: queue.SimpleQueue[PrefectFuture[Any]] = queue.SimpleQueue()
        waiting = list(works)[::-1]
        in_flight = 0
        errors: list[BaseException] = []
        while in_flight or (waiting and not errors):
            while waiting and not errors and in_flight < self.width():
                threads = self.threads(len(waiting))
                parameters = {"work": waiting.pop(), "threads": threads}
                future = self.task_runner.submit(task, parameters, wait_for)
                note(future.task_run_id)
                future.add_done_callback(done.put)
                in_flight += 1
            ended = done.get()
            in_flight -= 1
            try:
                counts = self.read(ended)
            except Exception as error:  # noqa: BLE001  it is raised below, when nothing is in flight
                errors.append(error)
            else:
                yield counts
        if errors:
            raise errors[0]


def threads_of_share(workers: int) -> Callable[[int], int]:
    """Return how many threads of this machine's cores each of so many workers may take for its search."""
    cores = os.cpu_count() or 1
    return lambda left: max(1, cores // min(workers, left))

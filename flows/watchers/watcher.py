"""Who watches a refresh or an evaluation: artifacts, lineage events, notices. None ever stops it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from perennial.flows.console import progress
from perennial.schemas.plan import Plan


class Watcher:
    """Told what a refresh does, step by step; each method does nothing unless it is overridden."""

    def unit_started(self, root: str, plan: Plan) -> None:
        """The plan of an edition or an evaluation stands, and its stages begin."""

    def stage_started(self, stage: str, batches: int) -> None:
        """A stage of so many batches begins."""

    def batch_done(self, stage: str, done: int, counts: dict[str, int]) -> None:
        """One more batch of the stage is done, `done` of them so far; `counts` are its rows by table."""

    def stage_done(self, stage: str, counts: dict[str, int]) -> None:
        """The stage is done; `counts` are all its rows by table."""

    def published(self, counts: dict[str, int]) -> None:
        """The edition or evaluation is published; `counts` are its rows by table."""

    def ended(self) -> None:
        """All that was asked for is published."""

    def failed(self, error: BaseException) -> None:
        """It ends with something unpublished; it may have ended before its plan was written."""


def _pass_on(step: str) -> Any:
    """Return the method of `Watchers` that passes this step on."""

    def tell(self: "Watchers", *values: object) -> None:
        self.tell(step, values)

    return tell


class Watchers(Watcher):
    """Passes each step on to several watchers, whatever happens to the others.

    The first failure of each is noted, and ignored: the edition matters more.
    """

    unit_started = _pass_on("unit_started")
    stage_started = _pass_on("stage_started")
    batch_done = _pass_on("batch_done")
    stage_done = _pass_on("stage_done")
    published = _pass_on("published")
    ended = _pass_on("ended")
    failed = _pass_on("failed")

    def __init__(self, watchers: Sequence[Watcher] = ()) -> None:
        self._watchers = tuple(watchers)
        self._failed: set[str] = set()

    def tell(self, step: str, values: tuple[object, ...]) -> None:
        """Call the method `step` of each watcher."""
        for watcher in self._watchers:
            try:
                getattr(watcher, step)(*values)
            except Exception as error:  # noqa: BLE001  whatever it is
                name = type(watcher).__name__
                if name not in self._failed:
                    self._failed.add(name)
                    progress.note(f"warning: {name} failed and is ignored: {error!r}")


@contextmanager
def report_failure(watching: Sequence[Watcher]) -> Iterator[None]:
    """Tell all who watch of whatever ends the block, an interrupt included, and let it pass on."""
    try:
        yield
    except BaseException as error:
        for watcher in watching:
            watcher.failed(error)
        raise

"""Who watches a refresh or an evaluation: artifacts, lineage events, notices. None ever stops it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from flows.console import progress
from schemas.plan import Plan


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


class Watchers(Watcher):
    """Tells several watchers, each whatever happens to the others; the first failure of each is noted."""

    def __init__(self, watchers: Sequence[Watcher] = ()) -> None:
        self._watchers = tuple(watchers)
        self._failed: set[str] = set()

    def unit_started(self, root: str, plan: Plan) -> None:
        """Tell them all."""
        self._tell(lambda watcher: watcher.unit_started(root, plan))

    def stage_started(self, stage: str, batches: int) -> None:
        """Tell them all."""
        self._tell(lambda watcher: watcher.stage_started(stage, batches))

    def batch_done(self, stage: str, done: int, counts: dict[str, int]) -> None:
        """Tell them all."""
        self._tell(lambda watcher: watcher.batch_done(stage, done, counts))

    def stage_done(self, stage: str, counts: dict[str, int]) -> None:
        """Tell them all."""
        self._tell(lambda watcher: watcher.stage_done(stage, counts))

    def published(self, counts: dict[str, int]) -> None:
        """Tell them all."""
        self._tell(lambda watcher: watcher.published(counts))

    def ended(self) -> None:
        """Tell them all."""
        self._tell(lambda watcher: watcher.ended())

    def failed(self, error: BaseException) -> None:
        """Tell them all."""
        self._tell(lambda watcher: watcher.failed(error))

    @contextmanager
    def report_failure(self) -> Iterator[None]:
        """Tell them of whatever ends the block, an interrupt included, and let it pass on."""
        try:
            yield
        except BaseException as error:
            self.failed(error)
            raise

    def _tell(self, told: Callable[[Watcher], None]) -> None:
        for watcher in self._watchers:
            try:
                told(watcher)
            except Exception as error:  # noqa: BLE001  whatever it is, the edition matters more
                name = type(watcher).__name__
                if name not in self._failed:
                    self._failed.add(name)
                    progress.note(f"warning: {name} failed and is ignored: {error!r}")

"""Run the work of all stages in this process, one after the other, without Prefect."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import TYPE_CHECKING

from perennial.flows.console import progress
from perennial.flows.stages.grow import Counts, StageRunner, Work
from perennial.flows.watchers.watcher import Watchers
from perennial.schemas.plan import Plan

if TYPE_CHECKING:
    from perennial.schemas.settings import RefreshSettings


class PlainStages(StageRunner):
    """Runs stages here, notifies `watchers` of each, and shows its progress."""

    def __init__(self, watchers: Watchers | None = None) -> None:
        self._watchers = watchers or Watchers()

    def begin(self, root: str, plan: Plan) -> None:
        """Begin the edition or evaluation of this plan: its stages come next."""
        self._watchers.unit_started(root, plan)

    def run(self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work] = ()) -> Counts:
        """Do all of it and return the added counts."""
        total: Counter[str] = Counter()
        size = len(here) + len(spread)
        self._watchers.stage_started(name, size)
        with progress.stage(name, size, len(here)) as advance:
            for done, counts in enumerate(self._run_batches(name, here, spread), start=1):
                total.update(counts)
                advance(counts)
                self._watchers.batch_done(name, done, counts)
        self._watchers.stage_done(name, dict(total))
        return dict(total)

    def _run_batches(
        self, _stage: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work]
    ) -> Iterator[Counts]:
        for work in [*(work.run for work in spread), *here]:
            yield work()


class Execution:
    """How the stages of a run are executed: here in this process, by Prefect in a subclass."""

    def name_run(self, units: Sequence[str]) -> None:
        """Say which editions or evaluation the run makes, as soon as that is settled."""

    def scheduled_for(self) -> datetime | None:
        """Return the time that a schedule gave the run; None if no schedule started it."""
        return None

    def open_stages(
        self, _settings: "RefreshSettings", _unit: str, watchers: Watchers
    ) -> AbstractContextManager[PlainStages]:
        """Yield what runs the stages of an edition and its evaluation; `unit` is what comes first."""
        return nullcontext(PlainStages(watchers))

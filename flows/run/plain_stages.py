"""Run the work of all stages in this process, one after the other, without Prefect."""

from collections import Counter
from collections.abc import Callable, Sequence

from flows.stages.grow import Counts, StageRunner, Work


class PlainStages(StageRunner):
    """Runs work here; `tell` is given one line per stage."""

    def __init__(self, tell: Callable[[str], None] = lambda line: None) -> None:
        self._tell = tell

    def run(self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work] = ()) -> Counts:
        """Do all of it and return the added counts."""
        total: Counter[str] = Counter()
        for work in [*(work.run for work in spread), *here]:
            total.update(work())
        counted = ", ".join(f"{rows:,} {table}" for table, rows in total.items())
        self._tell(f"{name:<12} {len(here) + len(spread)} batches  {counted}".rstrip())
        return dict(total)

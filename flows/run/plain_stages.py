"""Run the batches of all stages in this process, one after the other, without Prefect."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from flows.kumo.stages import Spread, StageRunner


class PlainStages(StageRunner):
    """Runs batches here; `tell` is given a line a stage."""

    def __init__(self, tell: Callable[[str], None] = lambda line: None) -> None:
        self._tell = tell

    def run(
        self,
        name: str,
        function: Callable[..., dict[str, int]],
        parameters: Sequence[tuple[Any, ...]],
        *,
        spread: Spread = False,
    ) -> dict[str, int]:
        """Run the function with each of the parameters and return the added counts."""
        total: Counter[str] = Counter()
        for values in parameters:
            total.update(function(*values))
        counted = ", ".join(f"{rows:,} {table}" for table, rows in total.items())
        self._tell(f"{name:<12} {len(parameters)} batches  {counted}".rstrip())
        return dict(total)

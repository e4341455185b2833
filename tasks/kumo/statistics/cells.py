"""What KUMO counts of a player's episodes on an instance, beside the shared counts."""

from dataclasses import dataclass

from tasks.statistics.cells import Cell
from tasks.statistics.rate_figures import Mean

EXTRA_ACTIONS = {"perennial": 1, "kumo-2025": 2}


@dataclass(frozen=True)
class KumoCell(Cell):
    """A player's episodes on one instance, with their `tests`; `solved_tests` are those of solved ones.

    An episode that failed counts as n_actions + 1 actions under both conventions of counting.
    """

    signature: str
    n_actions: int
    optimal_tests: int
    tests: int
    solved_tests: int

    def actions(self, extra: int) -> int:
        """Return the sum of counts: tests + `extra` for each solved episode, n_actions + 1 for each other."""
        return self.solved_tests + extra * self.solved + (self.n_actions + 1) * (self.runs - self.solved)

    def relative_actions(self, extra: int) -> float:
        """Return the sum of (count - optimum) / optimum over the scored episodes."""
        optimum = self.optimal_tests + extra
        return (self.actions(extra) - self.runs * optimum) / optimum


def _relative_count(convention: str, extra: int) -> Mean:
    def of(cell: KumoCell) -> tuple[float, int]:
        return cell.relative_actions(extra), cell.runs

    return Mean("relative_action_count", of, convention)


MEANS = (
    *(_relative_count(convention, extra) for convention, extra in EXTRA_ACTIONS.items()),
    Mean("mean_tests", lambda cell: (cell.tests, cell.runs)),
)

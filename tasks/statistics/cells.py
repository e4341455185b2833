"""What all statistics rest on: each player's episodes on each instance, counted.

Counts are whole numbers, so that every figure is the same however the counting was divided.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.kumo.things import EpisodeStatus

ALL = "all"
Group = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """A player's episodes on one instance.

    `statuses` counts all attempted episodes. All else is of the scored ones, those without an API error:
    `runs` of them, `solved`, their `tests`, and `failed_actions`, which is n_actions + 1 for each that
    failed, as both conventions count it. `solved_tests` are the tests of the solved ones. `tokens` and
    `cost_usd` are sums over the `runs_with_tokens` and `runs_with_cost` in which they are known.
    """

    domain: str
    setting: str
    player: str
    instance_id: str
    signature: str
    n_actions: int
    optimal_tests: int
    statuses: dict[EpisodeStatus, int]
    runs: int
    solved: int
    tests: int
    solved_tests: int
    tokens: int
    runs_with_tokens: int
    cost_usd: float
    runs_with_cost: int

    @property
    def attempted(self) -> int:
        """All episodes, those included that ended by an API error."""
        return sum(self.statuses.values())

    def actions(self, extra: int) -> int:
        """Return the sum of counts: tests + `extra` for each solved episode, n_actions + 1 for each other."""
        return self.solved_tests + extra * self.solved + (self.n_actions + 1) * (self.runs - self.solved)

    def relative_actions(self, extra: int) -> float:
        """Return the sum of (count - optimum) / optimum over the scored episodes."""
        optimum = self.optimal_tests + extra
        return (self.actions(extra) - self.runs * optimum) / optimum


def grouped(cells: Iterable[Cell]) -> dict[Group, list[Cell]]:
    """Return the cells by (setting, domain, player), and again by (setting, `all`, player), sorted.

    Within a group they are in the order of their instances.
    """
    groups: dict[Group, list[Cell]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: cell.instance_id):
        groups[cell.setting, cell.domain, cell.player].append(cell)
        groups[cell.setting, ALL, cell.player].append(cell)
    return dict(sorted(groups.items()))


def by_player(cells: Sequence[Cell], setting: str) -> dict[str, dict[str, Cell]]:
    """Return the scored cells of a setting by player and then instance, both sorted."""
    players: dict[str, dict[str, Cell]] = defaultdict(dict)
    for cell in sorted(cells, key=lambda cell: (cell.player, cell.instance_id)):
        if cell.setting == setting and cell.runs:
            players[cell.player][cell.instance_id] = cell
    return dict(players)

"""What all statistics rest on: each player's episodes on each instance, counted.

Counts are whole numbers, so that every figure is the same however the counting was divided.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from schemas.game import EpisodeStatus

ALL = "all"
Group = tuple[str, str, str]


@dataclass(frozen=True)
class Cell:
    """A player's episodes on one instance; a benchmark's own cells count more.

    `statuses` counts all attempted episodes. All else is of the scored ones, those without an API error:
    `runs` of them, `solved`, and the sum of their `score`. `tokens` and `cost_usd` are sums over the
    `runs_with_tokens` and `runs_with_cost` in which they are known.
    """

    domain: str
    setting: str
    player: str
    instance_id: str
    statuses: dict[EpisodeStatus, int]
    runs: int
    solved: int
    score: float
    tokens: int
    runs_with_tokens: int
    cost_usd: float
    runs_with_cost: int

    @property
    def attempted(self) -> int:
        """All episodes, those included that ended by an API error."""
        return sum(self.statuses.values())

    @property
    def has_majority(self) -> bool:
        """Whether more than half of the scored runs succeeded (the paper: 3 of 5)."""
        return 2 * self.solved > self.runs


CellT = TypeVar("CellT", bound=Cell)


def group_cells(cells: Iterable[CellT]) -> dict[Group, list[CellT]]:
    """Return the cells by (setting, domain, player), and again by (setting, `all`, player), sorted.

    Within a group they are in the order of their instances.
    """
    groups: dict[Group, list[CellT]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: cell.instance_id):
        groups[cell.setting, cell.domain, cell.player].append(cell)
        groups[cell.setting, ALL, cell.player].append(cell)
    return dict(sorted(groups.items()))


def by_player(cells: Sequence[CellT], setting: str) -> dict[str, dict[str, CellT]]:
    """Return the scored cells of a setting by player and then instance, both sorted."""
    players: dict[str, dict[str, CellT]] = defaultdict(dict)
    for cell in sorted(cells, key=lambda cell: (cell.player, cell.instance_id)):
        if cell.setting == setting and cell.runs:
            players[cell.player][cell.instance_id] = cell
    return dict(players)

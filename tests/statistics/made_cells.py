"""Cells written by hand, a player and instance each, and the columns and grids made of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from perennial.schemas.game import EPISODE_STATUSES
from perennial.schemas.statistics import THESE_DOMAINS, Population
from perennial.tasks.statistics.cells import Cells, Domains, SettingGrid, grid_of, part_of


@dataclass(frozen=True)
class Cell:
    """A player's episodes on one instance, counted."""

    domain: str
    setting: str
    player: str
    instance_id: str
    runs: int
    solved: int
    statuses: dict[str, int] = field(default_factory=dict)
    score: float | None = None
    tokens: int = 0
    runs_with_tokens: int = 0
    cost_usd: float = 0.0
    runs_with_cost: int = 0
    signature: str = ""
    style: int = 0
    edges: int = 3
    n_actions: int = 6
    optimal_tests: int = 2
    promise_tests: int = 0
    runs_with_optimum: int = 0
    tests: int = 0
    solved_tests: int = 0
    cluster: str = ""
    judged: int = 0
    deciding_tests: int = 0
    guesses: int = 0


_NUMBERS = (
    "style",
    "runs",
    "solved",
    "tokens",
    "runs_with_tokens",
    "edges",
    "n_actions",
    "optimal_tests",
    "promise_tests",
    "runs_with_optimum",
    "tests",
    "solved_tests",
    "judged",
    "deciding_tests",
    "guesses",
)


def columns_of(cells: Sequence[Cell], setting: str, population: Population = THESE_DOMAINS) -> Cells:
    """Return the columns of the setting's cells; a cell that names no cluster is one of its own."""
    chosen = [cell for cell in cells if cell.setting == setting]
    domains, numbers = _numbered(chosen)
    players = tuple(sorted({cell.player for cell in chosen}))
    rows = sorted(chosen, key=lambda cell: (cell.player, numbers[cell.domain, cell.instance_id]))
    ids = sorted(numbers, key=lambda key: key[1])
    signatures = sorted({cell.signature for cell in rows})
    clusters = sorted({_cluster(cell) for cell in rows})
    columns = {
        **{name: np.array([getattr(cell, name) for cell in rows], dtype=np.int64) for name in _NUMBERS},
        **{
            f"status_{status}": np.array([cell.statuses.get(status, 0) for cell in rows], dtype=np.int64)
            for status in EPISODE_STATUSES
        },
        "score": np.array([float(cell.solved) if cell.score is None else cell.score for cell in rows]),
        "cost_usd": np.array([cell.cost_usd for cell in rows], dtype=float),
        "runs_with_cost": np.array([cell.runs_with_cost for cell in rows], dtype=np.int64),
        "rank": np.array([ids.index((cell.domain, cell.instance_id)) for cell in rows], dtype=np.int64),
        "cluster": np.array([clusters.index(_cluster(cell)) for cell in rows], dtype=np.int64),
        "signature": np.array([signatures.index(cell.signature) for cell in rows], dtype=np.int64),
    }
    columns["expected_tests"], columns["expected_deciding_tests"] = (
        columns[name].astype(float) for name in ("optimal_tests", "deciding_tests")
    )
    player = np.array([players.index(cell.player) for cell in rows], dtype=np.int64)
    instance = np.array([numbers[cell.domain, cell.instance_id] for cell in rows], dtype=np.int64)
    return Cells(setting, domains, players, player, instance, columns, population)


def grid(cells: Sequence[Cell], setting: str = "easy", population: Population = THESE_DOMAINS) -> SettingGrid:
    """Return the grid of the setting's cells; a player without a scored run has no row."""
    columns = columns_of(cells, setting)
    parts = {name: part_of(columns, place) for place, name in enumerate(columns.players)}
    played = {name: part for name, part in parts.items() if part.runs.any()}
    return grid_of(setting, columns.domains, played, population)


def _cluster(cell: Cell) -> str:
    return cell.cluster or f"{cell.domain}/{cell.instance_id}"


def _numbered(cells: Sequence[Cell]) -> tuple[Domains, dict[tuple[str, str], int]]:
    keys = sorted({(cell.domain, cell.instance_id) for cell in cells})
    names = tuple(sorted({domain for domain, _ in keys}))
    starts = [sum(domain < name for domain, _ in keys) for name in names]
    return Domains(names, (*starts, len(keys))), {key: number for number, key in enumerate(keys)}

"""The order of leaderboards: models first, programs below them as lines of reference, the floor last.

This is the one definition: `statistics` stores each player's place by it, from which view `leaderboard`,
terminal, report, explorer and website take the order; boards over other instances sort their rows by it.
"""

from collections.abc import Iterable

from perennial.schemas.rows import Row
from perennial.schemas.statistics.measure import Floor

MODELS, PROGRAMS, CHECKPOINTS, CONTROLS = "models", "programs", "checkpoints", "controls"
PEOPLE = "people"
REFERENCE, FLOOR = "reference", "floor"
GROUPS = (MODELS, CONTROLS, CHECKPOINTS, PEOPLE, REFERENCE, FLOOR)
"""The groups of a leaderboard from top to bottom. The programs are the last two."""
LINES = (REFERENCE, FLOOR)


def group_player(player: str, kind: str, floor: Floor | None) -> str:
    """Name the group of a player of this kind: programs are lines of reference, one of them the floor."""
    if kind != PROGRAMS:
        return kind
    return FLOOR if floor is not None and player == floor.player else REFERENCE


def order_board(rows: Iterable[Row]) -> list[Row]:
    """Sort rows of one setting: by `player_group`, then by `rank`; those without a rank by `success_rate`.

    Equal ones are in the order of their names. Rows whose group is not known are last.
    """
    return sorted(rows, key=_place)


def _place(row: Row) -> tuple[int, bool, int, bool, float, str]:
    group, rank, rate = (row.get(name) for name in ("player_group", "rank", "success_rate"))
    return (
        GROUPS.index(group) if group in GROUPS else len(GROUPS),
        rank is None,
        rank or 0,
        rate is None,
        -(rate or 0.0),
        str(row["player"]),
    )


def rank_text(row: Row) -> str:
    """Write the rank of a leaderboard's row, with its interval where it is not certain.

    A program is a line of reference and has none: its group stands there.
    """
    if row.get("player_group") in LINES:
        return str(row["player_group"])
    rank, low, high = (row.get(name) for name in ("rank", "rank_low", "rank_high"))
    if rank is None:
        return ""
    is_certain = low is None or high is None or (low, high) == (rank, rank)
    return str(rank) if is_certain else f"{rank} ({low} to {high})"

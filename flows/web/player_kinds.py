"""Which kind a player is: a model, a program, a control, a training checkpoint."""

from perennial.flows.benchmark import find_installed
from perennial.flows.web.page import Opened
from perennial.schemas.statistics import MODELS, group_player
from perennial.tasks.statistics.multiplicity import kind_by_name


def kinds_of(edition: Opened) -> dict[str, str]:
    """Return the kind of each player, by name; all are models where the benchmark is not installed."""
    found = edition.query("SELECT DISTINCT player FROM episodes ORDER BY 1")
    players = [str(name) for name in found.column("player")]
    benchmark = find_installed(edition.benchmark_name)
    if benchmark is None:
        return dict.fromkeys(players, MODELS)
    programs = {*benchmark.programs, *benchmark.aliases}
    kind = kind_by_name(programs, benchmark.analysis().checkpoints, benchmark.variants)
    return {player: kind(player) for player in players}


def groups_of(edition: Opened) -> dict[str, str]:
    """Return the group of each player on leaderboards, by name."""
    floor = edition.declaration.floor if edition.declaration else None
    return {player: group_player(player, kind, floor) for player, kind in kinds_of(edition).items()}

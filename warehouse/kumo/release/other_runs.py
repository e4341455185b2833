"""What the release has beside its runs: revised books, and outcomes in the run table alone.

A folder `<setting>_revised` has the runs on the books that were revised (the paper's figure 13), and these
are copies of runs in the main folder of the same model: the published results are those after revision.
"""

from collections.abc import Iterable, Iterator

from perennial.schemas.kumo.things import Setting
from perennial.schemas.rows import Rejection, Row
from perennial.warehouse.kumo.release.layout import Release
from perennial.warehouse.kumo.release.outcome_runs import outcome_row, read_outcomes
from perennial.warehouse.kumo.release.run_table import Place, count_outcomes, count_revised


def other_outcomes(release: Release, with_instances: Iterable[Place], players: Iterable[str]) -> list[Row]:
    """Return the rows of runs without instances that the run table alone has."""
    if release.run_table is None:
        return []
    own = {(file.player, file.domain, file.setting) for file in release.trajectories}
    places, revised = {*with_instances}, revised_players(release)
    return [
        outcome_row(player, domain, setting, *numbers)
        for player, domain, setting, *numbers in count_outcomes(
            release.run_table.path, release.domains, tuple(players)
        )
        if (domain, setting) not in places and (player, domain, setting) not in own and player not in revised
    ]


def revised_findings(release: Release) -> list[Rejection]:
    """Return the findings of revised books, in folders of their own or in the run table alone."""
    found = list(_revised_files(release))
    if release.run_table is None:
        return found
    path = release.run_table.path
    seen = {(file.domain, file.setting) for file in release.revised}
    for player in sorted(revised_players(release)):
        for domain, setting, same, books in count_revised(path, player, release.domains):
            if (domain, setting) not in seen:
                found.append(_revised_finding(player, domain, setting, same, books))
    return found


def revised_players(release: Release) -> frozenset[str]:
    """Return the names under which the release has runs on revised books alone."""
    return frozenset(file.player for file in release.revised) - frozenset(release.players)


def _revised_files(release: Release) -> Iterator[Rejection]:
    for file in release.revised:
        revised = read_outcomes(file)
        mains = [
            read_outcomes(main)
            for main in release.trajectories
            if (main.domain, main.setting) == (file.domain, file.setting)
            and file.player.startswith(main.player)
        ]
        same = sum(
            any(main.get(seed) == runs is not None for main in mains) for seed, runs in revised.items()
        )
        yield _revised_finding(file.player, file.domain, file.setting, same, len(revised))


def _revised_finding(player: str, domain: str, setting: Setting, same: int, books: int) -> Rejection:
    message = (
        f"{same} of {books} revised books have the runs that the main folder has too: "
        "copies, so that the published results are those after revision"
    )
    return Rejection(
        "import",
        f"{player} {domain} {setting.name}",
        "revised-books",
        message,
        player=player,
        domain=domain,
        setting=setting.name,
        amount=books,
    )

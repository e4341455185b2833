"""What the release has beside its runs, as findings: revised books, and outcomes in the run table alone.

A folder `<setting>_revised` has the runs on the books that were revised (the paper's figure 13), and these
are copies of runs in the main folder of the same model: the published results are those after revision.
"""

from collections.abc import Iterable, Iterator

from schemas.kumo.things import Rejection, Setting
from warehouse.kumo.release.layout import Release
from warehouse.kumo.release.outcome_runs import outcome_finding, read_outcomes
from warehouse.kumo.release.run_table import Place, count_outcomes, count_revised


def other_findings(
    release: Release, with_instances: Iterable[Place], players: Iterable[str]
) -> list[Rejection]:
    """Return the findings of revised books, and of runs without instances that the run table alone has."""
    found = list(_revised_files(release))
    if release.run_table is None:
        return found
    path = release.run_table.path
    own = [(file.player, file.domain, file.setting) for file in release.trajectories]
    places = {*with_instances}
    for player, domain, setting, solved, runs in count_outcomes(path, release.domains, tuple(players)):
        is_known = (domain, setting) in places or (player, domain, setting) in own
        if not is_known and player not in revised_players(release):
            found.append(outcome_finding(player, domain, setting, solved, runs))
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
    return Rejection("import", f"{player} {domain} {setting.name}", "revised-books", message)

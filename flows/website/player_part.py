"""A page per model: its results over all editions and benchmarks, and why it lost. Programs have none."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from perennial.flows.website.boards import WrittenRate, estimate_of, find_bounds
from perennial.flows.website.examples import (
    PAGE_CHARACTERS,
    ShownExample,
    describe_ending,
    open_edition,
    read_lost_games,
)
from perennial.flows.website.folder import Content
from perennial.flows.website.model_board import LEAST_QUESTIONS, Overview, describe_cost, find_floor
from perennial.flows.website.visible import Edition, present
from perennial.schemas.errors import count
from perennial.schemas.people import is_person
from perennial.schemas.statistics import LINES, PEOPLE, mark_answers, rank_text
from perennial.tasks.website.names import player_file
from perennial.tasks.website.render import render
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.confinement import quote, quote_all
from perennial.warehouse.store.store import Store

_MOST_RESULTS = 150
_KINDS = {
    "models": "A model",
    PEOPLE: "People, together",
    "controls": "A control: a model that is asked in another way",
    "checkpoints": "A checkpoint of training",
}
_LOSSES = (
    "SELECT player, status, reason, episodes, attempted FROM losses "
    "WHERE edition = {edition} AND player IN ({players}) ORDER BY player, episodes DESC, reason"
)


@dataclass(frozen=True, slots=True)
class SettingResult:
    """A success rate in a setting of an edition; `cost` is of a success in the whole edition."""

    title: str
    benchmark: str
    edition: str
    day: str
    setting: str
    estimate: WrittenRate
    rank: str
    answers: str
    cost: str


@dataclass(frozen=True, slots=True)
class Losses:
    """Why a player lost in an edition: how often for each reason, with the share of its games, and a game."""

    title: str
    edition: str
    reasons: list[tuple[str, int, float]]
    game: ShownExample | None


def player_files(store: Store, overview: Overview) -> dict[str, Content]:
    """Return the content of each page by its name."""
    results: dict[str, list[SettingResult]] = defaultdict(list)
    groups: dict[str, str] = {}
    for edition in overview.editions:
        for player, group, result in _read_results(overview, edition):
            groups.setdefault(player, group)
            results[player].append(result)
    losses = _read_losses(store, overview, [name for name, group in groups.items() if group != PEOPLE])
    return {
        player_file(player): render(
            "player.html.j2",
            {
                "player": player,
                "what": _describe(groups[player], player_results),
                "results": sorted(player_results, key=lambda result: result.title)[:_MOST_RESULTS],
                "hidden": _describe_hidden(len(player_results)),
                "losses": losses.get(player, []),
            },
            depth=1,
        )
        for player, player_results in sorted(results.items())
    }


def _read_results(overview: Overview, edition: Edition) -> list[tuple[str, str, SettingResult]]:
    """Return each player of the edition that is no program, its group, and its result in a setting."""
    rows, about = overview.scores.get(edition.name, []), present(edition.benchmark)
    bounds = find_bounds(rows, about.best_player, find_floor(edition.benchmark))
    order = {setting: index for index, setting in enumerate(overview.settings[edition.benchmark])}
    return [
        (
            row["player"],
            row["player_group"],
            SettingResult(
                about.title,
                edition.benchmark,
                edition.name,
                f"{edition.created_at:%Y-%m-%d}",
                row["setting"],
                estimate_of(row, bounds),
                rank_text(row),
                mark_answers(row),
                describe_cost(overview.costs.get((edition.name, row["player"]), {}))[0],
            ),
        )
        for row in sorted(rows, key=lambda row: order[row["setting"]])
        if row["player_group"] not in LINES
    ]


def _describe(group: str, results: Sequence[SettingResult]) -> str:
    editions, benchmarks = {result.edition for result in results}, {result.benchmark for result in results}
    kind = _KINDS.get(group, "A player")
    return (
        f"{kind}, with answers in {count(len(editions), 'edition')} of {count(len(benchmarks), 'benchmark')}."
    )


def _describe_hidden(results: int) -> str:
    left_out = results - _MOST_RESULTS
    return f"{left_out:,} more results are in scores.json." if left_out > 0 else ""


def _read_losses(store: Store, overview: Overview, players: Sequence[str]) -> dict[str, list[Losses]]:
    """Return the losses of each player by benchmark, in its newest edition with enough answers."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for benchmark in overview.benchmarks:
        answered: dict[str, dict[str, int]] = defaultdict(dict)
        for edition in overview.answered(benchmark):
            for row in overview.scores[edition.name]:
                of_player = answered[row["player"]]
                of_player[edition.name] = of_player.get(edition.name, 0) + row["instances"]
        for player in players:
            if counts := answered.get(player):
                wanted[max(counts, key=lambda name: min(counts[name], LEAST_QUESTIONS))].append(player)
    characters = PAGE_CHARACTERS // max(len(overview.benchmarks), 1)
    losses: dict[str, list[Losses]] = defaultdict(list)
    for edition in sorted(overview.editions, key=lambda edition: edition.benchmark):
        chosen = [name for name in wanted.get(edition.name, ()) if not is_person(name)]
        if not chosen:
            continue
        title = present(edition.benchmark).title
        with open_edition(store, edition) as catalog:
            games = read_lost_games(store, edition, catalog, chosen, characters)
            for player, reasons in _read_reasons(edition, catalog, chosen).items():
                losses[player].append(Losses(title, edition.name, reasons, games.get(player)))
    return losses


def _read_reasons(
    edition: Edition, catalog: Catalog, players: Sequence[str]
) -> dict[str, list[tuple[str, int, float]]]:
    sql = _LOSSES.format(edition=quote(edition.name), players=quote_all(players))
    reasons: dict[str, list[tuple[str, int, float]]] = defaultdict(list)
    for player, status, reason, episodes, attempted in catalog.query(sql)[1]:
        words = reason.replace("_", " ") if status == "wrong" else describe_ending(status)
        reasons[player].append((words, episodes, episodes / attempted))
    return reasons

"""A page per player: its profile over the benchmarks, its rates in all editions, its worst transcripts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from flows.website.boards import Estimate, cost_text, estimate_of
from flows.website.folder import Content
from flows.website.overview import Overview
from flows.website.transcripts import PAGE_CHARACTERS, WORST_EACH, Transcript, read_worst
from flows.website.visible import Edition, present
from schemas.errors import count
from tasks.website.names import player_file
from tasks.website.render import render
from warehouse.store.store import Store

_MOST_HISTORY = 150
_KINDS = {
    "models": "A model",
    "programs": "A program",
    "people": "People, together",
    "controls": "A control: a model that is asked in another way",
    "checkpoints": "A checkpoint of training",
}


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A score in a setting of the newest edition of a benchmark."""

    benchmark: str
    title: str
    setting: str
    edition: str
    rank: str
    cost: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A success rate in a setting of an edition."""

    edition: str
    setting: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Group:
    """Transcripts of a benchmark."""

    title: str
    episodes: tuple[Transcript, ...]


def player_files(store: Store, overview: Overview) -> dict[str, Content]:
    """Return the content of each player's page by its name."""
    floors = {edition.name: overview.floors(edition) for edition in overview.editions}
    ranked: dict[tuple[str, str], int] = defaultdict(int)
    profiles: dict[str, list[ProfileRow]] = defaultdict(list)
    for row in overview.profiles:
        ranked[row["edition"], f"{row['setting']} {row['kind']}"] += 1
    for row in overview.profiles:
        of = ranked[row["edition"], f"{row['setting']} {row['kind']}"]
        floor = floors[row["edition"]].get(row["setting"])
        profiles[row["player"]].append(
            ProfileRow(
                row["benchmark"],
                present(row["benchmark"]).title,
                row["setting"],
                row["edition"],
                f"{row['rank']} of {of}",
                cost_text(row),
                Estimate(row["score"], row["score_low"], row["score_high"], floor, row["instances"]),
            )
        )
    history: dict[str, list[HistoryRow]] = defaultdict(list)
    for edition in overview.editions:
        for row in overview.scores.get(edition.name, ()):
            estimate = estimate_of(row, floors[edition.name].get(row["setting"]))
            history[row["player"]].append(HistoryRow(edition.name, row["setting"], estimate))
    worst = _read_worst(store, overview)
    return {
        player_file(player): render(
            "player.html.j2",
            {
                "player": player,
                "what": _describe(overview, player, history[player]),
                "profile": _in_order(overview, profiles[player]),
                "history": history[player][:_MOST_HISTORY],
                "hidden_history": _describe_hidden(len(history[player])),
                "transcripts": worst.get(player, []),
            },
            depth=1,
        )
        for player in overview.players
    }


def _in_order(overview: Overview, rows: Sequence[ProfileRow]) -> list[ProfileRow]:
    """Return the rows by benchmark, settings in the order of its pages."""
    order = {
        (name, setting): place for name, of in overview.settings.items() for place, setting in enumerate(of)
    }
    return sorted(rows, key=lambda row: (row.benchmark, order.get((row.benchmark, row.setting), 0)))


def _describe(overview: Overview, player: str, history: Sequence[HistoryRow]) -> str:
    met = {row.edition for row in history}
    benchmarks = {edition.benchmark for edition in overview.editions if edition.name in met}
    kind = _KINDS.get(overview.kinds.get(player, ""), "A player")
    return f"{kind}, with answers in {count(len(met), 'edition')} of {count(len(benchmarks), 'benchmark')}."


def _describe_hidden(rows: int) -> str:
    return f"{rows - _MOST_HISTORY:,} older rates are in scores.json." if rows > _MOST_HISTORY else ""


def _read_worst(store: Store, overview: Overview) -> dict[str, list[Group]]:
    """Return the worst episodes of each player by benchmark, of the newest edition that it answered."""
    wanted: dict[str, list[str]] = defaultdict(list)
    groups: dict[str, list[Group]] = defaultdict(list)
    several = max(len(overview.benchmarks), 1) * WORST_EACH
    newest: dict[tuple[str, str], Edition] = {}
    for edition in overview.editions:
        for row in overview.scores.get(edition.name, ()):
            newest.setdefault((edition.benchmark, row["player"]), edition)
    for (_, player), edition in newest.items():
        wanted[edition.name].append(player)
    by_name = {edition.name: edition for edition in overview.editions}
    for name in sorted(wanted, key=lambda name: (by_name[name].benchmark, name)):
        edition = by_name[name]
        found = read_worst(store, edition, wanted[name], PAGE_CHARACTERS // several)
        for player, episodes in found.items():
            groups[player].append(Group(present(edition.benchmark).title, tuple(episodes)))
    return groups

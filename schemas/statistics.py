"""What figures are of, and their tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from perennial.schemas.rows import Row
from perennial.schemas.units import PLAYED

# A benchmark's own figure on leaderboards.


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of `statistics` that leaderboards show beside the success rate, and how it is counted.

    `note` says so in a few words, `doc` in a whole sentence. `is_optional`: an edition may have it
    of no player, and then its leaderboards have no such column.
    """

    statistic: str
    convention: str
    heading: str
    note: str
    doc: str
    is_optional: bool = False

    @property
    def column(self) -> str:
        """Its column on leaderboards, which names the convention where there are several."""
        named = "" if self.convention == "any" else f"_{self.convention.replace('-', '_')}"
        return f"{self.statistic}{named}"


def shown_measures(measures: Iterable[Measure], rows: Sequence[Row]) -> tuple[Measure, ...]:
    """Return the measures that a leaderboard of these rows has columns for."""
    return tuple(
        measure
        for measure in measures
        if not measure.is_optional or any(row[measure.column] is not None for row in rows)
    )


@dataclass(frozen=True, slots=True)
class Floor:
    """What an answer without the work is worth: a benchmark's program that gives such answers.

    The success rate of `player` is the floor. `note` says in a few words what the program does, `doc` in a
    whole sentence. `effort` is a figure that is 0 for whoever does none of the work, where there is one;
    leaderboards mark such players, programs or models, with `mark`.
    `heuristic` names a program that does a little of the work, whose rate is a second line in charts.
    """

    player: str
    note: str
    doc: str
    effort: Measure | None = None
    mark: str = ""
    heuristic: str = ""


def mark_player(floor: Floor | None, row: Row) -> str:
    """Return the mark of the player of a leaderboard's row, where it does none of the work; else ""."""
    effort = floor and floor.effort
    return floor.mark if floor and effort and row.get(effort.column) == 0 else ""


def label_player(floor: Floor | None, row: Row) -> str:
    """Return the player of a leaderboard's row, with its marks in parentheses where it has any."""
    marks = (mark_player(floor, row), mark_answers(row))
    joined = ", ".join(mark for mark in marks if mark)
    return f"{row['player']} ({joined})" if joined else str(row["player"])


def mark_answers(row: Row) -> str:
    """Return "by log" or "partly by log" where a log says what the player answered; else ""."""
    answers = row.get("answers")
    return "" if answers in (None, PLAYED) else str(answers)


def claimed_names(rows: Iterable[Row]) -> dict[str, str]:
    """Return how to show the players of these rows whose answers a log claims."""
    marks = {row["player"]: mark for row in rows if (mark := mark_answers(row))}
    return {player: f"{player} ({mark})" for player, mark in marks.items()}


ABOVE_FLOOR = "above the floor"
ABOVE_FLOOR_DOC = (
    "Above the floor is (rate − floor) / (1 − floor): 0 for what answers without the work are worth, 1 for a "
    "player who solves all."
)


def describe_floors(rows: Sequence[Row]) -> str:
    """Return the floor of each setting, with its interval where it is not exact; "" without any."""
    floors = {
        row["setting"]: f"{row['floor']:.3f}"
        + ("" if row["floor_low"] is None else f" [{row['floor_low']:.3f}, {row['floor_high']:.3f}]")
        for row in rows
        if row["floor"] is not None
    }
    return ", ".join(f"{setting} {text}" for setting, text in floors.items())


# The order of leaderboards: models first, programs below them as lines of reference, the floor last.
#
# This is the one definition: `statistics` stores each player's place by it, from which view `leaderboard`,
# terminal, report, explorer and website take the order; boards over other instances sort their rows by it.

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


# Which draw a figure speaks of: what would vary if the measurement were made again.

Population = Literal["these domains", "new domains"]
THESE_DOMAINS: Population = "these domains"
"""Instances vary: others are drawn in the same domains."""
NEW_DOMAINS: Population = "new domains"
"""Domains vary too: what the next edition will show."""

MEANINGS: dict[Population, str] = {
    THESE_DOMAINS: "other instances of these domains",
    NEW_DOMAINS: "new domains, which is what the next edition will show",
}


def describe_populations(populations: Iterable[str | None]) -> str:
    """Return what 95% intervals of these populations are for, such as `other instances of these domains`."""
    names = {name for name in populations if name}
    return " or ".join(meaning for name, meaning in MEANINGS.items() if name in names) or "no population"


# A number that somebody has published about a benchmark: in a paper, on a leaderboard.


class PublishedScore(NamedTuple):
    """One printed number: a row of table `published_scores`, whose columns say what each field is."""

    source: str
    place: str
    player: str
    figure: str
    value: float
    unit: str
    settings: str = ""
    setting: str = "all"
    domain: str = "all"
    deviation: float | None = None
    model: str | None = None


# The variance of a success rate in parts: from domains, instances and runs, and what players share.


@dataclass(frozen=True, slots=True)
class Parts:
    """Variances of success. `domain` and `instance` are common to all players, the others a player's own."""

    domain: float
    player_domain: float
    instance: float
    player_instance: float
    run: float

    @property
    def total(self) -> float:
        """The variance of a single success, which is p (1 - p) at a success rate of p."""
        return self.domain + self.player_domain + self.instance + self.player_instance + self.run

    @property
    def usual_rate(self) -> float:
        """The success rate, above one half, that players of these parts have."""
        return float(0.5 + max(0.0, 0.25 - self.total) ** 0.5)

    def at_rate(self, rate: float) -> "Parts":
        """Scale the parts to players of this success rate: all of them follow p (1 - p)."""
        scale = rate * (1 - rate) / self.total
        return Parts(*(scale * getattr(self, name) for name in self.__slots__))

    def of_instances(self, runs: float) -> float:
        """Return the variance of a player's means over this many runs, between instances of a domain."""
        return self.instance + self.player_instance + self.run / runs

    def shared_share(self, runs: float) -> float:
        """Return which share of that variance players of the same instances have in common."""
        return self.instance / self.of_instances(runs)

    def rate_variance(self, domains: int, instances: int, runs: int) -> float:
        """Return the variance of a rate over the population of domains; `instances` are per domain."""
        return (self.domain + self.player_domain + self.of_instances(runs) / instances) / domains

    def difference_variance(self, domains: int, instances: int, runs: int) -> float:
        """Return the variance of the difference between two players on the same instances."""
        variance = self.player_domain + (self.player_instance + self.run / runs) / instances
        return 2 * variance / domains


@dataclass(frozen=True, slots=True)
class MeasuredVariance:
    """Parts that were measured where a benchmark's domains are drawn, and model calls per episode there.

    `source` says on what, in a few words. Tokens of a call are those of an instance of the same size; replies
    are brief ones and long ones.
    """

    parts: Parts
    calls_per_episode: float
    source: str
    prompt_tokens_per_call: int
    reply_tokens_per_call: tuple[int, int]

"""The tables of time: events of a life, of a week and of history, spans of a life, and their order."""

from collections.abc import Mapping
from dataclasses import dataclass

from perennial.schemas.knowlogic.knowledge import Knowledge, Row
from perennial.schemas.knowlogic.things import Language

_ANY = "*"


@dataclass(frozen=True, slots=True)
class Event:
    """An event: what it is called in each language, and the gerund in English.

    `ages` are those at which an event of a life usually comes; `year` and `obscurity` (1 to 3) are those of
    an event of history.
    """

    id: str
    names: dict[Language, str]
    gerund: str
    ages: tuple[int, int]
    year: int
    obscurity: int


@dataclass(frozen=True, slots=True)
class Span:
    """The time between two events of a life, and how many years it usually lasts."""

    id: str
    start: str
    end: str
    names: dict[Language, str]
    years: tuple[int, int]


@dataclass(frozen=True)
class Times:
    """All of it by id. `orders` says by how many years at least an event is before another one."""

    life: Mapping[str, Event]
    week: Mapping[str, Event]
    history: Mapping[str, Event]
    spans: Mapping[str, Span]
    orders: Mapping[tuple[str, str], int]

    def year_of(self, anchor: str) -> int:
        """Return the year of an event of history; raise KeyError where there is none."""
        return self.history[anchor].year


def read_times(knowledge: Knowledge) -> Times:
    """Return the tables of folder `time`; raise KeyError where one is missing."""
    kinds: dict[str, dict[str, Event]] = {"life": {}, "week": {}, "history": {}}
    for row in knowledge.rows("time/events"):
        kinds[row["kind"]][row["id"]] = _event_of(row)
    spans = {
        row["id"]: Span(
            row["id"],
            row["start"],
            row["end"],
            {"zh": row["zh"], "en": row["en"]},
            (int(row["least"]), int(row["most"])),
        )
        for row in knowledge.rows("time/spans")
    }
    life = kinds["life"]
    return Times(life, kinds["week"], kinds["history"], spans, _read_orders(knowledge, tuple(life)))


def _event_of(row: Row) -> Event:
    return Event(
        id=row["id"],
        names={"zh": row["zh"], "en": row["en"]},
        gerund=row["gerund"],
        ages=(int(row["age_from"] or 0), int(row["age_to"] or 0)),
        year=int(row["year"] or 0),
        obscurity=int(row["obscurity"] or 0),
    )


def _read_orders(knowledge: Knowledge, events: tuple[str, ...]) -> dict[tuple[str, str], int]:
    """Return the orders and all that follow from them: the most years that any way adds up to."""
    found: dict[tuple[str, str], int] = {}
    for row in knowledge.rows("time/orders"):
        befores = events if row["before"] == _ANY else (row["before"],)
        afters = events if row["after"] == _ANY else (row["after"],)
        for before in befores:
            for after in afters:
                if before != after:
                    found[before, after] = max(int(row["least"]), found.get((before, after), 0))
    for middle in events:
        lefts = [(before, least) for (before, after), least in found.items() if after == middle]
        rights = [(after, least) for (before, after), least in found.items() if before == middle]
        for before, first in lefts:
            for after, second in rights:
                if before == after:
                    raise ValueError(f"{before} is before itself by the orders of a life")
                found[before, after] = max(first + second, found.get((before, after), 0))
    return found

"""What a sentence about times says, apart from its words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from perennial.schemas.knowlogic.things import GAP, Knowledge, Language, Proposition, Row

# The tables of time: events of a life, of a week and of history, spans of a life, and their order.

_ANY = "*"


@dataclass(frozen=True, slots=True)
class TimedEvent:
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

    life: Mapping[str, TimedEvent]
    week: Mapping[str, TimedEvent]
    history: Mapping[str, TimedEvent]
    spans: Mapping[str, Span]
    orders: Mapping[tuple[str, str], int]

    def year_of(self, anchor: str) -> int:
        """The year of an event of history; raise KeyError where there is none."""
        return self.history[anchor].year


def read_times(knowledge: Knowledge) -> Times:
    """The tables of folder `time`; raise KeyError where one is missing."""
    kinds: dict[str, dict[str, TimedEvent]] = {"life": {}, "week": {}, "history": {}}
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


def _event_of(row: Row) -> TimedEvent:
    return TimedEvent(
        id=row["id"],
        names={"zh": row["zh"], "en": row["en"]},
        gerund=row["gerund"],
        ages=(int(row["age_from"] or 0), int(row["age_to"] or 0)),
        year=int(row["year"] or 0),
        obscurity=int(row["obscurity"] or 0),
    )


def _read_orders(knowledge: Knowledge, events: tuple[str, ...]) -> dict[tuple[str, str], int]:
    """The orders and all that follow from them: the most years that any way adds up to."""
    orders: dict[tuple[str, str], int] = {}
    for row in knowledge.rows("time/orders"):
        befores = events if row["before"] == _ANY else (row["before"],)
        afters = events if row["after"] == _ANY else (row["after"],)
        for before in befores:
            for after in afters:
                if before != after:
                    orders[before, after] = max(int(row["least"]), orders.get((before, after), 0))
    for middle in events:
        lefts = [(before, least) for (before, after), least in orders.items() if after == middle]
        rights = [(after, least) for (before, after), least in orders.items() if before == middle]
        for before, first in lefts:
            for after, second in rights:
                if before == after:
                    raise ValueError(f"{before} is before itself by the orders of a life")
                orders[before, after] = max(first + second, orders.get((before, after), 0))
    return orders


WEEK, LIFE = "cyclic", "linear"
DAYS = 7

ClaimKind = Literal["at", "difference", "order", "gap", "longer", "as_long"]


@dataclass(frozen=True, slots=True, order=True)
class TimeClaim:
    """A claim; two sentences that say the same in other words are equal claims.

    - at: `left` is in the year (on the day) `number`.
    - difference: `left` is `number` years after `right` (days: modulo 7).
    - order: `left` is before `right`. gap: they are `number` years apart.
    - longer: the span `left` lasts longer than `right`. as_long: as long as it.
    """

    kind: ClaimKind
    left: str
    right: str = ""
    number: int = 0


# The sign of a number of years or days in a template.
_SIGNS = {"after": 1, "before": -1, "anchor_after": 1, "anchor_before": -1}


def claim_of(times: Times, scenario: str, sentence: Proposition) -> TimeClaim:
    """What a statement or option says; raise ValueError for an unknown template or a gap."""
    if GAP in sentence.arguments:
        raise ValueError("a sentence with a gap claims nothing")
    name, (_, *arguments) = sentence.template, sentence.arguments
    left, right = str(arguments[0]), str(arguments[1])
    last = arguments[-1] if isinstance(arguments[-1], int) else 0
    if name in ("on", "year"):
        return TimeClaim("at", left, "", last)
    if name in _SIGNS:
        return _difference(scenario, left, right, _SIGNS[name] * last)
    if name in ("same", "anchor_same"):
        return _difference(scenario, left, right, 0)
    if name in ("earlier", "anchor_earlier"):
        return TimeClaim("order", left, right)
    if name in ("later", "anchor_later"):
        return TimeClaim("order", right, left)
    if name == "gap":
        return TimeClaim("gap", min(left, right), max(left, right), last)
    if name == "lasts":
        span = times.spans[left]
        return _difference(scenario, span.end, span.start, last)
    if name in ("longer", "shorter"):
        return TimeClaim("longer", left, right) if name == "longer" else TimeClaim("longer", right, left)
    if name == "as_long":
        return TimeClaim("as_long", min(left, right), max(left, right))
    raise ValueError(f"template {name} says nothing about times")


def _difference(scenario: str, left: str, right: str, number: int) -> TimeClaim:
    if right < left:
        left, right, number = right, left, -number
    return TimeClaim("difference", left, right, number % DAYS if scenario == WEEK else number)


def events_of(times: Times, claim: TimeClaim) -> tuple[str, ...]:
    """The events of the life or week that a claim is about, without those of history."""
    if claim.kind in ("longer", "as_long"):
        spans = (times.spans[claim.left], times.spans[claim.right])
        return tuple(event for span in spans for event in (span.start, span.end))
    return tuple(event for event in (claim.left, claim.right) if event and event not in times.history)


def holds(times: Times, scenario: str, claim: TimeClaim, at: Mapping[str, int]) -> bool:
    """Whether a claim holds where each event has this year or day."""

    def time_of(event: str) -> int:
        return times.year_of(event) if event in times.history else at[event]

    def length_of(span: str) -> int:
        return at[times.spans[span].end] - at[times.spans[span].start]

    if claim.kind == "longer":
        return length_of(claim.left) > length_of(claim.right)
    if claim.kind == "as_long":
        return length_of(claim.left) == length_of(claim.right)
    if claim.kind == "at":
        return at[claim.left] == claim.number
    apart = time_of(claim.left) - time_of(claim.right)
    if claim.kind == "order":
        return apart < 0
    if claim.kind == "gap":
        return abs(apart) == claim.number
    return (apart - claim.number) % DAYS == 0 if scenario == WEEK else apart == claim.number

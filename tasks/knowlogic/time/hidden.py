"""Hidden weeks and lives, and statements that leave no other one.

Each statement gives the time of one more event, from a year, a day or an event that is given already; so the
statements form a tree, all are needed, and one assignment is left.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perennial.schemas.knowlogic.things import Argument, Proposition
from perennial.tasks.knowlogic.time.claims import DAYS, LIFE, WEEK, Claim, claim_of
from perennial.tasks.knowlogic.time.tables import Span, Times

FIRST_BIRTH, LAST_BIRTH, LAST = 1900, 1970, 2020
# How often a week names no day, and how often its next statement names one; the same for years of a life.
_NO_DAY, _DAY, _YEAR = 0.1, 0.15, 0.2
_SPAN, _GAP, _AS_LONG = 0.7, 0.4, 0.6
# How often a life starts with the birth.
_BORN = 0.6


@dataclass(frozen=True)
class Text:
    """A week or a life: who it is about, its statements, and the times that they give."""

    scenario: str
    person: str
    statements: tuple[Proposition, ...]
    given: frozenset[Claim]
    at: Mapping[str, int]
    anchors: tuple[str, ...] = ()


def draw_week(times: Times, person: str, number: int, hub: int, rng: random.Random) -> Text:
    """Return a week of so many activities; `hub` of them share a day where it is not 0."""
    events = rng.sample(sorted(times.week), number)
    shared = rng.randrange(DAYS)
    others = [day for day in range(DAYS) if day != shared] if hub else range(DAYS)
    at = {event: shared if place < hub else rng.choice(others) for place, event in enumerate(events)}
    rng.shuffle(events)
    has_day = rng.random() >= _NO_DAY
    statements: list[Proposition] = [_say(person, "on", events[0], at[events[0]])] if has_day else []
    for place, event in enumerate(events[1:], 1):
        if has_day and rng.random() < _DAY:
            statements.append(_say(person, "on", event, at[event]))
        else:
            first, second = rng.sample((event, rng.choice(events[:place])), 2)
            apart = (at[first] - at[second]) % DAYS
            statements.append(say_week_difference(person, first, second, apart, rng))
    return _text(times, WEEK, person, statements, at, rng)


def say_week_difference(person: str, first: str, second: str, apart: int, rng: random.Random) -> Proposition:
    """Return the sentence that the first activity is so many days after the second, or the rest before it."""
    if not apart % DAYS:
        return _say(person, "same", first, second)
    if rng.random() < 0.5:
        return _say(person, "after", first, second, apart % DAYS)
    return _say(person, "before", first, second, -apart % DAYS)


def draw_life(
    times: Times, person: str, number: int, hardest: int, anchors: Sequence[str], rng: random.Random
) -> Text | None:
    """Return a life of so many events whose statements name these anchors; None where years do not fit.

    `hardest` is the kind of the hardest statement: 1 years, 2 other events too, 3 durations and gaps too.
    """
    events = _pick_events(times, number, hardest, rng)
    at = _date_events(times, events, rng)
    if at is None or not all(_may_name(at, times.year_of(anchor)) for anchor in anchors):
        return None
    events = rng.sample(events, number)
    if hardest == 3:
        _put_ends_later(times, events)
    waiting = list(anchors)
    places = set(rng.sample(range(number), len(waiting)))
    statements: list[Proposition] = []
    for place, event in enumerate(events):
        if place in places:
            anchor = waiting.pop()
            apart = at[event] - times.year_of(anchor)
            statements.append(say_difference(person, event, anchor, apart, prefix="anchor_"))
        elif hardest == 1 or not place:
            statements.append(_say(person, "year", event, at[event]))
        else:
            statements.append(_relate(times, person, event, events[:place], at, hardest, rng))
    return _text(times, LIFE, person, statements, at, rng, tuple(sorted(anchors)))


def _pick_events(times: Times, number: int, hardest: int, rng: random.Random) -> list[str]:
    """Return events in the order of the table; whole spans first where durations are wanted."""
    chosen = {"born"} if rng.random() < _BORN else set()
    if hardest == 3:
        spans = list(times.spans.values())
        for span in rng.sample(spans, rng.randint(1, 3)):
            if len(chosen | {span.start, span.end}) <= number:
                chosen |= {span.start, span.end}
    rest = [event for event in times.life if event not in chosen]
    chosen |= set(rng.sample(rest, number - len(chosen)))
    return [event for event in times.life if event in chosen]


def _date_events(times: Times, events: Sequence[str], rng: random.Random) -> dict[str, int] | None:
    """Return years that fit usual ages, usual durations and the order of a life; None where none do."""
    birth = rng.randint(FIRST_BIRTH, LAST_BIRTH)
    ends = {span.end: span for span in times.spans.values()}
    at: dict[str, int] = {}
    for event in events:
        low, high = (birth + age for age in times.life[event].ages)
        span = ends.get(event)
        if span and span.start in at:
            low, high = (at[span.start] + years for years in span.years)
        for other, year in at.items():
            if (other, event) in times.orders:
                low = max(low, year + times.orders[other, event])
        if low > min(high, LAST):
            return None
        at[event] = rng.randint(low, min(high, LAST))
    return at


def _may_name(at: Mapping[str, int], year: int) -> bool:
    """Whether an event of history is near enough to the life to be named."""
    return min(at.values()) - 30 <= year <= max(at.values()) + 30


def _put_ends_later(times: Times, events: list[str]) -> None:
    """Move the end of each span behind its start, so that a duration can give it."""
    for span in times.spans.values():
        if span.start in events and span.end in events:
            first, last = sorted((events.index(span.start), events.index(span.end)))
            events[first], events[last] = span.start, span.end


def _relate(
    times: Times,
    person: str,
    event: str,
    known: Sequence[str],
    at: Mapping[str, int],
    hardest: int,
    rng: random.Random,
) -> Proposition:
    """Return a statement that gives an event's year by events whose years are known."""
    if hardest == 3:
        for span in times.spans.values():
            other = {span.start: span.end, span.end: span.start}.get(event)
            if other in known:
                alike = _spans_as_long(times, span, known, at)
                if alike and rng.random() < _AS_LONG:
                    return _say(person, "as_long", *rng.sample((span.id, rng.choice(alike)), 2))
                if rng.random() < _SPAN:
                    return _say(person, "lasts", span.id, at[span.end] - at[span.start])
        ordered = [
            each
            for each in known
            if at[each] != at[event] and ((each, event) in times.orders or (event, each) in times.orders)
        ]
        if ordered and rng.random() < _GAP:
            other = rng.choice(ordered)
            return _say(person, "gap", *rng.sample((event, other), 2), abs(at[event] - at[other]))
    if rng.random() < _YEAR:
        return _say(person, "year", event, at[event])
    first, second = rng.sample((event, rng.choice(known)), 2)
    return say_difference(person, first, second, at[first] - at[second])


def _spans_as_long(times: Times, span: Span, known: Sequence[str], at: Mapping[str, int]) -> list[str]:
    """Return the other spans that are known and last as long."""
    return [
        each.id
        for each in times.spans.values()
        if each.id != span.id
        and each.start in known
        and each.end in known
        and at[each.end] - at[each.start] == at[span.end] - at[span.start]
    ]


def say_difference(person: str, first: str, second: str, apart: int, *, prefix: str = "") -> Proposition:
    """Return the sentence that the first event is so many years after the second."""
    if not apart:
        return _say(person, f"{prefix}same", first, second)
    return _say(person, f"{prefix}{'after' if apart > 0 else 'before'}", first, second, abs(apart))


def _say(person: str, template: str, *arguments: Argument) -> Proposition:
    return Proposition(template, (person, *arguments))


def _text(
    times: Times,
    scenario: str,
    person: str,
    statements: list[Proposition],
    at: Mapping[str, int],
    rng: random.Random,
    anchors: tuple[str, ...] = (),
) -> Text:
    rng.shuffle(statements)
    given = frozenset(claim_of(times, scenario, each) for each in statements)
    return Text(scenario, person, tuple(statements), given, at, anchors)

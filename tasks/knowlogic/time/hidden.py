"""Hidden weeks and lives, and statements that leave no other one.

Each statement gives the time of one more event, from a year, a day or an event that is given already; so the
statements form a tree, all are needed, and one assignment is left.
"""

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from perennial.schemas.knowlogic.things import Argument, Proposition
from perennial.tasks.knowlogic.time.claims import DAYS, LIFE, WEEK, Span, TimeClaim, Times, claim_of, holds

FIRST_BIRTH, LAST_BIRTH, LAST = 1900, 1970, 2020
# How often a week names no day, and how often its next statement names one; the same for years of a life.
_NO_DAY, _DAY, _YEAR = 0.1, 0.15, 0.2
_SPAN, _GAP, _AS_LONG = 0.7, 0.4, 0.6
# How often a life starts with the birth.
_BORN = 0.6


@dataclass(frozen=True)
class TimeText:
    """A week or a life: who it is about, its statements, and the times that they give."""

    scenario: str
    person: str
    statements: tuple[Proposition, ...]
    stated: frozenset[TimeClaim]
    at: Mapping[str, int]
    anchors: tuple[str, ...] = ()


def draw_week(times: Times, person: str, number: int, hub: int, rng: random.Random) -> TimeText:
    """A week of so many activities; `hub` of them share a day where it is not 0."""
    events = rng.sample(sorted(times.week), number)
    shared = rng.randrange(DAYS)
    others = [day for day in range(DAYS) if day != shared] if hub else range(DAYS)
    at = {event: shared if index < hub else rng.choice(others) for index, event in enumerate(events)}
    rng.shuffle(events)
    has_day = rng.random() >= _NO_DAY
    statements: list[Proposition] = [_say(person, "on", events[0], at[events[0]])] if has_day else []
    for index, event in enumerate(events[1:], 1):
        if has_day and rng.random() < _DAY:
            statements.append(_say(person, "on", event, at[event]))
        else:
            first, second = rng.sample((event, rng.choice(events[:index])), 2)
            apart = (at[first] - at[second]) % DAYS
            statements.append(say_week_difference(person, first, second, apart, rng))
    return _text(times, WEEK, person, statements, at, rng)


def say_week_difference(person: str, first: str, second: str, apart: int, rng: random.Random) -> Proposition:
    """The sentence that the first activity is so many days after the second, or the rest before it."""
    if not apart % DAYS:
        return _say(person, "same", first, second)
    if rng.random() < 0.5:
        return _say(person, "after", first, second, apart % DAYS)
    return _say(person, "before", first, second, -apart % DAYS)


def draw_life(
    times: Times, person: str, number: int, hardest: int, anchors: Sequence[str], rng: random.Random
) -> TimeText | None:
    """A life of so many events whose statements name these anchors; None where years do not fit.

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
    for index, event in enumerate(events):
        if index in places:
            anchor = waiting.pop()
            apart = at[event] - times.year_of(anchor)
            statements.append(say_difference(person, event, anchor, apart, prefix="anchor_"))
        elif hardest == 1 or not index:
            statements.append(_say(person, "year", event, at[event]))
        else:
            statements.append(_relate(times, person, event, events[:index], at, hardest, rng))
    return _text(times, LIFE, person, statements, at, rng, tuple(sorted(anchors)))


def _pick_events(times: Times, number: int, hardest: int, rng: random.Random) -> list[str]:
    """Events in the order of the table; whole spans first where durations are wanted."""
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
    """Years that fit usual ages, usual durations and the order of a life; None where none do."""
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
    dated: Sequence[str],
    at: Mapping[str, int],
    hardest: int,
    rng: random.Random,
) -> Proposition:
    """A statement that gives an event's year by events whose years are known."""
    if hardest == 3:
        for span in times.spans.values():
            other = {span.start: span.end, span.end: span.start}.get(event)
            if other in dated:
                alike = _spans_as_long(times, span, dated, at)
                if alike and rng.random() < _AS_LONG:
                    return _say(person, "as_long", *rng.sample((span.id, rng.choice(alike)), 2))
                if rng.random() < _SPAN:
                    return _say(person, "lasts", span.id, at[span.end] - at[span.start])
        ordered = [
            other
            for other in dated
            if at[other] != at[event] and ((other, event) in times.orders or (event, other) in times.orders)
        ]
        if ordered and rng.random() < _GAP:
            other = rng.choice(ordered)
            return _say(person, "gap", *rng.sample((event, other), 2), abs(at[event] - at[other]))
    if rng.random() < _YEAR:
        return _say(person, "year", event, at[event])
    first, second = rng.sample((event, rng.choice(dated)), 2)
    return say_difference(person, first, second, at[first] - at[second])


def _spans_as_long(times: Times, span: Span, dated: Sequence[str], at: Mapping[str, int]) -> list[str]:
    """The other spans that are known and last as long."""
    return [
        other.id
        for other in times.spans.values()
        if other.id != span.id
        and other.start in dated
        and other.end in dated
        and at[other.end] - at[other.start] == at[span.end] - at[span.start]
    ]


def say_difference(person: str, first: str, second: str, apart: int, *, prefix: str = "") -> Proposition:
    """The sentence that the first event is so many years after the second."""
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
) -> TimeText:
    rng.shuffle(statements)
    claims = frozenset(claim_of(times, scenario, statement) for statement in statements)
    return TimeText(scenario, person, tuple(statements), claims, at, anchors)


# Options about a week or a life: sentences that are true or false, and not so without the statements.

# How far a wrong year or number of years lies from the right one.
_OFF = (-3, -2, -1, 1, 2, 3)


class OptionMaker:
    """Draws options about a text."""

    def __init__(self, times: Times, text: TimeText, rng: random.Random) -> None:
        self.times, self.text, self.rng = times, text, rng
        self.events = sorted(text.at)
        self.spans = [
            span.id for span in times.spans.values() if span.start in text.at and span.end in text.at
        ]
        self.stated = {self._pair_of(claim) for claim in text.stated}
        forms: dict[str, tuple[Callable[[bool], Proposition], ...]] = {
            WEEK: (self._day, self._days_apart, self._days_apart, self._days_apart),
            LIFE: (self._year, self._apart, self._apart, self._order, self._gap),
        }
        self.forms = list(forms[text.scenario])
        if text.scenario == WEEK and not any(claim.kind == "at" for claim in text.stated):
            self.forms.remove(self._day)
        if text.anchors:
            self.forms += [self._anchor_apart, self._anchor_apart, self._anchor_order]
        if self.spans:
            self.forms += [self._length, self._length]
        if len(self.spans) > 1:
            self.forms += [self._compare, self._compare]

    def draw(self, *, is_true: bool) -> Proposition | None:
        """A sentence with this verdict that may be an option; None where a draw failed."""
        return self.accept(self.rng.choice(self.forms)(is_true), is_true=is_true)

    def draw_vague(self) -> Proposition:
        """A true sentence that may hold of several events."""
        if self.text.scenario == WEEK:
            return self.rng.choice(self.forms)(True)
        orders = [self._order, self._anchor_order] if self.text.anchors else [self._order]
        return self.rng.choice(orders)(True)

    def accept(self, sentence: Proposition, *, is_true: bool) -> Proposition | None:
        """The sentence where it has the verdict, and statements must be put together; else None.

        A sentence that repeats a statement or changes its number alone is refused, and one that the order of
        a life decides without any statement.
        """
        claim = self.claim(sentence)
        if holds(self.times, self.text.scenario, claim, self.text.at) is not is_true:
            return None
        return None if self._pair_of(claim) in self.stated or self._is_plain(claim) else sentence

    def claim(self, sentence: Proposition) -> TimeClaim:
        """What a sentence says."""
        return claim_of(self.times, self.text.scenario, sentence)

    def is_true(self, sentence: Proposition) -> bool:
        """Whether a sentence holds."""
        return holds(self.times, self.text.scenario, self.claim(sentence), self.text.at)

    def key(self, sentence: Proposition) -> Hashable:
        """What is equal for sentences of which one would repeat the other."""
        return self._key(self.claim(sentence))

    def _key(self, claim: TimeClaim) -> Hashable:
        # 'Three years apart' says hardly less than 'three years after'.
        if self.text.scenario == LIFE and claim.kind in ("difference", "gap"):
            return ("apart", claim.left, claim.right, abs(claim.number))
        return claim

    @staticmethod
    def _pair_of(claim: TimeClaim) -> tuple[str, str, str]:
        kind = "apart" if claim.kind in ("difference", "gap") else claim.kind
        return kind, claim.left, claim.right

    def _is_plain(self, claim: TimeClaim) -> bool:
        """Whether the order of a life alone decides a claim about two events."""
        if self.text.scenario == WEEK or claim.kind not in ("difference", "gap", "order"):
            return False
        signs = {(claim.left, claim.right): -1, (claim.right, claim.left): 1}
        for pair, sign in signs.items():
            if pair in self.times.orders:
                years = abs(claim.number) if claim.kind == "gap" else sign * claim.number
                return claim.kind == "order" or years < self.times.orders[pair]
        return False

    def _say(self, template: str, *arguments: Argument) -> Proposition:
        return Proposition(template, (self.text.person, *arguments))

    def _pair(self) -> tuple[str, str]:
        first, second = self.rng.sample(self.events, 2)
        return first, second

    def _miss(self, number: int, *, is_true: bool) -> int:
        """The number, or one near it, on the same side of 0, where it shall be wrong."""
        if is_true:
            return number
        near = [number + off for off in _OFF]
        return self.rng.choice([miss for miss in near if miss * number > 0] or near)

    def _day(self, is_true: bool) -> Proposition:
        event = self.rng.choice(self.events)
        off = 0 if is_true else self.rng.randrange(1, DAYS)
        return self._say("on", event, (self.text.at[event] + off) % DAYS)

    def _days_apart(self, is_true: bool) -> Proposition:
        first, second = self._pair()
        off = 0 if is_true else self.rng.randrange(1, DAYS)
        apart = self.text.at[first] - self.text.at[second] + off
        return say_week_difference(self.text.person, first, second, apart, self.rng)

    def _year(self, is_true: bool) -> Proposition:
        event = self.rng.choice(self.events)
        return self._say("year", event, self._miss(self.text.at[event], is_true=is_true))

    def _apart(self, is_true: bool) -> Proposition:
        first, second = self._pair()
        apart = self._miss(self.text.at[first] - self.text.at[second], is_true=is_true)
        return say_difference(self.text.person, first, second, apart)

    def _gap(self, is_true: bool) -> Proposition:
        first, second = self._pair()
        apart = abs(self._miss(self.text.at[first] - self.text.at[second], is_true=is_true))
        return self._say("gap", first, second, apart) if apart else self._say("same", first, second)

    def _anchor_apart(self, is_true: bool) -> Proposition:
        event, anchor = self.rng.choice(self.events), self.rng.choice(self.text.anchors)
        apart = self._miss(self.text.at[event] - self.times.year_of(anchor), is_true=is_true)
        return say_difference(self.text.person, event, anchor, apart, prefix="anchor_")

    def _order(self, is_true: bool) -> Proposition:
        first, second = self._pair()
        is_earlier = (self.text.at[first] < self.text.at[second]) is is_true
        return self._say("earlier" if is_earlier else "later", first, second)

    def _anchor_order(self, is_true: bool) -> Proposition:
        event, anchor = self.rng.choice(self.events), self.rng.choice(self.text.anchors)
        is_earlier = (self.text.at[event] < self.times.year_of(anchor)) is is_true
        return self._say("anchor_earlier" if is_earlier else "anchor_later", event, anchor)

    def _length(self, is_true: bool) -> Proposition:
        span = self.times.spans[self.rng.choice(self.spans)]
        years = self._miss(self.text.at[span.end] - self.text.at[span.start], is_true=is_true)
        return self._say("lasts", span.id, max(1, years))

    def _compare(self, is_true: bool) -> Proposition:
        first, second = self.rng.sample(self.spans, 2)
        forms = [self._say(form, first, second) for form in ("longer", "shorter", "as_long")]
        return self.rng.choice([form for form in forms if self.is_true(form) is is_true])

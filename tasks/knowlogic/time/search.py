"""The first engine: the possible times of each event as bits of a number, narrowed until nothing changes.

Where an event keeps several times, the search tries each of them.
"""

from collections.abc import Iterator, Mapping

from perennial.schemas.knowlogic.things import Decision, Verdict
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.time.claims import DAYS, WEEK, Claim, claim_of, events_of, holds
from perennial.tasks.knowlogic.time.tables import Times

# The years that an event may have; wide enough that no question depends on it (years run from 1900 to 2020).
FIRST_YEAR, LAST_YEAR = 1880, 2060
# More assignments than this are not searched: no question needs it.
MOST = 2_000

Masks = dict[str, int]


def decide(times: Times, problem: Problem) -> Decision:
    """Return the number of assignments, and what holds in all or in none of them.

    Assignments of a week whose text names no day are counted modulo its 7 rotations. Raises ValueError where
    there are more than `MOST` of them.
    """
    scenario = problem.scenario
    given = [claim_of(times, scenario, each) for each in problem.statements]
    options = [claim_of(times, scenario, each) for each in problem.options]
    found = 0
    seen: list[set[bool]] = [set() for _ in options]
    for at in find_assignments(times, scenario, given, events_in(times, problem)):
        found += 1
        if found > MOST:
            raise ValueError(f"the statements allow more than {MOST} assignments")
        for verdicts, option in zip(seen, options, strict=True):
            verdicts.add(holds(times, scenario, option, at))
    return Decision(found // symmetry_of(scenario, given), tuple(map(_verdict, seen)))


def _verdict(seen: set[bool]) -> Verdict:
    return seen.pop() if len(seen) == 1 else None


def symmetry_of(scenario: str, given: list[Claim]) -> int:
    """Return the number of rotations that leave the statements as they are."""
    return DAYS if scenario == WEEK and not any(claim.kind == "at" for claim in given) else 1


def events_in(times: Times, problem: Problem) -> tuple[str, ...]:
    """Return the events of the problem, sorted."""
    said = (*problem.statements, *problem.options)
    return tuple(
        sorted(
            {event for each in said for event in events_of(times, claim_of(times, problem.scenario, each))}
        )
    )


def find_assignments(
    times: Times, scenario: str, given: list[Claim], variables: tuple[str, ...]
) -> Iterator[Mapping[str, int]]:
    """Yield each assignment of times to the events that all claims and the order of a life allow."""
    finder = _Finder(times, scenario, given, variables)
    for masks in finder.find(dict.fromkeys(variables, finder.all)):
        yield {event: finder.first + mask.bit_length() - 1 for event, mask in masks.items()}


class _Finder:
    def __init__(self, times: Times, scenario: str, given: list[Claim], variables: tuple[str, ...]) -> None:
        self.times, self.scenario = times, scenario
        self.is_week = scenario == WEEK
        self.first = 0 if self.is_week else FIRST_YEAR
        self.size = DAYS if self.is_week else LAST_YEAR - FIRST_YEAR + 1
        self.all = (1 << self.size) - 1
        self.given = given
        known = set(variables)
        self.orders = [
            (before, after, least)
            for (before, after), least in times.orders.items()
            if not self.is_week and before in known and after in known
        ]

    def find(self, masks: Masks) -> Iterator[Masks]:
        """Yield the assignments within these masks."""
        if not self._narrow(masks):
            return
        open_ = [event for event, mask in masks.items() if mask & (mask - 1)]
        if not open_:
            yield masks
            return
        event = min(open_, key=lambda each: (masks[each].bit_count(), each))
        mask = masks[event]
        while mask:
            bit = mask & -mask
            mask ^= bit
            yield from self.find({**masks, event: bit})

    def _narrow(self, masks: Masks) -> bool:
        """Narrow the masks in place; return False where an event has no time left."""
        before: list[int] = []
        while before != (now := list(masks.values())):
            if 0 in now:
                return False
            before = now
            for claim in self.given:
                self._apply(claim, masks)
            for early, late, least in self.orders:
                self._put_in_order(masks, early, late, least)
        return True

    def _mask(self, masks: Masks, event: str) -> int:
        if event in self.times.history:
            return 1 << (self.times.year_of(event) - self.first)
        return masks[event]

    def _shift(self, mask: int, number: int) -> int:
        """Return the mask of all times so many years (days) later."""
        if self.is_week:
            number %= DAYS
            return (mask << number | mask >> (DAYS - number)) & self.all
        return (mask << number if number >= 0 else mask >> -number) & self.all

    def _apply(self, claim: Claim, masks: Masks) -> None:
        left, right, number = claim.left, claim.right, claim.number
        if claim.kind == "at":
            place = number - self.first
            masks[left] &= 1 << place if 0 <= place < self.size else 0
        elif claim.kind == "difference":
            self._set(masks, left, self._shift(self._mask(masks, right), number))
            self._set(masks, right, self._shift(self._mask(masks, left), -number))
        elif claim.kind == "gap":
            for one, other in ((left, right), (right, left)):
                mask = self._mask(masks, other)
                self._set(masks, one, self._shift(mask, number) | self._shift(mask, -number))
        elif claim.kind == "order":
            self._put_in_order(masks, left, right, 1)
        else:
            self._compare(claim, masks)

    def _set(self, masks: Masks, event: str, allowed: int) -> None:
        if event in masks:
            masks[event] &= allowed
        elif not self._mask(masks, event) & allowed:
            masks[next(iter(masks))] = 0

    def _put_in_order(self, masks: Masks, early: str, late: str, least: int) -> None:
        first, last = self._mask(masks, early), self._mask(masks, late)
        if first and last:
            lowest = (first & -first).bit_length() - 1 + least
            highest = last.bit_length() - 1 - least
            self._set(masks, late, self.all & ~((1 << lowest) - 1))
            self._set(masks, early, (1 << (highest + 1)) - 1 if highest >= 0 else 0)

    def _compare(self, claim: Claim, masks: Masks) -> None:
        """Narrow the one event of a comparison of spans that has no single time yet."""
        events = dict.fromkeys(events_of(self.times, claim))
        at = {event: self.first + masks[event].bit_length() - 1 for event in events}
        open_ = [event for event in events if masks[event] & (masks[event] - 1)]
        if len(open_) > 1 or 0 in (masks[event] for event in events):
            return
        event = open_[0] if open_ else next(iter(events))
        allowed = 0
        for place in range(self.size):
            bit = 1 << place
            if masks[event] & bit and holds(
                self.times, self.scenario, claim, {**at, event: self.first + place}
            ):
                allowed |= bit
        masks[event] &= allowed

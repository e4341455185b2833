"""The second engine: times in order encoding for python-sat; assignments counted, options proved or refuted.

It shares the tables and the reading of sentences with the first engine, and nothing of its reasoning. An
event has a literal 'at v or later' for each time v. What a sentence says becomes one literal, made of
literals 'x is at least k after y'.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pysat.solvers import Solver

from perennial.schemas.knowlogic.things import EngineDecision, Proposition, Verdict
from perennial.tasks.knowlogic.closure import Closure, Inference, close
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.time.claims import DAYS, WEEK, TimeClaim, Times, claim_of, events_of, holds

# What follows from the statements about times, by rules, with the statements that each fact needs.

# (kind, left, right, number): 'apart' says that left is so many years (days) after right, 'gap' and 'as_long'
# are as in claims. The calendar itself stands as the event "" of the time 0.
Fact = tuple[str, str, str, int]
_CALENDAR = ""
# Rules that give a difference without a sum of two.
_PLAIN = ("given", "order_of_life", "same_duration")
# A sum adds one difference a round, and no text has more than so many.
_ROUNDS = 24


@dataclass(frozen=True)
class Proofs:
    """The closure of a problem's statements; `statements` by fact, differences `by_pair` of events."""

    times: Times
    scenario: str
    closure: Closure[Fact]
    statements: Mapping[Fact, Proposition]
    by_pair: dict[tuple[str, str], Fact]

    def facts_for(self, claim: TimeClaim) -> list[Fact]:
        """The facts that decide a claim; raise KeyError where the rules do not find them."""
        if claim.kind in ("longer", "as_long"):
            spans = (self.times.spans[claim.left], self.times.spans[claim.right])
            pairs = [(span.end, span.start) for span in spans]
        else:
            pairs = [(claim.left, claim.right)]
        return [self.by_pair[min(a, b), max(a, b)] for a, b in pairs]

    def statements_for(self, claim: TimeClaim) -> list[Proposition]:
        """The statements that the smallest proofs found for a claim rest on."""
        used = {ground for fact in self.facts_for(claim) for ground in self.closure.grounds(fact)}
        return [statement for fact, statement in self.statements.items() if fact in used]

    def rules_for(self, claim: TimeClaim) -> set[str]:
        """The rules of these proofs, and the events of history whose year they use."""
        rules: set[str] = set()
        for fact in self.facts_for(claim):
            rules |= {step.rule for step in self.closure.proof(fact).values()}
            used = self.closure.grounds(fact) - self.statements.keys()
            rules |= {f"anchor_year:{fact[2]}" for fact in used}
        return rules


def count_steps(proofs: Proofs, problem: Problem) -> int:
    """The statements that the proof of the hardest option rests on; all, where the rules are weak."""
    longest = 1
    for option in problem.options:
        try:
            claim = claim_of(proofs.times, problem.scenario, option)
            longest = max(longest, len(proofs.statements_for(claim)))
        except KeyError:
            return len(problem.statements)
    return longest


def prove(times: Times, problem: Problem) -> Proofs:
    """Return all differences of times that follow from the statements and the events of history they name."""
    scenario = problem.scenario
    stated = {_fact_of(scenario, claim_of(times, scenario, line)): line for line in problem.statements}
    named = {name for line in (*problem.statements, *problem.options) for name in line.arguments}
    anchors = sorted(str(name) for name in named if name in times.history)
    dated = [_apart(scenario, anchor, _CALENDAR, times.year_of(anchor)) for anchor in anchors]

    def chain(facts: dict[Fact, Inference[Fact]], new: list[Fact]) -> Iterator[tuple[Fact, Inference[Fact]]]:
        yield from _compose(scenario, facts, new)
        yield from _use_order(times, scenario, new)
        yield from _use_spans(times, scenario, facts)

    closure = close([*stated, *dated], chain, max_depth=_ROUNDS)
    by_pair = {(fact[1], fact[2]): fact for fact in reversed(closure.steps) if fact[0] == "apart"}
    return Proofs(times, scenario, closure, stated, by_pair)


def _fact_of(scenario: str, claim: TimeClaim) -> Fact:
    if claim.kind == "at":
        return _apart(scenario, claim.left, _CALENDAR, claim.number)
    if claim.kind == "difference":
        return _apart(scenario, claim.left, claim.right, claim.number)
    return (claim.kind, claim.left, claim.right, claim.number)


def _apart(scenario: str, left: str, right: str, number: int) -> Fact:
    """The difference with its events in order: both directions are one fact."""
    if right < left:
        left, right, number = right, left, -number
    return ("apart", left, right, number % DAYS if scenario == WEEK else number)


def _compose(
    scenario: str, facts: dict[Fact, Inference[Fact]], new: list[Fact]
) -> Iterator[tuple[Fact, Inference[Fact]]]:
    """The sums of two differences that share an event, one of which was not made by a sum.

    So proofs grow by one difference a round, and the first proof of a fact makes no detour.
    """
    plain = [fact for fact, step in facts.items() if fact[0] == "apart" and step.rule in _PLAIN]
    fresh = set(new)
    if fresh & set(plain):
        pairs = [(fact, other) for fact in plain for other in facts if other[0] == "apart"]
    else:
        pairs = [(fact, other) for fact in plain for other in new if other[0] == "apart"]
    for first, second in pairs:
        if first == second or not (first in fresh or second in fresh):
            continue
        for shared, other in ((first[1], first[2]), (first[2], first[1])):
            if shared not in second[1:3]:
                continue
            third = second[2] if second[1] == shared else second[1]
            if third == other:
                continue
            number = _from_to(shared, other, first) - _from_to(shared, third, second)
            rule = "sum_of_differences"
            if shared == _CALENDAR:
                rule = "difference_of_dates"
            elif _CALENDAR in (other, third):
                rule = "date_from_difference"
            if scenario == WEEK:
                rule += "_modulo_7"
            yield _apart(scenario, other, third, number), Inference(rule, (first, second))


def _from_to(start: str, end: str, fact: Fact) -> int:
    """By how much `end` is after `start`."""
    return -fact[3] if fact[1] == start and fact[2] == end else fact[3]


def _use_order(times: Times, scenario: str, new: list[Fact]) -> Iterator[tuple[Fact, Inference[Fact]]]:
    """The direction of gaps that the order of a life gives."""
    for fact in new:
        kind, left, right, number = fact
        if kind == "gap" and (right, left) in times.orders:
            yield _apart(scenario, left, right, number), Inference("order_of_life", (fact,))
        elif kind == "gap" and (left, right) in times.orders:
            yield _apart(scenario, right, left, number), Inference("order_of_life", (fact,))


def _use_spans(
    times: Times, scenario: str, facts: dict[Fact, Inference[Fact]]
) -> Iterator[tuple[Fact, Inference[Fact]]]:
    """The duration of a span that lasts as long as one whose duration is known."""
    apart = {fact[1:3]: fact for fact in facts if fact[0] == "apart"}
    for fact in facts:
        if fact[0] != "as_long":
            continue
        for span_id, other in (fact[1:3], fact[2:0:-1]):
            span, same = times.spans[str(span_id)], times.spans[str(other)]
            duration = apart.get((min(span.start, span.end), max(span.start, span.end)))
            if duration:
                number = _from_to(span.start, span.end, duration)
                yield (
                    _apart(scenario, same.end, same.start, number),
                    Inference("same_duration", (fact, duration)),
                )


# The first engine: the possible times of each event as bits of a number, narrowed until nothing changes.
#
# Where an event keeps several times, the search tries each of them.

# The years that an event may have; wide enough that no question depends on it (years run from 1900 to 2020).
FIRST_YEAR, LAST_YEAR = 1880, 2060
# More assignments than this are not searched: no question needs it.
MOST = 2_000

Masks = dict[str, int]


def decide(times: Times, problem: Problem) -> EngineDecision:
    """The number of assignments, and what holds in all or in none of them.

    Assignments of a week whose text names no day are counted modulo its 7 rotations. Raises ValueError where
    there are more than `MOST` of them.
    """
    scenario = problem.scenario
    claims = [claim_of(times, scenario, statement) for statement in problem.statements]
    options = [claim_of(times, scenario, option) for option in problem.options]
    assignment_count = 0
    seen: list[set[bool]] = [set() for _ in options]
    for at in find_assignments(times, scenario, claims, events_in(times, problem)):
        assignment_count += 1
        if assignment_count > MOST:
            raise ValueError(f"the statements allow more than {MOST} assignments")
        for verdicts, option in zip(seen, options, strict=True):
            verdicts.add(holds(times, scenario, option, at))
    return EngineDecision(assignment_count // symmetry_of(scenario, claims), tuple(map(_verdict, seen)))


def _verdict(seen: set[bool]) -> Verdict:
    return seen.pop() if len(seen) == 1 else None


def symmetry_of(scenario: str, claims: list[TimeClaim]) -> int:
    """The number of rotations that leave the statements as they are."""
    return DAYS if scenario == WEEK and not any(claim.kind == "at" for claim in claims) else 1


def events_in(times: Times, problem: Problem) -> tuple[str, ...]:
    """The events of the problem, sorted."""
    sentences = (*problem.statements, *problem.options)
    claims = (claim_of(times, problem.scenario, sentence) for sentence in sentences)
    return tuple(sorted({event for claim in claims for event in events_of(times, claim)}))


def find_assignments(
    times: Times, scenario: str, claims: list[TimeClaim], variables: tuple[str, ...]
) -> Iterator[Mapping[str, int]]:
    """Each assignment of times to the events that all claims and the order of a life allow."""
    finder = _Finder(times, scenario, claims, variables)
    for masks in finder.find(dict.fromkeys(variables, finder.all)):
        yield {event: finder.first + mask.bit_length() - 1 for event, mask in masks.items()}


class _Finder:
    def __init__(
        self, times: Times, scenario: str, claims: list[TimeClaim], variables: tuple[str, ...]
    ) -> None:
        self.times, self.scenario = times, scenario
        self.is_week = scenario == WEEK
        self.first = 0 if self.is_week else FIRST_YEAR
        self.size = DAYS if self.is_week else LAST_YEAR - FIRST_YEAR + 1
        self.all = (1 << self.size) - 1
        self.claims = claims
        events = set(variables)
        self.orders = [
            (before, after, least)
            for (before, after), least in times.orders.items()
            if not self.is_week and before in events and after in events
        ]

    def find(self, masks: Masks) -> Iterator[Masks]:
        if not self._narrow(masks):
            return
        open_ = [event for event, mask in masks.items() if mask & (mask - 1)]
        if not open_:
            yield masks
            return
        # The one with the fewest times, so that contradictions show early; the name keeps the order fixed.
        event = min(open_, key=lambda event: (masks[event].bit_count(), event))
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
            for claim in self.claims:
                self._apply(claim, masks)
            for early, late, least in self.orders:
                self._put_in_order(masks, early, late, least)
        return True

    def _mask(self, masks: Masks, event: str) -> int:
        if event in self.times.history:
            return 1 << (self.times.year_of(event) - self.first)
        return masks[event]

    def _shift(self, mask: int, number: int) -> int:
        """The mask of all times so many years (days) later."""
        if self.is_week:
            number %= DAYS
            return (mask << number | mask >> (DAYS - number)) & self.all
        return (mask << number if number >= 0 else mask >> -number) & self.all

    def _apply(self, claim: TimeClaim, masks: Masks) -> None:
        left, right, number = claim.left, claim.right, claim.number
        if claim.kind == "at":
            year_index = number - self.first
            masks[left] &= 1 << year_index if 0 <= year_index < self.size else 0
        elif claim.kind == "difference":
            self._set(masks, left, self._shift(self._mask(masks, right), number))
            self._set(masks, right, self._shift(self._mask(masks, left), -number))
        elif claim.kind == "gap":
            for event, other in ((left, right), (right, left)):
                mask = self._mask(masks, other)
                self._set(masks, event, self._shift(mask, number) | self._shift(mask, -number))
        elif claim.kind == "order":
            self._put_in_order(masks, left, right, 1)
        else:
            self._compare(claim, masks)

    def _set(self, masks: Masks, event: str, allowed: int) -> None:
        if event in masks:
            masks[event] &= allowed
        elif not self._mask(masks, event) & allowed:
            # A year of history cannot be narrowed: an event without any time says the contradiction.
            masks[next(iter(masks))] = 0

    def _put_in_order(self, masks: Masks, early: str, late: str, least: int) -> None:
        first, last = self._mask(masks, early), self._mask(masks, late)
        if first and last:
            lowest = (first & -first).bit_length() - 1 + least
            highest = last.bit_length() - 1 - least
            self._set(masks, late, self.all & ~((1 << lowest) - 1))
            self._set(masks, early, (1 << (highest + 1)) - 1 if highest >= 0 else 0)

    def _compare(self, claim: TimeClaim, masks: Masks) -> None:
        """Narrow the one event of a comparison of spans that has no single time yet."""
        events = dict.fromkeys(events_of(self.times, claim))
        at = {event: self.first + masks[event].bit_length() - 1 for event in events}
        open_ = [event for event in events if masks[event] & (masks[event] - 1)]
        if len(open_) > 1 or 0 in (masks[event] for event in events):
            return
        event = open_[0] if open_ else next(iter(events))
        allowed = 0
        for year_index in range(self.size):
            bit = 1 << year_index
            if masks[event] & bit and holds(
                self.times, self.scenario, claim, {**at, event: self.first + year_index}
            ):
                allowed |= bit
        masks[event] &= allowed


# An event, or a time itself.
Term = str | int


def check(times: Times, problem: Problem) -> EngineDecision:
    """Second engine: what `decide` returns, found by a SAT solver; raises ValueError as `decide` does."""
    claims = [claim_of(times, problem.scenario, statement) for statement in problem.statements]
    theory = _OrderTheory(times, problem.scenario, events_in(times, problem))
    try:
        compared = ("longer", "as_long")
        # Comparisons of spans come last: their literals need only the years that the others leave.
        for claim in sorted(claims, key=lambda claim: claim.kind in compared):
            theory.assume(claim)
        verdicts = tuple(
            theory.judge(claim_of(times, problem.scenario, option)) for option in problem.options
        )
        has_day = any(claim.kind == "at" for claim in claims)
        symmetry = DAYS if problem.scenario == WEEK and not has_day else 1
        return EngineDecision(theory.count() // symmetry, verdicts)
    finally:
        theory.solver.delete()


class _OrderTheory:
    def __init__(self, times: Times, scenario: str, events: Sequence[str]) -> None:
        self.times, self.is_week = times, scenario == WEEK
        self.first, self.last = (0, DAYS - 1) if self.is_week else (FIRST_YEAR, LAST_YEAR)
        self.solver = Solver(name="minisat22")
        self.true = self.variables = 1
        self.solver.add_clause([self.true])
        self.events = {event: self._new(self.last - self.first) for event in events}
        for start in self.events.values():
            for variable in range(start, start + self.last - self.first - 1):
                # From a time on implies from the one before on: so orders are clauses of two literals.
                self.solver.add_clause([-(variable + 1), variable])
        self.assumed: list[int] = []
        self.bounds: dict[str, tuple[int, int]] = dict.fromkeys(events, (self.first, self.last))
        self.known: dict[tuple[Term, Term, int], int] = {}
        if not self.is_week:
            for (before, after), least in times.orders.items():
                if before in self.events and after in self.events:
                    self.assumed.append(self._at_least(after, before, least))

    def assume(self, claim: TimeClaim) -> None:
        """Add a statement, and keep the bounds that it gives."""
        self.assumed.append(self._literal(claim))
        # Only what follows at once: it keeps comparisons small, and wide bounds do no harm.
        _, propagated = self.solver.propagate(assumptions=self.assumed)
        implied = set(propagated)
        for event, (low, high) in self.bounds.items():
            while low < high and self._from(event, low + 1) in implied:
                low += 1
            while low < high and -self._from(event, high) in implied:
                high -= 1
            self.bounds[event] = low, high

    def judge(self, claim: TimeClaim) -> Verdict:
        """Whether a claim holds in all assignments, in none, or in some."""
        literal = self._literal(claim)
        may_hold = self.solver.solve(assumptions=[*self.assumed, literal])
        may_fail = self.solver.solve(assumptions=[*self.assumed, -literal])
        return None if may_hold == may_fail else bool(may_hold)

    def count(self) -> int:
        """The number of assignments; each one found is forbidden (so this comes last)."""
        model_count = 0
        while self.solver.solve(assumptions=self.assumed):
            model_count += 1
            if model_count > MOST:
                raise ValueError(f"the statements allow more than {MOST} assignments")
            model = set(self.solver.get_model())
            clause: list[int] = []
            for event in self.events:
                span = range(self.first, self.last + 1)
                value = max(year for year in span if self._from(event, year) in model)
                # Earlier than this time, or later.
                clause += [-self._from(event, value), self._from(event, value + 1)]
            self.solver.add_clause(clause)
        return model_count

    def _new(self, number: int = 1) -> int:
        first = self.variables + 1
        self.variables += number
        return first

    def _from(self, term: Term, value: int) -> int:
        """The literal that a term is at this time or later."""
        if isinstance(term, int):
            return self.true if term >= value else -self.true
        if value <= self.first:
            return self.true
        return -self.true if value > self.last else self.events[term] + value - self.first - 1

    def _range(self, term: Term) -> tuple[int, int]:
        return (term, term) if isinstance(term, int) else self.bounds[term]

    def _at_least(self, late: Term, early: Term, number: int) -> int:
        """The literal that a term is at least so many years after another one."""
        key = late, early, number
        if key in self.known:
            return self.known[key]
        literal = self.known[key] = self._new()
        low, high = self._range(early)
        for value in range(low, high + 1):
            self.solver.add_clause([-literal, -self._from(early, value), self._from(late, value + number)])
        # The other direction too: options are judged by the literal's negation as well.
        low, high = self._range(late)
        for value in range(low, high + 1):
            self.solver.add_clause([literal, -self._from(late, value), self._from(early, value - number + 1)])
        return literal

    def _all(self, literals: Sequence[int]) -> int:
        literal = self._new()
        for part in literals:
            self.solver.add_clause([-literal, part])
        self.solver.add_clause([literal, *(-part for part in literals)])
        return literal

    def _any(self, literals: Sequence[int]) -> int:
        return -self._all([-literal for literal in literals])

    def _apart(self, late: Term, early: Term, number: int) -> int:
        return self._all([self._at_least(late, early, number), self._at_least(early, late, -number)])

    def _term(self, event: str) -> Term:
        return self.times.year_of(event) if event in self.times.history else event

    def _literal(self, claim: TimeClaim) -> int:
        if claim.kind in ("longer", "as_long"):
            return self._compare(claim)
        left = self._term(claim.left)
        if claim.kind == "at":
            return self._apart(left, claim.number, 0)
        right = self._term(claim.right)
        if claim.kind == "order":
            return self._at_least(right, left, 1)
        if claim.kind == "gap":
            return self._any([self._apart(left, right, sign * claim.number) for sign in (1, -1)])
        # So many days after may be the rest of a week before.
        numbers = (claim.number, claim.number - DAYS) if self.is_week else (claim.number,)
        return self._any([self._apart(left, right, number) for number in numbers])

    def _compare(self, claim: TimeClaim) -> int:
        """The literal of a comparison of spans: of 'at least m years' for each m that is open."""
        ends = [
            (self.times.spans[span].start, self.times.spans[span].end) for span in (claim.left, claim.right)
        ]
        ranges = [(self.bounds[start], self.bounds[end]) for start, end in ends]
        lowest = min(end[0] - start[1] for start, end in ranges)
        highest = max(end[1] - start[0] for start, end in ranges)
        lengths = [
            [self._at_least(end, start, number) for number in range(lowest, highest + 2)]
            for start, end in ends
        ]
        pairs = list(zip(*lengths, strict=True))
        if claim.kind == "longer":
            return self._any([self._all([first, -second]) for first, second in pairs])
        return -self._any([self._any([self._all([a, -b]), self._all([b, -a])]) for a, b in pairs])

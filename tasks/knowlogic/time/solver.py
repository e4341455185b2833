"""The second engine: times in order encoding for python-sat; assignments counted, options proved or refuted.

It shares the tables and the reading of sentences with the first engine, and nothing of its reasoning. An
event has a literal 'at v or later' for each time v. What a sentence says becomes one literal, made of
literals 'x is at least k after y'.
"""

from collections.abc import Sequence

from pysat.solvers import Solver

from perennial.schemas.knowlogic.things import Decision, Verdict
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.time.claims import DAYS, WEEK, Claim, claim_of
from perennial.tasks.knowlogic.time.search import FIRST_YEAR, LAST_YEAR, MOST, events_in
from perennial.tasks.knowlogic.time.tables import Times

# An event, or a time itself.
Term = str | int


def check(times: Times, problem: Problem) -> Decision:
    """Return what `decide` returns, found by a SAT solver; raises ValueError where it does."""
    claims = [claim_of(times, problem.scenario, each) for each in problem.statements]
    theory = _Theory(times, problem.scenario, events_in(times, problem))
    try:
        compared = ("longer", "as_long")
        # Comparisons of spans come last: their literals need only the years that the others leave.
        for claim in sorted(claims, key=lambda each: each.kind in compared):
            theory.assume(claim)
        verdicts = tuple(
            theory.judge(claim_of(times, problem.scenario, option)) for option in problem.options
        )
        has_day = any(claim.kind == "at" for claim in claims)
        symmetry = DAYS if problem.scenario == WEEK and not has_day else 1
        return Decision(theory.count() // symmetry, verdicts)
    finally:
        theory.solver.delete()


class _Theory:
    def __init__(self, times: Times, scenario: str, events: Sequence[str]) -> None:
        self.times, self.is_week = times, scenario == WEEK
        self.first, self.last = (0, DAYS - 1) if self.is_week else (FIRST_YEAR, LAST_YEAR)
        self.solver = Solver(name="minisat22")
        self.true = self.variables = 1
        self.solver.add_clause([self.true])
        self.events = {event: self._new(self.last - self.first) for event in events}
        for start in self.events.values():
            for variable in range(start, start + self.last - self.first - 1):
                self.solver.add_clause([-(variable + 1), variable])
        self.assumed: list[int] = []
        self.bounds: dict[str, tuple[int, int]] = dict.fromkeys(events, (self.first, self.last))
        self.known: dict[tuple[Term, Term, int], int] = {}
        if not self.is_week:
            for (before, after), least in times.orders.items():
                if before in self.events and after in self.events:
                    self.assumed.append(self._at_least(after, before, least))

    def assume(self, claim: Claim) -> None:
        """Add a statement, and keep the bounds that it gives."""
        self.assumed.append(self._literal(claim))
        _, found = self.solver.propagate(assumptions=self.assumed)
        implied = set(found)
        for event, (low, high) in self.bounds.items():
            while low < high and self._from(event, low + 1) in implied:
                low += 1
            while low < high and -self._from(event, high) in implied:
                high -= 1
            self.bounds[event] = low, high

    def judge(self, claim: Claim) -> Verdict:
        """Return whether a claim holds in all assignments, in none, or in some."""
        literal = self._literal(claim)
        may_hold = self.solver.solve(assumptions=[*self.assumed, literal])
        may_fail = self.solver.solve(assumptions=[*self.assumed, -literal])
        return None if may_hold == may_fail else bool(may_hold)

    def count(self) -> int:
        """Return the number of assignments; each one found is forbidden (so this comes last)."""
        found = 0
        while self.solver.solve(assumptions=self.assumed):
            found += 1
            if found > MOST:
                raise ValueError(f"the statements allow more than {MOST} assignments")
            model = set(self.solver.get_model())
            clause: list[int] = []
            for event in self.events:
                span = range(self.first, self.last + 1)
                value = max(each for each in span if self._from(event, each) in model)
                clause += [-self._from(event, value), self._from(event, value + 1)]
            self.solver.add_clause(clause)
        return found

    def _new(self, number: int = 1) -> int:
        first = self.variables + 1
        self.variables += number
        return first

    def _from(self, term: Term, value: int) -> int:
        """Return the literal that a term is at this time or later."""
        if isinstance(term, int):
            return self.true if term >= value else -self.true
        if value <= self.first:
            return self.true
        return -self.true if value > self.last else self.events[term] + value - self.first - 1

    def _range(self, term: Term) -> tuple[int, int]:
        return (term, term) if isinstance(term, int) else self.bounds[term]

    def _at_least(self, late: Term, early: Term, number: int) -> int:
        """Return the literal that a term is at least so many years after another one."""
        key = late, early, number
        if key in self.known:
            return self.known[key]
        literal = self.known[key] = self._new()
        low, high = self._range(early)
        for value in range(low, high + 1):
            self.solver.add_clause([-literal, -self._from(early, value), self._from(late, value + number)])
        low, high = self._range(late)
        for value in range(low, high + 1):
            self.solver.add_clause([literal, -self._from(late, value), self._from(early, value - number + 1)])
        return literal

    def _all(self, literals: Sequence[int]) -> int:
        """Return the literal that all of these hold."""
        literal = self._new()
        for each in literals:
            self.solver.add_clause([-literal, each])
        self.solver.add_clause([literal, *(-each for each in literals)])
        return literal

    def _any(self, literals: Sequence[int]) -> int:
        return -self._all([-each for each in literals])

    def _apart(self, late: Term, early: Term, number: int) -> int:
        return self._all([self._at_least(late, early, number), self._at_least(early, late, -number)])

    def _term(self, event: str) -> Term:
        return self.times.year_of(event) if event in self.times.history else event

    def _literal(self, claim: Claim) -> int:
        """Return the literal of a claim."""
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

    def _compare(self, claim: Claim) -> int:
        """Return the literal of a comparison of spans: of 'at least m years' for each m that is open."""
        ends = [
            (self.times.spans[each].start, self.times.spans[each].end) for each in (claim.left, claim.right)
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

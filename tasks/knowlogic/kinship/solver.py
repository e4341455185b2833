"""The second engine: the same conventions as clauses of python-sat, without any search of ours.

A variable says that two ends of persons belong to one nuclear family; others give the sex of each person and
a total order of births. Paths are read from the table as they stand, elder and younger apart. That everybody
is related in exactly one way (the nuclear families and the persons between them form a tree) is added where a
solution breaks it: a clause a cycle, and a clause a part that is not joined to the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from pysat.solvers import Solver

from perennial.schemas.knowlogic.things import Argument, Decision, Proposition, Verdict
from perennial.tasks.knowlogic.kinship.models import LIMIT
from perennial.tasks.knowlogic.kinship.terms import BIRTH, OWN, STEPS, Path, Term
from perennial.tasks.knowlogic.problem import Problem


def check(terms: Mapping[str, Term], problem: Problem) -> Decision:
    """Return the number of families that the statements allow (at most `LIMIT`), and its verdicts."""
    number = {person: place for place, person in enumerate(problem.entities)}
    with _Clauses(terms, number) as clauses:
        for statement in problem.statements:
            clauses.add([clauses.says(statement)])
        verdicts = [clauses.decide(option) for option in problem.options]
        count = clauses.count()
    return Decision(count, tuple(verdicts) if count < LIMIT else (None,) * len(verdicts))


class _Clauses:
    """The clauses of a family of so many persons, and the variables that stand for what is said of them."""

    def __init__(self, terms: Mapping[str, Term], number: Mapping[Argument, int]) -> None:
        self.terms, self.number = terms, number
        self.size = len(number)
        self.solver = Solver(name="minisat22")
        self.last = 0
        ends = range(2 * self.size)
        self.joined = {pair: self.new() for pair in combinations(ends, 2)}
        self.male = [self.new() for _ in range(self.size)]
        self.older = {pair: self.new() for pair in combinations(range(self.size), 2)}
        self.steps: dict[tuple[str, int, int], int] = {}
        self.called: dict[tuple[str, int, int], int] = {}
        self._lay_conventions()

    def __enter__(self) -> "_Clauses":
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.delete()

    def new(self) -> int:
        self.last += 1
        return self.last

    def add(self, clause: list[int]) -> None:
        self.solver.add_clause(clause)

    def same(self, a: int, b: int) -> int:
        """Return the variable that two ends belong to one nuclear family."""
        return self.joined[min(a, b), max(a, b)]

    def is_older(self, a: int, b: int) -> int:
        return self.older[a, b] if a < b else -self.older[b, a]

    def _lay_conventions(self) -> None:
        for a, b, c in permutations(range(2 * self.size), 3):
            if a < c:
                self.add([-self.same(a, b), -self.same(b, c), self.same(a, c)])
        for a, b, c in permutations(range(self.size), 3):
            self.add([-self.is_older(a, b), -self.is_older(b, c), self.is_older(a, c)])
        for x in range(self.size):
            self.add([-self.same(2 * x + BIRTH, 2 * x + OWN)])
        for x, y in permutations(range(self.size), 2):
            self.add([-self.same(2 * x + OWN, 2 * y + BIRTH), self.is_older(x, y)])
            if x < y:
                spouses = self.same(2 * x + OWN, 2 * y + OWN)
                self.add([-spouses, self.male[x], self.male[y]])
                self.add([-spouses, -self.male[x], -self.male[y]])
            # Nobody is both sibling and spouse, or parent and child, or parent and sibling of somebody.
            ends = [(2 * x + a, 2 * y + b) for a in (BIRTH, OWN) for b in (BIRTH, OWN)]
            for (a, b), (c, d) in combinations(ends, 2):
                self.add([-self.same(a, b), -self.same(c, d)])

    def all_of(self, parts: Sequence[int]) -> int:
        """Return a variable that is true exactly where all of these are."""
        if len(parts) == 1:
            return parts[0]
        found = self.new()
        for part in parts:
            self.add([-found, part])
        self.add([found, *(-part for part in parts)])
        return found

    def any_of(self, parts: Sequence[int]) -> int:
        """Return a variable that is true exactly where one of these is, or more."""
        return -self.all_of([-part for part in parts]) if parts else self.never()

    def never(self) -> int:
        found = self.new()
        self.add([-found])
        return found

    def step(self, name: str, x: int, y: int) -> int:
        """Return the variable that a basic step leads from x to y."""
        if (name, x, y) not in self.steps:
            step = STEPS[name]
            parts = [
                self.same(2 * x + step.leaves, 2 * y + step.enters),
                self.male[y] if step.sex == "m" else -self.male[y],
            ]
            if step.older is not None:
                parts.append(self.is_older(y, x) if step.older else self.is_older(x, y))
            self.steps[name, x, y] = self.all_of(parts)
        return self.steps[name, x, y]

    def is_term(self, term: str, of: int, who: int) -> int:
        """Return the variable that somebody is the term of somebody else."""
        key = (term, of, who)
        if key not in self.called:
            self.called[key] = self.any_of(
                [way for path in self.terms[term].paths for way in self._ways(path, of, who)]
            )
        return self.called[key]

    def _ways(self, path: Path, of: int, who: int) -> Iterator[int]:
        """Yield the variable of each chain of different people along a path."""
        others = [x for x in range(self.size) if x not in (of, who)]
        for people in permutations(others, len(path.steps) - 1):
            chain = (of, *people, who)
            parts = [self.step(name, chain[i], chain[i + 1]) for i, name in enumerate(path.steps)]
            for place, older in path.cousins:
                a, b = chain[place], chain[place - 3]
                parts.append(self.is_older(a, b) if older else self.is_older(b, a))
            yield self.all_of(parts)

    def holders(self, term: Argument, of: Argument) -> dict[int, int]:
        """Return for each other person the variable that they are the term of a person."""
        place = self.number[of]
        return {who: self.is_term(str(term), place, who) for who in range(self.size) if who != place}

    def says(self, said: Proposition) -> int:
        """Return the variable of a statement."""
        place = self.number
        if said.template == "is":
            who, of, term = said.arguments
            return self.is_term(str(term), place[of], place[who])
        x = place[said.arguments[0]]
        if said.template == "older":
            return self.is_older(x, place[said.arguments[1]])
        return self.male[x] if said.template == "male" else -self.male[x]

    def decide(self, option: Proposition) -> Verdict:
        """Return whether an option holds in all solutions, in none, or neither (or fits nobody in some)."""
        place, arguments = self.number, option.arguments
        if option.template == "is":
            who, of, term = arguments
            return self.settle([], self.is_term(str(term), place[of], place[who]))
        # Who is described on each side; a person with a name needs no variable.
        left: dict[int, int | None]
        right: dict[int, int | None]
        if option.template == "holder_is":
            b, first, c, relation = arguments
            left, right = {**self.holders(first, b)}, {place[c]: None}
        elif option.template == "is_of_holder":
            a, b, first, relation = arguments
            left, right = {place[a]: None}, {**self.holders(first, b)}
        else:
            b, first, c, second, relation = arguments
            left, right = {**self.holders(first, b)}, {**self.holders(second, c)}
        described = [[each for each in side.values() if each is not None] for side in (left, right)]
        ways = [
            self.all_of([part for part in (p, q, self.is_term(str(relation), of, who)) if part is not None])
            for who, p in left.items()
            for of, q in right.items()
            if who != of
        ]
        return self.settle(described, self.any_of(ways))

    def settle(self, described: Sequence[Sequence[int]], option: int) -> Verdict:
        """Return the verdict of a variable, where exactly one of each of these variables must be true."""
        for choices in filter(None, described):
            if self.solve([-choice for choice in choices]) is not None:
                return None
            for a, b in combinations(choices, 2):
                if self.solve([a, b]) is not None:
                    return None
        can_hold, can_fail = self.solve([option]) is not None, self.solve([-option]) is not None
        return None if can_hold == can_fail else can_hold

    def solve(self, assumptions: Sequence[int] = ()) -> list[bool] | None:
        """Return the values of a solution that is a tree (by variable), or None where there is none."""
        while self.solver.solve(assumptions=list(assumptions)):
            values = [False, *(literal > 0 for literal in self.solver.get_model())]
            clause = self._find_broken_clause(values)
            if clause is None:
                return values
            self.add(clause)
        return None

    def _find_broken_clause(self, values: Sequence[bool]) -> list[int] | None:
        """Return a clause of all trees that a solution breaks; None where it is a tree."""
        place = [
            min(e for e in range(2 * self.size) if e == end or values[self.same(e, end)])
            for end in range(2 * self.size)
        ]
        # The way to each nuclear family from the first: persons by the end that is left, and the one entered.
        ways: dict[int, list[int]] = {place[0]: []}
        pending, used = [place[0]], set()
        while pending:
            here = pending.pop()
            for end in range(2 * self.size):
                if place[end] != here or end // 2 in used:
                    continue
                used.add(end // 2)
                there = place[end ^ 1]
                if there in ways:
                    return self._cycle([*ways[here], end], ways[there])
                ways[there] = [*ways[here], end]
                pending.append(there)
        if len(used) == self.size:
            return None
        return [
            self.same(a, b)
            for a in range(2 * self.size)
            for b in range(2 * self.size)
            if a // 2 in used and b // 2 not in used
        ]

    def _cycle(self, one: list[int], other: list[int]) -> list[int]:
        """Return: not all ends on these two ways to one nuclear family are joined as they are."""
        shared = 0
        while shared < min(len(one), len(other)) and one[shared] == other[shared]:
            shared += 1
        circle = one[shared:] + [end ^ 1 for end in reversed(other[shared:])]
        after = [*circle[1:], circle[0]]
        return [-self.same(end ^ 1, next_) for end, next_ in zip(circle, after, strict=True)]

    def count(self) -> int:
        """Return the number of families, at most `LIMIT`; each one is then forbidden, so this comes last."""
        found = 0
        shown = [*self.joined.values(), *self.male]
        while found < LIMIT and (values := self.solve()):
            self.add([-each if values[each] else each for each in shown])
            found += 1
        return found

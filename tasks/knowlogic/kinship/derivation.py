"""How far an option is from the statements: the fewest steps that derive the relations that it speaks of.

A statement gives the relation of two people, read from either side. Two relations that share a person compose
to one: the path to the shared person and the path from there are joined, and what folds back is resolved (a
father's son is a brother or oneself, a child's father is the husband or oneself). Nobody but two people
with names is known to be different from another of the same kind, so a composition is refused where a
person on one path may or may not be the same as one on the other: the wife's sister of whoever is the
husband of somebody's aunt may be that aunt's sister or the aunt.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations

from pysat.solvers import Solver

from perennial.schemas.knowlogic.things import Argument, EngineDecision, Proposition, Verdict
from perennial.tasks.knowlogic.kinship.models import LIMIT, Model, Side, resolve, sides_of
from perennial.tasks.knowlogic.kinship.terms import (
    BIRTH,
    LETTERS,
    OWN,
    STEPS,
    Family,
    KinStep,
    Path,
    Relation,
    Term,
)
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.relations import find_least_form


def canonical(problem: Problem) -> object:
    """A JSON value that is equal for problems that differ by names and the order of lines alone."""
    sentences = [("statement", statement) for statement in problem.statements]
    sentences += [("option", option) for option in problem.options]
    sentences += [("asked", problem.asked)] if problem.asked else []
    items = [(f"{origin} {sentence.template}", sentence.arguments) for origin, sentence in sentences]
    lines = [
        [*str(word).split(), *(f"#{part}" if isinstance(part, int) else part for part in arguments)]
        for word, *arguments in find_least_form(problem.entities, items)
    ]
    return [problem.scenario, problem.type, len(problem.entities), lines]


# Two persons whose relation is known, the smaller number first.
Pair = tuple[int, int]


def pair_of(x: int, y: int) -> Pair:
    """Two persons in order."""
    return min(x, y), max(x, y)


def composes(family: Family, x: int, shared: int, y: int) -> bool:
    """Whether the relation of x and y follows from how each is related to a shared person."""
    relation, other = family.relations[shared][x], family.relations[shared][y]
    assert relation is not None
    assert other is not None
    step_count = 0
    while True:
        step_count += 1
        first, second = _arrival(relation, step_count), _arrival(other, step_count)
        # Joined at a person's two ends, or at a nuclear family where they have different roles or sexes.
        if first.leaves != second.leaves or first.enters != second.enters or first.sex != second.sex:
            return True
        ends = (len(relation.persons) - 1 == step_count, len(other.persons) - 1 == step_count)
        if first.enters != OWN:
            # Two children of one sex: known to be different only where both have names.
            return all(ends)
        if any(ends):
            return True


def _arrival(relation: Relation, step_count: int) -> KinStep:
    return LETTERS[relation.shape[step_count - 1]]


def list_pairs(terms: Mapping[str, Term], statements: Iterable[Proposition]) -> list[Pair]:
    """The pairs whose path a statement (of numbered persons) gives: not that of a word such as "cousin",
    which has several.
    """
    return sorted(
        {
            pair_of(int(statement.arguments[0]), int(statement.arguments[1]))
            for statement in statements
            if statement.template == "is" and len(terms[str(statement.arguments[2])].shapes) == 1
        }
    )


class Derivations:
    """The relations that follow from given pairs, and the fewest compositions that give them."""

    def __init__(self, family: Family, stated: Iterable[Pair]) -> None:
        """Take the pairs whose relation is given, and find the proofs of all that follow."""
        self.stated = frozenset(stated)
        self._ways: dict[Pair, list[tuple[Pair, Pair]]] = defaultdict(list)
        for x, shared, y in permutations(range(family.size), 3):
            if x < y and composes(family, x, shared, y):
                self._ways[x, y].append((pair_of(x, shared), pair_of(shared, y)))
        self._proofs = self._find_proofs()
        self._counts: dict[frozenset[Pair], int] = {}

    @property
    def costs(self) -> dict[Pair, int]:
        """The fewest compositions that give each pair whose relation follows."""
        counts = {pair: self.count([pair]) for pair in self._proofs}
        return {pair: count for pair, count in counts.items() if count is not None}

    def count(self, pairs: Iterable[Pair]) -> int | None:
        """The fewest compositions that give all these pairs, each counted once.

        None where one does not follow.
        """
        goals = frozenset(pairs) - self.stated
        if not goals <= self._proofs.keys():
            return None
        if goals not in self._counts:
            self._counts[goals] = self._count(goals)
        return self._counts[goals]

    def _find_proofs(self) -> dict[Pair, frozenset[Pair]]:
        """The pairs of a proof of each pair that follows: small ones, not always the smallest."""
        proofs: dict[Pair, frozenset[Pair]] = dict.fromkeys(self.stated, frozenset())
        pending = True
        while pending:
            pending = False
            for pair, ways in self._ways.items():
                for half, other in ways:
                    if pair in self.stated or half not in proofs or other not in proofs:
                        continue
                    proof = proofs[half] | proofs[other] | {pair}
                    if pair not in proofs or len(proof) < len(proofs[pair]):
                        proofs[pair] = proof
                        pending = True
        return proofs

    def _count(self, goals: frozenset[Pair]) -> int:
        """Look for fewer compositions than the proofs at hand have: first one, then two, and so on."""
        # What two goals share counts once, so the proofs are joined before they are counted.
        bound = len(frozenset[Pair]().union(*(self._proofs[goal] for goal in goals)))
        return next(
            (count for count in range(bound) if self._reaches(goals, self.stated, count, set())), bound
        )

    def _reaches(
        self, goals: frozenset[Pair], derived: frozenset[Pair], left: int, failed: set[frozenset[Pair]]
    ) -> bool:
        # Each step adds one pair, so a set is always met with the same `left`: once failed, always failed.
        if goals <= derived:
            return True
        if derived in failed or len(goals - derived) > left or not self._are_near(goals, derived, left + 1):
            return False
        failed.add(derived)
        return any(
            self._reaches(goals, derived | {pair}, left - 1, failed)
            for pair, ways in self._ways.items()
            if pair not in derived and any(derived.issuperset(way) for way in ways)
        )

    @staticmethod
    def _are_near(goals: frozenset[Pair], derived: frozenset[Pair], most: int) -> bool:
        """Whether the two people of each goal are connected by `most` known pairs or fewer.

        A composition shortens such a connection by one pair at most.
        """
        for x, y in goals:
            reached = {x}
            for _ in range(most):
                reached |= {b for a, b in derived if a in reached} | {a for a, b in derived if b in reached}
            if y not in reached:
                return False
        return True


def count_steps(
    terms: Mapping[str, Term], model: Model, derivations: Derivations, option: Proposition
) -> int | None:
    """The steps that decide an option (of numbered persons): the compositions that give all pairs that it
    relates, and a step for each term.

    None where a pair does not follow by composition, a description fits not exactly one person, or somebody
    would be related to themselves.
    """
    resolved = resolve(terms, model, option)
    if resolved is None or resolved.who == resolved.ego:
        return None
    count = derivations.count(pair_of(x, y) for x, y in (*resolved.described, (resolved.who, resolved.ego)))
    return None if count is None else count + count_terms(option)


def count_terms(option: Proposition) -> int:
    """How many terms an option has."""
    return 1 + sum(side.term is not None for side in sides_of(option)[:2])


# The second engine: the same conventions as clauses of python-sat, without any search of ours.
#
# A variable says that two ends of persons belong to one nuclear family; others give the sex of each person
# and a total order of births. Paths are read from the table as they stand, elder and younger apart. That
# everybody is related in exactly one way (the nuclear families and the persons between them form a tree) is
# added where a solution breaks it: a clause a cycle, and a clause a part that is not joined to the rest.


def check(terms: Mapping[str, Term], problem: Problem) -> EngineDecision:
    """The number of families that the statements allow (at most `LIMIT`), and its verdicts."""
    number = {person: index for index, person in enumerate(problem.entities)}
    with _Clauses(terms, number) as clauses:
        for statement in problem.statements:
            clauses.add([clauses.says(statement)])
        verdicts = [clauses.decide(option) for option in problem.options]
        count = clauses.count()
    return EngineDecision(count, tuple(verdicts) if count < LIMIT else (None,) * len(verdicts))


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
        """The variable that two ends belong to one nuclear family."""
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
        """A variable that is true exactly where all of these are."""
        if len(parts) == 1:
            return parts[0]
        conjunction = self.new()
        for part in parts:
            self.add([-conjunction, part])
        self.add([conjunction, *(-part for part in parts)])
        return conjunction

    def any_of(self, parts: Sequence[int]) -> int:
        """A variable that is true exactly where one of these is, or more."""
        return -self.all_of([-part for part in parts]) if parts else self.never()

    def never(self) -> int:
        contradiction = self.new()
        self.add([-contradiction])
        return contradiction

    def step(self, name: str, x: int, y: int) -> int:
        """The variable that a basic step leads from x to y."""
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

    def is_term(self, term: str, ego: int, who: int) -> int:
        """The variable that somebody is the term of somebody else."""
        key = (term, ego, who)
        if key not in self.called:
            self.called[key] = self.any_of(
                [way for path in self.terms[term].paths for way in self._ways(path, ego, who)]
            )
        return self.called[key]

    def _ways(self, path: Path, ego: int, who: int) -> Iterator[int]:
        """The variable of each chain of different people along a path."""
        others = [x for x in range(self.size) if x not in (ego, who)]
        for people in permutations(others, len(path.steps) - 1):
            chain = (ego, *people, who)
            parts = [self.step(name, chain[i], chain[i + 1]) for i, name in enumerate(path.steps)]
            for position, older in path.cousins:
                a, b = chain[position], chain[position - 3]
                parts.append(self.is_older(a, b) if older else self.is_older(b, a))
            yield self.all_of(parts)

    def candidates(self, side: Side) -> dict[int, int | None]:
        """Whom a side may mean, each with the variable that they do; one with a name needs none."""
        start = self.number[side.person]
        if side.term is None:
            return {start: None}
        return {who: self.is_term(side.term, start, who) for who in range(self.size) if who != start}

    def says(self, statement: Proposition) -> int:
        number = self.number
        if statement.template == "is":
            who, ego, term = statement.arguments
            return self.is_term(str(term), number[ego], number[who])
        x = number[statement.arguments[0]]
        if statement.template == "older":
            return self.is_older(x, number[statement.arguments[1]])
        return self.male[x] if statement.template == "male" else -self.male[x]

    def decide(self, option: Proposition) -> Verdict:
        """Whether an option holds in all solutions, in none, or neither (or fits nobody in some)."""
        claim = sides_of(option)
        left, right = self.candidates(claim.left), self.candidates(claim.right)
        described = [[literal for literal in side.values() if literal is not None] for side in (left, right)]
        ways = [
            self.all_of([part for part in (p, q, self.is_term(claim.term, ego, who)) if part is not None])
            for who, p in left.items()
            for ego, q in right.items()
            if who != ego
        ]
        return self.settle(described, self.any_of(ways))

    def settle(self, described: Sequence[Sequence[int]], option: int) -> Verdict:
        """The verdict of a variable, where exactly one of each of these variables must be true."""
        for choices in filter(None, described):
            if self.solve([-choice for choice in choices]) is not None:
                return None
            for a, b in combinations(choices, 2):
                if self.solve([a, b]) is not None:
                    return None
        can_hold, can_fail = self.solve([option]) is not None, self.solve([-option]) is not None
        return None if can_hold == can_fail else can_hold

    def solve(self, assumptions: Sequence[int] = ()) -> list[bool] | None:
        """The values of a solution that is a tree (by variable), or None where there is none."""
        while self.solver.solve(assumptions=list(assumptions)):
            values = [False, *(literal > 0 for literal in self.solver.get_model())]
            clause = self._find_broken_clause(values)
            if clause is None:
                return values
            self.add(clause)
        return None

    def _find_broken_clause(self, values: Sequence[bool]) -> list[int] | None:
        """A clause of all trees that a solution breaks; None where it is a tree."""
        families = [
            min(e for e in range(2 * self.size) if e == end or values[self.same(e, end)])
            for end in range(2 * self.size)
        ]
        # The way to each nuclear family from the first: persons by the end that is left, and the one entered.
        ways: dict[int, list[int]] = {families[0]: []}
        pending, used = [families[0]], set()
        while pending:
            here = pending.pop()
            for end in range(2 * self.size):
                if families[end] != here or end // 2 in used:
                    continue
                used.add(end // 2)
                there = families[end ^ 1]
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

    def _cycle(self, path: list[int], other: list[int]) -> list[int]:
        """A clause: not all ends on these two ways to one nuclear family are joined as they are."""
        shared = 0
        while shared < min(len(path), len(other)) and path[shared] == other[shared]:
            shared += 1
        circle = path[shared:] + [end ^ 1 for end in reversed(other[shared:])]
        after = [*circle[1:], circle[0]]
        return [-self.same(end ^ 1, next_) for end, next_ in zip(circle, after, strict=True)]

    def count(self) -> int:
        """The number of families, at most `LIMIT`; each one is then forbidden, so this comes last."""
        family_count = 0
        variables = [*self.joined.values(), *self.male]
        while family_count < LIMIT and (values := self.solve()):
            self.add([-variable if values[variable] else variable for variable in variables])
            family_count += 1
        return family_count

"""The second engine: facts as variables and rules as clauses for python-sat; a fact holds if it is entailed.

It shares the tables and the reading of propositions with the first engine, and nothing of its reasoning.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations, product

from pysat.solvers import Solver

from perennial.schemas.knowlogic.things import Decision, Verdict
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.claims import Claim, Description, Fact, claim_of, facts_of
from perennial.tasks.knowlogic.social.relations import SEXES, Relations

# Prefix of the atom "some readers say that the relation holds".
_MAYBE = "maybe "


def check(relations: Relations, problem: Problem) -> Decision:
    """Return what `decide` returns, found by a SAT solver."""
    people = tuple(map(str, problem.entities))
    said = [facts_of(each) for each in problem.statements]
    claims = [claim_of(each) for each in problem.options]
    terms = {fact[0] for each in said for fact in each.facts if fact[0] not in SEXES}
    for claim in claims:
        terms |= {*claim.left.chain, claim.relation, *claim.right.chain}
    used = _reach(relations, terms)
    with _Theory(relations, people, used, (fact for each in said for fact in each.facts)) as theory:
        verdicts = tuple(theory.judge(claim) for claim in claims)
        arrangements = 2 ** sum(theory.is_open(person) for person in people)
        several = {fact[::2] for each in said for fact in each.several}
        agrees = all(len(theory.holders(relation, of)) > 1 for relation, of in sorted(several))
        return Decision(arrangements if agrees and theory.is_consistent() else 0, verdicts)


def _reach(relations: Relations, terms: set[str]) -> tuple[str, ...]:
    """Return the relations that rules connect with these, sorted."""
    found, pending = set(terms), sorted(terms)
    while pending:
        row = relations.by_id[pending.pop()]
        for other in {*row.inverse.values(), *row.narrowed.values(), *row.implies, *row.near} - found:
            found.add(other)
            pending.append(other)
    return tuple(sorted(found))


class _Theory:
    """Definite clauses of facts and rules in a solver: an atom is entailed iff its negation is refuted."""

    def __init__(
        self, relations: Relations, people: tuple[str, ...], terms: tuple[str, ...], given: Iterable[Fact]
    ) -> None:
        self.relations, self.people, self.terms = relations, people, terms
        self.numbers: dict[Fact, int] = {}
        self.solver = Solver(name="cadical153", bootstrap_with=[*self._rules(), *self._units(given)])

    def __enter__(self) -> "_Theory":
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.delete()

    def _number(self, relation: str, holder: str, of: str) -> int:
        return self.numbers.setdefault((relation, holder, of), len(self.numbers) + 1)

    def _units(self, given: Iterable[Fact]) -> list[list[int]]:
        return [[self._number(*fact)] for fact in given]

    def _rules(self) -> Iterator[list[int]]:
        for term, a, b in product(self.terms, self.people, self.people):
            row, fact = self.relations.by_id[term], self._number(term, a, b)
            if row.holder_sex:
                yield [-fact, self._number(row.holder_sex, a, "")]
            for sex in SEXES:
                yield [-fact, -self._number(sex, b, ""), self._number(row.inverse[sex], b, a)]
                if sex in row.narrowed:
                    yield [-fact, -self._number(sex, a, ""), self._number(row.narrowed[sex], a, b)]
            if not row.inverse_needs_sex:
                yield [-fact, self._number(row.inverse["m"], b, a)]
            for other in row.implies:
                yield [-fact, self._number(other, a, b)]
            for other in (term, *row.near):
                yield [-self._number(other, a, b), self._number(_MAYBE + term, a, b)]

    def entails(self, relation: str, holder: str, of: str) -> bool:
        """Whether the clauses refute the absence of the fact."""
        number = self.numbers.get((relation, holder, of))
        return number is not None and not self.solver.solve(assumptions=[-number])

    def holders(self, relation: str, of: str) -> list[str]:
        """Return who holds the relation to a person, sorted."""
        return [each for each in sorted(self.people) if self.entails(relation, each, of)]

    def is_open(self, person: str) -> bool:
        """Whether a term of the person's relations needs a sex that nothing gives."""
        if any(self.entails(sex, person, "") for sex in SEXES):
            return False
        rows = [self.relations.by_id[term] for term in self.terms]
        return any(
            (row.inverse_needs_sex and self.entails(row.id, other, person))
            or (bool(row.narrowed) and self.entails(row.id, person, other))
            for row in rows
            for other in self.people
        )

    def is_consistent(self) -> bool:
        """Whether a model is left by the clauses against contradictions, added here (so call it last)."""
        forbid = self.solver.add_clause
        for a in self.people:
            forbid([-self._number(sex, a, "") for sex in SEXES])
        for term in self.terms:
            for a in self.people:
                forbid([-self._number(term, a, a)])
                if self.relations.by_id[term].has_one_holder:
                    for b, c in combinations(self.people, 2):
                        forbid([-self._number(term, b, a), -self._number(term, c, a)])
        for first, second in self.relations.exclusive:
            for a, b in permutations(self.people, 2):
                forbid([-self._number(first, a, b), -self._number(second, a, b)])
        return bool(self.solver.solve())

    def judge(self, claim: Claim) -> Verdict:
        """Return whether the claim follows, does not, or is left open."""
        lefts, rights = self._denote(claim.left), self._denote(claim.right)
        if not lefts or len(rights) != 1:
            return None
        target = rights[0]
        certain = [each for each in lefts if self.entails(claim.relation, each, target)]
        possible = [each for each in lefts if self.entails(_MAYBE + claim.relation, each, target)]
        if certain != possible or len(certain) > 1:
            return None
        if certain and claim.is_among and len(self._certain(claim.relation, target)) < 2:
            return None
        return bool(certain)

    def _certain(self, relation: str, of: str) -> list[str]:
        """Return the holders, nobody where some readers would count more people."""
        found = self.holders(relation, of)
        return found if found == self.holders(_MAYBE + relation, of) else []

    def _denote(self, description: Description) -> list[str]:
        """Return the people whom a description may mean: one, or several after 'one of'."""
        reached = [description.person]
        for relation in description.chain:
            reached = self._certain(relation, reached[0]) if len(reached) == 1 else []
        if description.form == "chain":
            return reached if len(reached) == 1 else []
        if len(reached) < 2 or description.form == "some":
            return reached if len(reached) > 1 else []
        alike = self.relations.marks[description.mark].shared_by & set(reached)
        return [description.mark] if alike == {description.mark} else []

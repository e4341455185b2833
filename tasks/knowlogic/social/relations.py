"""The relations of table `social/relations` as values, and the rules that the table holds.

Rules for `r(a, b)`, read "a is b's r" (paper, section 2.1: equivalence, implication, inclusion, contrariety):

- inverse: r(a, b) gives its inverse (b, a); where the inverse has a term for each sex, the sex of b chooses.
- implied: r(a, b) gives what r implies (a wife is a spouse).
- narrowed: r(a, b) and the sex of a give the term of that sex (a spouse who is a man is a husband).
- sex: r(a, b) gives the sex of a where only one sex can hold r.
- contradictions: exclusive relations of the same pair; two holders of a relation that one person holds.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations, product

from pysat.solvers import Solver

from perennial.schemas.ids import canonical_json
from perennial.schemas.knowlogic.things import (
    GAP,
    Argument,
    EngineDecision,
    Knowledge,
    Language,
    Proposition,
    Row,
    Verdict,
)
from perennial.tasks.knowlogic.problem import Problem, Sex

# What a proposition of the scenario says: facts of a statement, or a claim about two described people.

# (relation, holder, ego): "holder is the relation of ego"; a sex is ("m" or "f", person, "").
Fact = tuple[str, str, str]

_SEX_TEMPLATES = {"male": "m", "female": "f"}
# The number of arguments of each left side and each right side of a template's name.
_LEFT = {"name": 1, "of": 2, "ofof": 3, "some": 2, "mark": 3}
_RIGHT = {"1": 2, "2": 3, "3": 4, "mark": 4}


@dataclass(frozen=True, slots=True)
class Description:
    """A person by name, or as the last of a chain of relations from a person.

    `form` is `chain` (of any length, 0 is the name alone), `some` (one of several holders of the one
    relation) or `mark` (the holder whose name has the mark of person `mark`).
    """

    form: str
    person: str
    chain: tuple[str, ...] = ()
    mark: str = ""


@dataclass(frozen=True, slots=True)
class RelationClaim:
    """The person on the left has the relation to the person on the right.

    `is_among` says that others have it too ("one of her bosses").
    """

    left: Description
    relation: str
    right: Description
    is_among: bool = False

    @property
    def names_everyone(self) -> bool:
        """Whether no person is described instead of named."""
        return not self.left.chain and not self.right.chain


@dataclass
class Said:
    """Facts that a statement gives; those of `several` are held by more than one person."""

    facts: list[Fact] = field(default_factory=list)
    several: list[Fact] = field(default_factory=list)


def facts_of(statement: Proposition) -> Said:
    """What a statement gives; raise ValueError for a proposition that describes a person."""
    template, arguments = statement.template, tuple(map(str, statement.arguments))
    if template in _SEX_TEMPLATES:
        return Said([(_SEX_TEMPLATES[template], arguments[0], "")])
    forms = ["one"] if template == "name_1" else template.split("_and_")
    if not set(forms) <= {"one", "among"}:
        raise ValueError(f"template {template!r} is no statement of facts")
    meaning = Said()
    for index, form in enumerate(forms):
        ego, relation = arguments[1 + 2 * index : 3 + 2 * index]
        meaning.facts.append((relation, arguments[0], ego))
        if form == "among":
            meaning.several.append(meaning.facts[-1])
    return meaning


def claim_of(option: Proposition) -> RelationClaim:
    """What an option claims; raise ValueError for a proposition that is no claim."""
    arguments = tuple(map(str, option.arguments))
    if option.template == "among":
        return RelationClaim(_name(arguments[0]), arguments[2], _name(arguments[1]), is_among=True)
    left, _, right = option.template.partition("_")
    if left not in _LEFT or right not in _RIGHT:
        raise ValueError(f"template {option.template!r} is no claim about two people")
    mine, others = arguments[: _LEFT[left]], arguments[_LEFT[left] :]
    if right == "mark":
        return RelationClaim(_describe(left, mine), others[3], Description("mark", *_first(others)))
    return RelationClaim(_describe(left, mine), others[-1], Description("chain", others[0], others[1:-1]))


def proposition_of(claim: RelationClaim) -> Proposition:
    """The proposition that says a claim; the inverse of `claim_of`."""
    left, right = claim.left, claim.right
    if claim.is_among:
        return Proposition("among", (left.person, right.person, claim.relation))
    form = ("name", "of", "ofof")[len(left.chain)] if left.form == "chain" else left.form
    number = "mark" if right.form == "mark" else str(len(right.chain) + 1)
    arguments: tuple[Argument, ...] = (*_arguments(left), *_arguments(right), claim.relation)
    return Proposition(f"{form}_{number}", arguments)


def _name(person: str) -> Description:
    return Description("chain", person)


def _first(arguments: tuple[str, ...]) -> tuple[str, tuple[str, ...], str]:
    return arguments[0], arguments[1:2], arguments[2]


def _describe(form: str, arguments: tuple[str, ...]) -> Description:
    if form == "mark":
        return Description("mark", *_first(arguments))
    return Description("some" if form == "some" else "chain", arguments[0], arguments[1:])


def _arguments(description: Description) -> tuple[str, ...]:
    mark = (description.mark,) if description.form == "mark" else ()
    return (description.person, *description.chain, *mark)


# The form of a question that does not depend on names, nor on the order of statements and options.

# A fact or an option: a word that names no person, and the people and relations in their places.
Item = tuple[str, Sequence[Argument]]


def canonical(problem: Problem) -> object:
    """A JSON value that is equal for problems that differ by names or order alone.

    Two statements in one sentence count as two. Of all numberings of the people that keep an order of
    colors, found by refinement, it is the least form.
    """
    form = find_least_form(problem.entities, _items(problem))
    return [problem.scenario, problem.type, len(problem.entities), problem.has_none, form]


def find_least_form(people: Sequence[Argument], items: Sequence[Item]) -> list[list[Argument]]:
    """The items with numbers for the people, the same for all names and orders."""
    forms = (_write(items, numbers) for numbers in _numberings(_refine(people, items)))
    return min(forms, key=canonical_json)


def _items(problem: Problem) -> list[Item]:
    facts = [fact for statement in problem.statements for fact in facts_of(statement).facts]
    several = [fact for statement in problem.statements for fact in facts_of(statement).several]
    items: list[Item] = [("fact", fact) for fact in facts]
    items += [("several", fact) for fact in several]
    items += [(option.template, option.arguments) for option in problem.options]
    return items + ([(f"asked {problem.asked.template}", problem.asked.arguments)] if problem.asked else [])


def _refine(people: Sequence[Argument], items: Sequence[Item]) -> list[list[Argument]]:
    """The people in classes that nothing said tells apart locally, in an order that is invariant."""
    colors: dict[Argument, int] = dict.fromkeys(people, 0)
    for _ in people:
        seen: dict[Argument, list[str]] = {person: [] for person in people}
        for word, arguments in items:
            colored = [colors.get(argument, argument) for argument in arguments]
            for position, argument in enumerate(arguments):
                if argument in seen:
                    seen[argument].append(f"{word} {position} {colored}")
        keys = {person: (colors[person], sorted(seen[person])) for person in people}
        order = sorted({repr(key): key for key in keys.values()}.values())
        refined = {person: order.index(keys[person]) for person in people}
        if len(set(refined.values())) == len(set(colors.values())):
            break
        colors = refined
    return [[who for who in people if colors[who] == color] for color in sorted(set(colors.values()))]


def _numberings(classes: Sequence[Sequence[Argument]]) -> Iterator[dict[Argument, int]]:
    for orders in product(*(permutations(members) for members in classes)):
        yield {person: number for number, person in enumerate(person for order in orders for person in order)}


def _write(items: Sequence[Item], numbers: dict[Argument, int]) -> list[list[Argument]]:
    written: list[list[Argument]] = [
        [word, *(numbers.get(argument, argument) if argument != GAP else GAP for argument in arguments)]
        for word, arguments in items
    ]
    return sorted(written, key=canonical_json)


SEXES: tuple[Sex, ...] = ("m", "f")


@dataclass(frozen=True)
class PersonRelation:
    """A relation that a person (the holder) has to another.

    - `near`: relations whose holders some readers also call so; such a pair is never used as one that lacks
      this relation.
    - `pairing`: `couple` or `siblings`, else empty. `rank`: whether the holder is above (`up`) or below.
    """

    id: str
    names: Mapping[Language, str]
    plural: str
    article: str
    holder_sex: Sex | None
    inverse: Mapping[Sex, str]
    narrowed: Mapping[Sex, str]
    implies: tuple[str, ...]
    near: tuple[str, ...]
    has_one_holder: bool
    pairing: str
    rank: str

    @property
    def inverse_needs_sex(self) -> bool:
        """Whether the inverse has a term for each sex."""
        return self.inverse["m"] != self.inverse["f"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What tells a person from others by name: a character in Chinese, the first letters in English.

    `shared_by`: all people whose names have it in either language, or its sound in Chinese.
    """

    person: str
    texts: Mapping[Language, str]
    shared_by: frozenset[str]


@dataclass(frozen=True)
class Relations:
    """All relations by id, exclusive pairs of relations, and marks of people by person."""

    by_id: Mapping[str, PersonRelation]
    exclusive: tuple[tuple[str, str], ...]
    marks: Mapping[str, Mark]


def read_relations(knowledge: Knowledge) -> Relations:
    """The relations of the knowledge base."""
    people = knowledge.rows("names/people")
    marks = (_mark(row, people) for row in knowledge.rows("social/properties") if row["kind"] == "name_mark")
    return Relations(
        {row["id"]: _relation(row) for row in knowledge.rows("social/relations")},
        tuple((row["first"], row["second"]) for row in knowledge.rows("social/exclusive")),
        {mark.person: mark for mark in marks},
    )


def _mark(row: Row, people: Sequence[Row]) -> Mark:
    sounds = {person["id"]: _sounds(person) for person in people}
    sound = sounds[row["person"]][-1]
    shared = (
        person["id"]
        for person in people
        if row["zh"] in person["zh"] or sound in sounds[person["id"]] or person["en"].startswith(row["en"])
    )
    return Mark(row["person"], {"zh": row["zh"], "en": row["en"]}, frozenset(shared))


def _sounds(person: Row) -> list[str]:
    """The syllables of a Chinese name without tones."""
    letters = unicodedata.normalize("NFD", person["pinyin"])
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).split()


def _relation(row: Row) -> PersonRelation:
    sex: Mapping[str, Sex] = {"m": "m", "f": "f"}
    return PersonRelation(
        id=row["id"],
        names={"zh": row["zh"], "en": row["en"]},
        plural=row["en_plural"],
        article=row["article"],
        holder_sex=sex.get(row["holder_sex"]),
        inverse={sex: row[f"inverse_{sex}"] for sex in SEXES},
        narrowed={sex: row[f"as_{sex}"] for sex in SEXES if row[f"as_{sex}"]},
        implies=tuple(filter(None, row["implies"].split(";"))),
        near=tuple(filter(None, row["near"].split(";"))),
        has_one_holder=row["holders"] == "one",
        pairing=row["pairing"],
        rank=row["rank"],
    )


# The second engine: facts as variables and rules as clauses for python-sat; a fact holds if it is entailed.
#
# It shares the tables and the reading of propositions with the first engine, and nothing of its reasoning.

# Prefix of the atom "some readers say that the relation holds".
_MAYBE = "maybe "


def check(relations: Relations, problem: Problem) -> EngineDecision:
    """Second engine: what `decide` returns, found by a SAT solver."""
    people = tuple(map(str, problem.entities))
    meanings = [facts_of(statement) for statement in problem.statements]
    claims = [claim_of(option) for option in problem.options]
    terms = {fact[0] for meaning in meanings for fact in meaning.facts if fact[0] not in SEXES}
    for claim in claims:
        terms |= {*claim.left.chain, claim.relation, *claim.right.chain}
    used = _reach(relations, terms)
    with _Theory(relations, people, used, (fact for meaning in meanings for fact in meaning.facts)) as theory:
        verdicts = tuple(theory.judge(claim) for claim in claims)
        arrangements = 2 ** sum(theory.is_open(person) for person in people)
        several = {fact[::2] for meaning in meanings for fact in meaning.several}
        agrees = all(len(theory.holders(relation, ego)) > 1 for relation, ego in sorted(several))
        return EngineDecision(arrangements if agrees and theory.is_consistent() else 0, verdicts)


def _reach(relations: Relations, terms: set[str]) -> tuple[str, ...]:
    """The relations that rules connect with these, sorted."""
    reached, pending = set(terms), sorted(terms)
    while pending:
        row = relations.by_id[pending.pop()]
        for other in {*row.inverse.values(), *row.narrowed.values(), *row.implies, *row.near} - reached:
            reached.add(other)
            pending.append(other)
    return tuple(sorted(reached))


class _Theory:
    """Definite clauses of facts and rules in a solver: an atom is entailed iff its negation is refuted."""

    def __init__(
        self, relations: Relations, people: tuple[str, ...], terms: tuple[str, ...], facts: Iterable[Fact]
    ) -> None:
        self.relations, self.people, self.terms = relations, people, terms
        self.numbers: dict[Fact, int] = {}
        self.solver = Solver(name="cadical153", bootstrap_with=[*self._rules(), *self._units(facts)])

    def __enter__(self) -> "_Theory":
        return self

    def __exit__(self, *_: object) -> None:
        self.solver.delete()

    def _number(self, relation: str, holder: str, ego: str) -> int:
        return self.numbers.setdefault((relation, holder, ego), len(self.numbers) + 1)

    def _units(self, facts: Iterable[Fact]) -> list[list[int]]:
        return [[self._number(*fact)] for fact in facts]

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

    def entails(self, relation: str, holder: str, ego: str) -> bool:
        """Whether the clauses refute the absence of the fact."""
        number = self.numbers.get((relation, holder, ego))
        return number is not None and not self.solver.solve(assumptions=[-number])

    def holders(self, relation: str, ego: str) -> list[str]:
        """Who holds the relation to a person, sorted."""
        return [person for person in sorted(self.people) if self.entails(relation, person, ego)]

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

    def judge(self, claim: RelationClaim) -> Verdict:
        """Whether the claim follows, does not, or is left open."""
        lefts, rights = self._denote(claim.left), self._denote(claim.right)
        if not lefts or len(rights) != 1:
            return None
        target = rights[0]
        certain = [person for person in lefts if self.entails(claim.relation, person, target)]
        possible = [person for person in lefts if self.entails(_MAYBE + claim.relation, person, target)]
        if certain != possible or len(certain) > 1:
            return None
        if certain and claim.is_among and len(self._certain(claim.relation, target)) < 2:
            return None
        return bool(certain)

    def _certain(self, relation: str, ego: str) -> list[str]:
        """The holders, nobody where some readers would count more people."""
        holders = self.holders(relation, ego)
        return holders if holders == self.holders(_MAYBE + relation, ego) else []

    def _denote(self, description: Description) -> list[str]:
        """The people whom a description may mean: one, or several after 'one of'."""
        reached = [description.person]
        for relation in description.chain:
            reached = self._certain(relation, reached[0]) if len(reached) == 1 else []
        if description.form == "chain":
            return reached if len(reached) == 1 else []
        if len(reached) < 2 or description.form == "some":
            return reached if len(reached) > 1 else []
        alike = self.relations.marks[description.mark].shared_by & set(reached)
        return [description.mark] if alike == {description.mark} else []

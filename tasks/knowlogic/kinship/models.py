"""The first engine: all families that the statements allow, and what holds in them.

An arrangement is a family: who is whose parent, spouse and sibling, and the sex of each. Ages are no part of
it: they are kept as a partial order, and an option that needs a comparison which does not follow is open.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from perennial.schemas.knowlogic.things import Argument, Difficulty, EngineDecision, Proposition, Verdict
from perennial.tasks.knowlogic.kinship.terms import (
    LETTERS,
    Ages,
    Family,
    Growth,
    Older,
    Shape,
    Term,
    begin,
    compare_ages,
)
from perennial.tasks.knowlogic.problem import Problem

# With so many arrangements or more the options are not decided.
LIMIT = 64


@dataclass(frozen=True)
class Model:
    """A family that the statements allow, and the ages that they give in it."""

    family: Family
    ages: Ages


class Side(NamedTuple):
    """Somebody in a sentence: a person, or whoever is the term of that person."""

    person: Argument
    term: str | None = None


class KinClaim(NamedTuple):
    """What an option says: whoever the left side means is the term of whom the right side means."""

    left: Side
    right: Side
    term: str


class Resolved(NamedTuple):
    """What an option says once its descriptions are found: `who` is the term (such as uncle) of `ego`.

    `described` has the person from whom each description starts, and whom it fits.
    """

    who: int
    ego: int
    term: Term
    described: tuple[tuple[int, int], ...]


class TooManyError(Exception):
    """More families than a draw waits for."""


def index_people(problem: Problem) -> dict[Argument, int]:
    """The number of each person: their place in the text's list."""
    return {person: number for number, person in enumerate(problem.entities)}


def decide(terms: Mapping[str, Term], problem: Problem) -> EngineDecision:
    """The number of families that the statements allow, and the verdict of each option.

    From `LIMIT` families on, the number is `LIMIT` and every verdict is None.
    """
    number = index_people(problem)
    models: list[Model] = []
    for model in find_models(terms, len(number), number_people(problem.statements, number)):
        models.append(model)
        if len(models) == LIMIT:
            return EngineDecision(LIMIT, (None,) * len(problem.options))
    options = number_people(problem.options, number)
    verdicts = tuple(agree([holds(terms, model, option) for model in models]) for option in options)
    return EngineDecision(len(models), verdicts)


def number_people(propositions: Iterable[Proposition], number: Mapping[Argument, int]) -> list[Proposition]:
    """The propositions with persons by number."""
    return [
        Proposition(sentence.template, tuple(number.get(name, name) for name in sentence.arguments))
        for sentence in propositions
    ]


def agree(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict that all models share; None where they differ or there is none."""
    return verdicts[0] if verdicts and len(set(verdicts)) == 1 else None


def find_models(
    terms: Mapping[str, Term], size: int, statements: Sequence[Proposition], bound: int | None = None
) -> Iterator[Model]:
    """Each family that the statements (of numbered persons) allow, once.

    Raises TooManyError where more than `bound` growths are open at a time.
    """
    # A dict, as a set would give the families in an order that differs between processes.
    growths = {begin(size): None}
    for statement in _order(terms, statements):
        growths = {grown: None for growth in growths for grown in _grow(terms, growth, statement)}
        if bound is not None and len(growths) > bound:
            raise TooManyError(f"more than {bound} growths")
    seen: set[Family] = set()
    for growth in growths:
        for complete in growth.complete():
            family = complete.family()
            if family not in seen:
                seen.add(family)
                ages = _find_ages(terms, family, statements)
                if ages is not None:
                    yield Model(family, ages)


def _order(terms: Mapping[str, Term], statements: Sequence[Proposition]) -> list[Proposition]:
    """The statements so that few growths are open: sexes, then short paths, and what joins nobody."""
    facts = [statement for statement in statements if statement.template in ("male", "female")]
    left = [statement for statement in statements if statement.template == "is"]
    component: dict[Argument, Argument] = {}

    def joins(statement: Proposition) -> bool:
        a, b, _ = statement.arguments
        return component.get(a, a) != component.get(b, b)

    def cost(statement: Proposition) -> tuple[bool, int, int]:
        term = terms[str(statement.arguments[2])]
        return joins(statement), term.length, len(term.shapes)

    while left:
        best = min(left, key=cost)
        left.remove(best)
        facts.append(best)
        a, b, _ = best.arguments
        old, new = component.get(a, a), component.get(b, b)
        people = {person for statement in statements for person in statement.arguments[:2]}
        for person in people:
            if component.get(person, person) == old:
                component[person] = new
    return facts


def _grow(terms: Mapping[str, Term], growth: Growth, statement: Proposition) -> Iterator[Growth]:
    if statement.template in ("male", "female"):
        if grown := growth.set_sex(int(statement.arguments[0]), statement.template[0]):
            yield grown
        return
    who, ego, term = statement.arguments
    for shape in terms[str(term)].shapes:
        yield from growth.relate(int(ego), shape, int(who))


def _find_ages(terms: Mapping[str, Term], family: Family, statements: Sequence[Proposition]) -> Ages | None:
    """The ages that the statements give in a family; None where they contradict each other."""
    comparisons: list[Older] = list(family.parents_and_children())
    for statement in statements:
        if statement.template == "older":
            comparisons.append((int(statement.arguments[0]), int(statement.arguments[1])))
        elif statement.template == "is":
            who, ego, term = statement.arguments
            required = family.comparisons(terms[str(term)], int(ego), int(who))
            assert required is not None, "a family grown from the statements keeps them"
            comparisons += required
    return compare_ages((0,) * family.size, comparisons)


def holds(terms: Mapping[str, Term], model: Model, option: Proposition) -> Verdict:
    """Whether an option (of numbered persons) holds in a family, in every order of births that the statements
    allow (True), in none (False), or in some.

    A description ('B's father's sister') must fit exactly one person in all of them; else it is open.
    """
    resolved = resolve(terms, model, option)
    return None if resolved is None else _is(model, resolved.term, resolved.ego, resolved.who)


def sides_of(option: Proposition) -> KinClaim:
    """What an option says, whichever template says it."""
    *people, last = option.arguments
    left = Side(people.pop(0), str(people.pop(0)) if option.template.startswith("holder") else None)
    return KinClaim(left, Side(people[0], str(people[1]) if people[1:] else None), str(last))


def resolve(terms: Mapping[str, Term], model: Model, option: Proposition) -> Resolved | None:
    """Whom an option relates by its last term; None where a description does not fit just one."""
    claim = sides_of(option)
    who, ego = (
        int(side.person) if side.term is None else find_holder(model, terms[side.term], int(side.person))
        for side in claim[:2]
    )
    if who is None or ego is None:
        return None
    sides = zip(claim[:2], (who, ego), strict=True)
    described = tuple((int(side.person), holder) for side, holder in sides if side.term)
    return Resolved(who, ego, terms[claim.term], described)


def _is(model: Model, term: Term, ego: int, who: int) -> Verdict:
    comparisons = model.family.comparisons(term, ego, who)
    return False if comparisons is None else model.ages.verdict(comparisons)


def find_holder(model: Model, term: Term, ego: int) -> int | None:
    """The one person who is the term of another; None where nobody is, several are, or it is open."""
    holders = []
    for who in range(model.family.size):
        verdict = _is(model, term, ego, who)
        if verdict is None:
            return None
        if verdict:
            holders.append(who)
    return holders[0] if len(holders) == 1 else None


# A family drawn at random: at most three generations, everybody with a year of birth.

# How often a family grows by a step: siblings and children more often than parents, so that it has width.
_WEIGHTS_RANDOM_FAMILY = {"f": 3, "m": 3, "s": 4, "d": 4, "b": 3, "z": 3, "h": 4, "w": 4}
_WIDE = {"f": 2, "m": 2, "s": 6, "d": 6, "b": 4, "z": 4, "h": 2, "w": 2}
_RISE = {"f": 1, "m": 1, "s": -1, "d": -1, "b": 0, "z": 0, "h": 0, "w": 0}
GENERATIONS = 3
_SPAN = 26


@dataclass(frozen=True)
class BornFamily:
    """A family with the year of birth of each person (all different; parents before children)."""

    family: Family
    births: tuple[int, ...]

    def model(self) -> Model:
        """The family with all ages known."""
        people = range(self.family.size)
        return Model(
            self.family,
            Ages(tuple(sum(1 << y for y in people if self.births[x] < self.births[y]) for x in people)),
        )


def draw_family(size: int, rng: random.Random, *, is_wide: bool = False) -> BornFamily:
    """A family of so many persons; a wide one has more siblings."""
    weights = _WIDE if is_wide else _WEIGHTS_RANDOM_FAMILY
    grown = begin(size).set_sex(0, rng.choice("mf"))
    assert grown is not None
    generations = [0]
    while len(generations) < size:
        x, y = rng.randrange(len(generations)), len(generations)
        letter = rng.choices(list(weights), list(weights.values()))[0]
        generation = generations[x] + _RISE[letter]
        if max(*generations, generation) - min(*generations, generation) >= GENERATIONS:
            continue
        step = LETTERS[letter]
        if letter in "hw" and grown.sexes[x] == step.sex:
            continue
        joined = grown.join(x, step.leaves, y, step.enters)
        joined = joined and joined.set_sex(y, step.sex)
        if joined is None:
            continue
        grown = joined
        generations.append(generation)
    # 20 years within a generation, 26 from one to the next: parents are older than all their children.
    years = {generation: rng.sample(range(20), size) for generation in sorted(set(generations), reverse=True)}
    births = tuple(1960 - _SPAN * level + years[level][rank] for rank, level in enumerate(generations))
    return BornFamily(grown.family(), births)


# The statements of a question: drawn until they allow one family.

# How often a statement has a term of 1, 2, 3 or 4 steps.
_WEIGHTS: dict[Difficulty, tuple[float, ...]] = {
    "easy": (3, 3, 3, 3),
    "medium": (2, 3, 4, 6),
    "hard": (2, 3, 5, 10),
}
# A word of several paths, such as that for a mother's or a father's relatives, tells less.
_SEVERAL = 0.3
# More growths than this are not waited for.
_BOUND = 500
_AGE_STATED = 0.35
_SEX_STATED = 0.6


@dataclass(frozen=True)
class Stated:
    """Statements of numbered persons, and the one family that they allow, with the ages that follow."""

    statements: tuple[Proposition, ...]
    model: Model


def find_terms(terms: Sequence[Term], family: Family) -> Iterator[tuple[int, int, Term]]:
    """Each person, another, and each term that the second may be called by the first, ages aside."""
    by_shape: dict[Shape, list[Term]] = {}
    for term in terms:
        for shape in term.shapes:
            by_shape.setdefault(shape, []).append(term)
    for ego, relations in enumerate(family.relations):
        for who, relation in enumerate(relations):
            if relation is not None:
                yield from ((ego, who, term) for term in by_shape.get(relation.shape, ()))


def find_truths(terms: Sequence[Term], model: Model) -> list[Proposition]:
    """Every true sentence that a person is a term of another, as far as the ages are known."""
    return [
        Proposition("is", (who, ego, term.id))
        for ego, who, term in find_terms(terms, model.family)
        if model.ages.verdict(model.family.comparisons(term, ego, who) or ())
    ]


def draw_statements(
    terms: Mapping[str, Term], born: BornFamily, difficulty: Difficulty, rng: random.Random
) -> Stated | None:
    """Statements that allow this family only; None where this draw found none."""
    size = born.family.size
    usable = [term for term in terms.values() if term.used]
    truths = _shuffle(terms, find_truths(usable, born.model()), difficulty, rng)
    chosen = _span(truths, size)
    if chosen is None:
        return None
    spanning = len(chosen)
    models = _models(terms, size, chosen)
    sexes = [Proposition("male" if sex == "m" else "female", (x,)) for x, sex in enumerate(born.family.sexes)]
    rng.shuffle(sexes)
    while len(models) > 1:
        stated = {frozenset(statement.arguments[:2]) for statement in chosen}
        new = [truth for truth in truths if frozenset(truth.arguments[:2]) not in stated]
        # Where only a sex is open, it is either stated or implied by one more relation.
        is_sex = len({model.family.ends for model in models}) == 1 and rng.random() < _SEX_STATED
        added = _tell_apart(terms, models, [*sexes, *new] if is_sex else [*new, *sexes])
        if added is None:
            return None
        chosen.append(added)
        models = [model for model in models if _keeps(terms, model, added)]
    if not models:
        return None
    if len(chosen) > spanning:
        chosen = _drop_redundant(terms, size, chosen, rng)
    chosen += _state_age(usable, _models(terms, size, chosen)[0], born, rng)
    rng.shuffle(chosen)
    return Stated(tuple(chosen), _models(terms, size, chosen)[0])


def _shuffle(
    terms: Mapping[str, Term], truths: Sequence[Proposition], difficulty: Difficulty, rng: random.Random
) -> list[Proposition]:
    """The sentences in a random order in which heavier ones tend to come first."""
    weights = _WEIGHTS[difficulty]

    def key(sentence: Proposition) -> float:
        term = terms[str(sentence.arguments[2])]
        weight = weights[term.length - 1] * (1 if len(term.shapes) == 1 else _SEVERAL)
        return float(rng.random() ** (1 / weight))

    return [truth for _, truth in sorted(((key(sentence), sentence) for sentence in truths), reverse=True)]


def _span(truths: Sequence[Proposition], size: int) -> list[Proposition] | None:
    """The first sentences that relate everybody to everybody, each to somebody new."""
    part = list(range(size))
    chosen = []
    for sentence in truths:
        a, b = int(sentence.arguments[0]), int(sentence.arguments[1])
        if part[a] != part[b]:
            old = part[a]
            part = [part[b] if component == old else component for component in part]
            chosen.append(sentence)
    return chosen if len(chosen) == size - 1 else None


def _models(
    terms: Mapping[str, Term], size: int, statements: Sequence[Proposition], limit: int = LIMIT
) -> list[Model]:
    """The families that the statements allow; none where they are too many, or as many as the limit."""
    try:
        models = list(islice(find_models(terms, size, statements, _BOUND), limit))
    except TooManyError:
        return []
    return models if len(models) < limit else []


def _keeps(terms: Mapping[str, Term], model: Model, statement: Proposition) -> bool:
    """Whether a family may keep a statement, ages aside."""
    if statement.template != "is":
        return model.family.sexes[int(statement.arguments[0])] == statement.template[0]
    who, ego, term = statement.arguments
    return model.family.comparisons(terms[str(term)], int(ego), int(who)) is not None


def _tell_apart(
    terms: Mapping[str, Term], models: Sequence[Model], truths: Sequence[Proposition]
) -> Proposition | None:
    """The first true sentence that some of the families does not keep."""
    return next((truth for truth in truths if not all(_keeps(terms, model, truth) for model in models)), None)


def _drop_redundant(
    terms: Mapping[str, Term], size: int, chosen: Sequence[Proposition], rng: random.Random
) -> list[Proposition]:
    """The statements without those, in a random order, that the family follows without."""
    kept = list(chosen)
    for statement in rng.sample(kept, len(kept)):
        rest = [other for other in kept if other != statement]
        if _mentions_all(rest, size) and _models(terms, size, rest, limit=2):
            kept = rest
    return kept


def _mentions_all(statements: Sequence[Proposition], size: int) -> bool:
    people: set[Argument] = {
        person for statement in statements if statement.template == "is" for person in statement.arguments[:2]
    }
    return len(people) == size


def _state_age(
    terms: Sequence[Term], model: Model, born: BornFamily, rng: random.Random
) -> list[Proposition]:
    """At times, a statement of ages on which the word for somebody depends."""
    if rng.random() > _AGE_STATED:
        return []
    open_ = {
        (min(age), max(age))
        for ego, who, term in find_terms(terms, model.family)
        for age in model.family.comparisons(term, ego, who) or ()
        if model.ages.verdict([age]) is None
    }
    if not open_:
        return []
    a, b = rng.choice(sorted(open_))
    return [Proposition("older", (a, b) if born.births[a] < born.births[b] else (b, a))]

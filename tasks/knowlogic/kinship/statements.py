"""The statements of a question: drawn until they allow one family."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from perennial.schemas.knowlogic.things import Argument, Difficulty, Proposition
from perennial.tasks.knowlogic.kinship.family import Family
from perennial.tasks.knowlogic.kinship.models import LIMIT, Model, TooManyError, find_models
from perennial.tasks.knowlogic.kinship.random_family import BornFamily
from perennial.tasks.knowlogic.kinship.terms import Shape, Term

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
    """Yield each person, another, and each term that the second may be called by the first, ages aside."""
    by_shape: dict[Shape, list[Term]] = {}
    for term in terms:
        for shape in term.shapes:
            by_shape.setdefault(shape, []).append(term)
    for of, relations in enumerate(family.relations):
        for who, relation in enumerate(relations):
            if relation is not None:
                yield from ((of, who, term) for term in by_shape.get(relation.shape, ()))


def find_truths(terms: Sequence[Term], model: Model) -> list[Proposition]:
    """Return every true sentence that a person is a term of another, as far as the ages are known."""
    return [
        Proposition("is", (who, of, term.id))
        for of, who, term in find_terms(terms, model.family)
        if model.ages.verdict(model.family.comparisons(term, of, who) or ())
    ]


def draw_statements(
    terms: Mapping[str, Term], born: BornFamily, difficulty: Difficulty, rng: random.Random
) -> Stated | None:
    """Return statements that allow this family only; None where this draw found none."""
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
        stated = {frozenset(each.arguments[:2]) for each in chosen}
        new = [each for each in truths if frozenset(each.arguments[:2]) not in stated]
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
    """Return the sentences in a random order in which heavier ones tend to come first."""
    weights = _WEIGHTS[difficulty]

    def key(sentence: Proposition) -> float:
        term = terms[str(sentence.arguments[2])]
        weight = weights[term.length - 1] * (1 if len(term.shapes) == 1 else _SEVERAL)
        return float(rng.random() ** (1 / weight))

    return [each for _, each in sorted(((key(each), each) for each in truths), reverse=True)]


def _span(truths: Sequence[Proposition], size: int) -> list[Proposition] | None:
    """Return the first sentences that relate everybody to everybody, each to somebody new."""
    part = list(range(size))
    chosen = []
    for sentence in truths:
        a, b = int(sentence.arguments[0]), int(sentence.arguments[1])
        if part[a] != part[b]:
            old = part[a]
            part = [part[b] if each == old else each for each in part]
            chosen.append(sentence)
    return chosen if len(chosen) == size - 1 else None


def _models(terms: Mapping[str, Term], size: int, statements: Sequence[Proposition]) -> list[Model]:
    """Return the families that the statements allow; none where they are too many."""
    try:
        found = list(islice(find_models(terms, size, statements, _BOUND), LIMIT))
    except TooManyError:
        return []
    return found if len(found) < LIMIT else []


def _is_one(terms: Mapping[str, Term], size: int, statements: Sequence[Proposition]) -> bool:
    """Return whether the statements allow one family."""
    try:
        return len(list(islice(find_models(terms, size, statements, _BOUND), 2))) == 1
    except TooManyError:
        return False


def _keeps(terms: Mapping[str, Term], model: Model, statement: Proposition) -> bool:
    """Return whether a family may keep a statement, ages aside."""
    if statement.template != "is":
        return model.family.sexes[int(statement.arguments[0])] == statement.template[0]
    who, of, term = statement.arguments
    return model.family.comparisons(terms[str(term)], int(of), int(who)) is not None


def _tell_apart(
    terms: Mapping[str, Term], models: Sequence[Model], truths: Sequence[Proposition]
) -> Proposition | None:
    """Return the first true sentence that some of the families does not keep."""
    return next((each for each in truths if not all(_keeps(terms, model, each) for model in models)), None)


def _drop_redundant(
    terms: Mapping[str, Term], size: int, chosen: Sequence[Proposition], rng: random.Random
) -> list[Proposition]:
    """Return the statements without those, in a random order, that the family follows without."""
    kept = list(chosen)
    for each in rng.sample(kept, len(kept)):
        rest = [other for other in kept if other != each]
        if _mentions_all(rest, size) and _is_one(terms, size, rest):
            kept = rest
    return kept


def _mentions_all(statements: Sequence[Proposition], size: int) -> bool:
    people: set[Argument] = {
        each for said in statements if said.template == "is" for each in said.arguments[:2]
    }
    return len(people) == size


def _state_age(
    terms: Sequence[Term], model: Model, born: BornFamily, rng: random.Random
) -> list[Proposition]:
    """Return, sometimes, a statement of ages on which the word for somebody depends."""
    if rng.random() > _AGE_STATED:
        return []
    open_ = {
        (min(age), max(age))
        for of, who, term in find_terms(terms, model.family)
        for age in model.family.comparisons(term, of, who) or ()
        if model.ages.verdict([age]) is None
    }
    if not open_:
        return []
    a, b = rng.choice(sorted(open_))
    return [Proposition("older", (a, b) if born.births[a] < born.births[b] else (b, a))]

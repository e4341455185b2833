"""The first engine: all families that the statements allow, and what holds in them.

An arrangement is a family: who is whose parent, spouse and sibling, and the sex of each. Ages are no part of
it: they are kept as a partial order, and an option that needs a comparison which does not follow is open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from perennial.schemas.knowlogic.things import Argument, Decision, Proposition, Verdict
from perennial.tasks.knowlogic.kinship.family import Ages, Family, Older, compare_ages
from perennial.tasks.knowlogic.kinship.growth import Growth, begin
from perennial.tasks.knowlogic.kinship.terms import Term
from perennial.tasks.knowlogic.problem import Problem

# With so many arrangements or more the options are not decided.
LIMIT = 64


@dataclass(frozen=True)
class Model:
    """A family that the statements allow, and the ages that they give in it."""

    family: Family
    ages: Ages


class Resolved(NamedTuple):
    """What an option says once its descriptions are found: `who` is the term of `of`.

    `described` has the person from whom each description starts, and whom it fits.
    """

    who: int
    of: int
    term: Term
    described: tuple[tuple[int, int], ...]


class TooManyError(Exception):
    """More families than a draw waits for."""


def index_people(problem: Problem) -> dict[Argument, int]:
    """Return the number of each person: their place in the text's list."""
    return {person: number for number, person in enumerate(problem.entities)}


def decide(terms: Mapping[str, Term], problem: Problem) -> Decision:
    """Return the number of families that the statements allow, and the verdict of each option.

    From `LIMIT` families on, the number is `LIMIT` and every verdict is None.
    """
    number = index_people(problem)
    models: list[Model] = []
    for model in find_models(terms, len(number), number_people(problem.statements, number)):
        models.append(model)
        if len(models) == LIMIT:
            return Decision(LIMIT, (None,) * len(problem.options))
    options = number_people(problem.options, number)
    verdicts = tuple(agree([holds(terms, model, option) for model in models]) for option in options)
    return Decision(len(models), verdicts)


def number_people(propositions: Iterable[Proposition], number: Mapping[Argument, int]) -> list[Proposition]:
    """Return the propositions with persons by number."""
    return [
        Proposition(each.template, tuple(number.get(argument, argument) for argument in each.arguments))
        for each in propositions
    ]


def agree(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict that all models share; None where they differ or there is none."""
    return verdicts[0] if verdicts and len(set(verdicts)) == 1 else None


def find_models(
    terms: Mapping[str, Term], size: int, statements: Sequence[Proposition], bound: int | None = None
) -> Iterator[Model]:
    """Yield each family that the statements (of numbered persons) allow, once.

    Raises TooManyError where more than `bound` growths are open at a time.
    """
    growths = {begin(size): None}
    for statement in _order(terms, statements):
        growths = {grown: None for each in growths for grown in _grow(terms, each, statement)}
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
    """Return the statements so that few growths are open: sexes, then short paths, and what joins nobody."""
    facts = [each for each in statements if each.template in ("male", "female")]
    left = [each for each in statements if each.template == "is"]
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
        people = {each for statement in statements for each in statement.arguments[:2]}
        for person in people:
            if component.get(person, person) == old:
                component[person] = new
    return facts


def _grow(terms: Mapping[str, Term], growth: Growth, statement: Proposition) -> Iterator[Growth]:
    if statement.template in ("male", "female"):
        if grown := growth.set_sex(int(statement.arguments[0]), statement.template[0]):
            yield grown
        return
    who, of, term = statement.arguments
    for shape in terms[str(term)].shapes:
        yield from growth.relate(int(of), shape, int(who))


def _find_ages(terms: Mapping[str, Term], family: Family, statements: Sequence[Proposition]) -> Ages | None:
    """Return the ages that the statements give in a family; None where they contradict each other."""
    comparisons: list[Older] = list(family.parents_and_children())
    for statement in statements:
        if statement.template == "older":
            comparisons.append((int(statement.arguments[0]), int(statement.arguments[1])))
        elif statement.template == "is":
            who, of, term = statement.arguments
            found = family.comparisons(terms[str(term)], int(of), int(who))
            assert found is not None, "a family grown from the statements keeps them"
            comparisons += found
    return compare_ages((0,) * family.size, comparisons)


def holds(terms: Mapping[str, Term], model: Model, option: Proposition) -> Verdict:
    """Return whether an option (of numbered persons) holds in a family, in every order of births that the
    statements allow (True), in none (False), or in some.

    A description ('B's father's sister') must fit exactly one person in all of them; else it is open.
    """
    resolved = resolve(terms, model, option)
    return None if resolved is None else _is(model, resolved.term, resolved.of, resolved.who)


def resolve(terms: Mapping[str, Term], model: Model, option: Proposition) -> "Resolved | None":
    """Return whom an option relates by its last term; None where a description does not fit just one."""
    arguments = option.arguments
    who: int | None
    of: int | None
    if option.template == "is":
        who, of = int(arguments[0]), int(arguments[1])
        return Resolved(who, of, terms[str(arguments[2])], ())
    if option.template == "holder_is":
        b, first, c, last = arguments
        who, of = find_holder(model, terms[str(first)], int(b)), int(c)
        described = [(b, who)]
    elif option.template == "is_of_holder":
        a, b, first, last = arguments
        who, of = int(a), find_holder(model, terms[str(first)], int(b))
        described = [(b, of)]
    else:  # holder_is_of_holder
        b, first, c, second, last = arguments
        who, of = (
            find_holder(model, terms[str(first)], int(b)),
            find_holder(model, terms[str(second)], int(c)),
        )
        described = [(b, who), (c, of)]
    if who is None or of is None:
        return None
    return Resolved(who, of, terms[str(last)], tuple((int(x), int(y)) for x, y in described if y is not None))


def _is(model: Model, term: Term, of: int, who: int) -> Verdict:
    comparisons = model.family.comparisons(term, of, who)
    return False if comparisons is None else model.ages.verdict(comparisons)


def find_holder(model: Model, term: Term, of: int) -> int | None:
    """Return the one person who is the term of another; None where nobody is, several are, or it is open."""
    holders = []
    for who in range(model.family.size):
        verdict = _is(model, term, of, who)
        if verdict is None:
            return None
        if verdict:
            holders.append(who)
    return holders[0] if len(holders) == 1 else None

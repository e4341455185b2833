"""What the engines find of a question about surnames: verdicts, labels, canonical form."""

from collections.abc import Mapping, Sequence

from perennial.schemas.knowlogic.things import Decision, Labels, Proposition
from perennial.tasks.knowlogic.arrangement.frame import Constraint, Frame, all_of, frame, verdict
from perennial.tasks.knowlogic.arrangement.solver import decide_by_solver
from perennial.tasks.knowlogic.kinship.terms import Term
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.canonical import Item, find_least_form
from perennial.tasks.knowlogic.social.difficulty import CUTS, level_of
from perennial.tasks.knowlogic.surnames.meaning import KIN, OF_TWO, constrain, steps_of

_RELATIONS = {"same": "same_surname", "different": "different_surname"}


def frame_of(people: int, surnames: int) -> Frame:
    """Return all ways to give so many people surnames."""
    return frame(people, surnames, is_injective=False)


def decide(terms: Mapping[str, Term], problem: Problem) -> Decision:
    """Return the number of ways that the statements allow, and the verdicts, by masks."""
    whole, statements, options = _masks(terms, problem)
    held = all_of(whole, statements)
    return Decision(held.bit_count(), tuple(verdict(held, mask) if held else False for mask in options))


def check(terms: Mapping[str, Term], problem: Problem) -> Decision:
    """Return the same by python-sat."""
    size, values = len(problem.entities), len(problem.details)
    statements, options = _constraints(terms, problem)
    return decide_by_solver(size, values, statements, options, is_injective=False)


def label(terms: Mapping[str, Term], problem: Problem) -> Labels:
    """Return the labels; raise ValueError where the statements leave an option open."""
    whole, statements, options = _masks(terms, problem)
    costs = [steps_of(each) for each in problem.statements]
    said = (*problem.statements, *problem.options)
    kin = {str(each.arguments[2]) for each in said if each.template == KIN}
    cl = max(count_steps(whole, statements, costs, option) for option in options)
    ne = len(
        {frozenset(each.arguments[:2]) for each in problem.statements if each.template in (*OF_TWO, KIN)}
    )
    return Labels(
        properties=("surname",),
        relations=tuple(
            sorted(kin | {_RELATIONS[each.template] for each in said if each.template in _RELATIONS})
        ),
        rules=("surname of the father",) if kin else (),
        chain_length=cl,
        precision="vague" if problem.type == "vague_entity" else "precise",
        level=level_of(cl, 0, ne),
        difficulty=CUTS.classify(cl, problem.type, len(problem.options)),
        variables={"cl": cl, "nm": 0, "ne": ne},
    )


def count_steps(whole: Frame, masks: Sequence[int], costs: Sequence[int], option: int) -> int:
    """Return the least cost of statements that decide an option.

    Raises ValueError where all of them leave it open.
    """
    reached: dict[int, set[int]] = {0: {whole.full}}
    for cost in range(sum(costs) + 1):
        for held in reached.get(cost, ()):
            if verdict(held, option) is not None:
                return cost
            for mask, step in zip(masks, costs, strict=True):
                if held & mask != held:
                    reached.setdefault(cost + step, set()).add(held & mask)
    raise ValueError("the statements leave the option open")


def canonical(problem: Problem) -> object:
    """Return a value that is equal for problems that differ by people, surnames or order alone."""
    items: list[Item] = [("surname is named", (each,)) for each in problem.details]
    for word, sentences in (
        ("said", problem.statements),
        ("option", problem.options),
        ("asked", (problem.asked,) if problem.asked else ()),
    ):
        for each in sentences:
            items += [(f"{word} {each.template}", arguments) for arguments in _list_orders(each)]
    form = find_least_form((*problem.entities, *problem.details), items)
    return [
        *(problem.scenario, problem.type, len(problem.entities), len(problem.details), problem.has_none),
        form,
    ]


def _list_orders(said: Proposition) -> list[tuple[str | int, ...]]:
    """Return a sentence's arguments, both ways round where that says the same."""
    arguments = said.arguments
    return [arguments, arguments[::-1]] if said.template in OF_TWO else [arguments]


def _constraints(terms: Mapping[str, Term], problem: Problem) -> tuple[list[Constraint], list[Constraint]]:
    statements, options = (
        [constrain(terms, problem.entities, problem.details, each) for each in sentences]
        for sentences in (problem.statements, problem.options)
    )
    return statements, options


def _masks(terms: Mapping[str, Term], problem: Problem) -> tuple[Frame, list[int], list[int]]:
    whole = frame_of(len(problem.entities), len(problem.details))
    statements, options = _constraints(terms, problem)
    return whole, [whole.mask(each) for each in statements], [whole.mask(each) for each in options]

"""What is known of a question of kinship beside its text: terms, rules, chain length, level."""

from collections.abc import Mapping

from perennial.schemas.knowlogic.things import Labels, Proposition
from perennial.tasks.knowlogic.kinship.derivation import Derivations, count_steps, count_terms, list_pairs
from perennial.tasks.knowlogic.kinship.draw import BOTH, count_edges
from perennial.tasks.knowlogic.kinship.models import find_models, index_people, number_people
from perennial.tasks.knowlogic.kinship.terms import Term
from perennial.tasks.knowlogic.problem import Problem
from perennial.tasks.knowlogic.social.difficulty import CUTS, level_of

# The properties that statements of other templates give.
_PROPERTIES = {"male": "sex", "female": "sex", "older": "age"}


def label(terms: Mapping[str, Term], problem: Problem) -> Labels:
    """Return the labels of a problem whose statements allow one family.

    Raises ValueError where they allow none or several, or an option does not follow by composition.
    """
    number = index_people(problem)
    statements = number_people(problem.statements, number)
    options = number_people(problem.options, number)
    models = list(find_models(terms, len(number), statements))
    if len(models) != 1:
        raise ValueError(f"the statements allow {len(models)} families")
    derivations = Derivations(models[0].family, list_pairs(terms, statements))
    steps = [count_steps(terms, models[0], derivations, option) for option in options]
    known = [each for each in steps if each is not None]
    if len(known) < len(steps):
        raise ValueError("an option does not follow by composition")
    cl, nm, ne = max(known), int(any(each.template == BOTH for each in options)), count_edges(statements)
    rules = {
        "composition": any(step > count_terms(option) for step, option in zip(known, options, strict=True)),
        "description": any(option.template != "is" for option in options),
        "elder and younger": any(_compares(terms, each) for each in options),
        "inverse": any(_is_inverse(option, statements) for option in options),
    }
    return Labels(
        properties=tuple(
            sorted({_PROPERTIES[each.template] for each in statements if each.template != "is"})
        ),
        relations=tuple(
            sorted({str(each) for said in (*statements, *options) for each in _terms(terms, said)})
        ),
        rules=tuple(sorted(rule for rule, is_used in rules.items() if is_used)),
        chain_length=cl,
        precision="vague" if problem.type == "vague_entity" else "precise",
        level=level_of(cl, nm, ne),
        difficulty=CUTS.classify(cl, problem.type, len(options)),
        variables={"cl": cl, "nm": nm, "ne": ne},
    )


def _terms(terms: Mapping[str, Term], said: Proposition) -> list[str]:
    return [str(each) for each in said.arguments if each in terms]


def _compares(terms: Mapping[str, Term], said: Proposition) -> bool:
    """Return whether a sentence compares ages."""
    return said.template == "older" or any(
        ages for each in _terms(terms, said) for ages in terms[each].shapes.values()
    )


def _is_inverse(option: Proposition, statements: list[Proposition]) -> bool:
    """Return whether an option is about two people of a statement, the other way round."""
    if option.template != "is":
        return False
    return any(each.template == "is" and each.arguments[1::-1] == option.arguments[:2] for each in statements)

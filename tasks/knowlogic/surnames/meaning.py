"""What sentences about surnames mean: which surnames two people, or one, may have.

Everybody is a variable, and has one of the surnames of the introduction. Who is related through fathers alone
has the same surname by the conventions of the introduction.
"""

from collections.abc import Mapping, Sequence

from perennial.schemas.knowlogic.things import Argument, Proposition
from perennial.tasks.knowlogic.arrangement.frame import Constraint
from perennial.tasks.knowlogic.kinship.terms import LETTERS, Term

KIN = "kin"
# Claims, which may be statements or options; a relation of kin is a statement alone.
OF_ONE = ("surname", "surname_not")
OF_TWO = ("same", "different")
# Steps that a statement costs in a proof: a relation of kin is turned into an equal surname first.
_STEPS = {KIN: 2}


def keeps_surname(term: Term) -> bool:
    """Return whether everybody who is called so has the person's surname, by the conventions."""
    return all(_is_through_fathers(shape) for shape in term.shapes)


def _is_through_fathers(shape: str) -> bool:
    """Return whether a path leads to fathers, brothers and sisters, and to children of men on the way."""
    for place, letter in enumerate(shape):
        if letter in "sd" and (place == 0 or LETTERS[shape[place - 1]].sex != "m"):
            return False
    return set(shape) <= set("fbzsd")


def steps_of(said: Proposition) -> int:
    """Return the steps of a proof that uses a statement."""
    return _STEPS.get(said.template, 1)


def constrain(
    terms: Mapping[str, Term], people: Sequence[Argument], surnames: Sequence[Argument], said: Proposition
) -> Constraint:
    """Return which surnames a sentence allows; raise ValueError for one that says nothing of these."""
    template, arguments = said.template, said.arguments
    every = range(len(surnames))
    if template in OF_ONE:
        person, surname = arguments
        which = surnames.index(surname)
        fitting = [each for each in every if (each == which) == (template == "surname")]
        return Constraint((people.index(person),), frozenset((each,) for each in fitting))
    if template not in (*OF_TWO, KIN) or arguments[0] == arguments[1]:
        raise ValueError(f"{template} of {arguments} says nothing about surnames")
    if template == KIN and not keeps_surname(terms[str(arguments[2])]):
        raise ValueError(f"{arguments[2]} says nothing about surnames")
    is_same = template != "different"
    pairs = frozenset((a, b) for a in every for b in every if (a == b) is is_same)
    return Constraint((people.index(arguments[0]), people.index(arguments[1])), pairs)

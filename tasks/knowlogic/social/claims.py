"""What a proposition of the scenario says: facts of a statement, or a claim about two described people."""

from dataclasses import dataclass, field

from perennial.schemas.knowlogic.things import Argument, Proposition

# (relation, holder, of whom): "holder is of-whom's relation"; a sex is ("m" or "f", person, "").
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
class Claim:
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
    """Return what a statement gives; raise ValueError for a proposition that describes a person."""
    template, arguments = statement.template, tuple(map(str, statement.arguments))
    if template in _SEX_TEMPLATES:
        return Said([(_SEX_TEMPLATES[template], arguments[0], "")])
    forms = ["one"] if template == "name_1" else template.split("_and_")
    if not set(forms) <= {"one", "among"}:
        raise ValueError(f"template {template!r} is no statement of facts")
    said = Said()
    for place, form in enumerate(forms):
        of, relation = arguments[1 + 2 * place : 3 + 2 * place]
        said.facts.append((relation, arguments[0], of))
        if form == "among":
            said.several.append(said.facts[-1])
    return said


def claim_of(option: Proposition) -> Claim:
    """Return what an option claims; raise ValueError for a proposition that is no claim."""
    arguments = tuple(map(str, option.arguments))
    if option.template == "among":
        return Claim(_name(arguments[0]), arguments[2], _name(arguments[1]), is_among=True)
    left, _, right = option.template.partition("_")
    if left not in _LEFT or right not in _RIGHT:
        raise ValueError(f"template {option.template!r} is no claim about two people")
    mine, others = arguments[: _LEFT[left]], arguments[_LEFT[left] :]
    if right == "mark":
        return Claim(_describe(left, mine), others[3], Description("mark", *_first(others)))
    return Claim(_describe(left, mine), others[-1], Description("chain", others[0], others[1:-1]))


def proposition_of(claim: Claim) -> Proposition:
    """Return the proposition that says a claim; the inverse of `claim_of`."""
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

"""What the sentences of nature mean: which arrangements of four things one allows, given their cells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from perennial.schemas.knowlogic.things import Argument
from perennial.tasks.knowlogic.arrangement.frame import Constraint
from perennial.tasks.knowlogic.nature.tables import NOT_APPLY, Cell, Nature

SIZE = 4
SLOTS = (1, 2, 3, 4)
# The paper's rule of reflected light, from the longest wavelength to the shortest; other colors (mixtures,
# brown, black, white) have no place in it.
SPECTRUM = ("red", "orange", "yellow", "green", "blue")
# The paper's rule of the stone: the denser water carries it more, so that it sinks slower in the sea.
WATERS = ("fresh", "salt")
HOLDS = "holds"

_RELATIONS: dict[str, Callable[[str, str, int], bool]] = {
    "same": lambda x, y, k: x == y,
    "more": lambda x, y, k: int(x) - int(y) == k,
    "fewer": lambda x, y, k: int(y) - int(x) == k,
    "total": lambda x, y, k: int(x) + int(y) == k,
    "over": lambda x, y, k: int(x) > int(y),
    "under": lambda x, y, k: int(x) < int(y),
    "longer": lambda x, y, k: SPECTRUM.index(x) < SPECTRUM.index(y),
    "shorter": lambda x, y, k: SPECTRUM.index(x) > SPECTRUM.index(y),
    "faster": lambda x, y, k: WATERS.index(x) < WATERS.index(y),
    "slower": lambda x, y, k: WATERS.index(x) > WATERS.index(y),
}
COUNTS: dict[str, Callable[[int, int], int]] = {
    "more": lambda x, y: x - y,
    "fewer": lambda x, y: y - x,
    "total": lambda x, y: x + y,
}
SYMMETRIC = frozenset({"same", "total"})
# What a comparison orders, from the first to the last.
ORDERS = {"longer": SPECTRUM, "shorter": SPECTRUM, "faster": WATERS, "slower": WATERS}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a template says (the keys of `prompts/knowlogic/nature.toml`); `holds` has no property.

    Arguments: slot and entity of `holds`; slot and, where `value` is None, a value; of a relation two slots,
    or a slot and an entity, and, where it counts, a number.
    """

    template: str
    about: str | None = None
    value: str | None = None
    values: tuple[str, ...] = ()
    relation: str | None = None
    with_entity: bool = False
    negated: bool = False
    whole: bool = False
    note: str | None = None

    @property
    def slots(self) -> int:
        """How many of the first arguments are slots."""
        return 2 if self.relation and not self.with_entity else 1

    def fits(self, cells: Sequence[Cell]) -> bool:
        """Whether a question about things with these cells may use the template.

        No cell may be unsure. A sentence that presupposes its property, and every comparison, wants the
        property to apply to all; what orders values (reflected light: colors of the spectrum) wants those.
        """
        if None in cells:
            return False
        order = ORDERS.get(self.relation or "")
        if order and not all(cell in order for cell in cells):
            return False
        return not (self.whole or self.relation) or NOT_APPLY not in cells

    def compares(self, x: str, y: str, k: int = 0) -> bool:
        """Whether the relation holds between two things with these cells."""
        return _RELATIONS[self.relation or ""](x, y, k)


def read_meanings(sentences: Mapping[str, Mapping[str, Any]], nature: Nature) -> dict[str, Meaning]:
    """Return the meanings of the templates whose property is in the tables, and of `holds`."""
    found = {HOLDS: Meaning(HOLDS)}
    for name, keys in sentences.items():
        if keys.get("property") in nature.properties:
            found[name] = Meaning(
                template=name,
                about=keys["property"],
                value=keys.get("value"),
                values=tuple(keys.get("values", nature.properties[keys["property"]].values)),
                relation=keys.get("relation"),
                with_entity=keys.get("second") == "entity",
                negated=keys.get("negated", False),
                whole=keys.get("whole", False),
                note=keys.get("note"),
            )
    return found


def constrain(
    meaning: Meaning, arguments: Sequence[Argument], entities: Sequence[Argument], cells: Sequence[Cell]
) -> Constraint:
    """Return which things (places in `entities`) the sentence allows at its slots.

    `cells` are those of its property in the same order. Raises ValueError where the template does not fit the
    cells, or the sentence names a slot or an entity that the question does not have.
    """
    slots, rest = arguments[: meaning.slots], arguments[meaning.slots :]
    if not all(slot in SLOTS for slot in slots) or len(set(slots)) < len(slots):
        raise ValueError(f"{meaning.template} of slots {slots}")
    if meaning.about is not None and not meaning.fits(cells):
        raise ValueError(f"{meaning.template} does not fit cells {tuple(cells)}")
    return Constraint(tuple(int(slot) - 1 for slot in slots), allow(meaning, rest, entities, cells))


def allow(
    meaning: Meaning, rest: Sequence[Argument], entities: Sequence[Argument], cells: Sequence[Cell]
) -> frozenset[tuple[int, ...]]:
    """Return the things that a sentence allows at its slots, whichever these are.

    `rest` are its arguments without slots; the template fits the cells.
    """
    if meaning.about is None:
        return frozenset({(entities.index(rest[0]),)})
    if meaning.relation is None:
        value = meaning.value if meaning.value is not None else rest[0]
        return frozenset(
            [(place,) for place in range(SIZE) if (cells[place] == value) is not meaning.negated]
        )
    sure = [str(cell) for cell in cells]
    if meaning.with_entity:
        other = entities.index(rest[0])
        things = (x for x in range(SIZE) if x != other and meaning.compares(sure[x], sure[other]))
        return frozenset((x,) for x in things)
    k = int(rest[0]) if rest else 0
    return frozenset((x, y) for x, y in permutations(range(SIZE), 2) if meaning.compares(sure[x], sure[y], k))

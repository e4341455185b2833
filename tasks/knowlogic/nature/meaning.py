"""What the sentences of nature mean: which arrangements of four things one allows, given their cells."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, pairwise, permutations
from typing import Any, NamedTuple

from perennial.schemas.knowlogic.things import GAP, Argument, Knowledge, Language, Proposition
from perennial.tasks.knowlogic.arrangement import Constraint, frame
from perennial.tasks.knowlogic.closure import Closure, Inference, close
from perennial.tasks.knowlogic.problem import Cuts

# The tables of nature as values: entities, properties, and the cells that a question may use.
#
# A cell is a value that surely applies, `NOT_APPLY` (no value of the property applies, surely), or None:
# unsure or multi-valued, so that a question may neither state nor deny it.

NOT_APPLY = "-"
UNSURE = "?"
SEVERAL = ";"

Cell = str | None


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing: its kind (animal, plant, artefact), and what it is called.

    `names` are plain names (`carp`, `wheat`), `singles` have an article where English wants one (`a carp`,
    `wheat`), `plurals` are what a farmer grows (`apples`, `wheat`). Chinese has one form.
    """

    id: str
    kind: str
    names: dict[Language, str]
    singles: dict[Language, str]
    plurals: dict[Language, str]


@dataclass(frozen=True, slots=True)
class Property:
    """A property: its values in the table's order, the kinds that have it, and its difficulty from 1 to 3."""

    id: str
    values: tuple[str, ...]
    kinds: tuple[str, ...]
    difficulty: int


@dataclass(frozen=True, slots=True)
class PropertyRule:
    """If a thing's property has this value, then another property has that one: (property, value) twice."""

    id: str
    premise: tuple[str, str]
    conclusion: tuple[str, str]


@dataclass(frozen=True)
class Nature:
    """All tables: entities and properties by id in the tables' order, cells by entity and property."""

    entities: Mapping[str, Entity]
    properties: Mapping[str, Property]
    value_names: Mapping[tuple[str, str], Mapping[Language, str]]
    cells: Mapping[str, Mapping[str, Cell]]
    rules: tuple[PropertyRule, ...]

    @cached_property
    def closures(self) -> Mapping[str, "Closure[RuleFact]"]:
        """What is known of each thing."""
        return {entity: close_cells(self, entity) for entity in self.entities}


def read_cell(text: str) -> Cell:
    """What a question may use of a cell's text."""
    return None if text == UNSURE or SEVERAL in text else text


def read_nature(knowledge: Knowledge) -> Nature:
    """The tables `nature/...` of the knowledge base; raise KeyError where one is missing."""
    properties = {
        row["id"]: Property(
            row["id"], tuple(row["values"].split("|")), tuple(row["kinds"].split("|")), int(row["difficulty"])
        )
        for row in knowledge.rows("nature/properties")
    }
    return Nature(
        {row["id"]: _read_entity(row) for row in knowledge.rows("nature/entities")},
        properties,
        {
            (row["property"], row["value"]): {"zh": row["zh"], "en": row["en"]}
            for row in knowledge.rows("nature/values")
        },
        {
            row["id"]: {name: read_cell(row[name]) for name in properties}
            for row in knowledge.rows("nature/cells")
        },
        tuple(
            PropertyRule(row["id"], (row["if_property"], row["if_value"]), (row["property"], row["value"]))
            for row in knowledge.rows("nature/rules")
        ),
    )


def _read_entity(row: Mapping[str, str]) -> Entity:
    single = row["en"] if row["article"] == "none" else f"{row['article']} {row['en']}"
    return Entity(
        row["id"],
        row["kind"],
        {"zh": row["zh"], "en": row["en"]},
        {"zh": row["zh"], "en": single},
        {"zh": row["zh"], "en": row["plural"]},
    )


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
    """The meanings of the templates whose property is in the tables, and of `holds`."""
    meanings = {HOLDS: Meaning(HOLDS)}
    for name, keys in sentences.items():
        if keys.get("property") in nature.properties:
            meanings[name] = Meaning(
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
    return meanings


def notes_in(sentences: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, str]]:
    """The conventions that introductions may print, by name."""
    prefix = "note_"
    return {name.removeprefix(prefix): keys for name, keys in sentences.items() if name.startswith(prefix)}


def constrain(
    meaning: Meaning, arguments: Sequence[Argument], entities: Sequence[Argument], cells: Sequence[Cell]
) -> Constraint:
    """Which things (places in `entities`) the sentence allows at its slots.

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
    """The things that a sentence allows at its slots, whichever these are.

    `rest` are its arguments without slots; the template fits the cells.
    """
    if meaning.about is None:
        return frozenset({(entities.index(rest[0]),)})
    if meaning.relation is None:
        value = meaning.value if meaning.value is not None else rest[0]
        return frozenset(
            [(index,) for index in range(SIZE) if (cells[index] == value) is not meaning.negated]
        )
    sure = [str(cell) for cell in cells]
    if meaning.with_entity:
        other = entities.index(rest[0])
        things = (x for x in range(SIZE) if x != other and meaning.compares(sure[x], sure[other]))
        return frozenset((x,) for x in things)
    k = int(rest[0]) if rest else 0
    return frozenset((x, y) for x, y in permutations(range(SIZE), 2) if meaning.compares(sure[x], sure[y], k))


# Difficulty of a nature question (Appendix D): level = 0.4 kl + 0.3 cl + 0.5 nm, and the cuts of classes.
#
# - `kl`: the sum of the difficulties (column `difficulty` of `nature/properties`) of the distinct properties
#   that statements, question and options use.
# - `cl`: the fewest statements that decide the hardest option.
# - `nm`: 1 where a place (enclosure, field, photo) that the question is about is named by no statement,
#   else 0. All four things are listed in the introduction, so the paper's "entity not mentioned" can only
#   be a place: in its Table 2 nothing is said of enclosure No.1, which is asked for. Of a question that
#   asks for a place the right options count; of statements to choose from, every place that they name.

# One step for four options, two, more: four things need no more than four statements, nearly always.
CUTS = Cuts(easy=3, medium=4)


def rate(kl: float, cl: float, nm: float) -> float:
    """The level of the paper's formula."""
    return round(0.4 * kl + 0.3 * cl + 0.5 * nm, 9)


# All that may be said of four things by one property, true or false, each with its mask of arrangements.
#
# The hidden arrangement has the first thing at slot 1, the second at slot 2, ...: the first of the frame, so
# that a proposition is true where the lowest bit of its mask is set. What may be said depends on the four
# cells alone, and is kept for the next four things with the same cells.

FRAME = frame(SIZE, SIZE)
HIDDEN = 1
REMEMBERED = 20_000
_ONES = [(slot,) for slot in SLOTS]
_PAIRS = list(combinations(SLOTS, 2))
_ORDERED_PAIRS = list(permutations(SLOTS, 2))

Cells = tuple[str, ...]


class NatureFact(NamedTuple):
    """A proposition about slots, what it says by which property, and its mask."""

    proposition: Proposition
    about: str
    mask: int

    @property
    def is_true(self) -> bool:
        """Whether the hidden arrangement keeps it."""
        return bool(self.mask & HIDDEN)


class NatureFacts(NamedTuple):
    """True and false facts, by template."""

    true: tuple[tuple[NatureFact, ...], ...]
    false: tuple[tuple[NatureFact, ...], ...]


# A sentence with a gap, and the masks of the four choices.
Gap = tuple[Proposition, tuple[int, ...]]


class FactMaker:
    """Makes the facts of a property, and sentences with a gap, from four cells."""

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        self.by_property: dict[str, list[Meaning]] = {}
        for meaning in meanings.values():
            if meaning.about is not None:
                self.by_property.setdefault(meaning.about, []).append(meaning)
        self.facts = lru_cache(maxsize=REMEMBERED)(self._make_facts)
        self.gaps = lru_cache(maxsize=REMEMBERED)(self._make_gaps)

    def _make_facts(self, name: str, cells: Cells) -> NatureFacts:
        true, false = [], []
        for meaning in self.by_property.get(name, ()):
            if not meaning.with_entity and meaning.fits(cells):
                facts = tuple(_facts(meaning, name, cells))
                true.append(tuple(fact for fact in facts if fact.is_true))
                false.append(tuple(fact for fact in facts if not fact.is_true))
        return NatureFacts(tuple(filter(None, true)), tuple(filter(None, false)))

    def _make_gaps(self, name: str, cells: Cells) -> dict[tuple[bool, int], list[list[Gap]]]:
        """Gaps by whether a place is asked for and number of right choices, a list per template."""
        by_kind: dict[tuple[bool, int], list[list[Gap]]] = {}
        for meaning in self.by_property.get(name, ()):
            by_right: dict[int, list[Gap]] = {}
            for gap in _gaps(meaning, cells) if meaning.fits(cells) else ():
                by_right.setdefault(sum(mask & HIDDEN for mask in gap[1]), []).append(gap)
            for right, same in by_right.items():
                by_kind.setdefault((meaning.relation is None, right), []).append(same)
        return by_kind


def _gaps(meaning: Meaning, cells: Cells) -> Iterator[Gap]:
    """Sentences such as "the animal in enclosure No.____ has a shell", or "... has more legs than ____"."""
    if meaning.relation is None:
        for rest in values_to_say(meaning, cells):
            allowed = allow(meaning, rest, (), cells)
            masks = (mask_of((slot,), allowed) for slot in SLOTS)
            yield Proposition(meaning.template, (GAP, *rest)), tuple(masks)
    elif meaning.with_entity:
        things = [allow(meaning, (thing,), range(SIZE), cells) for thing in range(SIZE)]
        for slot in SLOTS:
            yield (
                Proposition(meaning.template, (slot, GAP)),
                tuple(mask_of((slot,), fitting) for fitting in things),
            )


def values_to_say(meaning: Meaning, cells: Cells) -> list[tuple[str, ...]]:
    """The value arguments with which a property's template says something of these things."""
    if meaning.value is not None:
        return [()]
    return [(value,) for value in meaning.values if value in cells]


def _facts(meaning: Meaning, name: str, cells: Cells) -> Iterator[NatureFact]:
    """What the template says; not what is true, or false, in every arrangement."""
    if meaning.relation is None:
        slots: Sequence[tuple[int, ...]] = _ONES
    else:
        slots = _PAIRS if meaning.relation in SYMMETRIC else _ORDERED_PAIRS
    for rest in numbers_to_say(meaning, cells) if meaning.relation else values_to_say(meaning, cells):
        allowed = allow(meaning, rest, (), cells)
        for places in slots:
            mask = mask_of(places, allowed)
            if 0 < mask < FRAME.full:
                yield NatureFact(Proposition(meaning.template, (*places, *rest)), name, mask)


def numbers_to_say(meaning: Meaning, cells: Cells) -> list[tuple[int, ...]]:
    """The number arguments with which a comparison is true of some pair, as far as it counts."""
    if meaning.relation not in COUNTS:
        return [()]
    count = COUNTS[meaning.relation]
    numbers = [int(cell) for cell in cells]
    return [(k,) for k in sorted({count(x, y) for x, y in permutations(numbers, 2)}) if k > 0]


@lru_cache(maxsize=REMEMBERED)
def mask_of(slots: tuple[int, ...], allowed: frozenset[tuple[int, ...]]) -> int:
    """The mask of what allows these things (places in the list of four) at these slots."""
    return FRAME.mask(Constraint(tuple(slot - 1 for slot in slots), allowed))


# The rules of nature: what follows of a thing from its class or use, and the orders of
# reflected light and of waters by how fast a stone sinks in them.
#
# Facts are chained forward to their closure (`perennial.tasks.knowlogic.closure`), so that each knows the
# rules below it.

# A property and its value, of one thing; or two colors, the first of the longer wavelength.
RuleFact = tuple[str, str]
TRANSITIVE = "longer_wavelength_transitive"
STONE = "stone_sinks_faster_in_fresh_water"


def close_cells(nature: Nature, entity: str) -> Closure[RuleFact]:
    """What is known of a thing; cells that a rule makes of other cells are not among the givens."""
    cells = {name: cell for name, cell in nature.cells[entity].items() if cell is not None}
    held = set(cells.items())
    made = {rule.conclusion for rule in nature.rules if rule.premise in held}
    return close_facts(nature.rules, (fact for fact in cells.items() if fact not in made))


def close_facts(rules: Iterable[PropertyRule], premises: Iterable[RuleFact]) -> Closure[RuleFact]:
    """What the rules make of given facts about one thing."""
    by_premise: dict[RuleFact, list[PropertyRule]] = {}
    for rule in rules:
        by_premise.setdefault(rule.premise, []).append(rule)

    def chain(
        facts: dict[RuleFact, Inference[RuleFact]], new: list[RuleFact]
    ) -> Iterable[tuple[RuleFact, Inference[RuleFact]]]:
        for fact in new:
            for rule in by_premise.get(fact, ()):
                yield rule.conclusion, Inference(rule.id, (fact,))

    return close(premises, chain)


def close_spectrum() -> Closure[RuleFact]:
    """All pairs of colors, longer wavelength first, from neighbors in the spectrum."""

    def chain(
        facts: dict[RuleFact, Inference[RuleFact]], new: list[RuleFact]
    ) -> Iterable[tuple[RuleFact, Inference[RuleFact]]]:
        for longer, middle in new:
            for first, second in list(facts):
                if first == middle:
                    yield (longer, second), Inference(TRANSITIVE, ((longer, middle), (first, second)))

    return close(pairwise(SPECTRUM), chain)


def rules_of_order(order: tuple[str, ...], values: Iterable[str]) -> set[str]:
    """The names of the rules that order these values: colors by wavelength, waters by a stone."""
    ordered = sorted(set(values), key=order.index)
    if order == WATERS:
        return {STONE} if len(ordered) > 1 else set()
    closure = close_spectrum()
    rules: set[str] = set()
    for fact in pairwise(ordered):
        rules |= {step.rule for step in closure.proof(fact).values()}
        rules |= {f"{longer}_longer_than_{shorter}" for longer, shorter in closure.grounds(fact)}
    return rules

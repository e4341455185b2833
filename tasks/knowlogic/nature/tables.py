"""The tables of nature as values: entities, properties, and the cells that a question may use.

A cell is a value that surely applies, `NOT_APPLY` (no value of the property applies, surely), or None: unsure
or multi-valued, so that a question may neither state nor deny it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.schemas.knowlogic.things import Language

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
class Rule:
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
    rules: tuple[Rule, ...]

    @cached_property
    def surely(self) -> Mapping[str, frozenset[str]]:
        """The entities whose cell a question may use, by property."""
        return {
            name: frozenset(entity for entity in self.entities if self.cells[entity][name] is not None)
            for name in self.properties
        }


def read_cell(text: str) -> Cell:
    """Return what a question may use of a cell's text."""
    return None if text == UNSURE or SEVERAL in text else text


def read_nature(knowledge: Knowledge) -> Nature:
    """Return the tables `nature/...` of the knowledge base; raise KeyError where one is missing."""
    properties = {
        row["id"]: Property(
            row["id"],
            tuple(row["values"].split("|")),
            tuple(row["kinds"].split("|")),
            int(row["difficulty"]),
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
            Rule(row["id"], (row["if_property"], row["if_value"]), (row["property"], row["value"]))
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

"""Rules over the tables of nature: cells, their listed values, kinds, and the rules between properties."""

from perennial.schemas.knowlogic.knowledge import Knowledge
from perennial.warehouse.knowlogic.validation.finding import Found, rows_of, split_cell

_CELLS, _ENTITIES, _PROPERTIES = "nature/cells", "nature/entities", "nature/properties"
_VALUES, _RULES = "nature/values", "nature/rules"
NOT_APPLICABLE, UNSURE = "-", "?"


def find_unlisted_values(knowledge: Knowledge) -> Found:
    """Find cells with a value that their property does not list, and listed values without names."""
    listed = {row["id"]: split_cell(row["values"], "|") for row in rows_of(knowledge, _PROPERTIES)}
    for row in rows_of(knowledge, _CELLS):
        for property_, values in listed.items():
            for value in _list_values(row.get(property_, "")):
                if value not in values:
                    yield _CELLS, row["id"], f"{property_} {value!r} is none of {', '.join(values)}"
            if not row.get(property_):
                yield _CELLS, row["id"], f"{property_} is empty, expected a value, - or ?"
    named = {(row["property"], row["value"]) for row in rows_of(knowledge, _VALUES)}
    for property_, values in listed.items():
        for value in values:
            if (property_, value) not in named:
                yield _PROPERTIES, property_, f"value {value!r} has no row in {_VALUES}"


def find_wrong_kinds(knowledge: Knowledge) -> Found:
    """Find values of properties that the entity's kind does not have."""
    kinds = {row["id"]: split_cell(row["kinds"], "|") for row in rows_of(knowledge, _PROPERTIES)}
    known = {kind for of in kinds.values() for kind in of}
    entities = {row["id"]: row["kind"] for row in rows_of(knowledge, _ENTITIES)}
    for id_, kind in entities.items():
        if kind not in known:
            yield _ENTITIES, id_, f"kind {kind!r} has no property; known: {', '.join(sorted(known))}"
    for row in rows_of(knowledge, _CELLS):
        for property_, allowed in kinds.items():
            if _list_values(row.get(property_, "")) and entities.get(row["id"]) not in allowed:
                yield (
                    _CELLS,
                    row["id"],
                    f"{property_} is of {', '.join(allowed)}, not of {entities.get(row['id'])}",
                )


def find_missing_rows(knowledge: Knowledge) -> Found:
    """Find entities without cells and cells without an entity."""
    entities = {row["id"] for row in rows_of(knowledge, _ENTITIES)}
    cells = {row["id"] for row in rows_of(knowledge, _CELLS)}
    for id_ in sorted(entities - cells):
        yield _ENTITIES, id_, f"it has no row in {_CELLS}"
    for id_ in sorted(cells - entities):
        yield _CELLS, id_, f"it has no row in {_ENTITIES}"


def find_broken_rules(knowledge: Knowledge) -> Found:
    """Find cells that a rule between properties contradicts; an unsure cell contradicts nothing."""
    for rule in rows_of(knowledge, _RULES):
        for row in rows_of(knowledge, _CELLS):
            if row.get(rule["if_property"]) != rule["if_value"]:
                continue
            cell = row.get(rule["property"], UNSURE)
            if UNSURE not in split_cell(cell) and rule["value"] not in split_cell(cell):
                yield (
                    _CELLS,
                    row["id"],
                    f"{rule['property']} {cell!r}, and rule {rule['id']} says {rule['value']!r}",
                )


def find_unknown_properties(knowledge: Knowledge) -> Found:
    """Find rules that name a property or a value that no table has."""
    listed = {row["id"]: split_cell(row["values"], "|") for row in rows_of(knowledge, _PROPERTIES)}
    for rule in rows_of(knowledge, _RULES):
        for property_, value in ((rule["if_property"], rule["if_value"]), (rule["property"], rule["value"])):
            if value not in listed.get(property_, ()):
                yield _RULES, rule["id"], f"{property_} {value!r} is not a listed value of a property"


def _list_values(cell: str) -> list[str]:
    return [] if cell in (NOT_APPLICABLE, UNSURE) else split_cell(cell)

"""Rules over the relations between people: inverses, implications, and pairs that exclude each other."""

from perennial.schemas.knowlogic.knowledge import Knowledge, Row
from perennial.warehouse.knowlogic.validation.finding import Found, key_of, rows_of, split_cell

_RELATIONS, _EXCLUSIVE = "social/relations", "social/exclusive"
_REFERENCES = ("inverse_m", "inverse_f", "as_m", "as_f", "implies", "near")


def find_unknown_relations(knowledge: Knowledge) -> Found:
    """Find relations that a row names and no row has."""
    known = {row["id"] for row in rows_of(knowledge, _RELATIONS)}
    for row in rows_of(knowledge, _RELATIONS):
        for column in _REFERENCES:
            for name in split_cell(row.get(column, "")):
                if name not in known:
                    yield _RELATIONS, row["id"], f"{column} {name!r} is not a relation"
    for row in rows_of(knowledge, _EXCLUSIVE):
        for column in ("first", "second"):
            if row[column] not in known:
                yield _EXCLUSIVE, key_of(row), f"{column} {row[column]!r} is not a relation"


def find_contradictions(knowledge: Knowledge) -> Found:
    """Find inverses whose inverse is another relation, cycles, and exclusive relations that imply each other.

    `inverse_m` is what a man is to the holder, `inverse_f` what a woman is.
    """
    relations = {row["id"]: row for row in rows_of(knowledge, _RELATIONS)}
    for row in relations.values():
        yield from _inverse_faults(row, relations)
        if row["id"] in _find_implied(row["id"], relations):
            yield _RELATIONS, row["id"], "it implies itself through others"
    for row in rows_of(knowledge, _EXCLUSIVE):
        for first, second in ((row["first"], row["second"]), (row["second"], row["first"])):
            if second in _find_implied(first, relations):
                yield _EXCLUSIVE, key_of(row), f"{first} implies {second}, and excludes it"


def _inverse_faults(row: Row, relations: dict[str, Row]) -> Found:
    for sex in "mf":
        inverse = relations.get(row[f"inverse_{sex}"])
        if inverse is None:
            continue
        if inverse["holder_sex"] not in ("", sex):
            yield _RELATIONS, row["id"], f"inverse_{sex} {inverse['id']} is of the other sex"
        for own in row["holder_sex"] or "mf":
            if (back := inverse[f"inverse_{own}"]) != row["id"]:
                yield _RELATIONS, row["id"], f"the inverse of its inverse {inverse['id']} is {back}"


def _find_implied(name: str, relations: dict[str, Row]) -> set[str]:
    """Return all that a relation implies, through others too."""
    found: set[str] = set()
    pending = [name]
    while pending:
        row = relations.get(pending.pop(), {})
        for implied in split_cell(row.get("implies", "")):
            if implied not in found:
                found.add(implied)
                pending.append(implied)
    return found

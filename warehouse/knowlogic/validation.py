"""Named rules over the tables of the knowledge base."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from perennial.schemas.errors import Damaged
from perennial.schemas.knowlogic.things import Knowledge, Row

# What a rule finds: a row of a table, and what is wrong with it.


class KnowledgeFinding(NamedTuple):
    """A row that breaks a rule: the table, the row's id (or number), and what is wrong with it."""

    rule: str
    table: str
    row: str
    message: str


# What a rule yields: table, row and message.
Found = Iterator[tuple[str, str, str]]


def key_of(row: Row) -> str:
    """How a finding names a row: its id, or its first cell."""
    return row.get("id") or next(iter(row.values()))


def rows_of(knowledge: Knowledge, table: str) -> tuple[Row, ...]:
    """The rows of a table, none where there is no such table."""
    return knowledge.tables.get(table, ())


# A rule over all tables.
Check = Callable[[Knowledge], Found]


def check_rows(find: Callable[[Row], Iterable[str]], *tables: str) -> Check:
    """The rule that finds what is wrong with each row of these tables, of all where none is named."""

    def check(knowledge: Knowledge) -> Found:
        for table in tables or knowledge.tables:
            for row in rows_of(knowledge, table):
                yield from ((table, key_of(row), message) for message in find(row))

    return check


def split_cell(cell: str, separator: str = ";") -> list[str]:
    """The parts of a cell that lists several."""
    return [part for part in cell.split(separator) if part]


# Rules over names, in any table that has columns of them: unique, in both languages, of one sense.

_LANGUAGES = ("zh", "en")
# Columns beside `en` that hold other forms of the English name.
_FORMS = {"zh": ("zh",), "en": ("en", "plural", "en_plural"), "pinyin": ("pinyin",)}
# Tables whose names may stand in one text.
_TOGETHER = (
    ("nature/entities", "nature/values"),
    ("names/people", "nature/entities"),
    ("names/people", "social/relations"),
    ("names/people", "kinship/terms"),
    ("names/people", "space/items"),
)
# Tables of what questions are about: their names alone must say what is meant.
_ENTITIES = ("kinship/terms", "names/people", "nature/entities", "social/relations", "space/items")
_LISTED = ("names/people", "nature/entities", "space/items")
_JOINERS = {"zh": ("和", "、"), "en": (" and ", ",")}
_FOREIGN = {"zh": re.compile("[a-zà-ɏ]"), "en": re.compile("[　-〿㐀-䶿一-鿿＀-￯]")}


def find_duplicates(column: str) -> Check:
    """The rule that no two rows of a table have the same name in a column (or another form of it)."""

    def find(knowledge: Knowledge) -> Found:
        for table, rows in knowledge.tables.items():
            seen: dict[tuple[str, str], str] = {}
            for row in rows:
                names = {row.get(form, "").casefold() for form in _FORMS[column]} - {""}
                for name in sorted(names):
                    # Values of different properties may be called the same: "yes".
                    first = seen.setdefault((row.get("property", ""), name), key_of(row))
                    if first != key_of(row):
                        yield table, key_of(row), f"{column} {name!r} is the name of {first} too"

    return find


def find_duplicate_ids(knowledge: Knowledge) -> Found:
    """Find ids that two rows of a table have; a review names the row that it changed, so it may repeat."""
    for table, rows in knowledge.tables.items():
        if table.endswith("/review"):
            continue
        seen: set[str] = set()
        for row in rows:
            if row.get("id") and row["id"] in seen:
                yield table, row["id"], "the id stands twice"
            seen.add(row.get("id", ""))


def find_empty(*columns: str) -> Check:
    """The rule that cells of these columns are filled, where their table has the column."""
    return check_rows(
        lambda row: (
            f"column {column} is empty"
            for column in columns
            if column in row and not (row[column] or "").strip()
        )
    )


def find_wrong_scripts(row: Row) -> Iterator[str]:
    """Find Latin letters in Chinese names, and Chinese characters in English ones."""
    for language in _LANGUAGES:
        if match := _FOREIGN[language].search(row.get(language) or ""):
            yield f"{language} {row[language]!r} holds {match[0]!r}"


def find_joiners(row: Row) -> Iterator[str]:
    """Find names with a comma or 'and' in them: a list of names could not be read back."""
    for language in _LANGUAGES:
        for joiner in _JOINERS[language]:
            if joiner in (row.get(language) or ""):
                yield f"{language} {row[language]!r} holds {joiner.strip()!r}"


def find_ambiguous_names(knowledge: Knowledge) -> Found:
    """Find names that a row of another table of the same texts has, or that `names/ambiguous` lists."""
    for first, second in _TOGETHER:
        for language in _LANGUAGES:
            others = _ids_by_name(knowledge, second, language)
            for row in rows_of(knowledge, first):
                for other in others[row[language].casefold()]:
                    # What is made of apples is made of what the entity is: one sense.
                    if other.rpartition("/")[2] != row["id"]:
                        yield first, key_of(row), f"{language} {row[language]!r} is {other} in {second} too"
    for listed in rows_of(knowledge, "names/ambiguous"):
        for table in _ENTITIES:
            for id_ in _ids_by_name(knowledge, table, listed["language"])[listed["name"].casefold()]:
                yield table, id_, f"{listed['language']} {listed['name']!r} may be {listed['senses']}"


def _ids_by_name(knowledge: Knowledge, table: str, language: str) -> defaultdict[str, list[str]]:
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows_of(knowledge, table):
        id_ = row.get("id") or "/".join(list(row.values())[:2])
        ids[row[language].casefold().removeprefix("the ")].append(id_)
    return ids


# Rules over the tables of nature: cells, their listed values, kinds, and the rules between properties.

_CELLS, _ENTITIES_NATURE, _PROPERTIES = "nature/cells", "nature/entities", "nature/properties"
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
    valid = {kind for group in kinds.values() for kind in group}
    entities = {row["id"]: row["kind"] for row in rows_of(knowledge, _ENTITIES_NATURE)}
    for id_, kind in entities.items():
        if kind not in valid:
            yield _ENTITIES_NATURE, id_, f"kind {kind!r} has no property; known: {', '.join(sorted(valid))}"
    for row in rows_of(knowledge, _CELLS):
        for property_, allowed in kinds.items():
            if _list_values(row.get(property_, "")) and entities.get(row["id"]) not in allowed:
                message = f"{property_} is of {', '.join(allowed)}, not of {entities.get(row['id'])}"
                yield _CELLS, row["id"], message


def find_missing_rows(knowledge: Knowledge) -> Found:
    """Find entities without cells and cells without an entity."""
    entities = {row["id"] for row in rows_of(knowledge, _ENTITIES_NATURE)}
    cells = {row["id"] for row in rows_of(knowledge, _CELLS)}
    for id_ in sorted(entities - cells):
        yield _ENTITIES_NATURE, id_, f"it has no row in {_CELLS}"
    for id_ in sorted(cells - entities):
        yield _CELLS, id_, f"it has no row in {_ENTITIES_NATURE}"


def find_broken_rules(knowledge: Knowledge) -> Found:
    """Find cells that a rule between properties contradicts; an unsure cell contradicts nothing."""
    for rule in rows_of(knowledge, _RULES):
        for row in rows_of(knowledge, _CELLS):
            cell = row.get(rule["property"], UNSURE)
            is_meant = row.get(rule["if_property"]) == rule["if_value"]
            if is_meant and not {UNSURE, rule["value"]} & set(split_cell(cell)):
                message = f"{rule['property']} {cell!r}, and rule {rule['id']} says {rule['value']!r}"
                yield _CELLS, row["id"], message


def find_unknown_properties(knowledge: Knowledge) -> Found:
    """Find rules that name a property or a value that no table has."""
    listed = {row["id"]: split_cell(row["values"], "|") for row in rows_of(knowledge, _PROPERTIES)}
    for rule in rows_of(knowledge, _RULES):
        for property_, value in ((rule["if_property"], rule["if_value"]), (rule["property"], rule["value"])):
            if value not in listed.get(property_, ()):
                yield _RULES, rule["id"], f"{property_} {value!r} is not a listed value of a property"


def _list_values(cell: str) -> list[str]:
    return [] if cell in (NOT_APPLICABLE, UNSURE) else split_cell(cell)


# Rules over the people of all domains.

_PEOPLE = "names/people"


def find_unlisted_sexes(row: Row) -> Iterator[str]:
    """Find people whose sex is neither m nor f."""
    if row["sex"] not in ("m", "f"):
        yield f"sex {row['sex']!r} is none of m, f"


def find_wrong_names(row: Row) -> Iterator[str]:
    """Find Chinese names that are not surname and given name."""
    if row["zh"] != row["surname"] + row["given"]:
        yield f"zh {row['zh']!r} is not {row['surname']!r} and {row['given']!r}"


# Rules over the relations between people: inverses, implications, and pairs that exclude each other.

_RELATIONS, _EXCLUSIVE = "social/relations", "social/exclusive"
_REFERENCES = ("inverse_m", "inverse_f", "as_m", "as_f", "implies", "near")


def find_unknown_relations(knowledge: Knowledge) -> Found:
    """Find relations that a row names and no row has."""
    relation_ids = {row["id"] for row in rows_of(knowledge, _RELATIONS)}
    for row in rows_of(knowledge, _RELATIONS):
        for column in _REFERENCES:
            for name in split_cell(row.get(column, "")):
                if name not in relation_ids:
                    yield _RELATIONS, row["id"], f"{column} {name!r} is not a relation"
    for row in rows_of(knowledge, _EXCLUSIVE):
        for column in ("first", "second"):
            if row[column] not in relation_ids:
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
        for letter in row["holder_sex"] or "mf":
            if (back := inverse[f"inverse_{letter}"]) != row["id"]:
                yield _RELATIONS, row["id"], f"the inverse of its inverse {inverse['id']} is {back}"


def _find_implied(name: str, relations: dict[str, Row]) -> set[str]:
    """All that a relation implies, through others too."""
    implied_names: set[str] = set()
    pending = [name]
    while pending:
        row = relations.get(pending.pop(), {})
        for implied in split_cell(row.get("implies", "")):
            if implied not in implied_names:
                implied_names.add(implied)
                pending.append(implied)
    return implied_names


# Rules over events with a year.


def find_two_years(knowledge: Knowledge) -> Found:
    """Find events, the same by name in a language, that have one year here and another one there."""
    years: dict[tuple[str, str], str] = {}
    for table, rows in knowledge.tables.items():
        for row in (row for row in rows if row.get("year")):
            for language in filter(row.get, _LANGUAGES):
                first = years.setdefault((language, row[language].casefold()), row["year"])
                if first != row["year"]:
                    yield table, key_of(row), f"{language} {row[language]!r} is of {row['year']} and {first}"


# All rules by name: what each finds, in every table of the knowledge base that it concerns.


def _all(*checks: Check) -> Check:
    return lambda knowledge: (finding for check in checks for finding in check(knowledge))


RULES: dict[str, Check] = {
    "duplicate_id": find_duplicate_ids,
    "duplicate_name_zh": find_duplicates("zh"),
    "duplicate_name_en": find_duplicates("en"),
    "duplicate_name_pinyin": find_duplicates("pinyin"),
    "missing_translation": find_empty(*_LANGUAGES, "pinyin"),
    "missing_source": find_empty("source"),
    "missing_row": find_missing_rows,
    "wrong_script": check_rows(find_wrong_scripts),
    "name_with_joiner": check_rows(find_joiners, *_LISTED),
    "ambiguous_name": find_ambiguous_names,
    "value_not_listed": _all(find_unlisted_values, check_rows(find_unlisted_sexes, _PEOPLE)),
    "kind_not_allowed": find_wrong_kinds,
    "unknown_reference": _all(find_unknown_properties, find_unknown_relations),
    "contradiction": _all(
        find_broken_rules, find_contradictions, check_rows(find_wrong_names, _PEOPLE), find_two_years
    ),
}


def validate_knowledge(knowledge: Knowledge, rules: Iterable[str] = tuple(RULES)) -> list[KnowledgeFinding]:
    """What breaks the rules of these names, in order; raise Damaged where a table lacks a column."""
    checks = [(name, RULES[name]) for name in rules]
    try:
        return [KnowledgeFinding(name, *finding) for name, check in checks for finding in check(knowledge)]
    except KeyError as error:
        raise Damaged(f"a table of the knowledge base lacks column {error}: put it back") from None

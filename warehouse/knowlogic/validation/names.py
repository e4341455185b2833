"""Rules over names, in any table that has columns of them: unique, in both languages, of one sense."""

import re
from collections import defaultdict
from collections.abc import Callable

from perennial.schemas.knowlogic.knowledge import Knowledge, Row
from perennial.warehouse.knowlogic.validation.finding import Found, key_of, rows_of

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


def find_duplicates(column: str) -> Callable[[Knowledge], Found]:
    """Return the rule that no two rows of a table have the same name in a column (or another form of it)."""

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


def find_missing_translations(knowledge: Knowledge) -> Found:
    """Find rows that have no name in one of the languages, or no pinyin, where their table has the column."""
    for table, rows in knowledge.tables.items():
        for row in rows:
            for column in (*_LANGUAGES, "pinyin"):
                if column in row and not (row[column] or "").strip():
                    yield table, key_of(row), f"column {column} is empty"


def find_missing_sources(knowledge: Knowledge) -> Found:
    """Find rows without a source, where their table has a column for it."""
    for table, rows in knowledge.tables.items():
        for row in rows:
            if "source" in row and not (row["source"] or "").strip():
                yield table, key_of(row), "column source is empty"


def find_wrong_scripts(knowledge: Knowledge) -> Found:
    """Find Latin letters in Chinese names, and Chinese characters in English ones."""
    for table, rows in knowledge.tables.items():
        for row in rows:
            for language in _LANGUAGES:
                if found := _FOREIGN[language].search(row.get(language) or ""):
                    yield table, key_of(row), f"{language} {row[language]!r} holds {found[0]!r}"


def find_joiners(knowledge: Knowledge) -> Found:
    """Find names with a comma or 'and' in them: a list of names could not be read back."""
    for table in _LISTED:
        for row in rows_of(knowledge, table):
            for language in _LANGUAGES:
                for joiner in _JOINERS[language]:
                    if joiner in (row.get(language) or ""):
                        yield table, key_of(row), f"{language} {row[language]!r} holds {joiner.strip()!r}"


def find_ambiguous_names(knowledge: Knowledge) -> Found:
    """Find names that a row of another table of the same texts has, or that `names/ambiguous` lists."""
    for first, second in _TOGETHER:
        for language in _LANGUAGES:
            others = _ids_by_name(rows_of(knowledge, second), language)
            for row in rows_of(knowledge, first):
                for other in others.get(row[language].casefold(), ()):
                    # What is made of apples is made of what the entity is: one sense.
                    if other.rpartition("/")[2] == row["id"]:
                        continue
                    yield first, key_of(row), f"{language} {row[language]!r} is {other} in {second} too"
    for listed in rows_of(knowledge, "names/ambiguous"):
        for table in _ENTITIES:
            for id_ in _ids_by_name(rows_of(knowledge, table), listed["language"]).get(
                listed["name"].casefold(), ()
            ):
                yield table, id_, f"{listed['language']} {listed['name']!r} may be {listed['senses']}"


def _ids_by_name(rows: tuple[Row, ...], language: str) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        found[row[language].casefold().removeprefix("the ")].append(
            row.get("id") or "/".join(list(row.values())[:2])
        )
    return found

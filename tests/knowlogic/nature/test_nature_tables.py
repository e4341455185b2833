"""The knowledge tables of the domain nature fit together."""

import csv
from importlib.resources import files

FOLDER = files("perennial.warehouse.knowlogic") / "nature"
KINDS = ["animal", "plant", "artefact"]


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of one table."""
    text = (FOLDER / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


PROPERTIES = {row["id"]: row for row in read_table("properties")}
ENTITIES = {row["id"]: row for row in read_table("entities")}
CELLS = {row["id"]: row for row in read_table("cells")}


def test_values_are_named_once_in_each_language() -> None:
    rows = read_table("values")
    listed = [(name, value) for name, row in PROPERTIES.items() for value in row["values"].split("|")]
    assert [(row["property"], row["value"]) for row in rows] == listed
    for language in ("zh", "en"):
        assert len({(row["property"], row[language]) for row in rows}) == len(rows)


def test_articles_fit_the_names() -> None:
    for entity, row in ENTITIES.items():
        if row["article"] == "none":
            assert row["plural"] == row["en"], entity
        else:
            spoken_as_consonant = row["en"].startswith(("uku", "uni"))
            spoken_as_vowel = row["en"].startswith(("hour", "heir", "honest"))
            begins_with_vowel = row["en"][0].lower() in "aeiou" and not spoken_as_consonant
            assert row["article"] == ("an" if begins_with_vowel or spoken_as_vowel else "a"), entity


def test_rows_are_sorted_by_id_within_their_kind() -> None:
    keys = [(KINDS.index(row["kind"]), entity) for entity, row in ENTITIES.items()]
    assert keys == sorted(keys)

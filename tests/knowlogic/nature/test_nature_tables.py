"""The knowledge tables of the domain nature fit together."""

import csv
from importlib.resources import files

import pytest

FOLDER = files("perennial.warehouse.knowlogic") / "nature"
UNDECIDED = {"-", "?"}
KINDS = ["animal", "plant", "artefact"]


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of one table."""
    text = (FOLDER / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


PROPERTIES = {row["id"]: row for row in read_table("properties")}
ENTITIES = {row["id"]: row for row in read_table("entities")}
CELLS = {row["id"]: row for row in read_table("cells")}


def test_every_entity_has_a_cell_of_every_property() -> None:
    assert list(CELLS) == list(ENTITIES)
    for cells in CELLS.values():
        assert set(cells) == {"id", *PROPERTIES, "source"}
        assert all(cells.values()), cells["id"]


def test_cells_hold_listed_values_of_properties_that_fit_the_kind() -> None:
    for entity, cells in CELLS.items():
        for name, row in PROPERTIES.items():
            values = cells[name].split(";")
            if len(values) == 1 and values[0] in UNDECIDED:
                continue
            assert set(values) <= set(row["values"].split("|")), (entity, name)
            assert ENTITIES[entity]["kind"] in row["kinds"].split("|"), (entity, name)


def test_values_are_named_once_in_each_language() -> None:
    rows = read_table("values")
    listed = [(name, value) for name, row in PROPERTIES.items() for value in row["values"].split("|")]
    assert [(row["property"], row["value"]) for row in rows] == listed
    for language in ("zh", "en"):
        assert len({(row["property"], row[language]) for row in rows}) == len(rows)


@pytest.mark.parametrize("column", ["zh", "en", "plural", "pinyin"])
def test_names_are_unique(column: str) -> None:
    names = [row[column].casefold() for row in ENTITIES.values()]
    assert all(names)
    assert len(set(names)) == len(names)


def test_no_name_is_also_the_plural_of_another_entity() -> None:
    singular = {row["en"]: entity for entity, row in ENTITIES.items()}
    for entity, row in ENTITIES.items():
        assert singular.get(row["plural"], entity) == entity


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


def test_class_and_warm_blood_agree() -> None:
    for entity, cells in CELLS.items():
        if ENTITIES[entity]["kind"] != "animal":
            continue
        expected = {"yes"} if cells["class"] in {"mammal", "bird"} else {"no", "?"}
        assert cells["warm_blooded"] in expected, entity

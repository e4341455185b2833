"""The review of the domain nature agrees with the tables it changed."""

import csv
from importlib.resources import files

FOLDER = files("perennial.warehouse.knowlogic") / "nature"
NAME_COLUMNS = ("zh", "pinyin", "en", "article", "plural", "measure")


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of one table."""
    text = (FOLDER / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


ENTITIES = {row["id"]: row for row in read_table("entities")}
CELLS = {row["id"]: row for row in read_table("cells")}
REVIEW = read_table("review")
STRUCK = {row["id"] for row in REVIEW if row["property"] == "entity"}


def test_tables_hold_what_the_review_says() -> None:
    for row in REVIEW:
        entity, name, after = row["id"], row["property"], row["after"]
        if name == "entity":
            assert after == "struck"
            assert entity not in ENTITIES
            assert entity not in CELLS
        elif entity in STRUCK:
            assert name in CELLS["ant"]  # a change before the whole row was struck
        elif name == "name":
            names = [ENTITIES[entity][column] for column in NAME_COLUMNS]
            assert after in names, row
            assert row["before"] not in names, row
        else:
            assert (ENTITIES if name in ENTITIES[entity] else CELLS)[entity][name] == after, row


def test_every_change_is_named_once_and_has_a_reason() -> None:
    keys = [(row["id"], row["property"], row["before"], row["after"]) for row in REVIEW]
    assert len(set(keys)) == len(keys)
    for row in REVIEW:
        assert row["before"] != row["after"], row
        assert row["reader"], row
        assert row["reason"], row

"""The rules over the knowledge base: each finds what is planted, and the installed tables keep all."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from perennial.flows.knowlogic.commands import knowledge as command
from perennial.schemas.errors import Damaged
from perennial.schemas.knowlogic.things import Knowledge
from perennial.warehouse.knowlogic import knowledge as loading
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from perennial.warehouse.knowlogic.validation import RULES, validate_knowledge

Tables = dict[str, list[dict[str, str]]]


def row(names: str, *cells: str) -> dict[str, str]:
    return dict(zip(names.split(), cells, strict=True))


def tables() -> Tables:
    """Return a small knowledge base that keeps every rule."""
    people = "id sex zh surname given pinyin en"
    entities = "id kind zh pinyin en plural"
    properties = "id zh en values kinds"
    relations = "id zh en en_plural holder_sex inverse_m inverse_f as_m as_f implies near source"
    return {
        "names/people": [
            row(people, "m1", "m", "王伟", "王", "伟", "wáng wěi", "James"),
            row(people, "f1", "f", "赵燕", "赵", "燕", "zhào yàn", "Susan"),
        ],
        "names/ambiguous": [row("language name senses", "en", "seal", "an animal or a stamp")],
        "nature/entities": [
            row(entities, "cat", "animal", "猫", "māo", "cat", "cats"),
            row(entities, "ant", "animal", "蚂蚁", "mǎ yǐ", "ant", "ants"),
            row(entities, "apple", "plant", "苹果", "píng guǒ", "apple", "apples"),
        ],
        "nature/properties": [
            row(properties, "class", "类别", "class", "mammal|insect", "animal"),
            row(properties, "legs", "腿数", "legs", "4|6", "animal"),
            row(properties, "color", "颜色", "color", "red|black", "animal|plant"),
        ],
        "nature/values": [
            row("property value zh en", *cells)
            for cells in (
                ("class", "mammal", "哺乳动物", "mammal"),
                ("class", "insect", "昆虫", "insect"),
                ("legs", "4", "四", "four"),
                ("legs", "6", "六", "six"),
                ("color", "red", "红色", "red"),
                ("color", "black", "黑色", "black"),
            )
        ],
        "nature/cells": [
            row("id class legs color source", "cat", "mammal", "4", "?", "a book"),
            row("id class legs color source", "ant", "insect", "?", "red;black", "a book"),
            row("id class legs color source", "apple", "-", "-", "red", "a book"),
        ],
        "nature/rules": [
            row("id if_property if_value property value", "insect_legs", "class", "insect", "legs", "6")
        ],
        "social/relations": [
            row(relations, *cells.split(","))
            for cells in (
                "friend,朋友,friend,friends,,friend,friend,,,,,a book",
                "boss,领导,boss,bosses,,staff,staff,,,,,a book",
                "staff,下属,subordinate,subordinates,,boss,boss,,,,,a book",
                "husband,丈夫,husband,husbands,m,husband,wife,,,,,a book",
                "wife,妻子,wife,wives,f,husband,wife,,,,,a book",
            )
        ],
        "time/anchors": [row("id year zh en", "google", "1998", "谷歌公司成立", "Google was founded")],
        "time/events": [row("id year zh en", "birth", "", "出生", "was born")],
        "social/exclusive": [row("first second reason", "boss", "staff", "one is above the other")],
    }


Plant = Callable[[Tables], Any]


def put(table: str, place: int, **cells: str) -> Plant:
    def plant(made: Tables) -> None:
        assert any(made[table][place].get(column) != cell for column, cell in cells.items())
        made[table][place].update(cells)

    return plant


def drop(table: str, place: int) -> Plant:
    return lambda made: made[table].pop(place)


ENTITIES, CELLS, RELATIONS, PEOPLE = "nature/entities", "nature/cells", "social/relations", "names/people"
PLANTED: list[tuple[str, Plant]] = [
    ("duplicate_id", put(ENTITIES, 1, id="cat")),
    ("duplicate_name_zh", put(ENTITIES, 1, zh="猫")),
    ("duplicate_name_en", put(ENTITIES, 1, en="Cat")),
    ("duplicate_name_en", put(ENTITIES, 1, plural="cat")),
    ("duplicate_name_en", put(RELATIONS, 1, en="friends")),
    ("duplicate_name_pinyin", put(PEOPLE, 1, pinyin="wáng wěi")),
    ("missing_translation", put(ENTITIES, 0, en="")),
    ("missing_translation", put(PEOPLE, 0, zh=" ")),
    ("missing_translation", put(ENTITIES, 0, pinyin="")),
    ("missing_source", put(CELLS, 0, source="")),
    ("missing_row", drop(CELLS, 0)),
    ("missing_row", drop(ENTITIES, 0)),
    ("wrong_script", put(ENTITIES, 0, zh="小cat")),
    ("wrong_script", put(ENTITIES, 0, en="猫")),
    ("name_with_joiner", put(ENTITIES, 0, zh="猫和狗")),
    ("name_with_joiner", put(ENTITIES, 0, en="cat and dog")),
    ("ambiguous_name", put(ENTITIES, 0, en="seal")),
    ("ambiguous_name", put(ENTITIES, 0, en="Susan")),
    ("ambiguous_name", put(ENTITIES, 0, zh="红色")),
    ("ambiguous_name", put(PEOPLE, 0, zh="朋友")),
    ("value_not_listed", put(CELLS, 0, legs="5")),
    ("value_not_listed", put(CELLS, 1, color="red;?")),
    ("value_not_listed", put(CELLS, 0, legs="")),
    ("value_not_listed", drop("nature/values", 0)),
    ("value_not_listed", put(PEOPLE, 0, sex="x")),
    ("kind_not_allowed", put(ENTITIES, 0, kind="stone")),
    ("kind_not_allowed", put(CELLS, 2, legs="4")),
    ("unknown_reference", put("nature/rules", 0, property="wings")),
    ("unknown_reference", put("nature/rules", 0, if_value="bird")),
    ("unknown_reference", put(RELATIONS, 0, near="enemy")),
    ("unknown_reference", put("social/exclusive", 0, first="enemy")),
    ("contradiction", put(CELLS, 1, legs="4")),
    ("contradiction", put(CELLS, 1, legs="-")),
    ("contradiction", put(RELATIONS, 0, inverse_m="boss")),
    ("contradiction", put(RELATIONS, 3, inverse_f="husband")),
    ("contradiction", put(RELATIONS, 0, implies="friend")),
    ("contradiction", put(RELATIONS, 1, implies="staff")),
    ("contradiction", put(PEOPLE, 0, given="强")),
    ("contradiction", put("time/events", 0, year="1999", en="Google was founded")),
]


def base(made: Tables) -> Knowledge:
    return Knowledge({name: tuple(rows) for name, rows in made.items()}, "kb_test")


@pytest.mark.parametrize(("rule", "plant"), PLANTED)
def test_a_planted_fault_is_found_by_its_rule(rule: str, plant: Plant) -> None:
    made = tables()
    plant(made)
    found = validate_knowledge(base(made), [rule])
    assert found
    assert all(finding.rule == rule and finding.table in made for finding in found)


def test_every_rule_has_a_planted_fault_and_a_sound_base_has_none() -> None:
    assert {rule for rule, _ in PLANTED} == set(RULES)
    assert validate_knowledge(base(tables())) == []
    assert validate_knowledge(Knowledge()) == []


@pytest.mark.parametrize("rule", RULES)
def test_the_installed_knowledge_base_keeps_the_rule(rule: str) -> None:
    assert validate_knowledge(load_knowledge(), [rule]) == []


def test_validate_prints_findings_and_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(command, ["validate"])
    assert done.exit_code == 0, done.output
    made = tables()
    put(ENTITIES, 1, zh="猫")(made)
    monkeypatch.setattr(loading, "load_knowledge", lambda: base(made))
    done = CliRunner().invoke(command, ["validate", "--json"])
    assert done.exit_code == 1
    (finding,) = json.loads(done.stdout)
    assert (finding["rule"], finding["table"], finding["row"]) == ("duplicate_name_zh", ENTITIES, "ant")


@pytest.mark.parametrize(
    ("table", "column"), [("nature/rules", "if_value"), (RELATIONS, "inverse_m"), (PEOPLE, "en")]
)
def test_a_table_without_a_column_is_damaged(table: str, column: str) -> None:
    made = tables()
    for cells in made[table]:
        del cells[column]
    with pytest.raises(Damaged, match=f"lacks column '{column}': put it back"):
        validate_knowledge(base(made))


def test_tables_are_listed_and_shown() -> None:
    listed = CliRunner().invoke(command, ["list", "--json"])
    assert {"names/people": 60}.items() <= {
        row["table"]: row["rows"] for row in json.loads(listed.stdout)
    }.items()
    shown = CliRunner().invoke(command, ["show", "m01", "--json"])
    assert json.loads(shown.stdout)["names/people"][0]["en"] == "James"
    whole = CliRunner().invoke(command, ["show", "names/people"])
    assert "60 rows" in whole.output
    assert "James" in whole.output

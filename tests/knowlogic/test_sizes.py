"""The sizes that docs/knowlogic.md states are those of the tables."""

import re
from collections import Counter
from pathlib import Path

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.tasks.knowlogic.nature.meaning import SPECTRUM, read_meanings, read_nature, rules_of_order
from perennial.warehouse.knowlogic.knowledge import load_knowledge

DOCS = Path(__file__).parents[2] / "docs" / "knowlogic.md"


def numbers(beginning: str) -> list[int]:
    """Return the numbers of our column in the row of the docs that begins so."""
    (row,) = (line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith(beginning))
    return [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", row.split("|")[3])]


def test_events_of_time() -> None:
    rows = load_knowledge().rows("time/events")
    kinds = Counter(row["kind"] for row in rows)
    assert numbers("| events of time") == [len(rows), kinds["life"], kinds["week"], kinds["history"]]


def test_relations_of_social() -> None:
    relations = load_knowledge().rows("social/relations")
    general, single = {row["zh"] for row in relations}, sum(row["holders"] == "one" for row in relations)
    terms = [row for row in load_knowledge().rows("kinship/terms") if row["use"] == "yes"]
    kinds = Counter(row["kind"] for row in load_knowledge().rows("social/properties"))
    persons = [sum(kinds.values()), kinds["sex"], kinds["name_mark"], kinds["surname"]]
    both = sum(bool({row["zh"], row["also"]} & general) for row in terms)
    counts = [len(general), len(terms), both, 2, *persons, single]
    assert numbers("| relations and properties of social") == counts
    assert len(general) + len(terms) - both >= 76


def test_entities_of_nature() -> None:
    kinds = Counter(row["kind"] for row in load_knowledge().rows("nature/entities"))
    properties = load_knowledge().rows("nature/properties")
    found = numbers("| entities, properties, relations of nature")
    meanings = read_meanings(load_sentences("nature"), read_nature(load_knowledge())).values()
    relations = {(each.about, each.relation) for each in meanings if each.relation}
    shapes = [row["shape"] for row in load_knowledge().rows("nature/cells") if row["shape"] != "?"]
    assert found[:7] == [
        *(sum(kinds.values()), kinds["animal"], kinds["plant"], kinds["artefact"]),
        *(len(properties), len(relations), len(shapes)),
    ]
    rules = len(load_knowledge().rows("nature/rules"))
    light = len(rules_of_order(SPECTRUM, (SPECTRUM[0], SPECTRUM[-1])))
    assert numbers("| rules of nature")[:3] == [rules + light + 1, rules, light]

"""The paper's own items, rebuilt from their facts, get the verdicts of the specification's list."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from perennial.schemas.knowlogic.things import DomainName, EngineDecision, Proposition
from perennial.tasks.knowlogic.mix import domain as mix
from perennial.tasks.knowlogic.nature import domain as nature
from perennial.tasks.knowlogic.problem import Problem, fill, find_domain, right_letters
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.nature.nature_items import Things, make_knowledge

ITEMS = tomllib.loads(Path(__file__).with_name("paper_items.toml").read_text(encoding="utf-8"))["items"]
BUILDERS = {"nature": nature.build, "mix": mix.build}
VERDICTS = {"yes": True, "no": False, "open": None}


def read_things(item: dict[str, Any]) -> Things:
    """The things of an item of nature: the kind of each, and its cells."""
    split = {name: text.split() for name, text in item.get("things", {}).items()}
    return {name: (kind, dict(cell.split("=") for cell in cells)) for name, (kind, *cells) in split.items()}


def read_problem(item: dict[str, Any]) -> Problem:
    asked, *statements = [
        said and Proposition(said[0], tuple(said[1:])) for said in (item.get("asked"), *item["statements"])
    ]
    return Problem(
        item["scenario"],
        tuple(item.get("entities", item.get("things", {}))),
        (),
        tuple(statements),
        item.get("type", "vague_entity"),
        asked,
        tuple(fill(asked, choice) for choice in item["choices"])
        if asked
        else tuple(Proposition(said[0], tuple(said[1:])) for said in item["options"]),
    )


@pytest.mark.parametrize("item", ITEMS, ids=[item["name"] for item in ITEMS])
def test_both_engines_find_what_the_paper_says_or_why_not(item: dict[str, Any]) -> None:
    name: DomainName = item["name"].partition(":")[0]
    things, problem = read_things(item), read_problem(item)
    domain = BUILDERS[name](make_knowledge(things)) if things else find_domain(name, load_knowledge())
    if "refused" in item:
        with pytest.raises(ValueError, match=item["refused"]):
            domain.decide(problem)
        return
    verdicts = tuple(VERDICTS[word] for word in item["verdicts"].split())
    expected = EngineDecision(item.get("arrangements", 1), verdicts)
    assert domain.decide(problem) == domain.check(problem) == expected
    if "letters" in item:
        assert right_letters(problem, verdicts) == item["letters"]
    elif None in verdicts:
        with pytest.raises(ValueError, match="neither forced true nor forced false"):
            right_letters(problem, verdicts)

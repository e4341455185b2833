"""Space: rules are true of the geometry, closures sound, and the table of rules is as printed."""

import re
from itertools import permutations
from pathlib import Path

import pytest

import perennial.warehouse.knowlogic
from perennial.tasks.knowlogic.space.reasoning import Fact, facts_of, infer, load_board, rules_used
from perennial.tasks.knowlogic.space.scenes import SCENES, predicates
from tests.knowlogic.drawn_problems import domain_of, drawn
from tests.knowlogic.space.all_rules import RULES_OF_PAPER, coverage, rules

README = Path(perennial.warehouse.knowlogic.__file__).parent / "space" / "README.md"


def _holds(scenario: str, fact: str, slots: dict[str, int]) -> bool:
    is_not = fact.startswith("not ")
    match = re.fullmatch(r"(\w+)\(([abc,]+)\)", fact.removeprefix("not "))
    assert match, fact
    places = tuple(slots[each] for each in match[2].split(","))
    return (places in predicates(scenario)[match[1]].allowed) is not is_not


@pytest.mark.parametrize("scenario", ["ring_in", "booth", "plots", "shelf_3x2"])
def test_every_rule_is_true_in_all_arrangements(scenario: str) -> None:
    every = [dict(zip("abc", slots, strict=True)) for slots in permutations(range(SCENES[scenario].size), 3)]
    for rule in rules(scenario)[:: 1 if SCENES[scenario].size == 4 else 9]:
        left, arrow, right = re.split(r" (->|<->) ", rule.text)
        for slots in every:
            premise = all(_holds(scenario, each, slots) for each in left.split(" & "))
            conclusion = _holds(scenario, right, slots)
            assert conclusion or not premise, rule
            assert premise == conclusion or arrow == "->", rule


def test_the_papers_two_examples_of_rules_are_covered() -> None:
    found = {rule.text for rule in rules("shelf_3x2")}
    assert "left(a,b) <-> right(b,a)" in found
    assert "tier_bottom(a) & tier_top(b) -> below_2(a,b)" in found
    assert "below_2(a,b) -> tier_between(a,b)" in found


def test_the_table_of_rules_is_as_printed_and_larger_than_the_papers() -> None:
    rows = coverage(tuple(SCENES))
    kinds = sorted({kind for _, kind, _ in rows} - {"total"})
    counts = {(scenario, kind): number for scenario, kind, number in rows}
    lines = [
        f"| {scenario} | "
        + " | ".join(str(counts.get((scenario, kind), 0)) for kind in [*kinds, "total"])
        + " |"
        for scenario in [*SCENES, "all"]
    ]
    text = README.read_text(encoding="utf-8")
    assert f"| scenario | {' | '.join(kinds)} | total |" in text
    for line in lines:
        assert line in text, line
    assert counts["all", "total"] > RULES_OF_PAPER


@pytest.mark.parametrize("scenario", SCENES)
@pytest.mark.slow
def test_what_the_closure_knows_holds_in_the_one_arrangement(scenario: str) -> None:
    reached = options = 0
    for _, problem in drawn("space", scenario):
        of, statements, said = facts_of(problem)
        _, known = infer(of, statements)
        slots = next(
            each
            for each in of.frame.arrangements
            if all(
                tuple(each[place] for place in fact.places) in of.predicates[fact.predicate].allowed
                for fact in statements
            )
        )
        for (a, b), pairs in known.items():
            assert pairs >> (slots[a] * of.scene.size + slots[b]) & 1
        options += 1
        reached += bool(rules_used(of, statements, said))
        assert set(rules_used(of, statements, said)) <= {rule.text for rule in rules(scenario)}
        assert domain_of("space").labels(problem).rules == tuple(rules_used(of, statements, said))
    assert reached > 0.9 * options


def test_a_rule_of_a_proof_is_one_that_the_statements_give() -> None:
    of = load_board("ring_out")
    statements = (Fact("left_2", (0, 1)), Fact("left_3", (1, 2)))
    assert rules_used(of, statements, (Fact("right_1", (0, 2)),)) == [
        "left_2(a,b) & left_3(b,c) -> left_5(a,c)"
    ]
    assert rules_used(of, statements, (Fact("left_1", (0, 3)),)) == []

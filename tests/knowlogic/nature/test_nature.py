"""Nature: no statement is idle, unsure cells are left alone, rules hold, all knowledge is used."""

import random
from dataclasses import replace
from itertools import permutations

import pytest

from perennial.schemas.knowlogic.things import Argument, Proposition, QuestionType, Row
from perennial.tasks.knowlogic.nature.domain import TYPES, build
from perennial.tasks.knowlogic.nature.draw import SCENARIOS, ScenarioPools
from perennial.tasks.knowlogic.nature.meaning import (
    SPECTRUM,
    STONE,
    TRANSITIVE,
    WATERS,
    close_cells,
    close_facts,
    read_nature,
    rules_of_order,
)
from perennial.tasks.knowlogic.problem import Domain, Problem, Request, right_letters
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import Drawn, domain_of, drawn, list_requests
from tests.knowlogic.golden.golden_texts import list_said, load_nature
from tests.knowlogic.nature.nature_items import TWELVE, make_knowledge

NATURE, MEANINGS = load_nature()
CHOICES = [ScenarioPools(scenario, NATURE) for scenario in SCENARIOS]
SLOW_SCENARIOS = [pytest.param(name, marks=pytest.mark.slow) for name in ("zoo", "photos")]


@pytest.fixture(scope="module")
def domain() -> Domain:
    return domain_of("nature")


@pytest.fixture(scope="module", params=["farm", *SLOW_SCENARIOS])
def draws(request: pytest.FixtureRequest) -> Drawn:
    return drawn("nature", request.param)


def test_no_statement_can_be_dropped(domain: Domain, draws: Drawn) -> None:
    for _, problem in draws[::3]:
        for place in range(len(problem.statements)):
            rest = problem.statements[:place] + problem.statements[place + 1 :]
            assert domain.decide(replace(problem, statements=rest)).arrangements > 1


def test_the_listed_order_tells_nothing_of_the_arrangement(domain: Domain) -> None:
    requests = [asked for asked in list_requests("nature", "farm") if asked.type == "precise_entity"]
    problems = (domain.draw(asked, random.Random(seed)) for asked in requests for seed in range(20))
    rights = {right_letters(problem, domain.decide(problem).verdicts) for problem in problems if problem}
    assert rights == set("ABCD")


def test_numbers_of_places_do_not_matter(domain: Domain, draws: Drawn) -> None:
    rng = random.Random(3)
    for _, problem in draws[:60]:
        numbers: dict[Argument, int] = dict(zip((1, 2, 3, 4), rng.sample((1, 2, 3, 4), 4), strict=True))

        def rename(said: Proposition, numbers: dict[Argument, int] = numbers) -> Proposition:
            slots = MEANINGS[said.template].slots
            places = tuple(numbers.get(slot, slot) for slot in said.arguments[:slots])
            return Proposition(said.template, (*places, *said.arguments[slots:]))

        other = replace(
            problem,
            statements=tuple(map(rename, problem.statements)),
            options=tuple(map(rename, problem.options)),
            asked=problem.asked and rename(problem.asked),
        )
        assert domain.canonical(other) == domain.canonical(problem)


def test_a_small_table_makes_questions_and_never_uses_unsure_cells() -> None:
    knowledge = make_knowledge(TWELVE)
    domain = build(knowledge)
    cells = read_nature(knowledge).cells
    rng = random.Random(5)
    found = [
        domain.draw(request, rng)
        for scenario in SCENARIOS
        for request in list_requests("nature", scenario.name)
    ]
    problems = [problem for problem in found if problem is not None]
    assert len(problems) > 30
    for problem in problems:
        assert domain.check(problem) == domain.decide(problem)
        for name in domain.labels(problem).properties:
            assert None not in [cells[str(entity)][name] for entity in problem.entities]


def test_a_sentence_about_an_unsure_cell_is_refused() -> None:
    domain = build(make_knowledge(TWELVE))
    flies = (Proposition("can_fly", (1,)),)
    problem = Problem("zoo", ("carp", "duck", "fox", "ladybird"), (), flies, TYPES[0], None, flies)
    with pytest.raises(ValueError, match="does not fit"):
        domain.decide(problem)


def test_light_is_compared_within_the_spectrum_only() -> None:
    domain = build(load_knowledge())
    longer = (Proposition("wavelength_longer", (1, 2)),)
    white = next(e for e in NATURE.entities if NATURE.cells[e]["color"] == "white")
    sure = [e for e in NATURE.entities if NATURE.cells[e]["color"] in SPECTRUM]
    of_spectrum = Problem("photos", tuple(sure[:4]), (), longer, TYPES[0], None, ())
    domain.decide(of_spectrum)
    with pytest.raises(ValueError, match="does not fit"):
        domain.decide(replace(of_spectrum, entities=(white, *sure[:3])))


def test_a_stone_sinks_faster_in_fresh_water_than_in_the_sea() -> None:
    domain = build(load_knowledge())
    waters = {name: [e for e in NATURE.entities if NATURE.cells[e]["water"] == name] for name in WATERS}
    four = (waters["fresh"][0], *waters["salt"][:3])
    said = tuple(Proposition("stone_faster", (2, slot)) for slot in (1, 3, 4))
    options = tuple(Proposition("holds", (2, entity)) for entity in four)
    problem = Problem("zoo", four, ("stone",), said[:1], "precise_entity", options[0], options)
    assert domain.decide(problem).verdicts == (True, False, False, False)
    assert STONE in domain.labels(problem).rules
    assert domain.check(problem) == domain.decide(problem)
    slower = replace(problem, statements=(Proposition("stone_slower", (2, 1)),))
    assert domain.decide(slower).verdicts[0] is False
    land = next(e for e in NATURE.entities if NATURE.cells[e]["water"] == "-")
    with pytest.raises(ValueError, match="does not fit"):
        domain.decide(replace(problem, entities=(land, *four[1:])))


def test_chain_length_is_the_fewest_statements_that_decide_the_hardest_option(domain: Domain) -> None:
    """Table 2: three statements of legs and swimming; the asked place needs them all or fewer."""
    request = Request("zoo", "medium", "precise_entity", 1)
    problem = domain.draw(request, random.Random(8))
    assert problem is not None
    length = domain.labels(problem).chain_length
    for kept in permutations(problem.statements, length - 1):
        verdicts = domain.decide(replace(problem, statements=kept)).verdicts
        assert None in verdicts


def test_rules_have_no_counterexample_and_are_used() -> None:
    used = set()
    for rule in NATURE.rules:
        (name, value), (other, concluded) = rule.premise, rule.conclusion
        for entity, cells in NATURE.cells.items():
            if cells[name] == value:
                assert cells[other] in (None, concluded), (rule.id, entity)
                used.add(rule.id)
    assert used == {rule.id for rule in NATURE.rules}
    assert len(NATURE.rules) >= 27


def test_closures_hold_what_rules_make_with_their_steps() -> None:
    closure = close_facts(NATURE.rules, [("class", "bird")])
    assert ("warm_blooded", "yes") in closure
    assert [step.rule for step in closure.proof(("legs", "2")).values()] == ["bird_legs_2"]
    for entity, cells in NATURE.cells.items():
        sure = {(name, cell) for name, cell in cells.items() if cell is not None}
        assert sure <= set(close_cells(NATURE, entity).steps)
    assert rules_of_order(SPECTRUM, ["green", "red"]) == {
        TRANSITIVE,
        "red_longer_than_orange",
        "orange_longer_than_yellow",
        "yellow_longer_than_green",
    }
    assert rules_of_order(WATERS, ["salt", "fresh", "salt"]) == {STONE}
    assert rules_of_order(WATERS, ["salt", "salt"]) == set()


def test_every_entity_is_of_a_scenario() -> None:
    assert {entity for choice in CHOICES for entity in choice.entities} == set(NATURE.entities)


def test_golden_texts_have_every_template_and_value() -> None:
    said = [proposition for _, proposition in list_said("nature")]
    assert {each.template for each in said} == set(MEANINGS)
    for (name, value), _ in NATURE.value_names.items():
        templates = [m for m in MEANINGS.values() if m.about == name and not m.relation and not m.negated]
        is_said = any(
            meaning.value == value or Proposition(meaning.template, (2, value)) in said
            for meaning in templates
        )
        # A "no" is said by denying the "yes".
        assert is_said or value == "no", (name, value)


def test_names_do_not_hold_what_joins_a_list() -> None:
    for entity in NATURE.entities.values():
        for name in (entity.singles["en"], entity.plurals["en"]):
            assert ", " not in name
            assert " and " not in name
        assert not set("、和") & set(entity.names["zh"])


@pytest.mark.parametrize("type_", ["vague_entity", "vague_slot"])
def test_vague_is_what_two_or_more_fit(type_: QuestionType) -> None:
    domain = build(load_knowledge())
    assert domain.draw(Request("zoo", "medium", type_, 1), random.Random(0)) is None


# The review of the domain nature agrees with the tables it changed.


NAME_COLUMNS = ("zh", "pinyin", "en", "article", "plural", "measure")


def rows_of(table: str) -> tuple[Row, ...]:
    return load_knowledge().rows(f"nature/{table}")


ENTITIES = {row["id"]: row for row in rows_of("entities")}
CELLS = {row["id"]: row for row in rows_of("cells")}
REVIEW = rows_of("review")
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


# The knowledge tables of the domain nature fit together.


KINDS = ["animal", "plant", "artefact"]
PROPERTIES = {row["id"]: row for row in rows_of("properties")}


def test_values_are_named_once_in_each_language() -> None:
    rows = rows_of("values")
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

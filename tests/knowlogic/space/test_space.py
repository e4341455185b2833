"""Space: requests are kept, two engines agree, texts are read back, and forms do not depend on names."""

import re
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perennial.warehouse.knowlogic
from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import GAP, LANGUAGES, Language, Proposition
from perennial.tasks.knowlogic.problem import Problem, Request
from perennial.tasks.knowlogic.space.drawing import CUTS, level
from perennial.tasks.knowlogic.space.reasoning import (
    FILES,
    IS_AT,
    Fact,
    facts_of,
    infer,
    load_board,
    rules_used,
    sentences,
)
from perennial.tasks.knowlogic.space.scenes import SCENES, predicates
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from tests.knowlogic.drawn_problems import domain_of, drawn
from tests.knowlogic.golden.golden_texts import example, golden_file
from tests.knowlogic.space.all_rules import RULES_OF_PAPER, coverage, rules

SCENARIOS = list(SCENES)


def test_what_cannot_be_drawn_is_refused_at_once() -> None:
    rng = derive_rng(0, "test", 0)
    assert domain_of("space").draw(Request("booth", "easy", "correct_statements", 0), rng) is None
    assert domain_of("space").draw(Request("ring_in", "hard", "precise_entity", 2), rng) is None
    assert domain_of("space").draw(Request("ring_in", "easy", "precise_slot", 1), rng) is None
    assert domain_of("space").draw(Request("plots", "medium", "vague_slot", 4), rng) is None
    assert rng.getstate() == derive_rng(0, "test", 0).getstate()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_precise_gap_has_one_filler_and_a_vague_one_several(scenario: str) -> None:
    of = load_board(scenario)
    for _, problem in drawn("space", scenario):
        if problem.asked is None:
            continue
        place = problem.asked.arguments.index("____")
        is_slot = of.templates[problem.asked.template].is_slot[place]
        choices = [slot.id for slot in of.scene.slots] if is_slot else problem.entities
        filled = [
            Proposition(
                problem.asked.template,
                tuple(choice if each == "____" else each for each in problem.asked.arguments),
            )
            for choice in choices
        ]
        fitting = sum(map(bool, domain_of("space").decide(replace(problem, options=tuple(filled))).verdicts))
        assert fitting == 1 if problem.type.startswith("precise") else fitting > 1
        assert is_slot == problem.type.endswith("slot")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_option_says_what_a_statement_says_in_other_words(scenario: str) -> None:
    of = load_board(scenario)
    for _, problem in drawn("space", scenario):
        indices = {entity: index for index, entity in enumerate(problem.entities)}
        stated = {of.mask(of.fact(each, indices)) for each in problem.statements}
        options = [of.mask(of.fact(each, indices)) for each in problem.options]
        assert stated.isdisjoint(options)
        if problem.asked is None:
            assert len(set(options)) == len(options)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Return any statements and options, true or not, decided or not."""
    scenario = draw(st.sampled_from(SCENARIOS))
    of = load_board(scenario)
    entities = [f"e{number}" for number in range(of.scene.size)]
    slots = [slot.id for slot in of.scene.slots]

    def proposition() -> Proposition:
        template = of.templates[draw(st.sampled_from(sorted(of.templates)))]
        things = draw(st.permutations(entities))
        return Proposition(
            template.name,
            tuple(
                draw(st.sampled_from(slots)) if is_slot else things[place]
                for place, is_slot in enumerate(template.is_slot)
            ),
        )

    statements = tuple(proposition() for _ in range(draw(st.integers(0, 5))))
    options = tuple(proposition() for _ in range(draw(st.integers(1, 4))))
    return Problem(scenario, tuple(entities), (), statements, "correct_statements", None, options)


@pytest.mark.slow
@settings(max_examples=50)
@given(problems())
def test_enumeration_and_solver_agree_on_anything(problem: Problem) -> None:
    if domain_of("space").decide(problem).arrangements <= 40:
        assert domain_of("space").decide(problem) == domain_of("space").check(problem)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_labels_follow_from_the_problem(scenario: str) -> None:
    for _, problem in drawn("space", scenario):
        labels = domain_of("space").labels(problem)
        named = {each for said in problem.statements for each in said.arguments}
        al = int(not named >= set(problem.entities))
        assert labels.variables == {
            "nm": len(problem.entities),
            "pr": int(labels.precision == "vague"),
            "al": al,
        }
        assert labels.level == level(len(problem.entities), int(labels.precision == "vague"), al)
        assert labels.difficulty == CUTS.classify(labels.chain_length, problem.type, len(problem.options))
        assert 1 <= labels.chain_length <= len(problem.statements)
        assert labels.relations == tuple(sorted(labels.relations))


def test_levels_are_those_of_the_specification() -> None:
    levels = {(nm, pr, al): level(nm, pr, al) for nm in (4, 6) for pr in (0, 1) for al in (0, 1)}
    assert sorted(levels.values()) == [1.2, 1.4, 1.7, 1.8, 1.9, 2.0, 2.3, 2.5]


# Space: the predicates follow the conventions of the specification (measured conventions 1 to 4).


Pairs = frozenset[tuple[int, ...]]


def _pairs(scenario: str, name: str) -> Pairs:
    return predicates(scenario)[name].allowed


def _turn(pairs: Pairs) -> Pairs:
    return frozenset(tuple(reversed(each)) for each in pairs)


@pytest.mark.parametrize(
    ("scenario", "order", "classes"),
    [
        ("ring_out", 6, 120),
        ("ring_in", 6, 120),
        ("booth", 2, 12),
        ("shelf_3x2", 1, 720),
        ("shelf_2x3", 1, 720),
        ("plots", 1, 24),
    ],
)
def test_arrangements_are_counted_modulo_symmetry(scenario: str, order: int, classes: int) -> None:
    of = load_board(scenario)
    assert (of.scene.order, len(of.frame.arrangements) // of.scene.order) == (order, classes)


@pytest.mark.parametrize("scenario", SCENES)
def test_no_predicate_tells_symmetric_arrangements_apart(scenario: str) -> None:
    for each in predicates(scenario).values():
        assert each.allowed, each.name
        assert len(each.allowed) < len(list(permutations(range(SCENES[scenario].size), each.arity)))
        for turn in SCENES[scenario].symmetries:
            assert {tuple(turn[slot] for slot in slots) for slots in each.allowed} == each.allowed, each.name


@pytest.mark.parametrize("scenario", ["ring_out", "ring_in"])
def test_the_nth_to_the_left_is_the_other_way_round_to_the_right(scenario: str) -> None:
    for number in range(1, 6):
        assert _pairs(scenario, f"left_{number}") == _pairs(scenario, f"right_{6 - number}")
        assert _pairs(scenario, f"left_{number}") == _turn(_pairs(scenario, f"right_{number}"))
        assert _pairs(scenario, f"clockwise_{number}") == _pairs(scenario, f"counter_{6 - number}")
    assert _pairs(scenario, "opposite") == _pairs(scenario, "left_3") == _pairs(scenario, "right_3")
    assert _pairs(scenario, "left_side") == _pairs(scenario, "left_1") | _pairs(scenario, "left_2")
    assert _pairs(scenario, "one_between") == _pairs(scenario, "left_2") | _pairs(scenario, "right_2")


def test_left_is_counter_clockwise_for_those_who_face_out_and_clockwise_for_those_who_face_in() -> None:
    for number in range(1, 6):
        assert _pairs("ring_out", f"left_{number}") == _pairs("ring_out", f"counter_{number}")
        assert _pairs("ring_in", f"left_{number}") == _pairs("ring_in", f"clockwise_{number}")


def test_without_clockwise_one_ring_is_the_mirror_of_the_other() -> None:
    """So questions without these words have one answer in both rings (703 of 703 in the specification)."""
    for name, each in predicates("ring_out").items():
        mirrored = {tuple(-slot % 6 for slot in slots) for slots in each.allowed}
        has_turn = name.startswith(("clockwise", "counter"))
        assert _pairs("ring_in", name) == (each.allowed if has_turn else mirrored)


@pytest.mark.parametrize(("scenario", "other"), [("ring_out", "ring_in"), ("ring_in", "ring_out")])
def test_every_ring_question_depends_on_where_people_face(scenario: str, other: str) -> None:
    for _, problem in drawn("space", scenario):
        misread = domain_of("space").decide(replace(problem, scenario=other))
        assert misread.arrangements != 1 or misread.verdicts != domain_of("space").decide(problem).verdicts


def test_shelves_are_seen_from_the_front() -> None:
    """East is left: the shelf is at the south wall and its viewer looks south."""
    place = SCENES["shelf_3x2"].slot_numbers
    top, low = place["top_left"], place["bottom_right"]
    for name in ("above", "upper_left", "upper_left_2", "further_left", "tier_between", "above_2"):
        assert (top, low) in _pairs("shelf_3x2", name)
        assert (low, top) not in _pairs("shelf_3x2", name) or name == "tier_between"
    for name in ("left", "same_tier", "same_column", "directly_above", "upper_left_1"):
        assert (top, low) not in _pairs("shelf_3x2", name)
    # Left without more is on the same tier; directly above has any gap.
    assert len(_pairs("shelf_3x2", "left")) == 3
    assert (top, place["bottom_left"]) in _pairs("shelf_3x2", "directly_above")
    # What is said of a neighbor needs one.
    assert all(a in (0, 2, 4) for a, _ in _pairs("shelf_3x2", "right_neighbor_upper_right"))


def test_left_and_right_of_a_booth_hold_on_one_bench() -> None:
    slots = SCENES["booth"].slots
    for name in ("left", "right"):
        assert all(slots[a].facing == slots[b].facing for a, b in _pairs("booth", name))
    place = SCENES["booth"].slot_numbers
    # Who sits in the north looks south, and has the east on the left.
    assert (place["north_east"], place["north_west"]) in _pairs("booth", "left")
    assert (place["south_west"], place["south_east"]) in _pairs("booth", "left")
    assert (place["north_east"], place["south_west"]) in _pairs("booth", "diagonal")


def test_plots_know_the_compass_alone() -> None:
    place = SCENES["plots"].slot_numbers
    assert (place["north_east"], place["south_west"]) in _pairs("plots", "north")
    assert (place["north_east"], place["south_west"]) not in _pairs("plots", "due_north")
    assert (place["north_east"], place["south_west"]) in _pairs("plots", "north_east")
    assert (place["north_east"], place["south_east"]) in _pairs("plots", "due_north")
    assert _pairs("plots", "corner") | _pairs("plots", "edge") == frozenset(permutations(range(4), 2))


def test_precise_predicates_leave_one_slot() -> None:
    kinds = {name: each.is_precise for name, each in predicates("shelf_2x3").items()}
    assert kinds["left_1"]
    assert kinds["at_top_left"]
    assert kinds["between"]
    assert not kinds["left"]
    assert not kinds["above"]
    assert not kinds["tier_top"]
    assert predicates("shelf_3x2")["left"].is_precise


# Space: rules are true of the geometry, closures sound, and the table of rules is as printed.


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


# Space: every template says one thing, in both languages, and is counted once.


_ALL = [
    (file, name, table)
    for files in FILES.values()
    for file in files
    for name, table in load_sentences(file).items()
]


def test_no_text_holds_words_of_the_other_language() -> None:
    foreign_words: dict[Language, str] = {"zh": r"[A-Za-z]", "en": r"[\u3000-\u9fff\uff00-\uffef]"}
    for language, foreign in foreign_words.items():
        for line in golden_file("space", language).read_text(encoding="utf-8").splitlines():
            assert not re.search(foreign, line.partition("\t")[2]), line


def test_the_number_of_templates_reaches_the_papers() -> None:
    """Table 6 of the paper: 59 properties, 244 relations. Those that ask for slots are counted apart."""
    counts = Counter(
        "slot" if ":slot}" in table["zh"] else "property" if "property" in table else "relation"
        for _, _, table in _ALL
    )
    assert counts == {"property": 76, "relation": 272, "slot": 30}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_templates_of_a_scenario_have_the_same_words(language: Language) -> None:
    for scenario in SCENES:
        words = Counter(table[language] for table in sentences(scenario).values())
        assert [each for each, number in words.items() if number > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scenario", SCENES)
def test_every_sentence_and_every_gap_has_one_reading(scenario: str, language: Language) -> None:
    book = domain_of("space").phrasebook(scenario, language)
    for name in load_board(scenario).templates:
        said = example(scenario, name)
        assert book.read(book.write(said)) == said
        for place in range(len(said.arguments)):
            asked = Proposition(
                name,
                tuple(GAP if each == place else said.arguments[each] for each in range(len(said.arguments))),
            )
            assert book.read(book.write(asked)) == asked
            choice = said.arguments[place]
            assert book.read_filler(asked, book.write_filler(asked, choice)) == choice


def test_every_predicate_has_a_sentence_and_every_sentence_a_predicate() -> None:
    used = set()
    for scenario in SCENES:
        said = {each.predicate for each in load_board(scenario).templates.values() if not any(each.is_slot)}
        assert said == set(predicates(scenario)), scenario
        used |= set(sentences(scenario))
        for each in load_board(scenario).templates.values():
            predicate = load_board(scenario).predicates[each.predicate]
            assert predicate.arity == len(each.is_slot), each.name
            assert set(each.needs) <= set(predicates(scenario)), each.name
            # "The slots on the same tier as it" would hold the slot itself.
            assert not (any(each.is_slot) and predicate.is_reflexive) or each.predicate == IS_AT
    assert used == {name for _, name, _ in _ALL}


def test_slots_have_names_where_they_can_be_asked_for() -> None:
    for scenario, scene in SCENES.items():
        for language in LANGUAGES:
            names = domain_of("space").phrasebook(scenario, language).lexicon["slot"]
            assert set(names) == ({slot.id for slot in scene.slots} if scene.has_slot_questions else set())
            assert len(set(names.values())) == len(names)


def test_items_have_one_name_each_and_there_are_enough() -> None:
    rows = load_knowledge().rows("space/items")
    assert len({row["id"] for row in rows}) == len(rows) == 81
    for language in LANGUAGES:
        names = [row[language] for row in rows]
        assert len(set(names)) == len(names)
    groups = Counter(row["setting"] for row in rows)
    assert min(groups.values()) >= 15
    for row in rows:
        assert row["en"].startswith("the ") == (row["setting"] != "crops")
        assert " and " not in row["en"]

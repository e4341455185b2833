"""Growing a scenario: the asked difficulties, types and letters, distinct, new, and counted where it ends."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import Difficulty, QuestionType
from perennial.tasks.knowlogic.answers import letter_sets
from perennial.tasks.knowlogic.growing import (
    Quotas,
    RightLetters,
    ScenarioRequest,
    grow_scenario,
    list_answers,
    plan_scenarios,
    split_total,
    weigh_type,
)
from tests.knowlogic import toy_edition
from tests.knowlogic.toy_edition import BOTH

ROW, LONG_ROW = "row_of_four", "row_of_five"


def request(
    scenario: str = LONG_ROW, counts: dict[Difficulty, int] | None = None, **more: object
) -> ScenarioRequest:
    asked = ScenarioRequest(toy_edition.domain(), scenario, counts or {"medium": 40}, BOTH, 3)
    return replace(asked, **more)  # type: ignore[arg-type]


@given(st.integers(0, 500), st.dictionaries(st.integers(), st.integers(1, 9), min_size=1, max_size=6))
def test_a_total_is_split_by_largest_remainders(total: int, weights: dict[int, int]) -> None:
    found = split_total(total, weights)
    assert sum(found.values()) == total
    whole = sum(weights.values())
    assert all(abs(found[key] - total * weight / whole) < 1 for key, weight in weights.items())


@pytest.mark.parametrize("total", [1, 5, 60, 61, 600])
def test_difficulties_are_1_2_3_and_shares_are_kept(total: int) -> None:
    plan = plan_scenarios(toy_edition.domain(), total)
    sums = {each: sum(counts.get(each, 0) for counts in plan.values()) for each in ("easy", "medium", "hard")}
    assert sums == split_total(total, {"easy": 1, "medium": 2, "hard": 3})
    assert "hard" not in plan.get(ROW, {})
    if total >= 60:
        assert abs(plan[ROW]["medium"] - plan[LONG_ROW]["medium"]) <= 1


@pytest.mark.slow
def test_types_take_turns_and_no_set_of_letters_is_likelier() -> None:
    questions = [of[0] for of in grow_scenario(request(counts={"medium": 240})).drawn.values()]
    drawn_types = Counter(each.type for each in questions)
    weights = {type_: weigh_type(type_) for type_ in drawn_types}
    expected = split_total(240, weights)
    assert all(abs(number - expected[type_]) <= 1 for type_, number in drawn_types.items())
    assert len(drawn_types) == 4
    for type_ in ("correct_statements", "incorrect_statements"):
        drawn = Counter(each.letters for each in questions if each.type == type_)
        number = drawn.total()
        # Each of 15 sets: chi-squared with 14 degrees of freedom is above 42 once in 10,000.
        assert sum((drawn[letters] - number / 15) ** 2 / (number / 15) for letters in letter_sets(4)) < 42
    with_none = {each.letters for each in questions if each.has_none}
    assert len(with_none) > 2
    assert not any(each.has_none for each in questions if each.type.endswith("statements"))


def test_public_questions_do_not_tell_the_letters_of_private_ones() -> None:
    types: tuple[QuestionType, ...] = ("correct_statements", "incorrect_statements")
    answers, hits = list_answers(types[0]), []
    for edition in range(120):
        quotas, rng = Quotas(types, derive_rng(edition, "letters", 0)), random.Random(edition)
        cells: list[tuple[QuestionType, RightLetters]] = []
        for _ in range(60):
            type_, answer = quotas.choices("hard")[0]
            quotas.add("hard", type_)
            cells.append((type_, answer))
        private = cells[:12]
        public = Counter(cells[12:])
        for type_, answer in private:
            # The best guess where letters are dealt from a deck: it was right in 0.22 when they were.
            guess = min(answers, key=lambda each: (public[type_, each], rng.random()))
            hits.append(guess == answer)
    chance = 1 / len(answers)
    assert abs(sum(hits) / len(hits) - chance) < 4 * (chance * (1 - chance) / len(hits)) ** 0.5


def test_a_set_that_a_scenario_cannot_have_leaves_the_others_even() -> None:
    questions = [of[0] for of in grow_scenario(request(ROW)).drawn.values()]
    assert {len(each.letters) for each in questions if not each.has_none} == {1, 2, 3, 4}
    assert {each.letters for each in questions if len(each.letters) == 1} == set("ABCD")


@pytest.mark.slow
def test_questions_are_distinct_and_the_same_in_each_run() -> None:
    first, second = grow_scenario(request()), grow_scenario(request())
    assert first.drawn == second.drawn
    assert len({of[0].pair for of in first.drawn.values()}) == 40
    assert len({question.prompt for of in first.drawn.values() for question in of}) == 80
    other = grow_scenario(request(seed=4))
    assert {of[0].pair for of in other.drawn.values()} != {of[0].pair for of in first.drawn.values()}


@pytest.mark.slow
def test_nothing_that_an_earlier_edition_holds_in_any_language_is_drawn() -> None:
    first = grow_scenario(request(languages=("en",)))
    issued = {of[0].instance_id.removeprefix("kl_") for of in first.drawn.values()}
    second = grow_scenario(request(languages=("zh",), issued=issued))
    assert len(second.drawn) == 40
    assert {of[0].pair for of in second.drawn.values()}.isdisjoint(of[0].pair for of in first.drawn.values())


def test_the_languages_of_a_pair_say_the_same_and_are_equal_but_for_the_words() -> None:
    for zh, en in grow_scenario(request(counts={"hard": 8})).drawn.values():
        assert (zh.language, en.language) == BOTH
        assert zh.pair == en.pair
        assert zh.instance_id != en.instance_id
        assert (zh.payload, zh.letters, zh.level) == (en.payload, en.letters, en.level)
        assert zh.prompt != en.prompt


def test_what_does_not_exist_is_counted() -> None:
    honest = toy_edition.domain()
    without = replace(
        honest, draw=lambda asked, rng: None if asked.difficulty == "hard" else honest.draw(asked, rng)
    )
    grown = grow_scenario(request(ROW, {"easy": 2, "hard": 3}, domain=without))
    assert grown.missing == {"hard": 3}
    assert {difficulty for difficulty, _ in grown.drawn} == {"easy"}


@pytest.mark.slow
def test_a_small_space_is_used_up() -> None:
    honest = toy_edition.domain()
    few = replace(honest, draw=lambda asked, rng: honest.draw(asked, random.Random(rng.randrange(3))))
    grown = grow_scenario(request(LONG_ROW, {"easy": 60, "medium": 60}, domain=few))
    assert all(grown.missing[each] > 20 for each in ("easy", "medium"))
    assert sum(grown.missing.values()) == 120 - len(grown.drawn)
    assert len({of[0].pair for of in grown.drawn.values()}) == len(grown.drawn) > 0


@pytest.mark.slow
def test_a_domain_that_breaks_its_promise_of_a_difficulty_is_not_believed() -> None:
    honest = toy_edition.domain()
    lying = replace(honest, draw=lambda asked, rng: honest.draw(replace(asked, difficulty="hard"), rng))
    grown = grow_scenario(request(counts={"easy": 3}, domain=lying))
    assert grown.missing == {"easy": 3}

"""Two engines of general social relations agree, and find what a world by hand must give."""

import pytest

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import EngineDecision, Proposition
from tests.knowlogic.social.social_items import general, problem, random_problem, say

PEOPLE = ("m01", "m02", "f01", "f02")


def both(*statements: Proposition, options: tuple[Proposition, ...] = ()) -> EngineDecision:
    """Return what both engines find, which must be the same."""
    asked = problem(PEOPLE, statements, options)
    found = general().decide(asked)
    assert general().check(asked) == found
    return found


def verdict(option: Proposition, *statements: Proposition) -> bool | None:
    return both(*statements, options=(option,)).verdicts[0]


@pytest.mark.slow
def test_engines_agree_on_worlds_of_all_kinds() -> None:
    kinds: set[int] = set()
    verdicts: set[bool | None] = set()
    for number in range(80):
        asked = random_problem(derive_rng(7, "social", number))
        found = general().decide(asked)
        assert found == general().check(asked)
        kinds.add(min(found.arrangements, 2))
        verdicts |= set(found.verdicts)
    assert kinds == {0, 1, 2}
    assert verdicts == {True, False, None}


@pytest.mark.parametrize(
    "statements",
    [
        [say("name_1", "m01", "f01", "husband"), say("name_1", "m02", "f01", "husband")],
        [say("name_1", "m01", "f01", "husband"), say("name_1", "m01", "f01", "ex_husband")],
        [say("name_1", "m01", "f01", "husband"), say("name_1", "m01", "f02", "wife")],
        [say("name_1", "m01", "f01", "husband"), say("female", "m01")],
        [say("name_1", "m01", "m02", "boss"), say("name_1", "m02", "m01", "boss")],
        [say("name_1", "m01", "m02", "boss"), say("name_1", "m01", "m02", "subordinate")],
        [say("name_1", "m01", "m02", "colleague"), say("name_1", "m02", "m01", "former_colleague")],
        [say("name_1", "m01", "m01", "friend")],
        [say("among", "m01", "m02", "boss")],
    ],
)
def test_contradictions_leave_no_world(statements: list[Proposition]) -> None:
    sexes = [say("female", "f01"), say("female", "f02")]
    assert both(*statements, *sexes).arrangements == 0
    assert both(*sexes).arrangements == 1


def test_a_sex_that_a_term_needs_is_stated_and_never_taken_from_a_name() -> None:
    married = say("name_1", "m01", "f01", "husband")
    assert both(married).arrangements == 2
    assert both(married, say("female", "f01")).arrangements == 1
    assert verdict(say("name_1", "f01", "m01", "wife"), married, say("female", "f01")) is True
    assert both(say("name_1", "m01", "f01", "spouse")).arrangements == 4
    assert both(say("name_1", "m01", "f01", "friend")).arrangements == 1


def test_rules_of_the_table_are_applied() -> None:
    assert verdict(say("name_1", "m02", "m01", "subordinate"), say("name_1", "m01", "m02", "boss")) is True
    assert (
        verdict(say("name_1", "m02", "m01", "schoolmate"), say("name_1", "m01", "m02", "desk_mate")) is True
    )
    spouse = (say("name_1", "m01", "f01", "spouse"), say("male", "m01"), say("female", "f01"))
    assert verdict(say("name_1", "m01", "f01", "husband"), *spouse) is True
    assert verdict(say("name_1", "f01", "m01", "wife"), *spouse) is True


def test_the_world_is_closed_and_relations_are_not_passed_on() -> None:
    chain = (say("name_1", "m01", "m02", "colleague"), say("name_1", "m02", "f01", "colleague"))
    assert verdict(say("name_1", "m01", "f01", "colleague"), *chain) is False
    assert verdict(say("name_1", "m01", "m02", "classmate"), *chain) is False
    assert verdict(say("name_1", "m02", "m01", "mentor"), say("name_1", "m01", "m02", "mentor")) is False


def test_what_some_readers_would_also_call_so_is_left_open() -> None:
    boss = say("name_1", "m01", "m02", "boss")
    assert verdict(say("name_1", "m01", "m02", "colleague"), boss) is None
    # "m02's colleague" may mean f01 alone, or the boss too.
    colleague = say("name_1", "f01", "m02", "colleague")
    option = say("of_1", "m02", "colleague", "f02", "friend")
    assert verdict(option, colleague, say("name_1", "f01", "f02", "friend")) is True
    assert verdict(option, colleague, say("name_1", "f01", "f02", "friend"), boss) is None


def test_a_description_denotes_one_person() -> None:
    bosses = (say("among", "m01", "f01", "boss"), say("among", "m02", "f01", "boss"))
    friend = say("name_1", "m01", "f02", "friend")
    assert verdict(say("of_1", "f01", "boss", "f02", "friend"), *bosses, friend) is None
    assert verdict(say("of_1", "f01", "teacher", "f02", "friend"), *bosses, friend) is None
    assert verdict(say("some_1", "f01", "boss", "f02", "friend"), *bosses, friend) is True
    assert verdict(say("some_1", "f01", "boss", "f02", "boss"), *bosses, friend) is False
    also = say("name_1", "m02", "f02", "friend")
    assert verdict(say("some_1", "f01", "boss", "f02", "friend"), *bosses, friend, also) is None
    assert verdict(say("among", "m01", "f01", "boss"), *bosses) is True
    assert verdict(say("among", "m01", "f02", "friend"), *bosses, friend) is None


@pytest.mark.parametrize(
    ("other", "expected"),
    [("m02", True), ("m24", None), ("f22", None)],
    ids=["another name", "the same first letters in English", "the same sound in Chinese"],
)
def test_a_mark_is_of_one_holder_in_both_languages(other: str, expected: bool | None) -> None:
    statements = [
        say("among", "m01", "f01", "boss"),
        say("among", other, "f01", "boss"),
        say("name_1", "m01", "f02", "friend"),
    ]
    option = say("mark_1", "f01", "boss", "m01", "f02", "friend")
    asked = problem(("m01", other, "f01", "f02"), statements, [option])
    assert general().decide(asked) == general().check(asked) == EngineDecision(1, (expected,))

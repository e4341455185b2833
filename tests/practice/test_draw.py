"""Practice questions: a stream by seed, new, never those of an edition, as difficult as asked for."""

from itertools import islice
from typing import Any

import pytest

from perennial.flows.practice.draw import PracticeQuestions, draw_questions
from perennial.schemas.errors import InstancesExhausted, InvalidOption
from perennial.schemas.knowlogic.things import LANGUAGES
from perennial.tasks.a2rbench.items import SIGNS
from perennial.tasks.beyondbench.registry import TASKS
from perennial.warehouse.editions.issued_ids import IdSet
from tests.practice.drawn import GIVEN, draw, stream

SIZES: tuple[dict[str, Any], ...] = ({"size": "6x10"}, {"truths": 6, "actions": 10})
COUNTS = {"a2rbench": 6, "beyondbench": 40, "knowlogic": 12, "kumo": 80}


@pytest.mark.parametrize("benchmark", GIVEN)
@pytest.mark.slow
def test_a_draw_depends_on_seed_and_number_alone(benchmark: str) -> None:
    count = COUNTS[benchmark]
    whole = draw(benchmark, count)
    assert draw(benchmark, count // 2) == whole[: count // 2]
    assert [one.index for one in whole] == list(range(count))
    assert len({one.instance_id for one in whole}) == count
    assert draw(benchmark, 3, seed=6) != whole[:3]


@pytest.mark.parametrize("benchmark", GIVEN)
@pytest.mark.slow
def test_what_an_edition_holds_is_drawn_again(benchmark: str) -> None:
    """Editions are known by content hashes, without the prefix of ids."""
    first = draw(benchmark, 4)
    held = tuple(one.instance_id.partition("_")[2] for one in first)
    questions = stream(benchmark, held=held)
    others = list(islice(questions, 6))
    assert not {one.instance_id for one in first} & {one.instance_id for one in others}
    assert questions.held_back >= 4
    assert [one.index for one in others] == list(range(6))


def test_a_question_that_an_edition_holds_in_another_language_is_left_out() -> None:
    (english,) = draw("knowlogic", 1, languages=["en"])
    for language in LANGUAGES:
        (same,) = draw("knowlogic", 1, languages=[language])
        held = (same.instance_id,)
        (other,) = islice(stream("knowlogic", held=held, languages=["en"]), 1)
        assert other.instance_id != english.instance_id


def test_a_seed_does_not_draw_what_an_edition_of_that_seed_grows() -> None:
    from perennial.tasks.beyondbench.problem import draw_problem

    task = TASKS["sorting"]
    grown = {draw_problem(task, "standard", task.variation("standard").sizes[0], 5, n)[0] for n in range(50)}
    drawn = draw("beyondbench", 50, tasks=["sorting/standard"])
    assert not {one.content_id for one in grown} & {one.instance_id for one in drawn}


def draw_all(questions: PracticeQuestions) -> tuple[list[str], str]:
    """Return the ids of all that there are, and what is said at the end."""
    ids: list[str] = []
    try:
        for one in questions:
            ids.append(one.instance_id)
    except InstancesExhausted as error:
        return ids, str(error)
    raise AssertionError("they have no end")


@pytest.mark.slow
def test_what_is_used_up_is_said_with_its_counts() -> None:
    ids, said = draw_all(stream("beyondbench", tasks=["tower_of_hanoi/disks_3"]))
    assert len({*ids}) == len(ids) > 2
    assert "1,000 attempts gave no new one (1,000 were drawn before, an edition holds 0, 0 gave" in said
    others, said = draw_all(stream("beyondbench", held=tuple(ids), tasks=["tower_of_hanoi/disks_3"]))
    assert not others
    assert "an edition holds 1,000" in said


@pytest.mark.slow
def test_memory_of_what_was_drawn_is_exact_past_its_first_batch() -> None:
    ids = [one.instance_id for one in islice(stream("beyondbench", tasks=["sorting/standard"]), 5_000)]
    assert len({*ids}) == 5_000


@pytest.mark.parametrize(
    ("benchmark", "changed", "holds"),
    [
        ("kumo", {"truths": 5, "actions": 7}, lambda one: (one["truths"], one["actions"]) == (5, 7)),
        ("kumo", {"min_steps": 1.7, "max_steps": 2.2}, lambda one: 1.7 <= one["expected_steps"] <= 2.2),
        ("beyondbench", {"tasks": ["addition"], "size": "8"}, lambda one: one["size"] == 8),
        ("beyondbench", {"tasks": ["easy"]}, lambda one: one["suite"] == "easy"),
        ("knowlogic", {"difficulties": ["hard"]}, lambda one: one["difficulty"] == "hard"),
        ("knowlogic", {"domains": ["nature"], "scenarios": ["farm"]}, lambda one: one["scenario"] == "farm"),
        ("a2rbench", {"dimension": 2, "variation": "edge"}, lambda one: one["dimension"] == 2),
    ],
)
def test_difficulty_is_a_parameter(benchmark: str, changed: dict[str, Any], holds: Any) -> None:
    assert all(holds(one.difficulty) for one in draw(benchmark, 5, **changed))


def test_a_size_of_kumo_names_truths_and_actions() -> None:
    one, same = (next(iter(PracticeQuestions("kumo", 1, given, IdSet()))) for given in SIZES)
    assert one == same


@pytest.mark.slow
def test_copies_in_other_tokens_are_another_choice() -> None:
    plain, copies = (draw("a2rbench", 3, type="symbolic", remapping=remapping) for remapping in (False, True))
    shown = [question.question[0]["content"] for question in plain + copies]
    assert [any(sign in text for sign in SIGNS) for text in shown] == [False] * 3 + [True] * 3


@pytest.mark.slow
def test_a_curriculum_goes_level_by_level() -> None:
    sizes = [
        (one.difficulty["truths"], one.difficulty["expected_steps"])
        for one in islice(PracticeQuestions("kumo", 1, {}, IdSet(), curriculum=4), 10)
    ]
    assert [truths for truths, _ in sizes] == [4] * 4 + [5] * 4 + [8] * 2
    assert all(steps <= 2 for _, steps in sizes[:4])
    assert all(3 <= steps <= 4 for _, steps in sizes[8:])
    easy = islice(PracticeQuestions("knowlogic", 1, {}, IdSet(), curriculum=2), 7)
    assert [one.difficulty["difficulty"] for one in easy] == ["easy"] * 2 + ["medium"] * 2 + ["hard"] * 3


@pytest.mark.parametrize(
    ("benchmark", "given", "said"),
    [
        ("nothing", {}, "benchmark 'nothing' is not installed"),
        ("kumo", {"domains": "musik"}, "--domains 'musik': .*did you mean music_identification?"),
        ("kumo", {"truth": 4}, "truth: kumo has no such parameter; .* did you mean truths?"),
        ("kumo", {"truths": 1}, "--truths 1: expected at least 2"),
        ("kumo", {"truths": "many"}, "--truths 'many': expected a whole number"),
        ("kumo", {"actions": 50}, "50 actions, but domain '.*' has"),
        ("kumo", {"domains": "medical"}, "medical is not bundled"),
        ("kumo", {"min_steps": 3, "max_steps": 2}, "--min-steps 3 is above --max-steps 2"),
        ("kumo", {"size": "6x10", "truths": 4}, "--size 6x10 sets truths and actions: leave out --truths"),
        ("kumo", {"size": "big"}, "setting 'big' is not known"),
        ("kumo", {"size": "6x10v2"}, "--size 6x10v2: practice questions have one valid truth"),
        ("kumo", {"min_steps": 7}, "--min-steps 7 is more than all 6 actions take"),
        ("beyondbench", {"context_tokens": 10}, "--context-tokens 10: no problem that was chosen fits"),
        ("beyondbench", {"tasks": "sortin"}, "--tasks 'sortin': .*did you mean sorting?"),
        (
            "beyondbench",
            {"size": "huge"},
            "--size 'huge': expected all, smallest, middle or largest, or a number",
        ),
        ("beyondbench", {"tasks": "sorting", "size": "7777"}, "--size 7777: no variation that was chosen"),
        ("beyondbench", {"truths": 4}, "truths: beyondbench has no such parameter"),
        ("knowlogic", {"difficulties": "harder"}, "--difficulties 'harder': expected .*; did you mean hard?"),
        ("knowlogic", {"scenarios": "frm"}, "--scenarios frm: .*did you mean farm?"),
        ("knowlogic", {"languages": ""}, "expected one or more of zh, en"),
        ("a2rbench", {"dimension": 4}, "--dimension 4: expected at most 3"),
        ("a2rbench", {"type": "semantic", "remapping": True}, "semantic items keep their tokens"),
    ],
)
def test_what_does_not_apply_is_refused(
    benchmark: str, given: dict[str, Any], said: str, tmp_path: Any
) -> None:
    with pytest.raises(InvalidOption, match=said) as caught:
        draw_questions(benchmark, root=str(tmp_path), **given)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_steps_that_no_instance_has_end_in_one_line() -> None:
    with pytest.raises(InstancesExhausted, match=r"question 0: 100 attempts gave no new one .* 100 gave"):
        next(iter(stream("kumo", truths=3, actions=5, min_steps=5)))

"""Space: the predicates follow the conventions of the specification (measured conventions 1 to 4)."""

from dataclasses import replace
from itertools import permutations

import pytest

from perennial.tasks.knowlogic.space.reasoning import load_board
from perennial.tasks.knowlogic.space.scenes import SCENES, predicates
from tests.knowlogic.drawn_problems import domain_of, drawn

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

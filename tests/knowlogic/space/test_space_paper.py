"""Space: the paper's own items, rebuilt from their facts, get the verdicts of the specification's list."""

from typing import NamedTuple

import pytest

from perennial.schemas.knowlogic.things import EngineDecision, Proposition
from perennial.tasks.knowlogic.problem import Problem, right_letters
from perennial.tasks.knowlogic.space.reasoning import check, decide, load_board


class Item(NamedTuple):
    """An item of the paper: facts as `(predicate, thing, ...)`; what is asked, with None for the gap."""

    scenario: str
    things: str
    facts: tuple[tuple[str, ...], ...]
    asked: tuple[str | None, ...]
    options: str


def problem_of(item: Item) -> Problem:
    """Return the problem of an item; any template of a predicate serves."""
    of = load_board(item.scenario)
    template = {each.predicate: name for name, each in of.templates.items() if not any(each.is_slot)}

    def say(fact: tuple[str | None, ...], gap: str = "") -> Proposition:
        return Proposition(template[str(fact[0])], tuple(each or gap for each in fact[1:]))

    return Problem(
        item.scenario,
        tuple(item.things.split()),
        (),
        tuple(say(fact) for fact in item.facts),
        "vague_entity",
        say(item.asked, "____"),
        tuple(say(item.asked, option) for option in item.options.split()),
    )


TABLE_2 = Item(
    "booth",
    "David Jennifer John James",
    (("right", "David", "Jennifer"), ("right", "John", "James")),
    ("diagonal", None, "John"),
    "David Jennifer James",
)
C_RING_VAGUE = Item(
    "ring_out",
    "David Jennifer Elizabeth Michael John James",
    (
        ("right_1", "Michael", "John"),
        ("right_1", "Jennifer", "Michael"),
        ("left_2", "James", "Michael"),
        ("left_5", "James", "Elizabeth"),
        ("left_2", "David", "James"),
    ),
    ("opposite", "Michael", None),
    "John David Elizabeth Jennifer",
)
C_RING_FIVE_SLOTS = Item(
    "ring_out",
    "Elizabeth Robert Jennifer Susan John Michael",
    (
        ("right_5", "Susan", "Michael"),
        ("left_1", "John", "Elizabeth"),
        ("left_2", "Susan", "Jennifer"),
    ),
    ("left_3", None, "Susan"),
    "Jennifer John Elizabeth",
)
C_SHELF_VAGUE = Item(
    "shelf_3x2",
    "rose narcissus jasmine clivia geranium tulip",
    (
        ("directly_below_2", "tulip", "rose"),
        ("upper_left_2", "rose", "geranium"),
        ("at_bottom_right", "geranium"),
        ("upper_left_1", "clivia", "geranium"),
        ("left", "rose", "jasmine"),
        ("right", "narcissus", "clivia"),
    ),
    ("adjacent_tiers", None, "geranium"),
    "jasmine rose tulip",
)
C_SHELF_PRECISE = Item(
    "shelf_3x2",
    "cosmos geranium clivia tulip jasmine camellia",
    (
        ("at_middle_left", "jasmine"),
        ("left", "tulip", "camellia"),
        ("directly_above_1", "jasmine", "tulip"),
        ("lower_left_1", "jasmine", "cosmos"),
        ("right_neighbor_upper_right", "clivia", "jasmine"),
    ),
    ("right", None, "jasmine"),
    "tulip clivia cosmos",
)
FIGURE_18 = Item(
    "ring_out",
    "David Elizabeth Mary Jennifer William Robert",
    (
        ("left_5", "Robert", "David"),
        ("left_1", "Elizabeth", "Jennifer"),
        ("left_3", "Mary", "Robert"),
        ("right_2", "Robert", "William"),
        ("right_1", "Mary", "Jennifer"),
    ),
    ("adjacent", "David", None),
    "Mary Jennifer Robert Elizabeth",
)
# Figures 16 and 21 name things by what they are: the tool is the electrical drill, the nut the chestnut.
FIGURE_16 = Item(
    "shelf_3x2",
    "bean_curd apron chestnut litchi drill bun",
    (
        ("at_middle_left", "drill"),
        ("at_top_right", "bean_curd"),
        ("upper_left_1", "bun", "apron"),
        # The lower left of the bean curd is the upper left of the chestnut: they are two tiers apart.
        ("directly_above_2", "bean_curd", "chestnut"),
        ("same_tier", "litchi", "chestnut"),
        # Directly above the chestnut, which is brown, is the lower right of the bun.
        ("upper_left_2", "bun", "chestnut"),
    ),
    ("different_column", "litchi", None),
    "drill chestnut apron",
)
FIGURE_21 = Item(
    "shelf_3x2",
    "flute conch kidney_bean mess_tin duckweed envelope",
    (
        ("upper_left_1", "envelope", "duckweed"),
        ("one_over_other", "duckweed", "conch"),
        ("same_tier", "flute", "kidney_bean"),
        ("at_bottom_left", "conch"),
        ("right_neighbor_upper_right", "flute", "envelope"),
    ),
    ("left", "flute", None),
    "mess_tin conch envelope",
)


@pytest.mark.parametrize(
    ("item", "letters"),
    [
        (TABLE_2, "A"),
        (C_RING_VAGUE, "C"),
        (C_SHELF_VAGUE, "D"),
        (C_SHELF_PRECISE, "D"),
        (FIGURE_18, "C"),
        (FIGURE_16, "BC"),
    ],
)
def test_items_with_one_arrangement_have_these_letters(item: Item, letters: str) -> None:
    """Figure 18 prints B and C; the order of its people is forced, and Jennifer is not beside David."""
    problem = problem_of(item)
    decision = decide(problem)
    assert decision == check(problem)
    assert decision.arrangements == 1
    assert right_letters(problem, decision.verdicts) == letters


def test_figure_18_has_one_order() -> None:
    order = ["David", "William", "Mary", "Jennifer", "Elizabeth", "Robert"]
    for here, there in zip(order, order[1:] + order[:1], strict=True):
        problem = problem_of(FIGURE_18._replace(asked=("left_1", None, here), options=there))
        assert decide(problem) == EngineDecision(1, (True,)), (here, there)


def test_the_item_of_five_slots_has_two_arrangements_and_leaves_options_open() -> None:
    decision = decide(problem_of(C_RING_FIVE_SLOTS))
    assert decision.arrangements == 2
    assert None in decision.verdicts
    with pytest.raises(ValueError, match="neither forced true nor forced false"):
        right_letters(problem_of(C_RING_FIVE_SLOTS), decision.verdicts)


def test_figure_21_has_no_arrangement() -> None:
    problem = problem_of(FIGURE_21)
    assert decide(problem) == check(problem) == EngineDecision(0, (False, False, False))

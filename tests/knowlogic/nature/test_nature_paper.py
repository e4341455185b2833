"""The paper's own nature items, rebuilt from their facts, get the verdicts of the specification's list.

The facts are those of each item's four things, in tables of this file; the sentences are ours. Where the key
of the paper holds only under a doubtful cell (turkeys cannot swim, an octopus has eight legs), the cell is
set as the key wants it, and the doubt is shown by setting it to unsure: then the question is refused.
"""

from collections.abc import Sequence

import pytest

from perennial.schemas.knowlogic.things import GAP, Argument, Proposition, QuestionType
from perennial.tasks.knowlogic.nature.domain import build
from perennial.tasks.knowlogic.problem import Problem, fill, right_letters
from tests.knowlogic.nature.nature_items import Things, make_knowledge

Said = tuple[str, tuple[Argument, ...]]
SLOTS = (1, 2, 3, 4)


def answer(
    scenario: str, things: Things, statements: Sequence[Said], type_: QuestionType, asked: Said
) -> tuple[int, str]:
    """Return the number of arrangements, and the right letters."""
    domain = build(make_knowledge(things))
    gap = Proposition(*asked)
    choices: Sequence[Argument] = SLOTS if gap.arguments[0] == GAP else tuple(things)
    problem = Problem(
        scenario,
        tuple(things),
        (),
        tuple(Proposition(*each) for each in statements),
        type_,
        gap,
        tuple(fill(gap, choice) for choice in choices),
    )
    decision = domain.decide(problem)
    assert domain.check(problem) == decision
    return decision.arrangements, right_letters(problem, decision.verdicts)


TURKEY: Things = {
    "carp": ("animal", {"legs": "0", "can_swim": "yes"}),
    "duck": ("animal", {"legs": "2", "can_swim": "yes"}),
    "turkey": ("animal", {"legs": "2", "can_swim": "no"}),
    "fox": ("animal", {"legs": "4", "can_swim": "no"}),
}
TURKEY_SAID: list[Said] = [("legs_fewer", (3, 4, 4)), ("can_swim", (2,))]


def test_table_2_asks_for_a_place_that_is_not_mentioned() -> None:
    assert answer("zoo", TURKEY, TURKEY_SAID, "precise_entity", ("holds", (1, GAP))) == (1, "C")


def test_table_2_hangs_on_whether_turkeys_swim() -> None:
    doubtful = {**TURKEY, "turkey": ("animal", {"legs": "2", "can_swim": "?"})}
    with pytest.raises(ValueError, match="does not fit"):
        answer("zoo", doubtful, TURKEY_SAID, "precise_entity", ("holds", (1, GAP)))


FARM: Things = {
    "pumpkin": ("plant", {"plant_type": "vegetable", "color": "orange"}),
    "pistachio_nut": ("plant", {"plant_type": "nut", "color": "green"}),
    "edible_gourd": ("plant", {"plant_type": "vegetable", "color": "green"}),
    "loquat": ("plant", {"plant_type": "fruit", "color": "yellow"}),
}


def test_farm_of_appendix_c() -> None:
    said: list[Said] = [
        ("plant_type", (1, "nut")),
        ("plant_type", (2, "vegetable")),
        ("wavelength_longer", (3, 2)),
        ("plant_type", (3, "vegetable")),
    ]
    assert answer("farm", FARM, said, "precise_entity", ("holds", (4, GAP))) == (1, "D")


def test_zoo_of_appendix_c_with_eight_legs_of_an_octopus() -> None:
    things: Things = {
        "butterfly": ("animal", {"legs": "6", "warm_blooded": "no"}),
        "octopus": ("animal", {"legs": "8", "warm_blooded": "no"}),
        "buffalo": ("animal", {"legs": "4", "warm_blooded": "yes"}),
        "egret": ("animal", {"legs": "2", "warm_blooded": "yes"}),
    }
    said: list[Said] = [("legs_more", (3, 2, 2)), ("warm_blooded", (3,)), ("legs_more", (4, 3, 2))]
    assert answer("zoo", things, said, "precise_slot", ("holds", (GAP, "egret"))) == (1, "B")


def test_photos_of_appendix_c_with_a_yellow_mango_that_is_not_sour() -> None:
    things: Things = {
        "mango": ("plant", {"plant_type": "fruit", "taste": "sweet", "color": "yellow"}),
        "apple_juice": ("artefact", {"plant_type": "-", "taste": "sweet", "color": "yellow"}),
        "bayberry": ("plant", {"plant_type": "fruit", "taste": "sour", "color": "red"}),
        "carrot": ("plant", {"plant_type": "vegetable", "taste": "sweet", "color": "orange"}),
    }
    said: list[Said] = [
        ("plant_type_not", (4, "fruit")),
        ("wavelength_longer", (3, 1)),
        ("taste", (2, "sour")),
        ("plant_type_not", (4, "vegetable")),
        ("plant_type", (2, "fruit")),
    ]
    # Photos 1 and 2: the carrot reflects longer waves than the mango, so it is on photo 3.
    assert answer("photos", things, said, "vague_slot", ("plant_type", (GAP, "fruit"))) == (1, "AB")


def test_figure_13_tells_fresh_water_from_sea_water() -> None:
    things: Things = {
        "cat": ("animal", {"legs": "4", "shell": "no", "water": "-"}),
        "mandarin_fish": ("animal", {"legs": "0", "shell": "no", "water": "fresh"}),
        "tortoise": ("animal", {"legs": "4", "shell": "yes", "water": "fresh"}),
        "dolphin": ("animal", {"legs": "0", "shell": "no", "water": "salt"}),
    }
    said: list[Said] = [("legs_total", (2, 3, 8)), ("shell", (3,)), ("water", (1, "salt"))]
    assert answer("zoo", things, said, "precise_entity", ("holds", (4, GAP))) == (1, "B")


def test_figure_19_has_the_carnation_on_photo_4_against_its_key() -> None:
    things: Things = {
        "leather_jacket": ("artefact", {"category": "clothing"}),
        "carnation": ("plant", {"plant_type": "flower", "flower_color": "pink"}),
        "birdcage": ("artefact", {"category": "hand_tool"}),
        "coriander": ("plant", {"plant_type": "vegetable", "flower_color": "white"}),
    }
    said: list[Said] = [
        ("category_not", (3, "clothing")),
        ("category_not", (2, "clothing")),
        ("flower_color", (3, "white")),
        ("category_not", (4, "hand_tool")),
        ("category_not", (4, "clothing")),
        ("plant_type_not", (3, "flower")),
    ]
    assert answer("photos", things, said, "precise_slot", ("holds", (GAP, "carnation"))) == (1, "D")


def test_figure_20_is_right_if_purslane_is_no_vegetable() -> None:
    def things(purslane: str) -> Things:
        return {
            "jujube": ("plant", {"plant_type": "fruit", "color": "red", "edible_part": "fruit"}),
            "spinach": ("plant", {"plant_type": "vegetable", "color": "green", "edible_part": "leaf"}),
            "purslane": ("plant", {"plant_type": purslane, "color": "green", "edible_part": "leaf"}),
            "wax_gourd": (
                "plant",
                {"plant_type": "vegetable", "color": "green", "edible_part": "fruit"},
            ),
        }

    said: list[Said] = [
        ("wavelength_longer", (1, 3)),
        ("wavelength_longer", (1, 2)),
        ("edible_part_same", (1, 2)),
        ("plant_type", (3, "vegetable")),
        ("edible_part", (3, "leaf")),
        ("plant_type_not", (4, "fruit")),
        ("plant_type_not", (4, "vegetable")),
    ]
    asked = ("plant_type", (GAP, "vegetable"))
    assert answer("farm", things("-"), said, "vague_slot", asked) == (1, "BC")
    # As a vegetable it leaves no plant for field 4.
    assert answer("farm", things("vegetable"), said, "vague_slot", asked)[0] == 0


def test_figure_22_with_the_fish_of_the_chinese_text() -> None:
    things: Things = {
        "zebra": ("animal", {"legs": "4", "water": "-"}),
        "ladybug": ("animal", {"legs": "6", "water": "-"}),
        "pomfret": ("animal", {"legs": "0", "water": "salt"}),
        "bream": ("animal", {"legs": "0", "water": "fresh"}),
    }
    said: list[Said] = [("legs_fewer", (4, 2, 6)), ("water", (3, "salt"))]
    assert answer("zoo", things, said, "precise_slot", ("holds", (GAP, "bream"))) == (1, "D")


def test_figure_23_holds_with_the_straw_that_one_drinks_with() -> None:
    things: Things = {
        "peach": ("plant", {"plant_type": "fruit", "stem": "woody", "edible_part": "fruit"}),
        "malt_liquor": ("artefact", {"category": "drink"}),
        "straw": ("artefact", {"category": "hand_tool"}),
        "chestnut": ("plant", {"plant_type": "nut", "stem": "woody", "edible_part": "seed"}),
    }
    said: list[Said] = [
        ("edible_part", (2, "seed")),
        ("category_not", (4, "hand_tool")),
        ("edible_part", (1, "fruit")),
        ("category_not", (2, "drink")),
        ("plant_type_not", (3, "nut")),
        ("plant_type_not", (4, "fruit")),
        ("plant_type_not", (3, "fruit")),
        ("plant_type_not", (4, "nut")),
    ]
    # "A plant": what bears a stem; the tables have no property that says "plant".
    assert answer("photos", things, said, "vague_slot", ("stem", (GAP, "woody"))) == (1, "AB")

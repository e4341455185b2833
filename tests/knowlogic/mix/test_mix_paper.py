"""The paper's own mix items, rebuilt from their facts, get the verdicts of the specification's list."""

from perennial.schemas.knowlogic.things import GAP, Proposition
from perennial.tasks.knowlogic.mix.domain import build
from perennial.tasks.knowlogic.problem import Problem, fill, right_letters
from tests.knowlogic.nature.nature_items import Things, make_knowledge

Said = tuple[str, tuple[str, ...]]


def answer(things: Things, statements: list[Said], asked: Said, choices: tuple[str, ...]) -> tuple[int, str]:
    """Return the number of arrangements, and the right letters, of a question on the shelf of three tiers."""
    domain = build(make_knowledge(things))
    gap = Proposition(*asked)
    problem = Problem(
        "shelf_3x2",
        tuple(things),
        (),
        tuple(Proposition(*each) for each in statements),
        "vague_entity",
        gap,
        tuple(fill(gap, choice) for choice in choices),
    )
    decision = domain.decide(problem)
    assert domain.check(problem) == decision
    return decision.arrangements, right_letters(problem, decision.verdicts)


def test_item_5_of_appendix_c() -> None:
    things: Things = {
        "vanilla": ("plant", {"plant_type": "flower", "category": "-"}),
        "pencil_box": ("artefact", {"category": "stationery"}),
        "toast": ("artefact", {"category": "solid_processed_food", "taste": "-"}),
        "sewing_needle": ("artefact", {"category": "hand_tool"}),
        "scallion": ("plant", {"plant_type": "vegetable", "category": "seasoning"}),
        "peanut_brittle": ("artefact", {"category": "solid_processed_food", "taste": "sweet"}),
    }
    # Neither word of the pair has a place before the noun, so that the one word that suffices is used.
    seasoner, flower = "is:plant_type=vegetable", "is:plant_type=flower"
    sweet = "is:category=solid_processed_food&taste=sweet"
    said: list[Said] = [
        ("directly_below_2__1", (seasoner, flower)),
        ("tier_top__1", (flower,)),
        ("left__1", (flower, "toast")),
        ("lower_left_tier_1__1", (sweet, "toast")),
        ("same_tier__1", ("pencil_box", seasoner)),
    ]
    asked = ("upper_left_tier_1__1", (GAP, "pencil_box"))
    assert answer(things, said, asked, ("toast", "vanilla", "scallion")) == (1, "D")
    assert answer(things, said, asked, ("toast", "peanut_brittle", "scallion")) == (1, "B")


def test_item_6_of_appendix_c() -> None:
    things: Things = {
        "pumpkin": ("plant", {"color": "orange", "flower_color": "yellow"}),
        "silver_carp": ("animal", {"class": "fish", "color": "-"}),
        "red_bean": ("plant", {"color": "red", "flower_color": "-"}),
        "lemon": ("plant", {"color": "yellow", "flower_color": "white"}),
        "carrier_bag": ("artefact", {"category": "hand_tool"}),
        "noodles": ("artefact", {"category": "solid_processed_food"}),
    }
    yellow, food = "is:color=yellow", "is:category=solid_processed_food"
    said: list[Said] = [
        ("above_1__1", (food, "is:class=fish")),
        ("tier_top__1", ("is:category=hand_tool",)),
        ("at_bottom_left__1", ("is:flower_color=yellow&color=orange",)),
        ("directly_above__1", (food, yellow)),
        ("directly_below__1", ("is:color=red", yellow)),
        ("at_middle_right__1", (yellow,)),
    ]
    asked = ("above__1", (GAP, "red_bean"))
    assert answer(things, said, asked, ("silver_carp", "noodles", "lemon")) == (1, "ABC")


def test_figure_21_has_no_arrangement() -> None:
    things: Things = {
        "flute": ("artefact", {"category": "musical_instrument"}),
        "conch": ("animal", {"legs": "0", "shell": "yes"}),
        "fresh_kidney_bean": ("plant", {"plant_type": "vegetable"}),
        "mess_tin": ("artefact", {"category": "kitchen_tableware"}),
        "duckweed": ("plant", {"plant_type": "flower"}),
        "envelope": ("artefact", {"category": "stationery"}),
    }
    flower, instrument = "is:plant_type=flower", "is:category=musical_instrument"
    said: list[Said] = [
        ("upper_left_tier_1__1", ("envelope", flower)),
        ("one_over_other__1", (flower, "is:legs=0")),
        ("same_tier__1", (instrument, "is:plant_type=vegetable")),
        ("at_bottom_left__1", ("is:shell=yes",)),
        ("right_neighbor_upper_right__1", (instrument, "envelope")),
    ]
    asked = ("left__1", ("flute", GAP))
    assert answer(things, said, asked, ("mess_tin", "conch", "envelope"))[0] == 0

"""Which domains are too much like each other, and which are not."""

import pytest

from perennial.tasks.kumo.authors.proposal import KnownDomain, nearest_twin, normalise_text

MINERALS = KnownDomain(
    "Mineral Identification", "Identify the mineral of a hand specimen by field, optical and chemical tests."
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("MineralIdentificationEnv", "mineral"),
        ("The MINERALS' environment", "mineral"),
        ("Identify the boxes, berries and glasses!", "berry box glass"),
        ("DNA-Analysis of Species", "analysis dna specy"),
        ("The Game of Finding", "finding game of the"),
        ("ﬁsh", "fish"),
        ("!!!", ""),
    ],
)
def test_the_compared_form_holds_the_telling_words(text: str, form: str) -> None:
    assert normalise_text(text) == form


@pytest.mark.parametrize(
    ("name", "goal", "by"),
    [
        ("mineral identification", "", "name"),
        ("The Minerals Environment", "Something else entirely.", "name"),
        ("MineralEnv", "", "name"),
        ("Mineralls", "", "name"),
        ("Stones", MINERALS.goal.upper(), "goal"),
        ("Rocks", "Find the minerals of a hand specimen by optical, chemical and field tests", "goal"),
        (
            "Mineral Specimens",
            "Determine the mineral of hand specimens by field and optical and lab tests.",
            "name and goal",
        ),
    ],
)
def test_a_near_duplicate_is_told(name: str, goal: str, by: str) -> None:
    twin = nearest_twin(name, goal, [KnownDomain("Harbour Knots", "Find the knot."), MINERALS])
    assert twin is not None
    assert (twin.domain, twin.by) == (MINERALS, by)
    assert twin.score >= twin.threshold
    assert f"{twin.score:.0f} of 100" in twin.message
    assert "'Mineral Identification'" in twin.message


@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("Meteorite Identification", "Identify the meteorite of a museum's drawer by its crust and metal."),
        ("Moon Minerals", "Find out which regolith glitters on the crater rim."),
        ("Mushroom Identification", "Identify the mushroom of a hand specimen by field and chemical tests."),
        ("Funerals", ""),
    ],
)
def test_another_subject_is_no_duplicate(name: str, goal: str) -> None:
    assert nearest_twin(name, goal, [MINERALS]) is None


def test_goals_of_common_words_alone_are_no_reason() -> None:
    assert nearest_twin("Owls", "Identify it.", [KnownDomain("Harbour Knots", "Identify it.")]) is None
    assert nearest_twin("Owls", "", [KnownDomain("Harbour Knots", "")]) is None


def test_the_likest_of_several_is_named() -> None:
    known = [KnownDomain("Minerals A", ""), KnownDomain("Mineral", ""), KnownDomain("Miners", "")]
    twin = nearest_twin("The Minerals", "", known)
    assert twin is not None
    assert twin.domain.name in ("Minerals A", "Mineral")
    assert twin.score == 100.0

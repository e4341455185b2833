"""The brake: the house does not outgrow the bounds of house.toml."""

import pytest

from tests.house.measure import holds, measure, read_bounds


def test_every_figure_has_a_bound() -> None:
    assert set(read_bounds()) == set(measure())


@pytest.mark.parametrize("name", list(read_bounds()))
def test_the_house_keeps_to_its_bounds(name: str) -> None:
    side, bound = read_bounds()[name]
    measurement = measure()[name]
    assert holds(side, bound, measurement.figure), (
        f"{name} is {measurement.figure:.10g}, {side.replace('_', ' ')} {bound:.10g} in house.toml. Look at: "
        f"{measurement.describe_parts()}. Make the change smaller, or delete something. A bound moves "
        "the other way only in a commit of its own, which says what was given up for it."
    )

"""Rates above the floor: by setting, and none where the floor is not known."""

import pytest

from perennial.schemas.statistics import Floor, rate_above_floor

FLOOR = Floor("guesser", "", "")


def rows(*values: tuple[str, str, float | None]) -> list[dict[str, object]]:
    return [{"setting": setting, "player": player, "success_rate": rate} for setting, player, rate in values]


def test_each_setting_has_its_own_floor() -> None:
    board = rows(("a", "m", 0.6), ("a", "guesser", 0.2), ("b", "m", 0.1), ("b", "guesser", 0.25))
    assert rate_above_floor(FLOOR, board) == pytest.approx([0.5, 0.0, -0.2, 0.0])


def test_nothing_is_above_an_unknown_floor() -> None:
    board = rows(("a", "m", 0.6), ("b", "guesser", 1.0), ("b", "m", 1.0), ("c", "guesser", None))
    assert rate_above_floor(FLOOR, board) == [None] * 4
    assert rate_above_floor(None, board) == [None] * 4

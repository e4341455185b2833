"""Ways to read the places of a grid: spirals, snakes, diagonals, and rings that turn."""

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]
Reading = Callable[[Places], Places]


def list_readings() -> dict[str, Reading]:
    """Return readings by name: the places of a grid in the order in which they are written row by row."""
    readings: dict[str, Reading] = {}
    for name, turn in _TURNS.items():
        for of, read in (("spiral", _spiral), ("snake", _snake), ("diagonals", _diagonals)):
            readings[f"{of} of the grid {name}"] = partial(_read, read=read, turn=turn, is_back=False)
            readings[f"{of} of the grid {name}, reversed"] = partial(
                _read, read=read, turn=turn, is_back=True
            )
    for step in (1, 2, 3, -1, -2, -3):
        readings[f"rings turned by {step}"] = partial(_turn_rings, step=step, is_border_alone=False)
        readings[f"border turned by {step}"] = partial(_turn_rings, step=step, is_border_alone=True)
    return readings


_TURNS: dict[str, Reading] = {
    "": lambda grid: grid,
    "turned right": lambda grid: np.rot90(grid, -1),
    "turned half": lambda grid: np.rot90(grid, 2),
    "turned left": lambda grid: np.rot90(grid),
    "mirrored": lambda grid: grid.T,
    "mirrored, turned right": lambda grid: np.rot90(grid.T, -1),
    "mirrored, turned half": lambda grid: np.rot90(grid.T, 2),
    "mirrored, turned left": lambda grid: np.rot90(grid.T),
}


def _read(grid: Places, read: Reading, turn: Reading, is_back: bool) -> Places:
    places = read(turn(grid))
    return places[::-1] if is_back else places


def _spiral(grid: Places) -> Places:
    read: list[Places] = []
    while grid.size:
        read.append(grid[0])
        grid = np.rot90(grid[1:])
    return np.concatenate(read)


def _snake(grid: Places) -> Places:
    return np.concatenate([row[::-1] if number % 2 else row for number, row in enumerate(grid)])


def _diagonals(grid: Places) -> Places:
    rows, columns = grid.shape
    turned = grid[::-1]
    return np.concatenate([turned.diagonal(offset) for offset in range(-rows + 1, columns)])


def _turn_rings(grid: Places, step: int, is_border_alone: bool) -> Places:
    turned, rest = grid.copy(), grid
    start = 0
    while rest.size and (start == 0 or not is_border_alone):
        ring = _ring(rest)
        turned.ravel()[ring] = np.roll(ring, step)
        rest, start = rest[1:-1, 1:-1], start + 1
    return turned.ravel()


def _ring(grid: Places) -> Places:
    if 1 in grid.shape:
        return grid.ravel()
    return np.concatenate([grid[0], grid[1:, -1], grid[-1, -2::-1], grid[-2:0:-1, 0]])

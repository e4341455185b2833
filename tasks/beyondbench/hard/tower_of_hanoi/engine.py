"""Shortest sequences of moves between two positions: by recursion, and again by breadth-first search.

From any position to one with all disks on a peg there is one shortest sequence (K.1.6 of the paper). Between
any two positions the largest disk that moves does so once, with all smaller ones on the third peg, or twice,
with all smaller ones first where it goes in the end and then where it came from. The shorter way counts;
where both are as long, there are two shortest sequences, and the paper's claim of one does not hold.
"""

from collections import deque
from functools import cache, lru_cache

from perennial.tasks.beyondbench.hard.tower_of_hanoi.params import Move

Path = tuple[Move, ...]


def find_shortest(start: str, goal: str, pegs: str) -> tuple[Path, ...]:
    """Return the one or two shortest sequences of moves."""
    disks = len(start)
    while disks and start[disks - 1] == goal[disks - 1]:
        disks -= 1
    if not disks:
        return ((),)
    smaller = disks - 1
    source, target = start[smaller], goal[smaller]
    spare = _third(pegs, source, target)
    once = (
        *_gather(start[:smaller], spare, pegs),
        (disks, source, target),
        *_spread(spare, goal[:smaller], pegs),
    )
    twice = (
        *_gather(start[:smaller], target, pegs),
        (disks, source, spare),
        *_gather(target * smaller, source, pegs),
        (disks, spare, target),
        *_spread(source, goal[:smaller], pegs),
    )
    least = min(len(once), len(twice))
    return tuple(path for path in (once, twice) if len(path) == least)


@lru_cache(maxsize=4_096)
def _gather(position: str, peg: str, pegs: str) -> Path:
    """Return the shortest sequence that brings all disks of a position to a peg (eq. 118)."""
    if not position:
        return ()
    smaller, largest = position[:-1], position[-1]
    if largest == peg:
        return _gather(smaller, peg, pegs)
    spare = _third(pegs, largest, peg)
    move = (len(position), largest, peg)
    return (*_gather(smaller, spare, pegs), move, *_gather(spare * len(smaller), peg, pegs))


def _spread(peg: str, position: str, pegs: str) -> Path:
    """Return the shortest sequence from a peg to a position: the way back, backwards."""
    return tuple((disk, target, source) for disk, source, target in reversed(_gather(position, peg, pegs)))


def _third(pegs: str, one: str, other: str) -> str:
    return next(peg for peg in pegs if peg not in (one, other))


@lru_cache(maxsize=16)
def distances_to(goal: str, pegs: str) -> dict[str, int]:
    """Return the least number of moves to a position from every position, by breadth-first search."""
    found = {goal: 0}
    queue = deque([goal])
    while queue:
        position = queue.popleft()
        for after in neighbours(position, pegs):
            if after not in found:
                found[after] = found[position] + 1
                queue.append(after)
    return found


@cache
def neighbours(position: str, pegs: str) -> tuple[str, ...]:
    """Return the positions one legal move away."""
    tops = {peg: position.find(peg) for peg in pegs}
    return tuple(
        position[:top] + target + position[top + 1 :]
        for source, top in tops.items()
        for target, other in tops.items()
        if top >= 0 and target != source and (other < 0 or top < other)
    )

"""The Tower of Hanoi, between two pegs and between any two positions."""

import math
import random
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations
from typing import Any

from perennial.schemas.beyondbench.things import Answer, Solutions, Space
from perennial.tasks.beyondbench.forms.lists import NOTATIONS, MovesForm
from perennial.tasks.beyondbench.problem import RIGHT, Task, Variation

# What a Tower of Hanoi is made of: two positions of its disks, the names of pegs, the notation of moves.

MIN_DISKS, MAX_DISKS = 3, 8
PEG_NAMES = ("ABC", "123")

Move = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class HanoiParams:
    """Disks to bring from one position to another, and the notation of moves.

    A position is a text: the peg of each disk, from disk 1 (the smallest) on. Disks on a peg lie by size.
    """

    pegs: str
    start: str
    goal: str
    notation: int

    def __post_init__(self) -> None:
        if self.pegs not in PEG_NAMES or not MIN_DISKS <= self.disks <= MAX_DISKS:
            raise ValueError(f"{self.disks} disks on pegs {self.pegs[:9]!r}: not 3 to 8 on ABC or 123")
        if len(self.goal) != self.disks or set(self.start + self.goal) - set(self.pegs):
            raise ValueError(f"positions {self.start!r} and {self.goal[:9]!r} are not of pegs {self.pegs}")
        if self.start == self.goal or not 0 <= self.notation < len(NOTATIONS):
            raise ValueError(f"from {self.start!r} to {self.goal!r} in notation {self.notation}: no such")

    @property
    def disks(self) -> int:
        """The number of disks."""
        return len(self.start)

    @property
    def is_classic(self) -> bool:
        """Whether all disks lie on one peg, before and after."""
        return len(set(self.start)) == len(set(self.goal)) == 1


def stacks_of(position: str, pegs: str) -> dict[str, list[int]]:
    """The disks on each peg, from the bottom to the top."""
    return {peg: [disk for disk in range(len(position), 0, -1) if position[disk - 1] == peg] for peg in pegs}


# Shortest sequences of moves between two positions: by recursion, and again by breadth-first search.
#
# From any position to one with all disks on a peg there is one shortest sequence (K.1.6 of the paper).
# Between any two positions the largest disk that moves does so once, with all smaller ones on the third
# peg, or twice, with all smaller ones first where it goes in the end and then where it came from. The
# shorter way counts; where both are as long, there are two shortest sequences, and the paper's claim of one
# does not hold.

Path = tuple[Move, ...]


def find_shortest(start: str, goal: str, pegs: str) -> tuple[Path, ...]:
    """The one or two shortest sequences of moves."""
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
    """The shortest sequence that brings all disks of a position to a peg (eq. 118)."""
    if not position:
        return ()
    smaller, largest = position[:-1], position[-1]
    if largest == peg:
        return _gather(smaller, peg, pegs)
    spare = _third(pegs, largest, peg)
    move = (len(position), largest, peg)
    return (*_gather(smaller, spare, pegs), move, *_gather(spare * len(smaller), peg, pegs))


def _spread(peg: str, position: str, pegs: str) -> Path:
    """The shortest sequence from a peg to a position: the way back, backwards."""
    return tuple((disk, target, source) for disk, source, target in reversed(_gather(position, peg, pegs)))


def _third(pegs: str, first: str, other: str) -> str:
    return next(peg for peg in pegs if peg not in (first, other))


@lru_cache(maxsize=16)
def distances_to(goal: str, pegs: str) -> dict[str, int]:
    """The least number of moves to a position from every position, by breadth-first search."""
    distances = {goal: 0}
    queue = deque([goal])
    while queue:
        position = queue.popleft()
        for after in neighbours(position, pegs):
            if after not in distances:
                distances[after] = distances[position] + 1
                queue.append(after)
    return distances


@cache
def neighbours(position: str, pegs: str) -> tuple[str, ...]:
    """The positions one legal move away."""
    tops = {peg: position.find(peg) for peg in pegs}
    return tuple(
        position[:top] + target + position[top + 1 :]
        for source, top in tops.items()
        for target, other in tops.items()
        if top >= 0 and target != source and (other < 0 or top < other)
    )


# Tower of Hanoi: the shortest sequence of moves between two positions (section K.1 of the paper).
#
# Variations `disks_n` are the paper's: all disks from one peg to another, one puzzle per size under other
# names. Variation `positions` starts and ends at any two legal positions with one shortest sequence between
# them.

POSITIONS = "positions"
DISKS = range(MIN_DISKS, MAX_DISKS + 1)
_EXAMPLE = {"disk": "X", "source": "Y", "target": "Z"}
# Pairs of positions that may be drawn, by the number of disks: the largest disk moves, one sequence is the
# shortest, it has at least 2^(n-1) moves, and not all disks lie on one peg before and after (all counted).
PAIRS = {3: 372, 4: 3_432, 5: 31_164, 6: 281_784, 7: 2_542_716, 8: 22_918_104}


def _draw(variation: str, size: int, rng: random.Random) -> HanoiParams | None:
    pegs = rng.choice(PEG_NAMES)
    notation = rng.randrange(len(NOTATIONS))
    if variation != POSITIONS:
        source, target = rng.sample(pegs, 2)
        return HanoiParams(pegs, source * size, target * size, notation)
    start, goal = ("".join(rng.choices(pegs, k=size)) for _ in range(2))
    if start[-1] == goal[-1]:
        return None
    params = HanoiParams(pegs, start, goal, notation)
    paths = find_shortest(start, goal, pegs)
    return params if len(paths) == 1 and is_long(paths[0], size) and not params.is_classic else None


def is_long(path: tuple[Move, ...], disks: int) -> bool:
    """Whether a sequence has at least as many moves as the paper's puzzle with a disk less, and one."""
    return len(path) >= 1 << (disks - 1)


def _solve(params: HanoiParams) -> Solutions:
    paths = find_shortest(params.start, params.goal, params.pegs)
    return Solutions(tuple([list(move) for move in path] for path in paths), len(paths), True)


def _verify(params: HanoiParams, answer: Answer) -> str:
    """Play the moves (Algorithm 8)."""
    moves = _moves(answer)
    if moves is None:
        return "malformed"
    stacks = stacks_of(params.start, params.pegs)
    for disk, source, target in moves:
        if source not in stacks or target not in stacks:
            return "unknown_peg"
        if not stacks[source] or stacks[source][-1] != disk or source == target:
            return "illegal_move"
        if stacks[target] and stacks[target][-1] < disk:
            return "illegal_move"
        stacks[target].append(stacks[source].pop())
    if stacks != stacks_of(params.goal, params.pegs):
        return "incomplete"
    shortest = find_shortest(params.start, params.goal, params.pegs)[0]
    return RIGHT if len(moves) == len(shortest) else "suboptimal"


def _check(params: HanoiParams, answer: Answer) -> bool:
    """Follow the moves through all positions: each must be legal, and one move nearer to the goal."""
    moves = _moves(answer)
    if moves is None:
        return False
    distances = distances_to(params.goal, params.pegs)
    position = params.start
    for disk, source, target in moves:
        if not 1 <= disk <= params.disks or position[disk - 1] != source:
            return False
        after = position[: disk - 1] + target + position[disk:]
        if after not in neighbours(position, params.pegs) or distances[after] != distances[position] - 1:
            return False
        position = after
    return position == params.goal


def _moves(answer: Answer) -> list[Move] | None:
    """The moves of an answer that is a list of [disk, from, to], else None."""
    if not isinstance(answer, list):
        return None
    moves: list[Move] = []
    for move in answer:
        if not isinstance(move, list | tuple) or len(move) != 3:
            return None
        disk, source, target = move
        if type(disk) is not int or not isinstance(source, str) or not isinstance(target, str):
            return None
        moves.append((disk, source, target))
    return moves


def _words(params: HanoiParams) -> Mapping[str, Any]:
    return {
        "disks": params.disks,
        "pegs": list(params.pegs),
        "start": stacks_of(params.start, params.pegs),
        "goal": stacks_of(params.goal, params.pegs),
        "is_classic": params.is_classic,
        "source": params.start[0],
        "target": params.goal[0],
        "empty": [peg for peg in params.pegs if peg not in params.start],
        "notation": NOTATIONS[params.notation].format(**_EXAMPLE),
    }


_SETUP = re.compile(r"^Three pegs are named ([A-C1-3]), ([A-C1-3]) and ([A-C1-3])\.", re.MULTILINE)
_DISKS = re.compile(r"^There are (\d) disks of different sizes", re.MULTILINE)
_ENDS = re.compile(r"^All disks lie on peg (\w)\b.*?^Move all of them to peg (\w) ", re.MULTILINE | re.DOTALL)
_STACK = re.compile(r"^- peg ([A-C1-3]): (?:empty|((?:\d, )*\d))$", re.MULTILINE)


def _read(prompt: str) -> HanoiParams:
    setup, disks, ends = _SETUP.search(prompt), _DISKS.search(prompt), _ENDS.search(prompt)
    lines = prompt.splitlines()
    notations = [at for at, text in enumerate(NOTATIONS) if text.format(**_EXAMPLE) in lines]
    stacks = _STACK.findall(prompt)
    if not (setup and disks and len(notations) == 1 and (ends or len(stacks) == 6)):
        raise ValueError("the prompt holds no Tower of Hanoi")
    size = int(disks[1])
    if ends:
        start, goal = ends[1] * size, ends[2] * size
    else:
        start, goal = (_read_position(stacks[at : at + 3], size) for at in (0, 3))
    return HanoiParams("".join(setup.groups()), start, goal, notations[0])


def _read_position(stacks: list[tuple[str, str]], disks: int) -> str:
    peg_of = {disk: peg for peg, listed in stacks for disk in listed.split(", ")}
    return "".join(peg_of.get(str(disk), "") for disk in range(1, disks + 1))


def _guess(params: HanoiParams, rng: random.Random) -> Answer:
    """A random walk of legal moves, as long as the paper's puzzle with these disks needs."""
    stacks = stacks_of(params.start, params.pegs)
    walk: list[list[int | str]] = []
    while len(walk) < 2**params.disks - 1:
        source, target = rng.sample(params.pegs, 2)
        if stacks[source] and (not stacks[target] or stacks[source][-1] < stacks[target][-1]):
            walk.append([stacks[source][-1], source, target])
            stacks[target].append(stacks[source].pop())
    return walk


def _mutate(params: HanoiParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Longer legal paths, and paths between other pegs."""
    smallest = [index for index, move in enumerate(answer) if move[0] == 1]
    for index in rng.sample(smallest, min(4, len(smallest))):
        _, source, target = answer[index]
        spare = _third(params.pegs, source, target)
        detour = [[1, source, spare], [1, spare, target]]
        yield f"legal detour at move {index + 1}", answer[:index] + detour + answer[index + 1 :]
        again = [answer[index], [1, target, source], answer[index]]
        yield f"move {index + 1} undone and done again", answer[:index] + again + answer[index + 1 :]
    last = params.goal[0]
    for peg in params.pegs:
        if peg != last:
            yield "one more move", [*answer, [1, last, peg]]
            yield "away and back", [*answer, [1, last, peg], [1, peg, last]]
    for names in permutations(params.pegs):
        rename = dict(zip(params.pegs, names, strict=True))
        if names != tuple(params.pegs):
            yield "between other pegs", [[disk, rename[peg], rename[other]] for disk, peg, other in answer]
    if (back := [[disk, target, source] for disk, source, target in reversed(answer)]) != answer:
        yield "from the goal to the start", back


def _space(variation: str, size: int) -> Space:
    notations = len(PEG_NAMES) * len(NOTATIONS)
    if variation == POSITIONS:
        return Space(
            math.log10(PAIRS[size] * notations), True, f"{PAIRS[size]:,} pairs of positions, 8 notations"
        )
    return Space(math.log10(6 * notations), True, "2 sets of names, 6 pairs of pegs, 4 notations: one puzzle")


TASK = Task(
    name="tower_of_hanoi",
    suite="hard",
    title="the shortest sequence of moves of the Tower of Hanoi",
    params=HanoiParams,
    variations=(
        *(Variation(f"disks_{disks}", (disks,), reuse="when_exhausted") for disks in DISKS),
        Variation(POSITIONS, tuple(DISKS), reuse="when_exhausted", is_counted=False),
    ),
    draw=_draw,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: MovesForm(params.disks, params.pegs, params.notation),
    words=_words,
    read=_read,
    guess=_guess,
    tokens=lambda _variation, size: (200 + 10 * size, 15 * (2**size - 1)),
    space=_space,
    mutate=_mutate,
)

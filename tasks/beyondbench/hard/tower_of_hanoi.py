"""Tower of Hanoi: the shortest sequence of moves between two pegs (section K.1 of the paper).

The shortest sequence has 2^n - 1 moves and is the only one of that length: before and after the only move of
the largest disk all others must be on the third peg, and so on down to disk 1 (K.1.6).
"""

import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

from schemas.beyondbench.things import Answer, Solutions, Space, one
from tasks.beyondbench.forms.lists.moves import NOTATIONS, MovesForm
from tasks.beyondbench.task import RIGHT, Task, Variation

MIN_DISKS, MAX_DISKS = 3, 8
PEG_NAMES = ("ABC", "123")
_EXAMPLE = {"disk": "X", "source": "Y", "target": "Z"}

Move = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class HanoiParams:
    """So many disks to move from one peg to another, and the notation of moves."""

    disks: int
    pegs: str
    source: str
    target: str
    notation: int

    def __post_init__(self) -> None:
        pair = (self.source, self.target)
        if not (MIN_DISKS <= self.disks <= MAX_DISKS and self.pegs in PEG_NAMES):
            raise ValueError(f"{self.disks} disks on pegs {self.pegs!r}: not 3 to 8 on ABC or 123")
        if pair not in set(permutations(self.pegs, 2)) or not 0 <= self.notation < len(NOTATIONS):
            raise ValueError(f"from {self.source!r} to {self.target!r} in notation {self.notation}: no such")

    @property
    def spare(self) -> str:
        """The third peg."""
        return next(peg for peg in self.pegs if peg not in (self.source, self.target))


def _draw(_variation: str, size: int, rng: random.Random) -> HanoiParams:
    pegs = rng.choice(PEG_NAMES)
    source, target = rng.sample(pegs, 2)
    return HanoiParams(size, pegs, source, target, rng.randrange(len(NOTATIONS)))


@cache
def _shortest(disks: int, source: str, target: str, spare: str) -> tuple[Move, ...]:
    """Return the shortest sequence by recursion (eq. 118)."""
    if not disks:
        return ()
    before = _shortest(disks - 1, source, spare, target)
    after = _shortest(disks - 1, spare, target, source)
    return (*before, (disks, source, target), *after)


def _solve(params: HanoiParams) -> Solutions:
    path = _shortest(params.disks, params.source, params.target, params.spare)
    return one([list(move) for move in path])


def _verify(params: HanoiParams, answer: Answer) -> str:
    """Play the moves (Algorithm 8)."""
    moves = _moves(answer)
    if moves is None:
        return "malformed"
    stacks: dict[str, list[int]] = {peg: [] for peg in params.pegs}
    stacks[params.source] = list(range(params.disks, 0, -1))
    for disk, source, target in moves:
        if source not in stacks or target not in stacks:
            return "unknown_peg"
        if not stacks[source] or stacks[source][-1] != disk or source == target:
            return "illegal_move"
        if stacks[target] and stacks[target][-1] < disk:
            return "illegal_move"
        stacks[target].append(stacks[source].pop())
    if len(stacks[params.target]) < params.disks:
        return "incomplete"
    return RIGHT if len(moves) == 2**params.disks - 1 else "suboptimal"


def _check(params: HanoiParams, answer: Answer) -> bool:
    """Compare with the closed form: move m takes the disk of m's lowest set bit, by bits of m modulo 3."""
    moves = _moves(answer)
    if moves is None or len(moves) != 2**params.disks - 1:
        return False
    # The smallest disk goes to place 2 of the ring first: to the target where the number of disks is odd.
    ends = (params.spare, params.target) if params.disks % 2 else (params.target, params.spare)
    ring = (params.source, *ends)
    return all(
        move == ((m & -m).bit_length(), ring[(m & (m - 1)) % 3], ring[((m | (m - 1)) + 1) % 3])
        for m, move in enumerate(moves, start=1)
    )


def _moves(answer: Answer) -> list[Move] | None:
    """Return the moves of an answer that is a list of [disk, from, to], else None."""
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
        "source": params.source,
        "target": params.target,
        "empty": [peg for peg in params.pegs if peg != params.source],
        "stack": list(range(params.disks, 0, -1)),
        "notation": NOTATIONS[params.notation].format(**_EXAMPLE),
    }


_SETUP = re.compile(r"^Three pegs are named ([A-C1-3]), ([A-C1-3]) and ([A-C1-3])\.", re.MULTILINE)
_DISKS = re.compile(r"^There are (\d) disks of different sizes", re.MULTILINE)
_PEGS = re.compile(r"^All disks lie on peg (\w)\b.*?^Move all of them to peg (\w) ", re.MULTILINE | re.DOTALL)


def _read(prompt: str) -> HanoiParams:
    setup, disks, pegs = _SETUP.search(prompt), _DISKS.search(prompt), _PEGS.search(prompt)
    lines = prompt.splitlines()
    notations = [at for at, text in enumerate(NOTATIONS) if text.format(**_EXAMPLE) in lines]
    if not (setup and disks and pegs and len(notations) == 1):
        raise ValueError("the prompt holds no Tower of Hanoi")
    return HanoiParams(int(disks[1]), "".join(setup.groups()), pegs[1], pegs[2], notations[0])


def _guess(params: HanoiParams, rng: random.Random) -> Answer:
    """Return a random walk of legal moves, as long as the shortest sequence."""
    stacks: dict[str, list[int]] = {peg: [] for peg in params.pegs}
    stacks[params.source] = list(range(params.disks, 0, -1))
    walk: list[list[int | str]] = []
    while len(walk) < 2**params.disks - 1:
        source, target = rng.sample(params.pegs, 2)
        if stacks[source] and (not stacks[target] or stacks[source][-1] < stacks[target][-1]):
            walk.append([stacks[source][-1], source, target])
            stacks[target].append(stacks[source].pop())
    return walk


def _mutate(params: HanoiParams, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
    """Yield longer legal paths, and paths between other pegs."""
    smallest = [place for place, move in enumerate(answer) if move[0] == 1]
    for place in rng.sample(smallest, min(4, len(smallest))):
        _, source, target = answer[place]
        spare = next(peg for peg in params.pegs if peg not in (source, target))
        detour = [[1, source, spare], [1, spare, target]]
        yield f"legal detour at move {place + 1}", answer[:place] + detour + answer[place + 1 :]
        again = [answer[place], [1, target, source], answer[place]]
        yield f"move {place + 1} undone and done again", answer[:place] + again + answer[place + 1 :]
    yield "one more move", [*answer, [1, params.target, params.spare]]
    yield "away and back", [*answer, [1, params.target, params.spare], [1, params.spare, params.target]]
    for kind, names in (
        ("to the third peg", (params.source, params.spare, params.target)),
        ("from the goal to the start", (params.target, params.source, params.spare)),
    ):
        rename = dict(zip((params.source, params.target, params.spare), names, strict=True))
        yield kind, [[disk, rename[source], rename[target]] for disk, source, target in answer]


TASK = Task(
    "tower_of_hanoi",
    "hard",
    "the shortest sequence of moves of the Tower of Hanoi",
    HanoiParams,
    tuple(
        Variation(f"disks_{disks}", (disks,), reuse="when_exhausted")
        for disks in range(MIN_DISKS, MAX_DISKS + 1)
    ),
    "beyondbench/hard/tower_of_hanoi.md.j2",
    draw=_draw,
    solve=_solve,
    verify=_verify,
    check=_check,
    form=lambda params: MovesForm(params.disks, params.pegs, params.notation),
    words=_words,
    read=_read,
    guess=_guess,
    tokens=lambda _variation, size: (200 + 10 * size, 15 * (2**size - 1)),
    space=lambda _variation, _size: Space(
        math.log10(len(PEG_NAMES) * 6 * len(NOTATIONS)), True, "2 sets of names, 6 pairs of pegs, 4 notations"
    ),
    mutate=_mutate,
)

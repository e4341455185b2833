"""What a Tower of Hanoi is made of: two positions of its disks, the names of pegs, the notation of moves."""

from dataclasses import dataclass

from perennial.tasks.beyondbench.forms.lists.moves import NOTATIONS

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
    """Return the disks on each peg, from the bottom to the top."""
    return {peg: [disk for disk in range(len(position), 0, -1) if position[disk - 1] == peg] for peg in pegs}

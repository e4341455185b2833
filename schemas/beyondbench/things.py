"""What BeyondBench talks about: suites, solutions, sizes of spaces, parsed answers, token status."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

Suite = Literal["easy", "medium", "hard"]
SUITES: tuple[Suite, ...] = get_args(Suite)

# An answer as JSON would hold it: an integer, a text, a list, a mapping.
Answer = Any

Level = Literal[0, 1, 2, 3, 4]
LEVELS: dict[Level, str] = {
    0: "nothing was read",
    1: "the exact required format",
    2: "a known phrase, a code fence or another notation",
    3: "the last text that reads as an answer",
    4: "the last number",
}

TokenStatus = Literal["VALID", "WARNING", "OVERFLOW"]
TOKEN_STATUSES: tuple[TokenStatus, ...] = get_args(TokenStatus)


@dataclass(frozen=True, slots=True)
class Solutions:
    """Solutions of a problem: some of them, the reference first; how many are known; whether that is all."""

    answers: tuple[Answer, ...]
    count: int
    is_complete: bool

    @property
    def reference(self) -> Answer:
        """The first solution."""
        return self.answers[0]


def one(answer: Answer) -> Solutions:
    """Return the solutions of a problem that has this one."""
    return Solutions((answer,), 1, True)


@dataclass(frozen=True, slots=True)
class Space:
    """How many different problems there are: log10 of their number, exact or a rigorous lower bound."""

    log10: float
    is_exact: bool
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was read from a reply: the answer (None: nothing) and the level at which it was read (App. B)."""

    answer: Answer | None
    level: Level

    @property
    def instruction_followed(self) -> bool:
        """Whether the reply kept to the required format."""
        return self.level == 1

"""What BeyondBench talks about: suites, solutions, sizes of spaces, parsed answers, token status."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, get_args

from perennial.schemas.rows import JsonObject

BEYONDBENCH_2025 = "beyondbench-2025"  # the protocol of its authors

# BeyondBench's own part of an edition's plan.


class Cell(NamedTuple):
    """One variation of a task: the unit of growth and of the statistics."""

    task: str
    variation: str

    def __str__(self) -> str:
        return f"{self.task}/{self.variation}"


@dataclass(frozen=True, slots=True)
class BeyondBenchPlan:
    """What of BeyondBench decides an edition's questions.

    `cells` are its variations, `instances` problems of each; `context_tokens` is the budget C that prompt and
    solution must fit, `tokenizer` the file by which prompts are counted, "" for an estimate.
    """

    cells: tuple[Cell, ...]
    instances: int
    context_tokens: int
    tokenizer: str = ""

    def as_json(self) -> JsonObject:
        """The plan's part in `plan.json`."""
        return asdict(self) | {"cells": [str(cell) for cell in self.cells]}

    @classmethod
    def from_json(cls, values: JsonObject) -> "BeyondBenchPlan":
        """Read what `as_json` wrote."""
        return cls(**{**values, "cells": tuple(Cell(*name.split("/")) for name in values["cells"])})


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


def only_solution(answer: Answer) -> Solutions:
    """Solutions of a problem with this single one."""
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

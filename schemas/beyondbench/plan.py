"""BeyondBench's own part of an edition's plan."""

from dataclasses import asdict, dataclass
from typing import NamedTuple

from perennial.schemas.rows import JsonObject


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
        """Return the plan as a JSON object."""
        return asdict(self) | {"cells": [str(cell) for cell in self.cells]}

    @classmethod
    def from_json(cls, values: JsonObject) -> "BeyondBenchPlan":
        """Return the plan that `as_json` wrote."""
        return cls(**{**values, "cells": tuple(Cell(*name.split("/")) for name in values["cells"])})

"""A truth value for each variable as the answer: {variable: value}, variables as text, counted from 1."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.mappings.pairs import (
    Pairs,
    find_last_pairs,
    read_pairs,
    read_pairs_loosely,
)

_VALUE = "(True|False)"
_ANY_VALUE = "(true|false|t|f|1|0)"


@dataclass(frozen=True, slots=True)
class AssignmentForm:
    """A truth value for each variable. Careless: all True."""

    variables: int
    container: str = "answer"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return the mapping with variables as numbers and the values True and False."""
        return f"{{{', '.join(f'{variable}: {value}' for variable, value in answer.items())}}}"

    def read(self, text: str) -> Answer | None:
        """Return the values of `{1: True, 2: False}`."""
        return _values(read_pairs(text, _VALUE))

    def read_loosely(self, text: str) -> Answer | None:
        """Return the values of a text that maps variables to truth values and holds nothing else."""
        return _values(read_pairs_loosely(text, _ANY_VALUE))

    def find_last(self, text: str) -> Answer | None:
        """Return the values of the last braces or lines that hold them."""
        return _values(find_last_pairs(text, _ANY_VALUE))

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield assignments with values flipped, missing, added, or none."""
        yield "nothing", {}
        yield "all true", dict.fromkeys(answer, True)
        yield "all false", dict.fromkeys(answer, False)
        yield "all negated", {variable: not value for variable, value in answer.items()}
        yield "counted from 0", {str(int(variable) - 1): value for variable, value in answer.items()}
        yield "a variable too many", {**answer, str(self.variables + 1): True}
        for variable, value in answer.items():
            yield f"{variable} flipped", {**answer, variable: not value}
            yield f"{variable} missing", {name: answer[name] for name in answer if name != variable}
            yield f"{variable} as a number", {**answer, variable: int(value)}
        pairs = list(combinations(answer, 2))
        for first, second in rng.sample(pairs, min(6, len(pairs))):
            yield (
                f"{first} and {second} flipped",
                {**answer, first: not answer[first], second: not answer[second]},
            )

    def careless(self, answer: Answer) -> Answer:
        """Return True for all variables."""
        return dict.fromkeys(answer, True)


def _values(pairs: Pairs | None) -> Answer | None:
    return pairs and {variable: value.lower() in ("true", "t", "1") for variable, value in pairs.items()}

"""An integer as the value of a named unknown."""

import re
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.numbers.integer import IntegerForm


@dataclass(frozen=True, slots=True)
class NamedIntegerForm(IntegerForm):
    """An integer that an unknown stands for; "Therefore, x = 5" is read too. Careless: one more."""

    container: str = "answer"
    name: str = "x"

    def find_last(self, text: str) -> Answer | None:
        """Return the last integer that is said to be equal to the unknown."""
        found = re.findall(
            rf"(?<!\w){self.name}\s*=\s*([-+]?\d+(?:,\d{{3}})*)(?![\w(]|[.,]\d|\s*[-+*/%^])", text
        )
        return self.read_loosely(found[-1]) if found else None

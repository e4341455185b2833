"""A form of answers: how one is written, read strictly and loosely, changed for the gate, and got wrong."""

import random
from collections.abc import Iterator
from typing import Protocol

from perennial.schemas.beyondbench.things import Answer


class Form(Protocol):
    """How answers of one kind are written and read.

    `container` is what the answer must be inside: `boxed` for \\boxed{..}, `answer` for <answer>..</answer>.
    Each text to read is at most as long as a reply; reading takes linear time and raises nothing.
    """

    @property
    def container(self) -> str:
        """The container: `boxed` or `answer`."""
        ...

    @property
    def is_scalar(self) -> bool:
        """Whether the last number of a reply may be read as the answer (level 4)."""
        ...

    def write(self, answer: Answer) -> str:
        """Return the answer's text, as the prompt asks for it, without its container."""
        ...

    def read(self, text: str) -> Answer | None:
        """Return the answer that the whole text is in exactly the required format, else None."""
        ...

    def read_loosely(self, text: str) -> Answer | None:
        """Return the answer that the whole text is in any notation (JSON, Python, LaTeX), else None."""
        ...

    def find_last(self, text: str) -> Answer | None:
        """Return the last answer within a text, else None."""
        ...

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield (kind of change, changed answer): off by one, swapped, truncated and so on, at least 20."""
        ...

    def careless(self, answer: Answer) -> Answer:
        """Return another answer of the same form, by a rule that the class states."""
        ...

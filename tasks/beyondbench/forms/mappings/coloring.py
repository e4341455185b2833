"""A color for each vertex as the answer: {vertex: name}, vertices as text."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.mappings.pairs import find_last_pairs, read_pairs, read_pairs_loosely

_NAME = '"([A-Za-z0-9][A-Za-z0-9 _-]{0,39})"'


@dataclass(frozen=True, slots=True)
class ColoringForm:
    """A color's name for each vertex. Careless: the first vertex's color for all."""

    vertices: int
    container: str = "answer"
    is_scalar: bool = False

    def write(self, answer: Answer) -> str:
        """Return the mapping with vertices as numbers and names in double quotes."""
        pairs = (f'{vertex}: "{color}"' for vertex, color in answer.items())
        return f"{{{', '.join(pairs)}}}"

    def read(self, text: str) -> Answer | None:
        """Return the colors of `{0: "name", 1: "name"}`."""
        return read_pairs(text, _NAME)

    def read_loosely(self, text: str) -> Answer | None:
        """Return the colors of a text that maps vertices to names or numbers and holds nothing else."""
        return read_pairs_loosely(text, _NAME)

    def find_last(self, text: str) -> Answer | None:
        """Return the colors of the last braces or lines that hold them."""
        return find_last_pairs(text, _NAME)

    def mutations(self, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield colorings with a vertex missing, added, or colored otherwise."""
        last = str(self.vertices - 1)
        yield "nothing", {}
        yield "one color", self.careless(answer)
        yield "a vertex too many", {**answer, str(self.vertices): answer["0"]}
        yield "a vertex below 0", {**answer, "-1": answer["0"]}
        yield "counted from 1", {str(int(vertex) + 1): color for vertex, color in answer.items()}
        yield "shifted by 1", {str((int(vertex) + 1) % self.vertices): answer[vertex] for vertex in answer}
        yield "another color each", {vertex: f"C{int(vertex) + 1}" for vertex in answer}
        yield "without the last", {vertex: answer[vertex] for vertex in answer if vertex != last}
        for vertex in rng.sample(sorted(answer), min(6, len(answer))):
            other = rng.choice([name for name in answer if name != vertex])
            yield f"vertex {vertex} missing", {name: answer[name] for name in answer if name != vertex}
            yield f"vertex {vertex} has no color", {**answer, vertex: ""}
            yield f"vertex {vertex} has one more color", {**answer, vertex: "one more"}
            yield f"vertex {vertex} like {other}", {**answer, vertex: answer[other]}
            yield f"{vertex} and {other} exchanged", {**answer, vertex: answer[other], other: answer[vertex]}

    def careless(self, answer: Answer) -> Answer:
        """Return the first vertex's color for all."""
        first = next(iter(answer.values()))
        return dict.fromkeys(answer, first)

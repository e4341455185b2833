"""What a task of BeyondBench is made of: the same few functions, whatever the task (App. C of the paper).

A task's parameters are a frozen dataclass of its own (integers, strings, tuples): all that a problem is. What
is shown of them, their solutions, the grader and the reader of prompts are functions of them.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from perennial.schemas.beyondbench.things import Answer, Solutions, Space, Suite
from perennial.schemas.errors import InvalidOption, suggest
from perennial.tasks.beyondbench.forms.form import Form

if TYPE_CHECKING:
    from pydantic import TypeAdapter

P = TypeVar("P")
RIGHT = ""  # the detail of a right answer

Reuse = Literal["never", "when_exhausted"]


@dataclass(frozen=True, slots=True)
class Variation:
    """One variation of a task: its sizes, the smallest first, and whether a problem has one answer.

    `reuse` is the policy of a small space: whether an edition that asks for more than the space still holds
    may hold problems of earlier editions, marked so. `is_counted` says whether it is among those that the
    paper counts: 29 easy, 49 medium and 68 hard ones (table 2); others it names in passing, or they are ours.
    """

    name: str
    sizes: tuple[int, ...]
    is_unique: bool = True
    reuse: Reuse = "never"
    is_counted: bool = True


@dataclass(frozen=True)
class Task(Generic[P]):
    """A task. `P` is the type of its parameters.

    - `draw(variation, size, rng)`: returns parameters, or None where the draw must be repeated. It proves
      what the variation claims: that there is an answer, and that it is the only one where `is_unique`.
    - `solve(params)`: returns all solutions, or the first of them and how many are known.
    - `verify(params, answer)`: returns "" for a right answer, else a detail code; polynomial, by constraints.
    - `check(params, answer)`: whether the answer is right by a second, independent implementation.
    - `form(params)`: returns the form of answers: how they are written and read.
    - `words(params)`: returns what the template shows.
    - `read(prompt)`: returns the parameters from the prompt's text alone; raises ValueError.
    - `guess(params, rng)`: returns a random answer of the right form, without looking at solutions.
    - `mutate(params, answer, rng)`: yields (kind, answer) of wrong answers beside those of the form.
    - `tokens(variation, size)`: returns estimates of (prompt, solution).
    - `space(variation, size)`: returns how many problems there are.
    - `is_best(params, answer)`: whether the answer is a best one, where right ones may be less (else None).
    """

    name: str
    suite: Suite
    title: str
    params: type[P]
    variations: tuple[Variation, ...]
    template: str
    draw: Callable[[str, int, random.Random], P | None]
    solve: Callable[[P], Solutions]
    verify: Callable[[P, Answer], str]
    check: Callable[[P, Answer], bool]
    form: Callable[[P], Form]
    words: Callable[[P], Mapping[str, Any]]
    read: Callable[[str], P]
    guess: Callable[[P, random.Random], Answer]
    tokens: Callable[[str, int], tuple[int, int]]
    space: Callable[[str, int], Space]
    mutate: Callable[[P, Answer, random.Random], Iterable[tuple[str, Answer]]] = field(
        default=lambda _params, _answer, _rng: ()
    )
    is_best: Callable[[P, Answer], bool] | None = None

    @cached_property
    def _payloads(self) -> "TypeAdapter[P]":
        # Imported here: pydantic costs what a command that lists commands should not pay.
        from pydantic import TypeAdapter

        return TypeAdapter(self.params)

    def payload_of(self, params: P) -> str:
        """Return the parameters as JSON text."""
        return self._payloads.dump_json(params).decode()

    def params_of(self, payload: str) -> P:
        """Return the parameters of JSON text; raise ValueError where it is none of them."""
        return self._payloads.validate_json(payload)

    def variation(self, name: str) -> Variation:
        """Return the variation of that name; raise InvalidOption with what exists."""
        found = {variation.name: variation for variation in self.variations}
        if name not in found:
            raise InvalidOption(
                f"task {self.name} has no variation {name!r}; it has {', '.join(found)}{suggest(name, found)}"
            )
        return found[name]

    def mutations(self, params: P, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Yield changed answers with the kind of change: those of the form, then the task's own."""
        yield from self.form(params).mutations(answer, rng)
        yield from self.mutate(params, answer, rng)

"""A problem: drawn from (seed, cell, index), shown as a prompt, graded by its task (App. C of the paper)."""

import json
import math
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from perennial.prompts.render import render
from perennial.schemas.beyondbench.things import (
    Answer,
    BeyondBenchPlan,
    Parsed,
    Solutions,
    Space,
    Suite,
    TokenStatus,
)
from perennial.schemas.errors import InstancesExhausted, InvalidOption, suggest
from perennial.schemas.ids import canonical_json, content_id, derive_rng
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.parse import parse_reply

if TYPE_CHECKING:
    from pydantic import TypeAdapter


# The budget of tokens: 85 % of C for prompt and solution; sizes shrink by 0.8 until they fit.

DEFAULT_CONTEXT = 32_768
SHARE = 0.85
SHRINK = 0.8
# Most tokenizers code about so much in a token: up to three digits, up to six letters, or one sign.
_TOKEN = re.compile(r"[0-9]{1,3}|[^\W\d_]{1,6}|[^\w\s]|_")


def fits(tokens: int, context: int) -> bool:
    """Whether so many tokens of prompt and solution fit the budget."""
    return tokens <= SHARE * context


def shrink(size: int, sizes: Sequence[int]) -> int | None:
    """The largest of the variation's sizes that is at most 0.8 of this; None below the smallest."""
    return max((smaller for smaller in sizes if smaller <= int(SHRINK * size)), default=None)


def token_status(tokens: int | None, context: int, *, was_cut_off: bool) -> TokenStatus | None:
    """The status of an episode's tokens; None where none were reported."""
    if was_cut_off:
        return "OVERFLOW"
    if tokens is None:
        return None
    return "VALID" if fits(tokens, context) else "WARNING" if tokens <= context else "OVERFLOW"


def estimate_tokens(text: str) -> int:
    """An estimate of a text's tokens: up to three digits, up to six letters, or a sign each."""
    return sum(1 for _ in _TOKEN.finditer(text))


# What a task of BeyondBench is made of: the same few functions, whatever the task (App. C of the paper).
#
# A task's parameters are a frozen dataclass of its own (integers, strings, tuples): all that a problem is.
# What is shown of them, their solutions, the grader and the reader of prompts are functions of them.

P = TypeVar("P")
RIGHT = ""  # the detail of a right answer

Reuse = Literal["never", "when_exhausted"]


@dataclass(frozen=True, slots=True)
class Variation:
    """One variation of a task: its sizes, the smallest first, and whether a problem has one answer.

    `reuse` is the policy of a small space: whether an edition that asks for more than the space still holds
    may hold problems of earlier editions, marked so. `is_counted` says whether it is among those that the
    paper counts: 29 easy, 49 medium and 68 hard ones (table 2); others it names in passing, or they are ours.
    `on_request`: its few problems are the same in every edition, so it is grown only where it is named.
    """

    name: str
    sizes: tuple[int, ...]
    is_unique: bool = True
    reuse: Reuse = "never"
    is_counted: bool = True
    on_request: bool = False


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
    - `heuristic(params)`: a quick answer that is often right without being derived (None: there is none).
    """

    name: str
    suite: Suite
    title: str
    params: type[P]
    variations: tuple[Variation, ...]
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
    heuristic: Callable[[P], Answer] | None = None
    group: str = ""  # the folder of its template below its suite's

    @property
    def template(self) -> str:
        """The name of the template of its prompts."""
        return f"beyondbench/{self.suite}/{self.group}{self.name}.md.j2"

    @cached_property
    def _payloads(self) -> "TypeAdapter[P]":
        # Imported here: pydantic costs what a command that lists commands should not pay.
        from pydantic import TypeAdapter

        return TypeAdapter(self.params)

    def payload_of(self, params: P) -> str:
        """The parameters as JSON text."""
        return self._payloads.dump_json(params).decode()

    def params_of(self, payload: str) -> P:
        """The parameters of JSON text; raise ValueError where it is none of them."""
        return self._payloads.validate_json(payload)

    def variation(self, name: str) -> Variation:
        """The variation of that name; raise InvalidOption with what exists."""
        names = {variation.name: variation for variation in self.variations}
        if name not in names:
            raise InvalidOption(
                f"task {self.name} has no variation {name!r}; it has {', '.join(names)}{suggest(name, names)}"
            )
        return names[name]

    def mutations(self, params: P, answer: Answer, rng: random.Random) -> Iterator[tuple[str, Answer]]:
        """Changed answers with the kind of change: those of the form, then the task's own."""
        yield from self.form(params).mutations(answer, rng)
        yield from self.mutate(params, answer, rng)


@cache
def load_data(file: str) -> dict[str, Any]:
    """What a TOML file beside the tasks holds."""
    return tomllib.loads((files("perennial.tasks.beyondbench") / file).read_text(encoding="utf-8"))


# A lower bound on how large a share is, from random tries.

_CONFIDENCE = 1e-6


def least_share(successes: int, tries: int) -> float:
    """The share at which `successes` or more in `tries` have a chance of one in a million.

    By Chernoff's bound: n D(found / n || p) = ln(1e6), with D the relative entropy.
    """
    seen = successes / tries
    low, high = 0.0, seen
    while high - low > 1e-6 * high:
        share = (low + high) / 2
        if tries * _divergence(seen, share) > -math.log(_CONFIDENCE):
            low = share
        else:
            high = share
    return low


def _divergence(seen: float, share: float) -> float:
    rest = (1 - seen) * math.log((1 - seen) / (1 - share)) if seen < 1 else 0.0
    return seen * math.log(seen / share) + rest if share else math.inf


# So many draws of one problem may be rejected by its generator before that is taken for a fault of it.
MAX_DRAWS = 10_000


@dataclass(frozen=True)
class TaskProblem:
    """A problem of one variation and size."""

    task: Task[Any]
    variation: str
    size: int
    params: Any

    @cached_property
    def prompt(self) -> str:
        """The text that a player is shown."""
        return render(self.task.template, **self.task.words(self.params)).strip()

    @cached_property
    def solutions(self) -> Solutions:
        """Its solutions, the reference first."""
        return self.task.solve(self.params)

    @property
    def payload(self) -> str:
        """Its parameters as JSON text."""
        return self.task.payload_of(self.params)

    @property
    def content_id(self) -> str:
        """The id of the task and of what is shown, whichever variation and size it was drawn for."""
        from pydantic_core import to_jsonable_python

        words = to_jsonable_python(dict(self.task.words(self.params)))
        return content_id("bb", self.task.name, words)

    @property
    def origin(self) -> str:
        """The id of the task and its parameters, whatever the order of the lists among them."""
        return content_id("bo", self.task.name, _without_order(json.loads(self.payload)))

    def parse(self, reply: str) -> Parsed:
        """What was read from a reply."""
        return parse_reply(reply, self.task.form(self.params))

    def verify(self, answer: Answer) -> str:
        """A detail code of what is wrong with the answer; "" if it is right."""
        return self.task.verify(self.params, answer)

    def is_right(self, answer: Answer) -> bool:
        """Whether the answer is right."""
        return self.verify(answer) == RIGHT

    def is_best(self, answer: Answer) -> bool | None:
        """Whether no answer is better, None where all right ones are as good."""
        return None if self.task.is_best is None else self.task.is_best(self.params, answer)

    def write_answer(self, answer: Answer) -> str:
        """The answer in its container, in the required format."""
        return write_answer(self.task, self.params, answer)


def _without_order(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_order(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(map(_without_order, value), key=canonical_json)
    return value


def write_answer(task: Task[Any], params: Any, answer: Answer) -> str:
    """The answer in its container, in the required format."""
    form = task.form(params)
    text = form.write(answer)
    return f"\\boxed{{{text}}}" if form.container == "boxed" else f"<answer>{text}</answer>"


def draw_problem(
    task: Task[Any], variation: str, size: int, seed: int, index: int
) -> tuple[TaskProblem, int]:
    """The first sound problem of this index, and how many draws were rejected before it.

    Deterministic in all five. Raises InstancesExhausted where no draw is accepted.
    """
    return next(draw_problems(task, variation, size, seed, index))


def draw_problems(
    task: Task[Any], variation: str, size: int, seed: int, index: int
) -> Iterator[tuple[TaskProblem, int]]:
    """Sound problems of this index without end, each with the number of draws rejected before it.

    Raises InstancesExhausted where so many draws in a row are rejected that the generator is at fault.
    """
    rejected = 0
    for attempt in count():
        rng = derive_rng(seed, f"beyondbench/{task.name}/{variation}/{size}/{index}", attempt)
        params = task.draw(variation, size, rng)
        if params is not None:
            yield TaskProblem(task, variation, size, params), rejected
            rejected = 0
            continue
        rejected += 1
        if rejected == MAX_DRAWS:
            raise InstancesExhausted(
                f"{task.name} {variation} of size {size}: {MAX_DRAWS:,} draws in a row gave no sound problem"
            )


# Grow the problems of one cell: within the budget of tokens, distinct, and new as far as the space allows.
#
# The token-aware loop (Algorithm 1 of the paper): a size shrinks by 0.8 until prompt and solution fit 85 % of
# the budget; what does not fit at the smallest size is excluded. Where many draws in a row gave only problems
# that are held already, the space counts as exhausted: those of earlier editions come back if the variation's
# policy says so, marked as reused, and what is still missing is counted.

# Draws that give nothing new before a space counts as exhausted: at least so many, and so many times the
# problems that are held. One problem that is left of N is missed with probability exp(-10).
_LEAST_REPEATS, _REPEATS_A_PROBLEM = 200, 10


@dataclass(frozen=True, slots=True)
class DrawnProblem:
    """A problem of an edition: its number in the cell, and how it was drawn."""

    problem: TaskProblem
    number: int
    content_id: str
    rejected_draws: int
    prompt_tokens: int
    solution_tokens: int
    is_reused: bool = False


@dataclass
class GrownCell:
    """What was drawn for a cell, what did not fit the budget by first size, and how many are missing.

    `used_up` are the sizes of which only problems of earlier editions are left.
    """

    drawn: dict[str, DrawnProblem] = field(default_factory=dict)
    excluded: Counter[int] = field(default_factory=Counter)
    missing: Counter[int] = field(default_factory=Counter)
    used_up: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CellRequest:
    """What to draw: a variation of a task under a plan and seed.

    `held` are the ids of the edition's problems of other variations, which may show the same; `issued` holds
    the content hashes of earlier editions' problems; `count` counts a text's tokens.
    """

    task: Task[Any]
    variation: str
    plan: BeyondBenchPlan
    seed: int
    held: Container[str]
    issued: Container[str]
    count: Callable[[str], int]


def grow_cell(request: CellRequest) -> GrownCell:
    """The problems of a cell, sizes in turn. Raises InstancesExhausted for a generator at fault."""
    grown = GrownCell()
    sizes = request.task.variation(request.variation).sizes
    for number in range(request.plan.instances):
        first = sizes[number % len(sizes)]
        if first in grown.missing:
            grown.missing[first] += 1
            continue
        size: int | None = first
        while size is not None:
            drawn = _draw_new(request, size, number, grown)
            if drawn is None:
                grown.missing[first] += 1
                break
            if fits(drawn.prompt_tokens + drawn.solution_tokens, request.plan.context_tokens):
                grown.drawn[drawn.content_id] = drawn
                break
            size = shrink(size, sizes)
        else:
            grown.excluded[first] += 1
    return grown


def most_repeats(held: int) -> int:
    """How many draws in a row may give nothing new before a space counts as exhausted."""
    return max(_LEAST_REPEATS, _REPEATS_A_PROBLEM * held)


def _draw_new(request: CellRequest, size: int, number: int, grown: GrownCell) -> DrawnProblem | None:
    """A problem that the edition does not hold; None where the space is exhausted."""
    task, held = request.task, grown.drawn
    may_reuse = task.variation(request.variation).reuse == "when_exhausted"
    reusable: DrawnProblem | None = None
    problems = draw_problems(task, request.variation, size, request.seed, number)
    for problem, rejected in islice(problems, most_repeats(len(held))):
        identity = problem.content_id
        if identity in held or identity in request.held:
            continue
        is_issued = identity.removeprefix("bb_") in request.issued
        if is_issued and (reusable is not None or not may_reuse):
            continue
        tokens = request.count(problem.prompt), task.tokens(request.variation, size)[1]
        drawn = DrawnProblem(problem, number, identity, rejected, *tokens, is_issued)
        if not is_issued or size in grown.used_up:
            return drawn
        reusable = drawn
    if reusable is not None:
        grown.used_up.add(size)
    return reusable


# Distinct problems without an edition: variations and sizes in turn, as long as there are new ones.


@dataclass
class ProblemStream:
    """The problems of a sample, each with its number; of those handed out, the ids alone are held.

    The variations take turns, and each takes its sizes in turn: number and seed give the problem that an
    edition of that seed has. `known` holds ids that are not drawn again. `exhausted` names variations and
    sizes of which many draws in a row gave nothing new: they are left out from then on. It and `yielded` are
    complete once the stream is at its end.
    """

    task: Task[Any]
    variations: Sequence[str]
    size: int | None
    count: int
    seed: int
    existing: Container[str]
    yielded: int = 0
    exhausted: set[tuple[str, int]] = field(default_factory=set)

    def __iter__(self) -> Iterator[tuple[int, TaskProblem]]:
        drawn: set[str] = set()
        for index in range(self.count):
            number, turn = divmod(index, len(self.variations))
            variation = self.variations[turn]
            sizes = (self.size,) if self.size else self.task.variation(variation).sizes
            problem = self._draw_new(variation, sizes[number % len(sizes)], number, drawn)
            if problem is not None:
                drawn.add(problem.content_id)
                self.yielded += 1
                yield number, problem

    def _draw_new(self, variation: str, size: int, number: int, drawn: set[str]) -> TaskProblem | None:
        if (variation, size) in self.exhausted:
            return None
        draws = draw_problems(self.task, variation, size, self.seed, number)
        for problem, _ in islice(draws, most_repeats(len(drawn))):
            if problem.content_id not in drawn and problem.content_id not in self.existing:
                return problem
        self.exhausted.add((variation, size))
        return None

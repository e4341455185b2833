"""What a log of Inspect keeps of an episode, and the episode played again from it.

A reply is kept as the chat completion that says the same, so that it is read as a server's answer is, with
the same statuses and bounds: whatever a log holds is untrusted text.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeVar

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console.root_option import data_root
from perennial.flows.stages.play_episodes import instance_order
from perennial.schemas.errors import InvalidOption, UnreadableInput, quote
from perennial.schemas.game import Episode, Seat
from perennial.schemas.ids import canonical_json
from perennial.schemas.model_calls import ModelRequest, Price, Reply
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import JsonObject, ReadJson, Row, Rows
from perennial.tasks.llm.replies import read_attempt
from perennial.tasks.llm.retry_policy import HttpResult
from perennial.tasks.play import ModelPlayer, parse_model_player, play_model
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.store.store import Store

# Under which names Inspect knows what perennial adds to it: `perennial/kumo`.

PACKAGE = "perennial"
Named = TypeVar("Named", bound=Callable[..., object])


def in_our_name(function: Named) -> Named:
    """Return the function as one of no installed package, whose name Inspect would put before its own."""
    function.__module__ = PACKAGE
    return function


# The questions of a task of Inspect: instances of a published edition, in the order in which a subset is
# taken, so that the first N of them are those of `perennial evaluate --instances N`.

# What a sample says of its instance; standard errors are by `cluster`.
SAMPLE_COLUMNS = ("domain", "setting", "cluster")


@dataclass(frozen=True)
class EditionQuestions:
    """An edition as tasks play it: its seats by instance id, in order, and what samples say of each.

    `graded` holds the rows of episodes that were graded in this process, by episode id: the benchmark's
    measures are computed from them.
    """

    store: Store
    plan: EditionPlan
    seats: dict[str, Seat]
    columns: dict[str, Row]
    graded: dict[str, dict[str, Rows]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark of the edition."""
        return find_benchmark(self.plan.benchmark)

    def player(self, name: str, params: ReadJson) -> ModelPlayer:
        """Return the player of that name; raise InvalidOption where it names no model."""
        return parse_model_player(name, params, self.benchmark.variants)

    def seat(self, instance_id: object) -> Seat:
        """Return the seat of an instance; raise InvalidOption where the edition has none that is played."""
        seat = self.seats.get(str(instance_id))
        if seat is None:
            raise InvalidOption(
                f"edition {self.plan.edition!r} of {self.store.root} has no instance {quote(instance_id)} "
                "that can be played"
            )
        return seat


def find_edition(root: str, edition: str, benchmark: str) -> str:
    """Return the name of a published edition; `latest`, `latest~1` are among those of the benchmark.

    Raises InvalidOption where the root has none, or it is of another benchmark.
    """
    store = data_root(root or None)
    visible, fitting = visible_editions(store), _editions_of(store, benchmark)
    if not fitting:
        raise InvalidOption(
            f"{store.root} has no edition of {benchmark}: give -T size=tiny to grow one first, or name "
            "another data root with -T root=FOLDER"
        )
    if edition in visible and edition not in fitting:
        other = read_published_plan(store, edition).benchmark
        raise InvalidOption(f"edition {edition!r} is of {other}: run the task perennial/{other}")
    return select_unit(store, edition, fitting)


def has_edition(root: str, benchmark: str) -> bool:
    """Whether the data root has a visible edition of the benchmark."""
    return bool(_editions_of(data_root(root or None, may_begin=True), benchmark))


def _editions_of(store: Store, benchmark: str) -> list[str]:
    return [
        name for name in visible_editions(store) if read_published_plan(store, name).benchmark == benchmark
    ]


@lru_cache(maxsize=4)
def open_questions(root: str, edition: str) -> EditionQuestions:
    """Return the questions of a published edition by its name; `root` "" is the usual data root.

    Raises InvalidOption where none of them can be played.
    """
    store = data_root(root or None)
    plan = read_published_plan(store, edition)
    order = instance_order(store, edition)
    ids = sorted(order, key=order.__getitem__)
    seats = {
        seat.instance_id: seat for seat in find_benchmark(plan.benchmark).take_seats(store, edition, ids, {})
    }
    if not seats:
        raise InvalidOption(f"no instance of edition {edition!r} can be played: no version of it was checked")
    rows = store.read_table(table_file("instances", edition), ["instance_id", *SAMPLE_COLUMNS]).to_pylist()
    columns = {row.pop("instance_id"): row for row in rows}
    return EditionQuestions(store, plan, seats, columns)


RECORD = "perennial"  # its key in the store of a sample
# Settings of Inspect's `GenerateConfig` that decide what a reply says; the others say how calls are made.
PARAMS = (
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "stop_seqs",
    "best_of",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "verbosity",
    "effort",
    "reasoning_effort",
    "reasoning_mode",
    "reasoning_tokens",
    "reasoning_history",
    "system_message",
    "response_schema",
    "extra_body",
    "fallback_models",
)
_MAX_PARAMS_CHARS, _MAX_PRICE_USD, _MAX_SECONDS, _MAX_REPLIES = 20_000, 1e6, 1e7, 10_000
Completion = ReadJson


@dataclass(frozen=True, slots=True)
class Record:
    """The replies of an episode as chat completions, in order, and the parameters that asked for them."""

    params: JsonObject
    completions: list[Completion] = field(default_factory=list)

    def as_json(self) -> JsonObject:
        """Return the record as a JSON object."""
        return {"params": self.params, "completions": self.completions}

    @classmethod
    def from_json(cls, value: object) -> "Record":
        """Return the record that `as_json` wrote; raise UnreadableInput for anything else."""
        if not isinstance(value, dict):
            raise UnreadableInput(
                "it has no record of replies: the sample was not played by a task of perennial"
            )
        params, completions = value.get("params"), value.get("completions")
        is_list = isinstance(completions, list) and all(isinstance(reply, dict) for reply in completions)
        if not isinstance(params, dict) or not isinstance(completions, list) or not is_list:
            raise UnreadableInput("its record of replies is not of the form that a task of perennial writes")
        if len(completions) > _MAX_REPLIES or not _is_json(completions):
            raise UnreadableInput(
                f"its record holds more than {_MAX_REPLIES:,} replies, or what no JSON can hold"
            )
        unknown = sorted(set(params) - set(PARAMS))
        if unknown or type(params.get("max_tokens", 1)) is not int or not _is_json(params, _MAX_PARAMS_CHARS):
            raise UnreadableInput(f"its parameters {quote(unknown or params)} are none that a task records")
        return cls(params, completions)


@dataclass(frozen=True, slots=True)
class Replayed:
    """An episode that was played again, and its calls."""

    episode: Episode
    calls: tuple[tuple[ModelRequest, Reply], ...]

    @property
    def seconds(self) -> float:
        """How long its calls took."""
        return sum(reply.latency_s for _, reply in self.calls)


def player_name(variant: str, model: str) -> str:
    """Return the name among perennial's players of a model that is asked in this way."""
    return f"{variant}:{model}" if variant else model


async def replay(
    questions: EditionQuestions, seat: Seat, name: str, run: int, record: Record, price: Price | None = None
) -> Replayed:
    """Return the episode that the recorded replies give in a fresh game.

    Raises UnreadableInput where there are fewer or more replies than it takes, or one is no answer.
    """
    left = iter(record.completions)
    calls: list[tuple[ModelRequest, Reply]] = []

    async def ask(request: ModelRequest) -> Reply:
        completion = next(left, None)
        if completion is None:
            raise UnreadableInput(f"it has {len(calls)} replies, and the game takes more")
        reply = read_completion(request, completion, price)
        if not reply.answered:
            raise UnreadableInput(f"reply {len(calls) + 1} is not an answer: {reply.error}")
        calls.append((request, reply))
        return reply

    episode = await play_model(ask, questions.player(name, record.params), seat.start(), run)
    if next(left, None) is not None:
        raise UnreadableInput(
            f"it has {len(record.completions)} replies, and the game ended with reply {len(calls)}"
        )
    return Replayed(episode, tuple(calls))


def read_completion(request: ModelRequest, completion: Completion, price: Price | None = None) -> Reply:
    """Return the reply that a recorded chat completion is; its cost is that of the price, or as recorded."""
    try:
        body = json.dumps(completion)
    except (ValueError, RecursionError):
        body = ""
    seconds = _number(completion.get("seconds"), _MAX_SECONDS) or 0.0
    reply = read_attempt(request, HttpResult(200, body, seconds), price).reply
    if reply.cost_usd is None:
        cost = _number(completion.get("cost_usd"), _MAX_PRICE_USD)
        reply = replace(reply, cost_usd=cost, price_source=None if cost is None else "log")
    # What was received was Inspect's to keep.
    return replace(reply, raw=None)


def _number(value: object, most: float) -> float | None:
    """Return a number from 0 to the most that makes sense, None for anything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= most else None  # type: ignore[operator, arg-type]


def _is_json(value: object, most: int | None = None) -> bool:
    """Whether the value is what JSON can hold: no NaN, no infinity, no half of a surrogate pair."""
    try:
        text = canonical_json(value)
        return len(text.encode()) <= (most or len(text) * 4)
    except (TypeError, ValueError, RecursionError):
        return False

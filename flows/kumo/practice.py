"""Practice questions of KUMO: instances of bundled domains with a book of the template, solved exactly.

Domains take turns, in an order that the seed draws. Instances of a domain are drawn and solved in chunks,
because reading a domain's tables and starting the search take as long as fifty draws.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache

from pydantic import field_validator, model_validator

from perennial.flows.benchmark import Draw, Practice
from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.flows.kumo.seats import KumoSeat, seat_with_template
from perennial.flows.practice.parameters import Parameters
from perennial.schemas.errors import InvalidOption, UnreadableInput, suggest
from perennial.schemas.ids import derive_rng, derive_seed
from perennial.schemas.kumo.things import DEFAULT_SAMPLER, Instance, Setting
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings.form import Names, setting
from perennial.tasks.kumo.encoding import (
    EncodedConfig,
    encode_config,
    encode_instance,
    instance_id,
    parse_instances,
)
from perennial.tasks.kumo.game import KumoGame
from perennial.tasks.kumo.sampling.request import SamplingRequest, check_request
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import Solution, solve_exactly
from perennial.tasks.kumo.validation import refuse_unsafe
from perennial.warehouse.kumo.bundled_domains import bundled_domains

# Exact search of one instance takes 0.1 ms up to eight truths, and 100 ms with twelve.
_CHUNK, _LARGE_CHUNK, _SMALL_TRUTHS = 32, 4, 8
_CHUNKS_KEPT = 64
_LEVELS: tuple[Mapping[str, object], ...] = (
    {"truths": 4, "actions": 6, "min_steps": 1.0, "max_steps": 2.0},
    {"truths": 5, "actions": 8, "min_steps": 2.0, "max_steps": 3.0},
    {"truths": 8, "actions": 10, "min_steps": 3.0, "max_steps": 4.0},
    {"truths": 12, "actions": 16, "min_steps": 4.0, "max_steps": 16.0},
)


class KumoParameters(Parameters):
    """Which domains, which size, and how many expected steps."""

    domains: Names = setting([], "Bundled domains, separated by commas. Default: all, in turn.")
    size: str = setting("", "Truths and actions at once: easy (4, 6), hard (12, 16), or NxM, such as 6x10.")
    truths: int = setting(4, "Truths per question.", ge=2, le=20)
    actions: int = setting(6, "Actions per question.", ge=1, le=64)
    min_steps: float = setting(1.0, "Minimum number of expected steps of Algorithm 3.", ge=1, le=64)
    max_steps: float = setting(64.0, "Maximum number of expected steps of Algorithm 3.", ge=1, le=64)

    @field_validator("domains")
    @classmethod
    def _check_domains(cls, value: list[str]) -> list[str]:
        bundled = bundled_domains()
        for name in value:
            if name not in bundled:
                meant = suggest(name, bundled)
                raise ValueError(f"{name} is not bundled{meant} (see `perennial domains list`)")
        return list(dict.fromkeys(value))

    @model_validator(mode="before")
    @classmethod
    def _fill_size(cls, values: JsonObject) -> JsonObject:
        if not values.get("size"):
            return values
        if beside := [name for name in ("truths", "actions") if name in values]:
            raise ValueError(f"--size {values['size']} sets truths and actions: leave out --{beside[0]}")
        try:
            size = Setting.parse(str(values["size"]))
        except InvalidOption as error:
            raise ValueError(f"--size: {error}") from None
        if size.n_valid > 1:
            raise ValueError(f"--size {values['size']}: practice questions have one valid truth")
        return {**values, "truths": size.n_truths, "actions": size.n_actions}

    @model_validator(mode="after")
    def _check_steps(self) -> "KumoParameters":
        if self.min_steps > self.max_steps:
            raise ValueError(f"--min-steps {self.min_steps:g} is above --max-steps {self.max_steps:g}")
        if self.min_steps > self.actions:
            raise ValueError(f"--min-steps {self.min_steps:g} is more than all {self.actions} actions take")
        return self


class KumoPractice(Practice[KumoParameters, KumoSeat, KumoGame]):
    """Instances of bundled domains; InvalidOption for a size that a domain lacks."""

    parameters = KumoParameters
    levels = _LEVELS

    def start(self, parameters: KumoParameters, seed: int) -> Callable[[int, int], Draw[KumoSeat] | None]:
        names = list(parameters.domains or sorted(bundled_domains()))
        derive_rng(seed, "practice/domains", 0).shuffle(names)
        for name in names:
            check_request(load_domain(name), _request(parameters, seed, 0, 1), 1)
        size = _CHUNK if parameters.truths <= _SMALL_TRUTHS else _LARGE_CHUNK

        @lru_cache(maxsize=_CHUNKS_KEPT)
        def draw_chunk(name: str, number: int) -> list[Draw[KumoSeat] | None]:
            chunk_seed = derive_seed(seed, f"practice/{name}", 0) >> 1
            return _draw_chunk(name, parameters, _request(parameters, chunk_seed, number * size, size))

        def draw(index: int, attempt: int) -> Draw[KumoSeat] | None:
            name = names[index % len(names)]
            if attempt == 0:
                number, position = divmod(index // len(names), size)
                chunk = draw_chunk(name, number)
                return chunk[position] if position < len(chunk) else None
            # Where few instances have the expected steps asked for, one of a chunk of its own will do.
            retry_seed = derive_seed(seed, f"practice/{name}/{index}", attempt) >> 1
            retried = _draw_chunk(name, parameters, _request(parameters, retry_seed, 0, size))
            return next((seat_draw for seat_draw in retried if seat_draw is not None), None)

        return draw

    def open_seat(self, question: PracticeQuestion) -> KumoSeat:
        game = question.game
        if question.domain not in bundled_domains():
            raise UnreadableInput(f"practice question: domain {question.domain!r} is not installed")
        encoded = load_domain(question.domain)
        if game.get("config_id") != encoded.config.config_id:
            raise UnreadableInput(
                f"practice question: domain {question.domain!r} is not the one that is installed: draw the "
                "question again with this version of perennial"
            )
        (instance,) = parse_instances([json.dumps(game.get("instance"))], encoded, "practice question")
        golden = game.get("golden")
        if not isinstance(golden, list) or not all(name in instance.actions for name in golden):
            raise UnreadableInput("practice question: golden is no list of its actions")
        places = tuple(instance.actions.index(name) for name in golden)
        answer = instance.truths.index(instance.valid_truths[0])
        return _seat(encoded, instance, Solution("solved", None, places, answer))

    def measure(self, game: KumoGame) -> dict[str, float]:
        decided = game.is_decided()
        solution = game.board.solution
        golden = len(solution.golden_actions) if solution is not None else 0
        counted = game.tests if decided else max(game.tests, len(game.board.instance.actions))
        answered = game.status in ("solved", "wrong")
        return {
            "tests": float(game.tests),
            "excess_tests": float(counted - golden),
            "guess_share": float(answered and not decided),
        }


def _request(parameters: KumoParameters, seed: int, first: int, count: int) -> SamplingRequest:
    size = Setting(parameters.truths, parameters.actions)
    return SamplingRequest(size, count, seed, 1.0, True, first_index=first, sampler=DEFAULT_SAMPLER)


def _draw_chunk(
    name: str, parameters: KumoParameters, request: SamplingRequest
) -> list[Draw[KumoSeat] | None]:
    """The draws of a request, None for each whose expected steps are not those asked for."""
    encoded = load_domain(name)
    sample = sample_instances(encoded, request)
    if sample.shortfall is not None and not sample.instances:
        raise sample.shortfall
    boards = [encode_instance(encoded, instance) for instance in sample.instances]
    solutions = solve_exactly(boards, request.is_balanced, node_limit=0)
    return [
        _draw_of(name, encoded, instance, solution)
        if solution.expected_steps is not None
        and parameters.min_steps <= solution.expected_steps <= parameters.max_steps
        else None
        for instance, solution in zip(sample.instances, solutions, strict=True)
    ]


def _draw_of(name: str, encoded: EncodedConfig, instance: Instance, solution: Solution) -> Draw[KumoSeat]:
    steps = solution.expected_steps
    assert steps is not None
    size = {"truths": len(instance.truths), "actions": len(instance.actions)}
    return Draw(
        _seat(encoded, instance, solution),
        name,
        instance.valid_truths[0],
        {
            "instance": instance.as_json(),
            "config_id": encoded.config.config_id,
            "golden": [instance.actions[action] for action in solution.golden_actions],
        },
        {**size, "expected_steps": round(steps, 6)},
    )


def _seat(encoded: EncodedConfig, instance: Instance, solution: Solution) -> KumoSeat:
    drawn_id = instance_id(encoded, instance)
    # By the id alone, so that a line need not hold the book beside the message that shows it.
    rng = derive_rng(0, f"practice/book/{drawn_id}", 0)
    return seat_with_template(encoded, instance, drawn_id, solution, rng)


@lru_cache(maxsize=32)
def load_domain(name: str) -> EncodedConfig:
    """Return a bundled domain, checked and encoded."""
    config = load_bundled(name)
    refuse_unsafe(config)
    return encode_config(config)

"""Practice questions of A2RBench: items of drawn rules, each on inputs of its own.

Each item runs its rule in the sandbox, where starting a process costs most. So the variations of a rule are
made at once: cells take turns, and of each cell so many draws in a row share a rule as there are variations.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache

from pydantic import ValidationInfo, field_validator

from perennial.flows.a2rbench.edition import ItemSeat, make_seat
from perennial.flows.benchmark import Draw, Practice
from perennial.flows.practice.parameters import Parameters
from perennial.schemas.a2rbench.things import DOMAINS, RULE_TYPES, SHAPES, Item
from perennial.schemas.errors import InvalidOption, UnreadableInput, join_choices, quote
from perennial.schemas.ids import derive_rng, derive_seed
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.settings.form import setting
from perennial.tasks.a2rbench.grammar import draw_rules
from perennial.tasks.a2rbench.growing import SeedRequest, grow_seed
from perennial.tasks.a2rbench.players import ItemGame
from perennial.tasks.a2rbench.replies import write_answer
from perennial.tasks.sandbox.tier import find_protection

# Kinds of variations (section 3.3 of the paper): V0 is the seed.
_KINDS = {"seed": (0,), "standard": (1, 2, 3), "edge": (4, 5, 6), "complex": (7, 8, 9)}
_CHUNKS_KEPT = 256


class A2RBenchParameters(Parameters):
    """Which cells and variations, and in which tokens."""

    dimension: int | None = setting(None, "Dimension of the data: 1, 2 or 3. Default: all.", ge=1, le=3)
    type: str = setting("", f"Type of the rules: {join_choices(RULE_TYPES)}. Default: both.")
    variation: str = setting("", f"Kind of variation: {join_choices(_KINDS)}. Default: all.")
    remapping: bool = setting(False, "Ask symbolic items in other tokens than the rule's own.")

    @field_validator("type", "variation")
    @classmethod
    def _check_choice(cls, value: str, info: ValidationInfo) -> str:
        choices = RULE_TYPES if info.field_name == "type" else tuple(_KINDS)
        if value and value not in choices:
            raise ValueError(f"expected {join_choices(choices)}")
        return value


class A2RBenchPractice(Practice[A2RBenchParameters, ItemSeat, ItemGame]):
    """Items of drawn rules; InvalidOption for copies of semantic items."""

    parameters = A2RBenchParameters
    levels = tuple({"dimension": dimension} for dimension in (1, 2, 3))

    def start(self, parameters: A2RBenchParameters, seed: int) -> Callable[[int, int], Draw[ItemSeat] | None]:
        if parameters.remapping and parameters.type == "semantic":
            raise InvalidOption("--remapping: semantic items keep their tokens: ask for --type symbolic")
        types = ("symbolic",) if parameters.remapping else RULE_TYPES
        shapes = SHAPES if parameters.dimension is None else SHAPES[parameters.dimension - 1 :][:1]
        cells = [
            name
            for name in DOMAINS
            if name.partition("_")[0] in shapes
            and name.partition("_")[2] in types
            and parameters.type in ("", name.partition("_")[2])
        ]
        wanted = _KINDS.get(parameters.variation, tuple(range(10)))

        @lru_cache(maxsize=_CHUNKS_KEPT)
        def make_chunk(cell: str, number: int, attempt: int) -> list[Item]:
            draw_seed = derive_seed(seed, f"practice/{cell}/{number}", attempt)
            (rule,) = draw_rules(cell, draw_seed, 1)
            jail = find_protection().jail
            # Variations are made from the seed's V0, which is grown even if it is not wanted.
            variations = sorted({0, *wanted})
            request = SeedRequest(rule, number, variations, parameters.remapping, draw_seed, jail)
            return grow_seed(request).items

        def draw(index: int, attempt: int) -> Draw[ItemSeat] | None:
            cell = cells[index % len(cells)]
            number, position = divmod(index // len(cells), len(wanted))
            order = derive_rng(seed, f"practice/{cell}/order", number).sample(wanted, len(wanted))
            for item in make_chunk(cell, number, attempt):
                if item.variation == order[position] and item.is_remapped == parameters.remapping:
                    return _draw_of(item)
            return None

        return draw

    def open_seat(self, question: PracticeQuestion) -> ItemSeat:
        try:
            json.loads(question.answer)
        except (ValueError, RecursionError):
            raise UnreadableInput(f"practice question: answer {quote(question.answer)} is no JSON") from None
        return ItemSeat(question.instance_id, question.answer, question.question[0]["content"])

    def measure(self, game: ItemGame) -> dict[str, float]:
        return {"collapse_rate": float(game.answer is None)}


def _draw_of(item: Item) -> Draw[ItemSeat]:
    seat = make_seat(asdict(item))
    kind = next(name for name, variations in _KINDS.items() if item.variation in variations)
    return Draw(
        seat,
        item.domain,
        item.answer,
        {},
        {"dimension": item.dimension, "type": item.type, "variation": kind, "rule": item.rule},
        reply=write_answer(json.loads(item.answer), item.description),
    )

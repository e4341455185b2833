"""BeyondBench's own settings: section [beyondbench] of perennial.toml."""

from typing import ClassVar

from pydantic import field_validator

from perennial.schemas.beyondbench.things import BEYONDBENCH_2025
from perennial.schemas.errors import add_extra, join_choices
from perennial.schemas.plan import PERENNIAL
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.form import PLAYERS, Names, Sizes, setting, size_setting

TINY = (
    "sorting/standard",
    "sum_of_digits/standard",
    "fibonacci_sequence/fibonacci",
    "geometric_sequence/geometric",
    "tower_of_hanoi/disks_4",
    "n_queens/queens_8",
)


class BeyondBenchSettings(RefreshSettings):
    """Which tasks, how many problems of each variation, and the budget of tokens."""

    sizes: ClassVar[Sizes] = {
        "tiny": {"tasks": list(TINY), "instances": 3, "runs": 1},
        "small": {"instances": 1, "runs": 1},
        "standard": {},
        "contamination": {"instances": 6, "runs": 1, "private_share": 0.5},
        "paper": {
            "tasks": ["paper"],
            "instances": 100,
            "runs": 1,
            "seed": 42,
            "temperature": 0.0,
            "top_p": 0.9,
            "max_tokens": 32_768,
        },
    }
    size: str = size_setting(
        tiny="3 problems of each of 6 tasks, 18 calls, 1 minute",
        small="1 problem of each of 182 variations, 182 calls, 1 minute",
        standard="20 problems of each and 5 runs, 18,200 calls, half an hour",
        contamination="6 of each, asked once, half of them private, 1,092 calls, 3 minutes",
        paper="100 of each of the 146 variations that the paper counts, as it asks closed models (open ones: "
        "--instances 1000), and its four empty boards of queens, once, at temperature 0, top-p 0.9, 32,768 "
        "tokens, and with its seed 42, so that the problems are not fresh; 14,700 calls, an hour",
    )
    tasks: Names = setting(
        [],
        "Tasks, separated by commas: a suite (easy, medium, hard), a task, TASK/VARIATION, or paper for all "
        "variations that the paper counts; `perennial tasks list` shows them. Default: all.",
    )
    players: Names = setting(
        [],
        "Players, separated by commas: exact, careless, random, heuristic, guesser; any other name is "
        "treated as a model. Default: these five.",
    )
    instances: int = setting(20, "Problems per variation.", ge=1, le=1_000_000)
    context_tokens: int | None = setting(
        None,
        "Token budget: prompt and solution take at most 85% of it; where they would take more, a smaller "
        "size is drawn. Default: the smallest context of the players in models.toml, else 32768.",
        example=8_192,
        ge=1,
    )
    tokenizer: str = setting(
        "",
        "Path of a tokenizer.json by which the edition's prompts are counted (needs "
        f"{add_extra('tokenizers')}). Default: an estimate, one token per up to three digits, six "
        "letters or one sign.",
    )
    protocol: str = setting(
        PERENNIAL,
        "How models are asked: perennial, or beyondbench-2025: with the prompts of BeyondBench's authors, "
        "read from --release, in the Easy and the Medium suite.",
        PLAYERS,
    )
    release: str = setting(
        "",
        "Copy of the BeyondBench authors' package, whose prompts are read, never executed.",
        PLAYERS,
    )

    @field_validator("protocol")
    @classmethod
    def _check_protocol(cls, value: str) -> str:
        choices = [PERENNIAL, BEYONDBENCH_2025]
        if value not in choices:
            raise ValueError(f"expected {join_choices(choices)}")
        return value

"""How a training checkpoint is named as a player: `sft/TRAINING-STEP`, as the KUMO authors' were imported."""

import re
from collections.abc import Collection
from typing import NamedTuple

from perennial.schemas.errors import InvalidOption

PREFIX = "sft/"
_NAME = re.compile(rf"(?:(?P<variant>[a-z]+):)?{PREFIX}(?P<training>.+)-(?P<step>\d+)")


class Checkpoint(NamedTuple):
    """A training, such as `qwen2.5-3b-instruct-hard`, and the number of its steps; 0 is before the first."""

    training: str
    step: int


def name_checkpoint(training: str, step: int) -> str:
    """Return the player's name."""
    return f"{PREFIX}{training}-{step}"


def parse_checkpoint(player: str, variants: Collection[str] = ()) -> Checkpoint | None:
    """Return which checkpoint a player is, asked in whatever variant; None for another player."""
    found = _NAME.fullmatch(player)
    if found is None or (found["variant"] and found["variant"] not in variants):
        return None
    return Checkpoint(found["training"], int(found["step"]))


def require_name(training: str) -> str:
    """Return a training's name; raise InvalidOption for one that no player can have."""
    if not re.fullmatch(r"[\w.+-]+", training):
        raise InvalidOption(
            f"--name {training!r}: expected letters, digits, dots, hyphens and underscores, as it is part of "
            "players' names"
        )
    return training


def choose_steps(text: str, last: int) -> tuple[int, ...]:
    """Return the steps after which a checkpoint is kept: `8` for eight at equal distances, or `50,100`.

    The last step is always one of them. Raises InvalidOption for what is neither.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise InvalidOption(
            f"--checkpoints {text!r}: expected a number of checkpoints, such as 8, or steps, such as 50,100"
        )
    steps = [int(part) for part in parts]
    if len(steps) == 1 and "," not in text:
        steps = [round(last * number / steps[0]) for number in range(1, steps[0] + 1)]
    if max(steps) > last:
        raise InvalidOption(
            f"--checkpoints {text!r}: the training ends after step {last}; name earlier steps"
        )
    return tuple(sorted({*steps, last} - {0}))

"""What the authors of BeyondBench have published."""

import csv
import io
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.json_text import read_json

# The leaderboard that the authors of BeyondBench publish (JSON), as scores of another benchmark.
#
# A benchmark of `external_scores` is a column of the leaderboard: `beyondbench-2025 accuracy`, and so on.
# Columns that are computed from others are left out: efficiency, words, chars.

BENCHMARK = "beyondbench-2025"
SOURCE = "the authors' leaderboard (arXiv 2509.24210)"
SHARES = (
    "accuracy",
    "instruction",
    *(f"{suite}_{part}" for suite in ("easy", "medium", "hard") for part in ("acc", "inst")),
)
TOKENS = ("tokens", "easy_tokens", "medium_tokens", "hard_tokens")
OVERTHINKING = "overthinking"  # the site does not say of what it is the ratio
COLUMNS = (*SHARES, *TOKENS, OVERTHINKING)
_MAX_NAME = 200


@cache
def same_players() -> dict[str, str]:
    """The player of the KUMO authors' release by the leaderboard's model, where both are plainly one.

    The leaderboard says of a quantised model that it is the instruction-tuned one, and leaves it out of the
    names of others. Gemma-27B is the third generation, so it is not gemma-2-27b-it.
    """
    text = (
        files("perennial.warehouse.beyondbench.release").joinpath("players.csv").read_text(encoding="utf-8")
    )
    return {row["model"]: row["player"] for row in csv.DictReader(io.StringIO(text))}


@dataclass(frozen=True, slots=True)
class LeaderboardEntry:
    """A model of the leaderboard: its columns, and parameters and quantization where it says them."""

    model: str
    scores: dict[str, float]
    settings: str | None


def read_leaderboard(content: bytes, name: str) -> list[LeaderboardEntry]:
    """The models of the leaderboard.

    Raises UnreadableInput, naming file, model and value, for anything that is no such leaderboard.
    """
    entries = read_json(content, name)
    if not isinstance(entries, list) or not entries:
        raise UnreadableInput(f"{name}: {_what(entries)}, expected a list of models, each with {COLUMNS[0]}")
    by_player: dict[str, LeaderboardEntry] = {}
    for number, entry in enumerate(entries, 1):
        model = _read_model(entry, f"{name}: entry {number}")
        subject = f"{name}: {quote(model)}"
        player = same_players().get(model, model)
        if player in by_player:
            raise UnreadableInput(
                f"{name}: {quote(by_player[player].model)} and {quote(model)} are one model; keep one"
            )
        scores = {column: _read_score(entry, column, subject) for column in COLUMNS}
        by_player[player] = LeaderboardEntry(model, scores, _read_settings(entry, subject))
    return list(by_player.values())


def parse_leaderboard(content: bytes, name: str) -> list[dict[str, Any]]:
    """Rows of `external_scores`, one per model and column; raise what `read_leaderboard` raises."""
    return [
        {
            "benchmark": f"{BENCHMARK} {column}",
            "player": same_players().get(entry.model, entry.model),
            "score": score,
            "source": SOURCE,
            "settings": entry.settings,
        }
        for entry in read_leaderboard(content, name)
        for column, score in entry.scores.items()
    ]


def _read_model(entry: Any, subject: str) -> str:
    if not isinstance(entry, dict):
        raise UnreadableInput(f"{subject} is {_what(entry)}, expected an object with model and scores")
    model = entry.get("model")
    if not isinstance(model, str) or not model.strip() or not model.isprintable() or len(model) > _MAX_NAME:
        raise UnreadableInput(f"{subject}: model is {quote(model)}, expected a name on one line")
    return model.strip()


def _read_settings(entry: dict[str, Any], subject: str) -> str | None:
    """Parameters and quantization, such as `0.5B, GPTQ-4-Bit`; None where the entry has neither."""
    settings = []
    for column in ("params", "quantization"):
        value = entry.get(column) or ""
        if not isinstance(value, str) or len(value) > _MAX_NAME or not value.isprintable():
            raise UnreadableInput(f"{subject}: {column} is {quote(value)}, expected a text on one line")
        settings += [value] if value not in ("", "None") else []
    return ", ".join(settings) or None


def _read_score(entry: dict[str, Any], column: str, subject: str) -> float:
    if column not in entry:
        raise UnreadableInput(f"{subject} has no {column}, expected a number")
    value = entry[column]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    most = 100 if column in SHARES else 1e12
    if not is_number or not 0 <= value <= most:
        expected = "from 0 to 100" if column in SHARES else "that is at least 0"
        raise UnreadableInput(f"{subject}: {column} is {quote(value)}, expected a number {expected}")
    return float(value)


def _what(value: Any) -> str:
    return {list: "an empty list", dict: "an object", str: "a text", type(None): "null"}.get(
        type(value), "a single value"
    )

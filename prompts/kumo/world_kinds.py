"""The kinds of synthetic worlds: their nouns, sounds and sentences, a TOML file each in folder `worlds`."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class LabelTest:
    """What can be examined of each part of a thing, and which words the result is one of."""

    name: str
    note: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NumberTest:
    """What can be measured of each part of a thing, in which unit, from which number to which.

    Results are multiples of `step`, or have so many significant `digits`: a test has one of the two.
    """

    name: str
    note: str
    unit: str
    range: tuple[float, float]
    step: float | None = None
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class WorldKind:
    """A kind of world. Its texts hold {place}, {person}, {number} and {part}, which a world fills in.

    A name is put together of `onsets`, `vowels`, `codas` and one of the `endings`.
    """

    name: str
    domain: str
    goal: str
    truth_noun: str
    action_noun: str
    book_title: str
    onsets: tuple[str, ...]
    vowels: tuple[str, ...]
    codas: tuple[str, ...]
    endings: tuple[str, ...]
    notes: tuple[str, ...]
    parts: tuple[str, ...]
    labels: tuple[LabelTest, ...]
    numbers: tuple[NumberTest, ...]


@lru_cache(maxsize=1)
def world_kinds() -> dict[str, WorldKind]:
    """The kinds of worlds by name (that of the file), sorted."""
    folder = files("perennial.prompts.kumo") / "worlds"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return {
        name.removesuffix(".toml"): _read_kind(name, (folder / name).read_text(encoding="utf-8"))
        for name in names
    }


@lru_cache(maxsize=1)
def refused_words() -> tuple[str, ...]:
    """Words that no invented name may hold."""
    values = _read_words("refused_words.toml")
    return (*values["offensive"], *values["known"])


@lru_cache(maxsize=1)
def guidebook_words() -> dict[str, frozenset[str]]:
    """The words that guidebooks say their rules in (structure, game), and those that speak to a player."""
    return {kind: frozenset(words) for kind, words in _read_words("books/guidebook_words.toml").items()}


def _read_words(file: str) -> dict[str, list[str]]:
    return tomllib.loads((files("perennial.prompts.kumo") / file).read_text(encoding="utf-8"))


def _read_kind(file: str, text: str) -> WorldKind:
    values = tomllib.loads(text)
    tests: dict[str, Any] = {
        "labels": tuple(LabelTest(**{**test, "values": tuple(test["values"])}) for test in values["labels"]),
        "numbers": tuple(NumberTest(**{**test, "range": tuple(test["range"])}) for test in values["numbers"]),
    }
    others: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in values.items()
        if key not in tests
    }
    return WorldKind(name=file.removesuffix(".toml"), **others, **tests)

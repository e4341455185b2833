"""Show a logic grid puzzle, and read it back from a prompt's text."""

import re
from collections.abc import Mapping
from typing import Any

from perennial.tasks.beyondbench.hard.logic_grid.params import Category, Clue, Item, Kind, LogicGridParams

_PEOPLE = re.compile(r"^People: ([^\n]+)$", re.MULTILINE)
_CATEGORIES = re.compile(r"^Categories:\n((?:- \w+: [^\n]+\n)+)", re.MULTILINE)
_CLUE = re.compile(r"^\d{1,2}\. ([^\n]+)$", re.MULTILINE)
_ITEM = r"(\w+|the person whose \w+ is \w+)"
_HELD = re.compile(r"the person whose \w+ is (\w+)")
_KINDS: dict[Kind, re.Pattern[str]] = {
    kind: re.compile(pattern)  # type: ignore[misc]
    for kind, pattern in {
        "direct": r"The \w+ of (\w+) is (\w+)\.",
        "negative": r"The \w+ of (\w+) is not (\w+)\.",
        "comparison": rf"The \w+ of {_ITEM} is lower than the \w+ of {_ITEM}\.",
        "conditional": r"If the \w+ of a person is (\w+), then the \w+ of that person is (\w+)\.",
        "chain": rf"In order of \w+, from lower to higher, come {_ITEM}, then {_ITEM}, then {_ITEM}, "
        r"perhaps with others between them; the \w+ of the second of these is (\w+)\.",
    }.items()
}


def show(params: LogicGridParams) -> Mapping[str, Any]:
    """Return what the template shows of a puzzle."""
    return {
        "people": params.people,
        "categories": params.categories,
        "number": params.categories[-1].name,
        "clues": [
            {"kind": clue.kind, "items": [_show_item(params, item) for item in clue.items]}
            for clue in params.clues
        ],
    }


def _show_item(params: LogicGridParams, item: Item) -> dict[str, str]:
    value = params.text_of(item)
    if not item[0]:
        return {"category": "", "value": value, "text": value}
    category = params.categories[item[0] - 1].name
    return {"category": category, "value": value, "text": f"the person whose {category} is {value}"}


def read(prompt: str) -> LogicGridParams:
    """Return the puzzle that a prompt states; raise ValueError where there is none."""
    people, listed = _PEOPLE.search(prompt), _CATEGORIES.search(prompt)
    if people is None or listed is None:
        raise ValueError("the prompt holds no people and categories")
    names = tuple(people[1].split(", "))
    categories = []
    for line in listed[1].splitlines():
        name, _, values = line.removeprefix("- ").partition(": ")
        categories.append(Category(name, tuple(values.split(", "))))
    items = {name: (0, place) for place, name in enumerate(names)}
    for number, category in enumerate(categories, 1):
        items |= {value: (number, place) for place, value in enumerate(category.values)}
    # Clues stand after the categories: what came before is not part of the puzzle.
    clues = [_read_clue(text, items) for text in _CLUE.findall(prompt, listed.end())]
    return LogicGridParams(names, tuple(categories), tuple(clue for clue in clues if clue is not None))


def _read_clue(text: str, items: Mapping[str, Item]) -> Clue | None:
    for kind, pattern in _KINDS.items():
        if found := pattern.fullmatch(text):
            words = [held[1] if (held := _HELD.fullmatch(word)) else word for word in found.groups()]
            if not all(word in items for word in words):
                raise ValueError(f"a clue is about something unknown: {text[:200]!r}")
            return Clue(kind, tuple(items[word] for word in words))
    return None

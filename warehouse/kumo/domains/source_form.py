"""Read a bundled domain's sources: the CSV table of facts and the TOML description of its actions."""

import csv
import io
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perennial.schemas.errors import UnreadableInput

DOMAIN_KEYS = ("name", "goal", "category", "truth_noun", "action_noun", "book_title")


@dataclass(frozen=True, slots=True)
class FactTable:
    """The CSV: truths, a note and a source of facts for each, and for each attribute a cell a truth."""

    truths: tuple[str, ...]
    notes: dict[str, str]
    sources: dict[str, str]
    attributes: dict[str, tuple[str, ...]]


def read_facts(text: str, source: str) -> FactTable:
    """Return the table of facts that the CSV text holds; raise UnreadableInput naming the wrong line."""
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
    except csv.Error as error:
        raise UnreadableInput(f"{source}: line {reader.line_num} is not CSV: {error}") from None
    header = lines[0][1] if lines else []
    if header[:3] != ["truth", "note", "source"] or not all(header) or len(set(header)) < len(header):
        raise UnreadableInput(
            f"{source}: the header is {','.join(header)!r}; expected truth,note,source, distinct attributes"
        )
    for number, row in lines[1:]:
        if len(row) != len(header):
            raise UnreadableInput(
                f"{source}: line {number} has {len(row)} cells, the header {len(header)}; "
                f"put cells with a comma in double quotes"
            )
        if not all(row[:3]):
            raise UnreadableInput(f"{source}: line {number} lacks a truth, a note or a source; write them")
    columns = list(zip(*(row for _, row in lines[1:]), strict=True)) or [()] * len(header)
    return FactTable(
        truths=columns[0],
        notes=dict(zip(columns[0], columns[1], strict=True)),
        sources=dict(zip(columns[0], columns[2], strict=True)),
        attributes=dict(zip(header[3:], columns[3:], strict=True)),
    )


def read_domain(text: str, source: str) -> dict[str, Any]:
    """Return the TOML table that the text holds, every key checked; raise UnreadableInput otherwise."""
    try:
        domain = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableInput(f"{source}: not TOML: {error}") from None
    _check_keys(domain, {**dict.fromkeys(DOMAIN_KEYS, str), "action": list}, {}, source)
    for number, action in enumerate(domain["action"], start=1):
        place = f"{source}: action {number}"
        if not isinstance(action, dict):
            raise UnreadableInput(f"{place} is {action!r}; expected a table [[action]]")
        required = {**dict.fromkeys(("name", "note", "attribute", "kind"), str), "states": list}
        precision = {key: action.pop(key) for key in ("step", "digits") if key in action}
        _check_keys(action, required, {"unit": str}, place)
        _check_states(action, f"{source}: action {action['name']!r}")
        _check_precision(precision, action, f"{source}: action {action['name']!r}")
        action.update(precision)
    return domain


def _check_precision(precision: dict[str, Any], action: dict[str, Any], place: str) -> None:
    """Refuse a float action without exactly one usable precision, and one of words that has any."""
    wanted = "a step above 0, or significant digits from 1 to 9, for each float action and for no other"
    is_float = action["kind"] == "float"
    given = ", ".join(f"{key} = {value!r}" for key, value in precision.items()) or "no precision"
    kinds = {"step": int | float, "digits": int}
    usable = all(
        isinstance(value, kinds[key])
        and not isinstance(value, bool)
        and 0 < value < (math.inf if key == "step" else 10)
        for key, value in precision.items()
    )
    if len(precision) != is_float or not usable:
        raise UnreadableInput(f"{place} has {given}; expected {wanted}")


def _check_states(action: dict[str, Any], place: str) -> None:
    if action["kind"] not in ("str", "float"):
        raise UnreadableInput(f"{place} has kind {action['kind']!r}; expected 'str' or 'float'")
    is_float = action["kind"] == "float"
    if "unit" in action and not is_float:
        raise UnreadableInput(f"{place} has a unit, but only a float action has one; remove it")
    for number, state in enumerate(action["states"], start=1):
        where = f"{place}, state {number}"
        if not isinstance(state, dict):
            raise UnreadableInput(f"{where} is {state!r}; expected an inline table")
        if is_float:
            _check_keys(state, {"range": list}, {}, where)
            _check_range(state["range"], where)
        else:
            _check_keys(state, {"label": str}, {"values": list, "excludes": list}, where)
        if "values" in state and "excludes" in state:
            raise UnreadableInput(f"{where} has both values and excludes; keep one of them")


def _check_keys(
    table: dict[str, Any], required: Mapping[str, type], optional: Mapping[str, type], place: str
) -> None:
    expected = {**required, **optional}
    unknown = [key for key in table if key not in expected]
    if unknown:
        raise UnreadableInput(f"{place} has unknown key {unknown[0]!r}; expected {', '.join(expected)}")
    for key, kind in expected.items():
        value = table.get(key)
        if value is None and key in optional:
            continue
        filled = (
            isinstance(value, str) and value.strip() if kind is str and key != "unit" else value is not None
        )
        if not isinstance(value, kind) or not filled:
            wanted = "text" if kind is str else "an array"
            raise UnreadableInput(f"{place} has {key} = {value!r}; expected {wanted}")


def _check_range(bounds: list[Any], place: str) -> None:
    numbers = [
        b for b in bounds if isinstance(b, int | float) and not isinstance(b, bool) and math.isfinite(b)
    ]
    if len(bounds) != 2 or len(numbers) != 2 or not numbers[0] < numbers[1]:
        raise UnreadableInput(f"{place} has range {bounds!r}; expected two finite numbers, the lower first")

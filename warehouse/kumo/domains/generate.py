"""Build the bundled seed configurations: each `config.json` from `facts.csv` and `actions.toml` beside it.

The CSV has a row per truth: its name, a note, a source or reason for a second reader of the facts (it stays
in the table), and its attributes. The TOML has the domain's nouns and a table
an action: which attribute it tests and what each outcome state is compatible with. What a state rules out
is worked out here, never written by hand:

- a cell `a|b` of a str action: a state with `values` rules the truth out when none of its values is listed,
  a state with `excludes` when all of its values are listed, a state with neither never does;
- a cell `7` or `6.5..7` of a float action: a range rules the truth out when it shares no point with the
  cell's interval. Ranges are half-open as in `Outcome.state_of`, the interval is closed;
- an empty cell is never ruled out.

A float action has a precision, `step` (its numbers are multiples of it) or `digits` (significant ones):
numbers are shown so, and lie in the cell of the valid truth. Each cell must hold a multiple of `step` in each
range that keeps its truth.

`review.csv` keeps each cell that a later reader, or a package of facts, did not agree with, what it became,
and the reason.

Run `python -m perennial.warehouse.kumo.domains.generate` to rewrite the configurations, with `--check` to
compare them.
"""

import argparse
import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from perennial.schemas.errors import PerennialError, UnreadableInput, UnusableConfig, quote
from perennial.schemas.kumo.things import CATEGORIES, Outcome, OutcomeState, SeedConfig

# Read a bundled domain's sources: the CSV table of facts and the TOML description of its actions.

_MOST = sys.float_info.max
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
            f"{source}: the header is {quote(','.join(header))}; expected truth,note,source, distinct "
            "attributes"
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
    from perennial.schemas.settings.form import parse_toml  # loads Pydantic

    domain = parse_toml(text, source)
    _check_keys(domain, {**dict.fromkeys(DOMAIN_KEYS, str), "action": list}, {}, source)
    for number, action in enumerate(domain["action"], start=1):
        where = f"{source}: action {number}"
        if not isinstance(action, dict):
            raise UnreadableInput(f"{where} is {quote(action)}; expected a table [[action]]")
        required = {**dict.fromkeys(("name", "note", "attribute", "kind"), str), "states": list}
        precision = {key: action.pop(key) for key in ("step", "digits") if key in action}
        _check_keys(action, required, {"unit": str}, where)
        _check_states(action, f"{source}: action {quote(action['name'])}")
        _check_precision(precision, action, f"{source}: action {quote(action['name'])}")
        action.update(precision)
    return domain


def _check_precision(precision: dict[str, Any], action: dict[str, Any], where: str) -> None:
    """Refuse a float action without exactly one usable precision, and one of words that has any."""
    wanted = "a step above 0, or significant digits from 1 to 9, for each float action and for no other"
    is_float = action["kind"] == "float"
    actual = ", ".join(f"{key} = {quote(value)}" for key, value in precision.items()) or "no precision"
    kinds = {"step": int | float, "digits": int}
    usable = all(
        isinstance(value, kinds[key])
        and not isinstance(value, bool)
        and sys.float_info.min <= value < (_MOST if key == "step" else 10)
        for key, value in precision.items()
    )
    if len(precision) != is_float or not usable:
        raise UnreadableInput(f"{where} has {actual}; expected {wanted}")


def _check_states(action: dict[str, Any], context: str) -> None:
    if action["kind"] not in ("str", "float"):
        raise UnreadableInput(f"{context} has kind {quote(action['kind'])}; expected 'str' or 'float'")
    is_float = action["kind"] == "float"
    if "unit" in action and not is_float:
        raise UnreadableInput(f"{context} has a unit, but only a float action has one; remove it")
    for number, state in enumerate(action["states"], start=1):
        where = f"{context}, state {number}"
        if not isinstance(state, dict):
            raise UnreadableInput(f"{where} is {quote(state)}; expected an inline table")
        if is_float:
            _check_keys(state, {"range": list}, {}, where)
            _check_range(state["range"], where)
        else:
            _check_keys(state, {"label": str}, {"values": list, "excludes": list}, where)
        if "values" in state and "excludes" in state:
            raise UnreadableInput(f"{where} has both values and excludes; keep one of them")


def _check_keys(
    table: dict[str, Any], required: Mapping[str, type], optional: Mapping[str, type], where: str
) -> None:
    expected = {**required, **optional}
    unknown = [key for key in table if key not in expected]
    if unknown:
        raise UnreadableInput(f"{where} has unknown key {quote(unknown[0])}; expected {', '.join(expected)}")
    for key, kind in expected.items():
        value = table.get(key)
        if value is None and key in optional:
            continue
        filled = (
            isinstance(value, str) and value.strip() if kind is str and key != "unit" else value is not None
        )
        if not isinstance(value, kind) or not filled:
            wanted = "text" if kind is str else "an array"
            raise UnreadableInput(f"{where} has {key} = {quote(value)}; expected {wanted}")


def _check_range(bounds: list[Any], where: str) -> None:
    numbers = [
        b for b in bounds if isinstance(b, int | float) and not isinstance(b, bool) and abs(b) <= _MOST
    ]
    if len(bounds) != 2 or len(numbers) != 2 or not numbers[0] < numbers[1]:
        raise UnreadableInput(
            f"{where} has range {quote(bounds)}; expected two finite numbers, the lower first"
        )


FOLDER = Path(__file__).resolve().parent
FACTS, ACTIONS, CONFIG = "facts.csv", "actions.toml", "config.json"

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_INTERVAL = re.compile(rf"({_NUMBER})(?:\s*\.\.\s*({_NUMBER}))?")


def build_config(csv_text: str, toml_text: str, source: str) -> SeedConfig:
    """Return the seed configuration that the two texts describe; `source` names them in errors.

    Raises UnreadableInput where the texts are not of the expected form, UnusableConfig where they are but
    names repeat, a value fits no truth, or a truth is ruled out by every state of an action.
    """
    table = read_facts(csv_text, f"{source}/{FACTS}")
    domain = read_domain(toml_text, f"{source}/{ACTIONS}")
    actions = domain["action"]
    names = [action["name"] for action in actions]
    _refuse_repeats([*table.truths, *names], "truth or action", source)
    return SeedConfig(
        truths=table.truths,
        actions=tuple(names),
        outcomes=tuple(_outcome(action, table, source) for action in actions),
        truth_notes=table.notes,
        action_notes={action["name"]: action["note"] for action in actions},
        **{key: domain[key] for key in DOMAIN_KEYS},
    )


def _refuse_repeats(names: Iterable[str], what: str, source: str) -> None:
    seen: set[str] = set()
    for name in names:
        key = name.strip().casefold()
        if key in seen:
            raise UnusableConfig(f"{source}: {what} {quote(name)} occurs twice; rename or remove one")
        seen.add(key)


def _outcome(action: dict[str, Any], table: FactTable, source: str) -> Outcome:
    where = f"{source}: action {quote(action['name'])}"
    cells = table.attributes.get(action["attribute"])
    if cells is None:
        raise UnusableConfig(
            f"{where} tests unknown attribute {quote(action['attribute'])}; "
            f"the CSV has {', '.join(table.attributes)}"
        )
    facts = dict(zip(table.truths, cells, strict=True))
    build = _range_states if action["kind"] == "float" else _label_states
    states = build(action["states"], facts, where)
    _refuse_repeats((state.text for state in states), "state", where)
    for truth in table.truths:
        if all(truth in state.rules_out for state in states):
            raise UnusableConfig(
                f"{where}: truth {quote(truth)} ({quote(facts[truth])}) is ruled out by every state; "
                f"widen a state or correct the cell"
            )
    if action["kind"] != "float":
        return Outcome(action["name"], action["kind"], states)
    intervals = {truth: _interval(cell, where) for truth, cell in facts.items() if cell}
    spans = tuple((truth, low, high) for truth, (low, high) in intervals.items())
    step = float(action["step"]) if "step" in action else None
    outcome = Outcome(
        action=action["name"],
        kind=action["kind"],
        states=states,
        unit=action.get("unit", ""),
        step=step,
        digits=action.get("digits"),
        cells=spans,
    )
    _require_multiples(outcome, where)
    return outcome


def _require_multiples(outcome: Outcome, where: str) -> None:
    """Raise UnusableConfig where a range keeps a truth and holds no multiple of the step of its cell."""
    if outcome.step is None:
        return
    step = Fraction(repr(outcome.step))
    for number, state in enumerate(outcome.states):
        assert state.low is not None
        assert state.high is not None
        for truth, least, most in outcome.cells:
            low, high = (Fraction(repr(end)) for end in (max(least, state.low), min(most, state.high)))
            last = high // step
            if last * step == Fraction(repr(state.high)) and outcome.state_of(state.high) != number:
                last -= 1
            if truth not in state.rules_out and last < -(-low // step):
                raise UnusableConfig(
                    f"{where}: the cell {least:g}..{most:g} of {quote(truth)} holds no multiple of the step "
                    f"{outcome.step:g} in the range {state.text}, which keeps it; widen the cell or refine "
                    "the step"
                )


def _range_states(
    states: Sequence[dict[str, Any]], facts: dict[str, str], where: str
) -> tuple[OutcomeState, ...]:
    intervals = {
        truth: _interval(cell, f"{where}, truth {quote(truth)}") for truth, cell in facts.items() if cell
    }
    starts = {float(state["range"][0]) for state in states}
    built = []
    for state in states:
        low, high = (float(bound) for bound in state["range"])
        # The upper end belongs to the range that starts there; where none does, to this one.
        ruled_out = tuple(
            truth
            for truth, (least, most) in intervals.items()
            if most < low or least > high or (least == high and high in starts)
        )
        built.append(OutcomeState(None, low, high, ruled_out))
    return tuple(built)


def _interval(cell: str, where: str) -> tuple[float, float]:
    match = _INTERVAL.fullmatch(cell)
    if match is None:
        raise UnreadableInput(
            f"{where}: cell {quote(cell)} is not a number; expected a number such as 2.65, or lo..hi"
        )
    low = float(match[1])
    high = low if match[2] is None else float(match[2])
    if low > high:
        raise UnreadableInput(f"{where}: cell {quote(cell)} is inverted; write the lower number first")
    return low, high


def _label_states(
    states: Sequence[dict[str, Any]], facts: dict[str, str], where: str
) -> tuple[OutcomeState, ...]:
    values = {truth: _values(cell, f"{where}, truth {quote(truth)}") for truth, cell in facts.items() if cell}
    all_values = set().union(*values.values())
    built = []
    for state in states:
        rejects = _rejection(state, all_values, f"{where}, state {quote(state['label'])}")
        ruled_out = tuple(truth for truth, labels in values.items() if rejects(labels))
        built.append(OutcomeState(state["label"].strip(), None, None, ruled_out))
    return tuple(built)


def _values(cell: str, where: str) -> frozenset[str]:
    values = [value.strip() for value in cell.split("|")]
    if not all(values):
        raise UnreadableInput(
            f"{where}: cell {quote(cell)} has an empty value; write a|b, or leave the cell empty"
        )
    return frozenset(values)


def _rejection(state: dict[str, Any], values: set[str], where: str) -> Callable[[frozenset[str]], bool]:
    listed = state.get("values", state.get("excludes", []))
    stray = [value for value in listed if value not in values]
    if stray:
        raise UnusableConfig(
            f"{where} lists {quote(stray[0])}, which no truth has; "
            f"the attribute's values are {', '.join(sorted(values))}"
        )
    chosen = frozenset(listed)
    if "values" in state:
        return lambda labels: labels.isdisjoint(chosen)
    return lambda labels: labels <= chosen


def seed_json(config: SeedConfig) -> str:
    """Return the configuration's JSON text, one truth, one state and one note a line."""
    lines = ",\n".join(f"  {_quote(key)}: {_block(value, 1)}" for key, value in config.as_json().items())
    return f"{{\n{lines}\n}}\n"


def _block(value: object, depth: int) -> str:
    """Spread arrays and tables over lines, but keep a state (the only table with `rules_out`) on one."""
    margin = "  " * (depth + 1)
    if isinstance(value, dict) and "rules_out" not in value:
        items = [f"{_quote(key)}: {_block(item, depth + 1)}" for key, item in value.items()]
        opening, closing = "{}"
    elif isinstance(value, list):
        items = [_block(item, depth + 1) for item in value]
        opening, closing = "[]"
    else:
        return _quote(value)
    inner = ",\n".join(margin + item for item in items)
    return f"{opening}\n{inner}\n{'  ' * depth}{closing}" if items else opening + closing


def _quote(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# The starter files of a new domain: a small example that builds, with comments that explain it.


def starter_facts() -> str:
    """Return the table of facts that a new domain begins with."""
    return _read_starter("starter_facts.csv")


def starter_actions(name: str, category: str) -> str:
    """Return the TOML that a new domain of this name begins with."""
    title = name.replace("_", " ").replace("-", " ").title()
    return Template(_read_starter("starter_actions.toml")).substitute(
        title=_quote(title),
        category=_quote(category),
        book_title=_quote(f"A Guide to {title}"),
        categories=", ".join(CATEGORIES),
    )


def _read_starter(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def regenerate(folder: Path = FOLDER, slugs: Sequence[str] = (), *, check: bool = False) -> list[str]:
    """Return the domains in `folder` whose configuration differs from what their sources give.

    Without `check` they are rewritten. `slugs` restricts the work to these domains. Raises as
    `build_config`, and UnreadableInput where one of a domain's sources is missing.
    """
    differing = []
    for slug in sorted(slugs or (path.name for path in folder.iterdir() if _is_domain(path))):
        target = folder / slug / CONFIG
        text = seed_json(build_config(*read_sources(folder / slug), slug))
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            differing.append(slug)
            if not check:
                target.write_text(text, encoding="utf-8", newline="\n")
    return differing


def _is_domain(path: Path) -> bool:
    return any((path / name).is_file() for name in (FACTS, ACTIONS, CONFIG))


def read_sources(folder: Path) -> tuple[str, str]:
    """Return the texts of a domain's two sources; raise UnreadableInput where one is missing or no UTF-8."""
    paths = [folder / FACTS, folder / ACTIONS]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise UnreadableInput(
            f"{folder.name}/{missing[0]} is missing; a domain needs {FACTS} and {ACTIONS} in its folder"
        )
    try:
        table, domain = (path.read_text(encoding="utf-8") for path in paths)
    except UnicodeDecodeError as error:
        raise UnreadableInput(
            f"{folder.name}: a source is not UTF-8: {error.reason}; save it as UTF-8"
        ) from None
    return table, domain


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 0, 1 where `--check` finds differences, or that of the error it prints."""
    parser = argparse.ArgumentParser(description="Rebuild the bundled domains from their sources.")
    parser.add_argument("slugs", nargs="*", metavar="SLUG", help="only these domains; by default all")
    parser.add_argument("--check", action="store_true", help="change nothing; name the files that differ")
    options = parser.parse_args(arguments)
    try:
        differing = regenerate(slugs=options.slugs, check=options.check)
    except PerennialError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    for name in differing:
        sys.stdout.write(f"{name} {'differs from its sources' if options.check else 'rewritten'}\n")
    return 1 if options.check and differing else 0


if __name__ == "__main__":
    sys.exit(main())

"""Configurations of the KUMO authors' release: a Python module of literals, or JSON, as a SeedConfig.

A module has a list or set of truths (`Truths`, `Diseases` or `Abilities`), one of actions (`Actions`,
`Diagnosis` or `Tests`) and a dictionary `Outcomes`: action -> {"type": ..., "states": {label, number or
(low, high): the truths that it rules out}}. Defects stay as they are: `tasks.kumo.validation` finds them.
"""

import json
from dataclasses import dataclass
from typing import Any

from schemas.errors import UnreadableInput, quote
from schemas.kumo.things import SeedConfig
from tasks.kumo.configuration import parse_config
from tasks.kumo.release.module_syntax import Module, read_module

TRUTH_NAMES = ("Truths", "Diseases", "Abilities")
ACTION_NAMES = ("Actions", "Diagnosis", "Tests")
OUTCOME_NAMES = ("Outcomes",)
_MAX_RULED_OUT = 250_000
_LISTS = (list, tuple, frozenset)


@dataclass(frozen=True, slots=True)
class ReadConfig:
    """A configuration, and remarks on what its file says twice."""

    config: SeedConfig
    remarks: tuple[str, ...]


def config_from_module(text: str, name: str, source: str) -> ReadConfig:
    """Return the configuration that a module's text holds, called `name` (the domain's, such as MedicalEnv).

    Sets have no order: their members are sorted, as those that states rule out always are. `source` names
    the module in errors. Raises UnreadableInput, with the line where there is one, for a form that is not
    read (see `module_syntax`), a name that is missing, and values that make no configuration.
    """
    module = read_module(text, source)
    document = {
        "name": name,
        "truths": _names(module, TRUTH_NAMES, source),
        "actions": _names(module, ACTION_NAMES, source),
        "outcomes": _outcomes(_one_of(module, OUTCOME_NAMES, source), source),
    }
    config = parse_config(json.dumps(document, ensure_ascii=False), source)
    return ReadConfig(config, tuple(_remarks(module, source)))


def config_from_json(text: str, name: str, source: str) -> ReadConfig:
    """Return the configuration that a JSON text holds, which must be called `name`; raise UnreadableInput."""
    config = parse_config(text, source)
    if config.name != name:
        raise UnreadableInput(
            f"{source}: holds the configuration of {config.name!r}, expected {name!r}; rename the file"
        )
    return ReadConfig(config, ())


def _one_of(module: Module, names: tuple[str, ...], source: str) -> Any:
    present = [name for name in names if name in module.values]
    if not present:
        raise UnreadableInput(f"{source}: no {' or '.join(names)} in it, expected one of these names")
    if any(module.values[name] is not module.values[present[0]] for name in present[1:]):
        raise UnreadableInput(f"{source}: {' and '.join(present)} are there, expected one of these names")
    return module.values[present[0]]


def _names(module: Module, names: tuple[str, ...], source: str) -> list[str]:
    value = _one_of(module, names, source)
    if not _are_texts(value):
        raise UnreadableInput(f"{source}: {names[0]} is {_kind(value)}, expected a list or a set of names")
    return sorted(value) if isinstance(value, frozenset) else list(value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, _LISTS) and all(isinstance(text, str) for text in value)


def _outcomes(value: Any, source: str) -> list[dict[str, Any]]:
    if not isinstance(value, dict):
        raise UnreadableInput(f"{source}: Outcomes is {_kind(value)}, expected a dictionary by action")
    _refuse_bulk(value, source)
    return [_outcome(action, entry, source) for action, entry in value.items()]


def _refuse_bulk(outcomes: dict[Any, Any], source: str) -> None:
    """Refuse more than a SeedConfig has room for: a small module can name one long list many times."""
    size = 0
    for entry in outcomes.values():
        states = entry.get("states") if isinstance(entry, dict) else None
        for rules_out in states.values() if isinstance(states, dict) else ():
            size += 1 + (len(rules_out) if isinstance(rules_out, _LISTS) else 0)
            if size > _MAX_RULED_OUT:
                raise UnreadableInput(
                    f"{source}: Outcomes have more than {_MAX_RULED_OUT:,} states and truths that they rule "
                    "out; expected some thousands"
                )


def _outcome(action: Any, entry: Any, source: str) -> dict[str, Any]:
    place = f"{source}: the outcome of {quote(action)}"
    if not isinstance(entry, dict) or not isinstance(entry.get("states"), dict):
        raise UnreadableInput(f"{place} has no dictionary of states, expected type and states")
    texts = {key: value for key, value in entry.items() if key != "states"}
    unknown = next((key for key in texts if key not in ("type", "unit")), None)
    if unknown is not None:
        raise UnreadableInput(f"{place} has the unknown key {quote(unknown)}, expected type and states")
    odd = next((key for key, value in texts.items() if not isinstance(value, str)), None)
    if odd is not None:
        raise UnreadableInput(f"{place}: its {odd} is {_kind(texts[odd])}, expected a text")
    states = [_state(key, value, place) for key, value in entry["states"].items()]
    return {"action": action, **texts, "states": states}


def _state(key: Any, rules_out: Any, place: str) -> dict[str, Any]:
    if not _are_texts(rules_out):
        raise UnreadableInput(
            f"{place}: state {quote(key)} has {_kind(rules_out)}, expected a set of the truths it rules out"
        )
    state = {"range": list(key)} if isinstance(key, tuple) else {"label": key}
    return {**state, "rules_out": sorted(rules_out)}


def _remarks(module: Module, source: str) -> list[str]:
    return [
        f"{source}, line {repeated.line}: the key {quote(repeated.key)} occurs twice in one dictionary; "
        "the last value counts, as in Python"
        for repeated in module.repeated_keys
    ]


def _kind(value: Any) -> str:
    if isinstance(value, _LISTS):
        return (
            "a list or a set of texts" if _are_texts(value) else "a list or a set of other things than texts"
        )
    kinds: dict[Any, str] = {dict: "a dictionary", str: "a text"}
    return kinds.get(type(value), "a number")

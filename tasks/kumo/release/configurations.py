"""Configurations of the KUMO authors' release: a Python module of literals, or JSON, as a SeedConfig.

A module has a list or set of truths (`Truths`, `Diseases` or `Abilities`), one of actions (`Actions`,
`Diagnosis` or `Tests`) and a dictionary `Outcomes`: action -> {"type": ..., "states": {label, number or
(low, high): the truths that it rules out}}. Defects stay as they are: `perennial.tasks.kumo.validation` finds
them.
"""

import json
from dataclasses import dataclass
from typing import Any

from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.release.module_syntax import Module, read_module

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
    outcomes = _one_of(module, OUTCOME_NAMES, source)
    if not isinstance(outcomes, dict):
        raise UnreadableInput(f"{source}: Outcomes is {quote(outcomes)}, expected a dictionary by action")
    if _count_ruled_out(outcomes) > _MAX_RULED_OUT:
        raise UnreadableInput(
            f"{source}: Outcomes have more than {_MAX_RULED_OUT:,} states and truths that they rule out; "
            "expected some thousands"
        )
    document = {
        "name": name,
        "truths": _as_json(_one_of(module, TRUTH_NAMES, source)),
        "actions": _as_json(_one_of(module, ACTION_NAMES, source)),
        "outcomes": [_outcome(action, entry) for action, entry in outcomes.items()],
    }
    remarks = (
        f"{source}, line {repeated.line}: the key {quote(repeated.key)} occurs twice in one dictionary; "
        "the last value counts, as in Python"
        for repeated in module.repeated_keys
    )
    return ReadConfig(parse_config(json.dumps(document, ensure_ascii=False), source), tuple(remarks))


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


def _count_ruled_out(outcomes: dict[Any, Any]) -> int:
    """Return how many states and ruled-out truths there are: a module can name one long list many times."""
    all_states = (entry.get("states") for entry in outcomes.values() if isinstance(entry, dict))
    return sum(
        1 + (len(rules_out) if isinstance(rules_out, _LISTS) else 0)
        for states in all_states
        if isinstance(states, dict)
        for rules_out in states.values()
    )


def _outcome(action: Any, entry: Any) -> Any:
    """Return the entry in the JSON form; what fits into no form stays, for `parse_config` to refuse."""
    if not isinstance(entry, dict) or not isinstance(entry.get("states"), dict):
        return _as_json(entry)
    states = [
        {
            **({"range": list(key)} if isinstance(key, tuple) else {"label": key}),
            "rules_out": sorted(rules_out) if _are_texts(rules_out) else _as_json(rules_out),
        }
        for key, rules_out in entry["states"].items()
    ]
    return {"action": _as_json(action), **_as_json({**entry, "states": ()}), "states": states}


def _as_json(value: Any) -> Any:
    """Return the value with lists for tuples and sets, and texts for keys; the texts of a set are sorted."""
    if isinstance(value, dict):
        return {str(key): _as_json(entry) for key, entry in value.items()}
    if isinstance(value, _LISTS):
        is_set = isinstance(value, frozenset) and _are_texts(value)
        return [_as_json(entry) for entry in (sorted(value) if is_set else value)]
    return value


def _are_texts(value: Any) -> bool:
    return isinstance(value, _LISTS) and all(isinstance(text, str) for text in value)

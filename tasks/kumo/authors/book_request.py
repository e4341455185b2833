"""Ask a model to write an instance's knowledge book, from the instance's own rules alone.

What the request holds is a function of truths, actions, rules and the number of valid truths. No observation,
no observed state and no valid truth is in it: a book cannot give its instance away (paper, figure 10).
"""

import json
from collections.abc import Sequence
from typing import Any

from perennial.schemas.kumo.things import Instance, Rule, SeedConfig
from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest
from perennial.tasks.authors.request import author_request
from perennial.tasks.kumo.books.rules import closed_ends

WRITING_TEMPLATE = "kumo/authors/write_book.md.j2"
WRITING_SYSTEM_TEMPLATE = "kumo/authors/write_book_system.md.j2"

_WHOLE_BELOW = 1e15  # larger whole numbers read better as 1e+20


def writing_request(
    writer: ModelChoice, config: SeedConfig, instance: Instance, rules: Sequence[Rule]
) -> ModelRequest:
    """Return the call that asks for the book; it is the same for all observations of the instance."""
    values = rule_values(config, instance, rules)
    return author_request("writer", writer, WRITING_SYSTEM_TEMPLATE, WRITING_TEMPLATE, 0, **values)


def rule_values(config: SeedConfig, instance: Instance, rules: Sequence[Rule]) -> dict[str, object]:
    """Return the template values that describe a game: its nouns, goal, title, and `rules` as JSON text.

    Truths and actions are in the instance's order, outcomes in that of `rules`, what they rule out in the
    order of the truths.
    """
    values = {
        "truths": [_name_things(name, config.truth_notes) for name in instance.truths],
        "actions": [_action_values(name, config, instance, rules) for name in instance.actions],
    }
    return {
        "truth_noun": config.truth_noun,
        "action_noun": config.action_noun,
        "goal": config.goal.strip(),
        "title": config.book_title.strip(),
        "is_counterfactual": config.is_counterfactual,
        "n_valid": len(instance.valid_truths),
        "rules": json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False),
    }


def _name_things(name: str, notes: dict[str, str]) -> dict[str, Any]:
    note = " ".join(notes.get(name, "").split())
    return {"name": name, "note": note} if note else {"name": name}


def _action_values(
    name: str, config: SeedConfig, instance: Instance, rules: Sequence[Rule]
) -> dict[str, Any]:
    entry = _name_things(name, config.action_notes)
    unit = next((" ".join(o.unit.split()) for o in config.outcomes if o.action == name), "")
    if unit:
        entry["unit"] = unit
    entry["outcomes"] = [
        {**_outcome_values(rule, closed), "rules_out": [t for t in instance.truths if t in rule.rules_out]}
        for rule, closed in zip(rules, closed_ends(rules), strict=True)
        if rule.action == name
    ]
    return entry


def _outcome_values(rule: Rule, closed: bool | None) -> dict[str, Any]:
    if rule.low is None or rule.high is None:
        return {"label": rule.label}
    return {
        "low": _number(rule.low),
        "low_included": True,
        "high": _number(rule.high),
        "high_included": closed,
    }


def _number(value: float) -> int | float:
    """Return a whole number without a fraction, as books show it."""
    return int(value) if value.is_integer() and abs(value) < _WHOLE_BELOW else value

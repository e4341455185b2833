"""Write the knowledge book of an instance: template prose that says every rule exactly once.

The sentences are in `prompts/kumo/books/book.md.j2`; here the rules are put into the order and the numbers
into the form in which the templates show them. `tasks.kumo.books.check` reads them back.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from prompts.render import render
from prompts.wording import plural
from schemas.kumo.things import Instance, Rule, SeedConfig
from tasks.kumo.books.rules import closed_ends

BOOK_TEMPLATE = "kumo/books/book.md.j2"


def write_book(config: SeedConfig, instance: Instance, rules: Sequence[Rule], rng: random.Random) -> str:
    """Return the book's Markdown text; phrasings are drawn with `rng`, so that equal calls agree.

    Truths and actions are in the instance's order, the outcomes of an action in the order of `rules`.
    """
    outcomes = _outcomes_by_action(config, instance, rules)
    text = render(
        BOOK_TEMPLATE,
        title=config.book_title.strip() or f"A guide to ruling out {plural(config.truth_noun)}",
        goal=config.goal.strip(),
        truth_noun=config.truth_noun,
        action_noun=config.action_noun,
        has_ranges=any(rule.label is None for rule in rules),
        truths=[{"name": name, "note": _note(config.truth_notes, name)} for name in instance.truths],
        actions=[
            {"name": name, "note": _note(config.action_notes, name), "outcomes": outcomes[name]}
            for name in instance.actions
        ],
        pick=rng.choice,
    )
    return text.rstrip("\n") + "\n"


def _outcomes_by_action(
    config: SeedConfig, instance: Instance, rules: Sequence[Rule]
) -> dict[str, list[dict[str, Any]]]:
    units = {outcome.action: outcome.unit for outcome in reversed(config.outcomes)}
    outcomes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for rule, closed in zip(rules, closed_ends(rules), strict=True):
        outcomes[rule.action].append(
            {
                "label": rule.label,
                "low": _number(rule.low),
                "high": _number(rule.high),
                "closed": closed,
                "unit": " ".join(units.get(rule.action, "").split()),
                # A set has no order of its own: the instance's keeps the text reproducible.
                "rules_out": [name for name in instance.truths if name in rule.rules_out],
            }
        )
    return outcomes


def _number(value: float | None) -> str:
    """Return the shortest text that reads back as the same float; whole numbers without `.0`."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def _note(notes: dict[str, str], name: str) -> str:
    return notes.get(name, "").strip()

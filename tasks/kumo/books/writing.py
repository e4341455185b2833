"""Write the knowledge book of an instance: template text that says every rule exactly once, in a style.

The sentences are in `prompts/kumo/books/`; here the rules are put into the order and the numbers into the
form in which the templates show them. `perennial.tasks.kumo.books.check` reads them back.
"""

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from perennial.prompts.render import render
from perennial.prompts.wording import plural, singular
from perennial.schemas.kumo.book_styles import PLAIN, BookStyle
from perennial.schemas.kumo.things import Instance, Rule, SeedConfig
from perennial.tasks.kumo.books.cross_references import find_references
from perennial.tasks.kumo.books.rules import closed_ends

BOOK_TEMPLATE = "kumo/books/book.md.j2"


def write_book(
    config: SeedConfig,
    instance: Instance,
    rules: Sequence[Rule],
    rng: random.Random,
    style: BookStyle = PLAIN,
) -> str:
    """Return the book's Markdown text; phrasings are drawn with `rng`, so that equal calls agree.

    Truths and actions are in the instance's order, the outcomes of an action in the order of `rules`; in any
    other style than the plain one truths, actions and outcomes are in an order that is drawn. Names with
    asterisks, bars or quotes may not be read back exactly in such a style: the check tells.
    """
    truths, actions = list(instance.truths), list(instance.actions)
    outcomes = _outcomes_by_action(config, instance, rules)
    if style != PLAIN:
        rng.shuffle(truths)
        rng.shuffle(actions)
        for name in actions:
            rng.shuffle(outcomes[name])
    listed = [outcome for name in actions for outcome in outcomes[name]]
    if style == "cross-references":
        _add_references(listed)
    text = render(
        BOOK_TEMPLATE,
        title=config.book_title.strip() or f"A guide to ruling out {plural(config.truth_noun)}",
        goal=config.goal.strip(),
        truth_noun=config.truth_noun,
        action_noun=config.action_noun,
        is_counterfactual=config.is_counterfactual,
        n_valid=len(instance.valid_truths),
        has_ranges=any(rule.label is None for rule in rules),
        style=style,
        truths=[
            {
                "name": name,
                "note": _note(config.truth_notes, name),
                "sources": [outcome for outcome in listed if name in outcome["rules_out"]],
            }
            for name in truths
        ],
        actions=[
            {
                "name": name,
                "note": _note(config.action_notes, name),
                "outcomes": outcomes[name],
                "claims": _claims(truths, outcomes[name], rng) if style == "distractors" else [],
            }
            for name in actions
        ],
        scattered=rng.sample(listed, len(listed)) if style == "scattered" else [],
        pick=rng.choice,
    )
    # Parts that a style leaves out leave their blank lines behind.
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


def _outcomes_by_action(
    config: SeedConfig, instance: Instance, rules: Sequence[Rule]
) -> dict[str, list[dict[str, Any]]]:
    units = {outcome.action: outcome.unit for outcome in reversed(config.outcomes)}
    outcomes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for rule, closed in zip(rules, closed_ends(rules), strict=True):
        outcomes[rule.action].append(
            {
                "action": rule.action,
                "label": rule.label,
                "low": _number(rule.low),
                "high": _number(rule.high),
                "closed": closed,
                "unit": _unit(units.get(rule.action, ""), rule.high),
                # A set has no order of its own: the instance's keeps the text reproducible.
                "rules_out": [name for name in instance.truths if name in rule.rules_out],
                "base": None,
            }
        )
    return outcomes


def _add_references(listed: list[dict[str, Any]]) -> None:
    found = find_references([frozenset(outcome["rules_out"]) for outcome in listed])
    for outcome, reference in zip(listed, found, strict=True):
        if reference is not None:
            outcome["base"] = base = listed[reference.base]
            outcome["added"] = [name for name in outcome["rules_out"] if name in reference.added]
            outcome["spared"] = [name for name in base["rules_out"] if name in reference.spared]


def _claims(truths: Sequence[str], outcomes: Sequence[dict[str, Any]], rng: random.Random) -> list[Any]:
    """Return true sentences that rule nothing out, each with its place among outcomes: (place, kind, what).

    Of a truth that one outcome does not rule out, of one that none does, and of the number of outcomes.
    """
    claims: list[tuple[int, str, Any]] = []
    for outcome in outcomes:
        spared = [name for name in truths if name not in outcome["rules_out"]]
        if spared and rng.random() < 0.5:
            claims.append((rng.randrange(len(outcomes) + 1), "state", (outcome, rng.choice(spared))))
    touched = {name for outcome in outcomes for name in outcome["rules_out"]}
    untouched = [name for name in truths if name not in touched]
    if untouched and outcomes:
        claims.append((rng.randrange(len(outcomes) + 1), "action", rng.choice(untouched)))
    if rng.random() < 0.3:
        claims.append((0, "count", len(outcomes)))
    return claims


def _number(value: float | None) -> str:
    """Return the shortest text that reads back as the same float; whole numbers without `.0`."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def _unit(unit: str, high: float | None) -> str:
    """Return the unit as it stands behind the upper end: `less than 1 exhibition`, `... 2 exhibitions`."""
    text = " ".join(unit.split())
    return singular(text) if high == 1 else text


def _note(notes: dict[str, str], name: str) -> str:
    return notes.get(name, "").strip()

"""The messages that a player who reads text gets: the same for the reader and for every model.

A system message comes in five variants: one shows the rules in a knowledge book (the paper's VanillaAgent),
one in a book among those of other domains, one in a book beside which outcomes are reported and can be wrong,
one as a mapping, and one does not show them. Each later message says what the last action showed; the menu
(both lists, and the form of a reply) is added to the last message of a call alone, and not kept. The
sentences of turns and menu are in a template that all system templates import, so that the hash of a system
template covers them too.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from perennial.prompts.render import render
from perennial.schemas.kumo.things import TURN_LIMIT, Observation, Rule, SeedConfig, Step
from perennial.schemas.model_calls.calls import Message as Message
from perennial.tasks.kumo.books.rules import closed_ends
from perennial.tasks.kumo.reliability.case import Case

SYSTEM_TEMPLATE = "kumo/players/system.md.j2"
SYMBOLIC_TEMPLATE = "kumo/players/system_symbolic.md.j2"
CLOSED_TEMPLATE = "kumo/players/system_closed.md.j2"
AMONG_TEMPLATE = "kumo/players/system_among.md.j2"
REPORTS_TEMPLATE = "kumo/players/system_reports.md.j2"
TURN_TEMPLATE = "kumo/players/turn.md.j2"
MENU_TEMPLATE = "kumo/players/menu.md.j2"


@dataclass(frozen=True, slots=True)
class Terms:
    """What players are told of a game beside its rules: lists, the number of valid truths, and limits.

    `max_tokens` is the limit of a reply, None where it is not known.
    """

    config: SeedConfig
    truths: Sequence[str]
    actions: Sequence[str]
    n_valid: int = 1
    turn_limit: int = TURN_LIMIT
    max_tokens: int | None = None


def system_message(terms: Terms, book: str) -> Message:
    """Return the first message: the goal, the lists, how to play, and the book between <BOOK> tags.

    It promises how many of the truths survive all outcomes.
    """
    return _system(SYSTEM_TEMPLATE, terms, book=book.strip("\n"))


def among_message(terms: Terms, books: Sequence[str]) -> Message:
    """Return the first message with several books, each between <BOOK> tags, one of which is the game's."""
    return _system(AMONG_TEMPLATE, terms, books=[book.strip("\n") for book in books])


def reports_message(terms: Terms, book: str, case: Case) -> Message:
    """Return the first message of a game whose outcomes are reported, with the book and the reliability."""
    known = {"reliability": f"{case.reliability:g}", "is_balanced": case.is_balanced}
    return _system(REPORTS_TEMPLATE, terms, book=book.strip("\n"), **known)


def symbolic_message(terms: Terms, rules: Sequence[Rule]) -> Message:
    """Return the first message with the rule-outs as a mapping between <RULE_OUTS> tags, and no book."""
    return _system(SYMBOLIC_TEMPLATE, terms, rule_outs=rule_outs_json(terms.truths, rules))


def closed_message(terms: Terms) -> Message:
    """Return the first message of the control: no book and no rules, so that knowledge alone can help."""
    return _system(CLOSED_TEMPLATE, terms)


def _system(template: str, terms: Terms, **knowledge: object) -> Message:
    content = render(
        template,
        goal=terms.config.goal.strip(),
        is_counterfactual=terms.config.is_counterfactual,
        turn_limit=terms.turn_limit,
        max_tokens=terms.max_tokens,
        **_lists(terms),
        **knowledge,
    )
    return {"role": "system", "content": content.rstrip("\n")}


def user_message(last: Step | None) -> Message:
    """Return one turn's message without the menu: what the last action showed, or that the game begins."""
    content = render(
        TURN_TEMPLATE,
        action=None if last is None else last.move,
        observation=None if last is None else quote_observation(last.observation),
    )
    return {"role": "user", "content": content}


def menu_text(terms: Terms) -> str:
    """Return what is added to the last message of each call: both lists, and the form of a reply."""
    return "\n\n" + render(MENU_TEMPLATE, **_lists(terms)).rstrip("\n")


def _lists(terms: Terms) -> dict[str, object]:
    return {
        "truths": terms.truths,
        "actions": terms.actions,
        "truth_noun": terms.config.truth_noun,
        "action_noun": terms.config.action_noun,
        "n_valid": terms.n_valid,
    }


def quote_observation(observation: Observation | None) -> str:
    """Return a label in quotation marks, as books show it, or a number by `repr`, which reads back."""
    return f'"{observation}"' if isinstance(observation, str) else repr(observation)


def rule_outs_json(truths: Sequence[str], rules: Sequence[Rule]) -> str:
    """Return the rules as a JSON object: action, then outcome, then the truths that it rules out.

    Actions and outcomes keep the order of `rules`, truths that of `truths`; one line an outcome. A range
    is written `[low, high)`, or `[low, high]` where it includes its upper end. Of two equal outcomes of an
    action the first one counts, as it does in the game.
    """
    mapping: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for rule, closed in zip(rules, closed_ends(rules), strict=True):
        outcome = rule.label if rule.label is not None else _interval(rule, closed)
        mapping[rule.action].setdefault(outcome, [name for name in truths if name in rule.rules_out])
    blocks = []
    for action, outcomes in mapping.items():
        lines = ",\n".join(f"    {_text(outcome)}: {_text(names)}" for outcome, names in outcomes.items())
        blocks.append(f"  {_text(action)}: {{\n{lines}\n  }}")
    return "{\n" + ",\n".join(blocks) + "\n}"


def _interval(rule: Rule, closed: bool | None) -> str:
    return f"[{rule.low!r}, {rule.high!r}{']' if closed else ')'}"


def _text(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)

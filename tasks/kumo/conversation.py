"""The messages that a player who reads text gets: the same for the reader and for every model.

A system message comes in three variants: one shows the rules in a knowledge book (the paper's VanillaAgent),
one shows them as a mapping, and one does not show them. The sentences of the turns' messages are in a
template that all system templates import, so that the hash of a system template covers them too.
"""

import json
from collections import defaultdict
from collections.abc import Sequence

from prompts.render import render
from schemas.calls import Message as Message
from schemas.kumo.things import Observation, Rule, SeedConfig, Step
from tasks.kumo.books.rules import closed_ends

SYSTEM_TEMPLATE = "kumo/players/system.md.j2"
SYMBOLIC_TEMPLATE = "kumo/players/system_symbolic.md.j2"
CLOSED_TEMPLATE = "kumo/players/system_closed.md.j2"
TURN_TEMPLATE = "kumo/players/turn.md.j2"


def system_message(
    config: SeedConfig, truths: Sequence[str], actions: Sequence[str], book: str, n_valid: int = 1
) -> Message:
    """Return the first message: the goal, the lists, how to play, and the book between <BOOK> tags.

    It promises how many of the truths survive all outcomes.
    """
    return _system(SYSTEM_TEMPLATE, config, truths, actions, n_valid, book=book.strip("\n"))


def symbolic_message(
    config: SeedConfig,
    truths: Sequence[str],
    actions: Sequence[str],
    rules: Sequence[Rule],
    n_valid: int = 1,
) -> Message:
    """Return the first message with the rule-outs as a mapping between <RULE_OUTS> tags, and no book."""
    mapping = rule_outs_json(truths, rules)
    return _system(SYMBOLIC_TEMPLATE, config, truths, actions, n_valid, rule_outs=mapping)


def closed_message(
    config: SeedConfig, truths: Sequence[str], actions: Sequence[str], n_valid: int = 1
) -> Message:
    """Return the first message of the control: no book and no rules, so that knowledge alone can help."""
    return _system(CLOSED_TEMPLATE, config, truths, actions, n_valid)


def _system(
    template: str,
    config: SeedConfig,
    truths: Sequence[str],
    actions: Sequence[str],
    n_valid: int,
    **knowledge: str,
) -> Message:
    content = render(
        template,
        goal=config.goal.strip(),
        truth_noun=config.truth_noun,
        action_noun=config.action_noun,
        truths=truths,
        actions=actions,
        n_valid=n_valid,
        **knowledge,
    )
    return {"role": "system", "content": content.rstrip("\n")}


def user_message(
    config: SeedConfig, truths: Sequence[str], actions: Sequence[str], last: Step | None
) -> Message:
    """Return one turn's message: what the last action showed (None at the start), and both lists."""
    content = render(
        TURN_TEMPLATE,
        action=None if last is None else last.move,
        observation=None if last is None else quote_observation(last.observation),
        truth_noun=config.truth_noun,
        action_noun=config.action_noun,
        truths=truths,
        actions=actions,
    )
    return {"role": "user", "content": content}


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

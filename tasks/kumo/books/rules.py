"""What a knowledge book has to say of an instance: every outcome state, and what it rules out."""

from collections import defaultdict
from collections.abc import Sequence

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.things import Instance, Rule
from perennial.tasks.kumo.encoding import EncodedConfig


def rules_of(encoded: EncodedConfig, instance: Instance) -> tuple[Rule, ...]:
    """Return one rule per outcome state of each action of the instance, in the instance's order.

    What a state rules out is restricted to the instance's truths; it may be nothing. Raises
    UnreadableInput where the instance names an action that the configuration lacks.
    """
    truths = frozenset(instance.truths)
    rules = []
    for action in instance.actions:
        index = encoded.action_index.get(action)
        if index is None:
            raise UnreadableInput(
                f"action {action!r} of the instance is not in domain {encoded.config.name!r}: "
                "use the configuration that the instance was drawn from"
            )
        rules += [
            Rule(action, state.label, state.low, state.high, truths.intersection(state.rules_out))
            for state in encoded.outcomes[index].states
        ]
    return tuple(rules)


def closed_ends(rules: Sequence[Rule]) -> tuple[bool | None, ...]:
    """Return for each rule whether its range includes its upper end; None for a label.

    A range is half-open exactly where another range of the same action holds that end, so that every
    value belongs to the state that `perennial.schemas.kumo.things.Outcome.state_of` gives it.
    """
    ranges: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for rule in rules:
        if rule.low is not None and rule.high is not None:
            ranges[rule.action].append((rule.low, rule.high))
    return tuple(
        None if rule.high is None else not any(low <= rule.high < high for low, high in ranges[rule.action])
        for rule in rules
    )


def describe_rule(rule: Rule, closed: bool | None) -> str:
    """Return the rule in words, as verdicts show it; `closed` as `closed_ends` gives it."""
    if rule.label is not None:
        outcome = f'"{rule.label}"'
    else:
        outcome = f"{rule.low} (included) to {rule.high} ({'included' if closed else 'excluded'})"
    excluded = ", ".join(f'"{name}"' for name in sorted(rule.rules_out)) or "nothing"
    return f'action "{rule.action}": {outcome} rules out {excluded}'

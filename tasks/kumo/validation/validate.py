"""Validate a seed configuration: every defect at once, and those that sampling must refuse.

A truth or action that two names stand for, or a number that falls into two states, makes an instance
ambiguous: the engine would read it in one way and a player in the other. Such rules are `unsafe`. The
others concern how good a domain is, not whether its instances are right.
"""

from collections import Counter

from perennial.schemas.errors import UnusableConfig
from perennial.schemas.kumo.things import Finding, SeedConfig
from perennial.tasks.kumo.validation.names import name_findings, size_findings
from perennial.tasks.kumo.validation.relations import relation_findings
from perennial.tasks.kumo.validation.rules import RULES
from perennial.tasks.kumo.validation.states import entry_findings, state_findings, type_findings
from perennial.tasks.kumo.validation.texts import text_findings

_UNSAFE_QUOTED = 3


def validate_config(
    config: SeedConfig, *, min_truths: int | None = None, min_actions: int | None = None
) -> list[Finding]:
    """Return all findings: names and other texts, outcome entries, states, rule-outs, sizes; as written.

    Without a least number, the truths and actions of Hard are needed, and the paper's are advised.
    """
    return [
        *name_findings(config),
        *text_findings(config),
        *entry_findings(config),
        *state_findings(config),
        *type_findings(config),
        *relation_findings(config),
        *size_findings(config, min_truths, min_actions),
    ]


def one_to_one_share(config: SeedConfig) -> float:
    """Return the share of states that rule out exactly one truth among those that rule out any.

    The paper's prompts advise against such 1-to-1 mappings and allow them. Only listed truths count, and
    each once; 0.0 where no state rules anything out.
    """
    truths = set(config.truths)
    states = (state for outcome in config.outcomes for state in outcome.states)
    sizes = Counter(len(truths.intersection(state.rules_out)) for state in states)
    ruling_out = sizes.total() - sizes[0]
    return sizes[1] / ruling_out if ruling_out else 0.0


def refuse_unsafe(config: SeedConfig) -> list[Finding]:
    """Return the findings that sampling can live with, for the caller to show as warnings.

    Raises UnusableConfig where a finding is unsafe: its message names each broken rule with its count,
    and quotes the first findings.
    """
    findings = validate_config(config)
    unsafe = [found for found in findings if RULES[found.rule].unsafe]
    if unsafe:
        raise UnusableConfig(_refusal(config, unsafe))
    return [found for found in findings if not RULES[found.rule].unsafe]


def _refusal(config: SeedConfig, unsafe: list[Finding]) -> str:
    counts = Counter(found.rule for found in unsafe)
    rules = ", ".join(f"{rule} ({count})" for rule, count in counts.items())
    more = len(unsafe) - _UNSAFE_QUOTED
    return (
        f"domain {config.name!r} would give ambiguous or wrong instances: {rules}: "
        + "; ".join(found.message for found in unsafe[:_UNSAFE_QUOTED])
        + (f"; and {more} more, which `perennial domains validate` lists" if more > 0 else "")
    )

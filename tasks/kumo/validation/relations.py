"""Rules on what outcome states rule out: unknown truths, and truths ruled out always or never."""

from collections.abc import Iterator, Sequence

from perennial.schemas.kumo.things import Finding, Outcome, SeedConfig
from perennial.tasks.kumo.validation.names import fold_name, repeats
from perennial.tasks.kumo.validation.rules import finding, join, quote, state_text
from perennial.tasks.kumo.validation.texts import MAX_NAME

_LIKE = 75  # of 100: less alike is not what was meant
_SUGGESTED_TRUTHS = 500  # in longer lists a misspelt name is not looked for
_MOST_SUGGESTIONS = 100  # names that are looked for in one configuration


def relation_findings(config: SeedConfig) -> Iterator[Finding]:
    """Yield what is wrong with rule-out sets, action by action and then truth by truth."""
    truths = set(config.truths)
    suggestions = _Suggestions(config.truths)
    for outcome in config.outcomes:
        yield from _set_findings(config, outcome, truths, suggestions)
        yield from _always_findings(config, outcome, truths)
        if outcome.states and truths.isdisjoint(_list_ruled_out(outcome)):
            text = "no state of this action rules a listed truth out; let one do so or remove the action"
            yield finding(config, "rules-out-nothing", text, action=outcome.action)
    yield from _never_findings(config)


class _Suggestions:
    """The listed truths that misspelt names may mean, of the first names that are looked for."""

    def __init__(self, truths: Sequence[str]) -> None:
        self._truths = truths if len(truths) <= _SUGGESTED_TRUTHS else ()
        self._folded = [fold_name(truth[:MAX_NAME]) for truth in self._truths]
        self._left = _MOST_SUGGESTIONS

    def find(self, name: str) -> str | None:
        """Return the truth that the name may mean, or None."""
        if not self._left or len(name) > MAX_NAME:
            return None
        from rapidfuzz import fuzz, process

        self._left -= 1
        closest = process.extractOne(fold_name(name), self._folded, scorer=fuzz.ratio, score_cutoff=_LIKE)
        return self._truths[closest[2]] if closest else None


def _set_findings(
    config: SeedConfig, outcome: Outcome, truths: set[str], suggestions: _Suggestions
) -> Iterator[Finding]:
    for state in outcome.states:
        place = {"action": outcome.action, "state": state_text(state)}
        for name in dict.fromkeys(state.rules_out):
            if name not in truths:
                yield finding(config, "unknown-truth", _unknown_text(name, suggestions.find(name)), **place)
        for name, count in repeats(state.rules_out):
            text = f"rules_out names {quote(name)} {count} times, expected once; keep one of them"
            yield finding(config, "repeated-rule-out", text, **place)


def _unknown_text(name: str, closest: str | None) -> str:
    meant = "" if closest is None else f" (is {quote(closest)} meant?)"
    return f"rules_out names {quote(name)}, which is not a listed truth{meant}; list it or correct the name"


def _always_findings(config: SeedConfig, outcome: Outcome, truths: set[str]) -> Iterator[Finding]:
    if not outcome.states:
        return
    sets = (set(state.rules_out) for state in outcome.states)
    always = truths.intersection(*sets)
    if always:
        names = [quote(name) for name in dict.fromkeys(outcome.states[0].rules_out) if name in always]
        text = (
            f"every state rules out {join(names)}, which could then never be valid; "
            "leave each truth out of one state at least"
        )
        yield finding(config, "always-ruled-out", text, action=outcome.action)


def _never_findings(config: SeedConfig) -> Iterator[Finding]:
    actions = set(config.actions)
    ruled_out: set[str] = set()
    for outcome in config.outcomes:
        if outcome.action in actions:
            ruled_out.update(_list_ruled_out(outcome))
    for truth in dict.fromkeys(config.truths):
        if truth.strip() and truth not in ruled_out:
            text = f"truth {quote(truth)} is ruled out by no state; let some state rule it out or remove it"
            yield finding(config, "never-ruled-out", text)


def _list_ruled_out(outcome: Outcome) -> set[str]:
    return {name for state in outcome.states for name in state.rules_out}

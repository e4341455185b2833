"""Rules on what outcome states rule out: unknown truths, and truths ruled out always or never."""

from collections.abc import Iterator

from schemas.kumo.things import Finding, Outcome, SeedConfig
from tasks.kumo.validation.names import fold_name, repeats
from tasks.kumo.validation.rules import finding, join, quote, state_text

_SUGGESTIONS = 20
_SUGGESTION_TRUTHS = 500
_SUGGESTION_WIDTH = 80


class _Suggestions:
    """Proposes the truth that a misspelt name may mean; similar spellings cost time, so only a few times."""

    def __init__(self, truths: tuple[str, ...]) -> None:
        self._by_folded = {fold_name(name): name for name in truths if name.strip()}
        self._short = [name for name in dict.fromkeys(truths) if len(name) <= _SUGGESTION_WIDTH]
        self._left = _SUGGESTIONS if len(self._short) <= _SUGGESTION_TRUTHS else 0

    def closest(self, name: str) -> str | None:
        """Return the listed truth that is spelt most like the name, or None."""
        same = self._by_folded.get(fold_name(name))
        if same is not None or self._left == 0 or len(name) > _SUGGESTION_WIDTH:
            return same
        self._left -= 1
        from difflib import get_close_matches

        return next(iter(get_close_matches(name, self._short, n=1, cutoff=0.75)), None)


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


def _set_findings(
    config: SeedConfig, outcome: Outcome, truths: set[str], suggestions: _Suggestions
) -> Iterator[Finding]:
    for state in outcome.states:
        place = {"action": outcome.action, "state": state_text(state)}
        for name in dict.fromkeys(state.rules_out):
            if name not in truths:
                yield finding(config, "unknown-truth", _unknown_text(name, suggestions), **place)
        for name, count in repeats(state.rules_out):
            text = f"rules_out names {quote(name)} {count} times, expected once; keep one of them"
            yield finding(config, "repeated-rule-out", text, **place)


def _unknown_text(name: str, suggestions: _Suggestions) -> str:
    closest = suggestions.closest(name)
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

"""Validate a seed configuration: every defect at once, and those that sampling must refuse.

A truth or action that two names stand for, or a number that falls into two states, makes an instance
ambiguous: the engine would read it in one way and a player in the other. Such rules are `unsafe`. The
others concern how good a domain is, not whether its instances are right.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice

from perennial.prompts.wording import with_article
from perennial.schemas.errors import UnusableConfig
from perennial.schemas.kumo.things import (
    MIN_ACTIONS,
    MIN_TRUTHS,
    Finding,
    Outcome,
    OutcomeState,
    SeedConfig,
    Setting,
)
from perennial.schemas.text import hidden_character, plain_text
from perennial.tasks.kumo.validation.rules import (
    MAX_NAME,
    RULES,
    Breach,
    join,
    quote,
    state_text,
    text_breaches,
    unfit_part_of_name,
)

# Rules on names: blank, untrimmed, repeated or clashing ones, notes, and the domain's size.


# Composing takes time with the square of the marks on one letter; longer names are findings anyway.
_MOST_COMPOSED = 2 * MAX_NAME
_LARGEST_SETTING = Setting.parse("hard")


def fold_name(name: str) -> str:
    """The form in which names are compared: composed, case-folded, single inner spaces, trimmed.

    Very long ones are not composed.
    """
    spaced = " ".join(name.split())
    if spaced.isascii():
        return spaced.lower()
    composed = spaced if len(spaced) > _MOST_COMPOSED else unicodedata.normalize("NFC", spaced)
    return " ".join(composed.casefold().split())


def fold_look_alikes(name: str) -> str:
    """The folded form with the usual characters in place of those that look like them."""
    return fold_name(plain_text(name))


def match_name(
    written: str,
    names: Sequence[str],
    forms: Sequence[Callable[[str], str]] = (str, fold_name, fold_look_alikes),
) -> str | None:
    """The listed name that somebody wrote: in the first form that tells which one it is."""
    for form in forms:
        alike = _by_form(tuple(names), form).get(form(written), ())
        if len(alike) == 1:
            return alike[0]
    return None


@lru_cache(maxsize=256)
def _by_form(names: tuple[str, ...], form: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """The different names by their form, without those of which nothing is left."""
    by_form: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(names):
        if key := form(name):
            by_form[key] = (*by_form.get(key, ()), name)
    return by_form


def name_breaches(config: SeedConfig) -> Iterator[Breach]:
    """What is wrong with single names and with lists of names."""
    yield from _misspellings("domain name", [config.name])
    yield from _misspellings("truth", config.truths)
    yield from _misspellings("action", config.actions)
    for outcome in config.outcomes:
        labels = [state.label for state in outcome.states if state.label is not None]
        yield from _misspellings("label", labels, outcome.action)
    for key, noun, example in (
        ("truth_noun", config.truth_noun, "disease"),
        ("action_noun", config.action_noun, "test"),
    ):
        if not noun.strip():
            text = f"{key} is {quote(noun)}, expected a word such as {example!r}; write one or leave it out"
            yield Breach("blank-noun", text)
    for what, names in (("truth", config.truths), ("action", config.actions)):
        for name, count in repeats(names):
            if name.strip():
                text = f"{what} {quote(name)} is listed {count} times, expected once; keep one of them"
                yield Breach(f"duplicate-{what}", text, name if what == "action" else None)
        for first, name in similar_pairs(names):
            text = (
                f"{what} {quote(name)} differs from {quote(first)} in case or spaces only, but a reader "
                "takes them for one; merge or rename them"
            )
            yield Breach(f"similar-{what}", text, name if what == "action" else None)
    truths = {fold_name(name): name for name in config.truths if name.strip()}
    for action in dict.fromkeys(config.actions):
        if truth := truths.get(fold_name(action)):
            text = f"the name of this action is also that of truth {quote(truth)}; rename one of them"
            yield Breach("truth-action-collision", text, action)
    for what, notes, listed in (
        ("truth", config.truth_notes, set(config.truths)),
        ("action", config.action_notes, set(config.actions)),
    ):
        for name in notes:
            if name not in listed:
                text = (
                    f"{what}_notes has a note for {quote(name)}, which is not a listed {what}; "
                    "correct the name or remove the note"
                )
                yield Breach("unknown-note", text)


def _misspellings(what: str, names: Sequence[str], owner: str | None = None) -> Iterator[Breach]:
    for position, name in enumerate(names, start=1):
        where = (name if what == "action" else owner, name if what == "label" else None)
        named = f"{what} {quote(name)}"
        if not name.strip():
            text = f"{named} (number {position}) is blank; write its name or remove it"
            yield Breach("blank-name", text, *where)
            continue
        if name != name.strip():
            text = f"{named} has spaces around it; write {quote(name.strip())}"
            yield Breach("untrimmed-name", text, *where)
        hidden = hidden_character(name.strip())
        if hidden is not None:
            text = f"{named} holds the invisible character U+{ord(hidden):04X}; write it as one visible line"
            yield Breach("control-character", text, *where)
        if len(name) > MAX_NAME:
            text = f"{named} has {len(name):,} characters, expected {MAX_NAME} at most; shorten it"
            yield Breach("long-name", text, *where)
        broken = None if hidden else unfit_part_of_name(what, name)
        if broken is not None:
            rule, unfit = broken
            yield Breach(rule, f"{named} holds {unfit}; write it without", *where)


def size_breaches(config: SeedConfig, min_truths: int | None, min_actions: int | None) -> Iterator[Breach]:
    """A breach where distinct truths or actions are fewer than asked for.

    Where nobody asked for a number, Hard's instances need theirs, and fewer than the paper's are a warning.
    """
    for what, names, asked, needed, usual in (
        ("truth", config.truths, min_truths, _LARGEST_SETTING.n_truths, MIN_TRUTHS),
        ("action", config.actions, min_actions, _LARGEST_SETTING.n_actions, MIN_ACTIONS),
    ):
        count, least = len(set(names)), needed if asked is None else asked
        if count < least:
            text = f"{count} distinct {what}s, but {least} are needed: add {least - count} at least"
            yield Breach(f"too-few-{what}s", text)
        elif asked is None and count < usual:
            text = (
                f"{count} distinct {what}s; the paper asks for {usual}, and fewer make fewer distinct "
                f"instances: add {usual - count} where you can"
            )
            yield Breach(f"few-{what}s", text)


def repeats(names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """(name, count) of every name that occurs more than once."""
    return ((name, count) for name, count in Counter(names).items() if count > 1)


def similar_pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(first name, other name) for distinct names that are equal when folded."""
    first: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if name.strip():
            other = first.setdefault(fold_name(name), name)
            if other != name:
                yield other, name


# Rules on what outcome states rule out: unknown truths, and truths ruled out always or never.


_LIKE = 75  # of 100: less alike is not what was meant
_SUGGESTED_TRUTHS = 500  # in longer lists a misspelt name is not looked for
_MOST_SUGGESTIONS = 100  # names that are looked for in one configuration


def relation_breaches(config: SeedConfig) -> Iterator[Breach]:
    """What is wrong with rule-out sets, action by action and then truth by truth."""
    truths, actions = set(config.truths), set(config.actions)
    suggestions = _Suggestions(config.truths)
    ruled_out: set[str] = set()
    for outcome in config.outcomes:
        if outcome.action in actions:
            ruled_out |= outcome.ruled_out
        for state in outcome.states:
            where = outcome.action, state_text(state)
            for name in dict.fromkeys(state.rules_out):
                if name not in truths:
                    closest = suggestions.find(name)
                    meant = "" if closest is None else f" (is {quote(closest)} meant?)"
                    text = f"rules_out names {quote(name)}, which is not a listed truth{meant}"
                    yield Breach("unknown-truth", f"{text}; list it or correct the name", *where)
            for name, count in repeats(state.rules_out):
                text = f"rules_out names {quote(name)} {count} times, expected once; keep one of them"
                yield Breach("repeated-rule-out", text, *where)
        if not outcome.states:
            continue
        always = truths.intersection(*(state.rules_out for state in outcome.states))
        if always:
            names = [quote(name) for name in dict.fromkeys(outcome.states[0].rules_out) if name in always]
            text = (
                f"every state rules out {join(names)}, which could then never be valid; "
                "leave each truth out of one state at least"
            )
            yield Breach("always-ruled-out", text, outcome.action)
        if truths.isdisjoint(outcome.ruled_out):
            text = "no state of this action rules a listed truth out; let one do so or remove the action"
            yield Breach("rules-out-nothing", text, outcome.action)
    for truth in dict.fromkeys(config.truths):
        if truth.strip() and truth not in ruled_out:
            text = f"truth {quote(truth)} is ruled out by no state; let some state rule it out or remove it"
            yield Breach("never-ruled-out", text)


class _Suggestions:
    """The listed truths that misspelt names may mean, of the first names that are looked for."""

    def __init__(self, truths: Sequence[str]) -> None:
        self._truths = truths if len(truths) <= _SUGGESTED_TRUTHS else ()
        self._folded = [fold_name(truth[:MAX_NAME]) for truth in self._truths]
        self._left = _MOST_SUGGESTIONS

    def find(self, name: str) -> str | None:
        """The truth that the name may mean, or None."""
        if not self._left or len(name) > MAX_NAME:
            return None
        from rapidfuzz import fuzz, process

        self._left -= 1
        closest = process.extractOne(fold_name(name), self._folded, scorer=fuzz.ratio, score_cutoff=_LIKE)
        return self._truths[closest[2]] if closest else None


# Rules on outcome entries and their states: types, labels and ranges.


KINDS = ("str", "float")
# Overlaps grow with the square of the states; this many a single action are enough to act on.
_OVERLAPS_LISTED = 100
_Range = tuple[float, float]


def entry_breaches(config: SeedConfig) -> Iterator[Breach]:
    """Where actions and outcome entries are not one to one."""
    entries = Counter(outcome.action for outcome in config.outcomes)
    for action in dict.fromkeys(config.actions):
        if action not in entries:
            text = "this action has no outcome entry; add one or remove the action"
            yield Breach("missing-outcome", text, action)
    for action, count in entries.items():
        if count > 1:
            text = f"{count} outcome entries for this action, expected one; merge them into one"
            yield Breach("duplicate-outcome", text, action)
    actions = set(config.actions)
    for action in entries:
        if action not in actions:
            text = "an outcome entry for an action that is not listed; add it to actions or remove the entry"
            yield Breach("unlisted-outcome", text, action)


def state_breaches(config: SeedConfig) -> Iterator[Breach]:
    """What is wrong with the states of each outcome entry, and the types that no listed action has."""
    for outcome in config.outcomes:
        yield from _kind_breaches(outcome)
        yield from _label_breaches(outcome)
        yield from _range_breaches(outcome)
    actions = set(config.actions)
    kinds = {outcome.kind for outcome in config.outcomes if outcome.action in actions}
    for kind in KINDS:
        if kind not in kinds:
            text = f"no outcome has type {kind!r}, but both str and float must occur; add such an action"
            yield Breach("missing-type", text)


def _kind_breaches(outcome: Outcome) -> Iterator[Breach]:
    if outcome.kind not in KINDS:
        text = f"type {quote(outcome.kind)} is not known; use 'str' with labels or 'float' with ranges"
        yield Breach("undeclared-type", text, outcome.action)
    for state in outcome.states:
        form, expected = _form(state), _find_form(outcome)
        if form != expected:
            text = (
                f"this state has {form}, but every state of {with_article(quote(outcome.kind))} outcome has "
                f"{expected}; change it or move it to an action of its own"
            )
            yield Breach("wrong-state-kind", text, outcome.action, state_text(state))
    remedy = "expected two or more; add states or remove the action"
    if not outcome.states:
        yield Breach("no-states", f"no outcome state, {remedy}", outcome.action)
    elif len(outcome.states) == 1:
        state = outcome.states[0]
        yield Breach("too-few-states", f"one outcome state only, {remedy}", outcome.action, state_text(state))


def _form(state: OutcomeState) -> str:
    bounds = (state.low is not None) + (state.high is not None)
    if state.label is not None:
        return "a label" if bounds == 0 else "both label and range"
    return ("neither label nor range", "half a range", "a range")[bounds]


def _find_form(outcome: Outcome) -> str:
    """The form of all states; an undeclared type must have the form of its first state."""
    if outcome.kind in KINDS:
        return "a label" if outcome.kind == "str" else "a range"
    return "a range" if outcome.states[0].is_range else "a label"


def _label_breaches(outcome: Outcome) -> Iterator[Breach]:
    labels = [state.label for state in outcome.states if state.label is not None]
    for label, count in repeats(labels):
        text = f"this label occurs {count} times in the action, expected once; merge or rename the states"
        yield Breach("duplicate-label", text, outcome.action, label)
    for first, label in similar_pairs(labels):
        text = (
            f"this label differs from {quote(first)} in case or spaces only, but a reader takes them "
            "for one; merge or rename the states"
        )
        yield Breach("similar-label", text, outcome.action, label)


def _range_breaches(outcome: Outcome) -> Iterator[Breach]:
    usable = []
    for state in outcome.states:
        if state.low is None or state.high is None:
            continue
        defect = _range_defect(state.low, state.high)
        if defect is None:
            usable.append((state.low, state.high))
        else:
            yield Breach(*defect, outcome.action, state_text(state))
    usable.sort()
    overlaps = _overlaps(usable)
    for (low, high), (low_2, high_2) in islice(overlaps, _OVERLAPS_LISTED):
        text = (
            f"this range overlaps {low_2!r}..{high_2!r}, but a number may fall into one state only; "
            "move the bounds apart (a shared end point is allowed)"
        )
        yield Breach("overlapping-ranges", text, outcome.action, f"{low!r}..{high!r}")
    if next(overlaps, None) is not None:
        text = f"more than {_OVERLAPS_LISTED} pairs of ranges overlap, the others are not listed"
        yield Breach("overlapping-ranges", text, outcome.action)
    reached = accumulate((high for _, high in usable), max)
    gaps = [f"{end!r}..{low!r}" for end, (low, _) in zip(reached, usable[1:], strict=False) if end < low]
    if gaps:
        text = f"no range holds {join(gaps)}, so such a number is never observed; close the gap or leave it"
        yield Breach("range-gap", text, outcome.action)


def _range_defect(low: float, high: float) -> tuple[str, str] | None:
    if not (math.isfinite(low) and math.isfinite(high)):
        return "non-finite-range", f"bounds {low!r} and {high!r}, expected finite numbers; write such"
    if low >= high:
        return "inverted-range", f"low {low!r} is not below high {high!r}; swap or widen the bounds"
    if not math.isfinite(high - low):
        # A uniform draw computes low + u * (high - low) and would give infinity.
        return "range-too-wide", f"the width of {low!r} to {high!r} is not finite; narrow the bounds"
    return None


def _overlaps(ranges: list[_Range]) -> Iterator[tuple[_Range, _Range]]:
    """The overlapping pairs of ranges sorted by their low bounds."""
    for i, first in enumerate(ranges):
        for j in range(i + 1, len(ranges)):
            if ranges[j][0] >= first[1]:
                break
            yield first, ranges[j]


_UNSAFE_QUOTED = 3


def validate_config(
    config: SeedConfig, *, min_truths: int | None = None, min_actions: int | None = None
) -> list[Finding]:
    """All findings: names and other texts, outcome entries, states, rule-outs, sizes; as written.

    Without a least number, the truths and actions of Hard are needed, and the paper's are advised.
    """
    breaches = chain(
        name_breaches(config),
        text_breaches(config),
        entry_breaches(config),
        state_breaches(config),
        relation_breaches(config),
        size_breaches(config, min_truths, min_actions),
    )
    return [breach.describe(config) for breach in breaches]


def one_to_one_share(config: SeedConfig) -> float:
    """The share of states that rule out exactly one truth among those that rule out any.

    The paper's prompts advise against such 1-to-1 mappings and allow them. Only listed truths count, and
    each once; 0.0 where no state rules anything out.
    """
    truths = set(config.truths)
    states = (state for outcome in config.outcomes for state in outcome.states)
    sizes = Counter(len(truths.intersection(state.rules_out)) for state in states)
    ruling_out = sizes.total() - sizes[0]
    return sizes[1] / ruling_out if ruling_out else 0.0


def refuse_unsafe(config: SeedConfig) -> list[Finding]:
    """The findings that sampling can live with, for the caller to show as warnings.

    Raises UnusableConfig where a finding is unsafe: its message names each broken rule with its count,
    and quotes the first findings.
    """
    findings = validate_config(config)
    unsafe = [finding for finding in findings if RULES[finding.rule].unsafe]
    if unsafe:
        raise UnusableConfig(_refusal(config, unsafe))
    return [finding for finding in findings if not RULES[finding.rule].unsafe]


def _refusal(config: SeedConfig, unsafe: list[Finding]) -> str:
    counts = Counter(finding.rule for finding in unsafe)
    rules = ", ".join(f"{rule} ({count})" for rule, count in counts.items())
    more = len(unsafe) - _UNSAFE_QUOTED
    return (
        f"domain {config.name!r} would give ambiguous or wrong instances: {rules}: "
        + "; ".join(finding.message for finding in unsafe[:_UNSAFE_QUOTED])
        + (f"; and {more} more, which `perennial domains validate` lists" if more > 0 else "")
    )

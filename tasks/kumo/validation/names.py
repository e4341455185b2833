"""Rules on names: blank, untrimmed, repeated or clashing ones, notes, and the domain's size."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from perennial.schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS, Finding, SeedConfig, Setting
from perennial.schemas.text.hidden_characters import hidden_character
from perennial.schemas.text.look_alikes import plain_text
from perennial.tasks.kumo.validation.rules import finding, quote
from perennial.tasks.kumo.validation.texts import MAX_NAME, tag_in_name

# Composing takes time with the square of the marks on one letter; longer names are findings anyway.
_MOST_COMPOSED = 2 * MAX_NAME
_LARGEST_SETTING = Setting.parse("hard")


def fold_name(name: str) -> str:
    """Return the form in which names are compared: composed, case-folded, single inner spaces, trimmed.

    Very long ones are not composed.
    """
    spaced = " ".join(name.split())
    if spaced.isascii():
        return spaced.lower()
    composed = spaced if len(spaced) > _MOST_COMPOSED else unicodedata.normalize("NFC", spaced)
    return " ".join(composed.casefold().split())


def fold_look_alikes(name: str) -> str:
    """Return the folded form with the usual characters in place of those that look like them."""
    return fold_name(plain_text(name))


def match_name(
    written: str,
    names: Sequence[str],
    forms: Sequence[Callable[[str], str]] = (str, fold_name, fold_look_alikes),
) -> str | None:
    """Return the listed name that somebody wrote: in the first form that tells which one it is."""
    for form in forms:
        alike = _by_form(tuple(names), form).get(form(written), ())
        if len(alike) == 1:
            return alike[0]
    return None


@lru_cache(maxsize=256)
def _by_form(names: tuple[str, ...], form: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    """Return the different names by their form, without those of which nothing is left."""
    found: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(names):
        if key := form(name):
            found[key] = (*found.get(key, ()), name)
    return found


def name_findings(config: SeedConfig) -> Iterator[Finding]:
    """Yield what is wrong with single names and with lists of names."""
    yield from _spelling_findings(config)
    yield from _noun_findings(config)
    yield from _repeat_findings(config, "truth", config.truths)
    yield from _repeat_findings(config, "action", config.actions)
    yield from _collision_findings(config)
    yield from _note_findings(config)


def size_findings(config: SeedConfig, min_truths: int | None, min_actions: int | None) -> Iterator[Finding]:
    """Yield a finding where distinct truths or actions are fewer than asked for.

    Where nobody asked for a number, Hard's instances need theirs, and fewer than the paper's are a warning.
    """
    for what, names, asked, needed, usual in (
        ("truth", config.truths, min_truths, _LARGEST_SETTING.n_truths, MIN_TRUTHS),
        ("action", config.actions, min_actions, _LARGEST_SETTING.n_actions, MIN_ACTIONS),
    ):
        count, least = len(set(names)), needed if asked is None else asked
        if count < least:
            text = f"{count} distinct {what}s, but {least} are needed: add {least - count} at least"
            yield finding(config, f"too-few-{what}s", text)
        elif asked is None and count < usual:
            text = (
                f"{count} distinct {what}s; the paper asks for {usual}, and fewer make fewer distinct "
                f"instances: add {usual - count} where you can"
            )
            yield finding(config, f"few-{what}s", text)


def repeats(names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield (name, count) of every name that occurs more than once."""
    return ((name, count) for name, count in Counter(names).items() if count > 1)


def similar_pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (first name, other name) for distinct names that are equal when folded."""
    first: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if name.strip():
            other = first.setdefault(fold_name(name), name)
            if other != name:
                yield other, name


def _spelling_findings(config: SeedConfig) -> Iterator[Finding]:
    yield from _spelling_of(config, "domain name", [config.name])
    yield from _spelling_of(config, "truth", config.truths)
    yield from _spelling_of(config, "action", config.actions)
    for outcome in config.outcomes:
        labels = [state.label for state in outcome.states if state.label is not None]
        yield from _spelling_of(config, "label", labels, outcome.action)


def _spelling_of(
    config: SeedConfig, what: str, names: Sequence[str], owner: str | None = None
) -> Iterator[Finding]:
    for position, name in enumerate(names, start=1):
        action = name if what == "action" else owner
        state = name if what == "label" else None
        place = f"{what} {quote(name)}"
        if not name.strip():
            text = f"{place} (number {position}) is blank; write its name or remove it"
            yield finding(config, "blank-name", text, action=action, state=state)
            continue
        if name != name.strip():
            text = f"{place} has spaces around it; write {quote(name.strip())}"
            yield finding(config, "untrimmed-name", text, action=action, state=state)
        hidden = hidden_character(name.strip())
        if hidden is not None:
            text = f"{place} holds the invisible character U+{ord(hidden):04X}; write it as one visible line"
            yield finding(config, "control-character", text, action=action, state=state)
        if len(name) > MAX_NAME:
            text = f"{place} has {len(name):,} characters, expected {MAX_NAME} at most; shorten it"
            yield finding(config, "long-name", text, action=action, state=state)
        broken = tag_in_name(what, name)
        if broken is not None:
            rule, tag = broken
            text = f"{place} holds {quote(tag)}, a tag of the prompts; write it without"
            yield finding(config, rule, text, action=action, state=state)


def _noun_findings(config: SeedConfig) -> Iterator[Finding]:
    for key, noun, example in (
        ("truth_noun", config.truth_noun, "disease"),
        ("action_noun", config.action_noun, "test"),
    ):
        if not noun.strip():
            text = f"{key} is {quote(noun)}, expected a word such as {example!r}; write one or leave it out"
            yield finding(config, "blank-noun", text)


def _repeat_findings(config: SeedConfig, what: str, names: Sequence[str]) -> Iterator[Finding]:
    for name, count in repeats(names):
        if name.strip():
            text = f"{what} {quote(name)} is listed {count} times, expected once; keep one of them"
            yield finding(config, f"duplicate-{what}", text, action=name if what == "action" else None)
    for first, name in similar_pairs(names):
        text = (
            f"{what} {quote(name)} differs from {quote(first)} in case or spaces only, but a reader "
            "takes them for one; merge or rename them"
        )
        yield finding(config, f"similar-{what}", text, action=name if what == "action" else None)


def _collision_findings(config: SeedConfig) -> Iterator[Finding]:
    truths = {fold_name(name): name for name in config.truths if name.strip()}
    for action in dict.fromkeys(config.actions):
        truth = truths.get(fold_name(action))
        if truth is not None:
            text = f"the name of this action is also that of truth {quote(truth)}; rename one of them"
            yield finding(config, "truth-action-collision", text, action=action)


def _note_findings(config: SeedConfig) -> Iterator[Finding]:
    for what, notes, names in (
        ("truth", config.truth_notes, set(config.truths)),
        ("action", config.action_notes, set(config.actions)),
    ):
        for name in notes:
            if name not in names:
                text = (
                    f"{what}_notes has a note for {quote(name)}, which is not a listed {what}; "
                    "correct the name or remove the note"
                )
                yield finding(config, "unknown-note", text)

"""What the scripted writer, checker and reviser share: rules from a prompt, books good and bad, a grammar.

Books are worded like the template book, so that programs can read them. Two sentences are added to its
grammar, for the faults that no right book has: an outcome that confirms, and one that leaves open.
"""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from perennial.schemas.kumo.things import BookRule, Instance, Outcome, SeedConfig
from perennial.tasks.kumo.book_reading import read_book
from perennial.tasks.kumo.books import closed_ends, write_book
from tests.server.script import Asked

_RULES_BLOCK = "```json\n"
_TITLE = re.compile(r"^Write the guidebook of a game, with the title “(.*?)”", re.MULTILINE)
_BOOK = re.compile(r"^<BOOK>\n(.*)\n</BOOK>$", re.MULTILINE | re.DOTALL)
_CONFIRMS = "confirms"
_LEAVES_OPEN = "may well speak against"
_SLIP = re.compile(
    rf'- The outcome (?:"(?P<label>.*)"|from (?P<low>\S+) to (?P<high>\S+) '
    rf"\((?P<end>both ends included|upper end excluded)\)) (?P<verb>{_CONFIRMS}|{_LEAVES_OPEN}) "
    r"\*\*(?P<name>.+)\*\*\."
)


@dataclass(frozen=True)
class Given:
    """The game that a prompt tells of."""

    config: SeedConfig
    instance: Instance
    rules: tuple[BookRule, ...]


def given_in(asked: Asked) -> Given:
    """Return the game whose rules are given as JSON in the last message."""
    content = asked.messages[-1]["content"]
    start = content.index(_RULES_BLOCK) + len(_RULES_BLOCK)
    values = json.JSONDecoder().raw_decode(content, start)[0]
    title = _TITLE.search(content)
    truths = tuple(entry["name"] for entry in values["truths"])
    actions = tuple(entry["name"] for entry in values["actions"])
    units = tuple(Outcome(entry["name"], "", (), entry.get("unit", "")) for entry in values["actions"])
    config = SeedConfig(
        name="Told",
        truths=truths,
        actions=actions,
        outcomes=units,
        book_title=title[1] if title else "",
        truth_notes={entry["name"]: entry.get("note", "") for entry in values["truths"]},
        action_notes={entry["name"]: entry.get("note", "") for entry in values["actions"]},
    )
    rules = tuple(
        _rule(entry["name"], outcome) for entry in values["actions"] for outcome in entry["outcomes"]
    )
    return Given(config, Instance(truths, actions, (), (), (), 0, 0), rules)


def _rule(action: str, outcome: dict[str, Any]) -> BookRule:
    rules_out = frozenset(outcome["rules_out"])
    if "label" in outcome:
        return BookRule(action, outcome["label"], None, None, rules_out)
    return BookRule(action, None, float(outcome["low"]), float(outcome["high"]), rules_out)


def book_in(asked: Asked) -> str | None:
    """Return the book that stands between tags on lines of their own in the last message, if one does."""
    match = _BOOK.search(asked.messages[-1]["content"])
    return match[1] + "\n" if match else None


def find_tagged(book: str) -> str:
    return f"<BOOK>\n{book}</BOOK>"


def right_book(given: Given, rng: random.Random) -> str:
    return write_book(given.config, given.instance, given.rules, rng)


def faulty_book(given: Given, fault: str, rng: random.Random) -> str:
    """Return a book with one error of this kind; where the game has no room for one, a right book."""
    return _ERRORS[fault](given, rng)


def _missing_rule(given: Given, rng: random.Random) -> str:
    return _with_changed_rule(given, rng, lambda rule, name: rule.rules_out - {name})


def _wrong_name(given: Given, rng: random.Random) -> str:
    return _with_changed_rule(given, rng, lambda rule, name: rule.rules_out - {name} | {f"Pseudo-{name}"})


def _extra_rule(given: Given, rng: random.Random) -> str:
    truths = frozenset(given.instance.truths)
    room = [i for i, rule in enumerate(given.rules) if truths - rule.rules_out]
    if not room:
        return right_book(given, rng)
    place = rng.choice(room)
    name = rng.choice(sorted(truths - given.rules[place].rules_out))
    return right_book(_replace(given, place, given.rules[place].rules_out | {name}), rng)


def _confirmation(given: Given, rng: random.Random) -> str:
    return _with_sentence(given, rng, _CONFIRMS)


def _ambiguous(given: Given, rng: random.Random) -> str:
    return _with_sentence(given, rng, _LEAVES_OPEN)


_ERRORS: dict[str, Callable[[Given, random.Random], str]] = {
    "missing_rule": _missing_rule,
    "extra_rule": _extra_rule,
    "confirmation": _confirmation,
    "ambiguous": _ambiguous,
    "wrong_name": _wrong_name,
}
BOOK_ERRORS = tuple(_ERRORS)


def _with_changed_rule(
    given: Given, rng: random.Random, changed: Callable[[BookRule, str], frozenset[str]]
) -> str:
    chosen = _some_exclusion(given, rng)
    if chosen is None:
        return right_book(given, rng)
    place, name = chosen
    new = changed(given.rules[place], name)
    text_truths = (*given.instance.truths, *(new - set(given.instance.truths)))
    wider = replace(given, instance=replace(given.instance, truths=text_truths))
    book = right_book(_replace(wider, place, new), rng)
    strangers = [f"- **{name}**: " for name in text_truths[len(given.instance.truths) :]]
    lines = book.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(tuple(strangers)))


def _with_sentence(given: Given, rng: random.Random, verb: str) -> str:
    """Return the book with one exclusion worded by this verb instead."""
    chosen = _some_exclusion(given, rng)
    if chosen is None:
        return right_book(given, rng)
    place, name = chosen
    rule, closed = given.rules[place], closed_ends(given.rules)[place]
    sentence = f"- The outcome {_outcome_words(rule, closed)} {verb} **{name}**."
    lines = right_book(_replace(given, place, rule.rules_out - {name}), rng).split("\n")
    heading = lines.index(f"### {rule.action}")
    first_item = next(i for i in range(heading, len(lines)) if lines[i].startswith("- "))
    return "\n".join([*lines[:first_item], sentence, *lines[first_item:]])


def _some_exclusion(given: Given, rng: random.Random) -> tuple[int, str] | None:
    pairs = [(i, name) for i, rule in enumerate(given.rules) for name in sorted(rule.rules_out)]
    return rng.choice(pairs) if pairs else None


def _replace(given: Given, place: int, rules_out: frozenset[str]) -> Given:
    changed = replace(given.rules[place], rules_out=rules_out)
    return replace(given, rules=(*given.rules[:place], changed, *given.rules[place + 1 :]))


def _outcome_words(rule: BookRule, closed: bool | None) -> str:
    if rule.label is not None:
        return f'"{rule.label}"'
    return f"from {rule.low!r} to {rule.high!r} ({'both ends included' if closed else 'upper end excluded'})"


def read_back_of(book: str) -> dict[str, Any]:
    """Return what the book says, in the form that a checker is asked for."""
    plain, slips = _without_slips(book)
    contents = read_book(plain)
    entries: dict[str, list[dict[str, Any]]] = {action: [] for action in contents.actions}
    for rule, closed in zip(contents.rules, contents.closed, strict=True):
        entries[rule.action].append(_outcome(rule, closed, rules_out=sorted(rule.rules_out)))
    for action, outcome in slips:
        entries.setdefault(action, []).append(outcome)
    actions = [{"action": action, "outcomes": outcomes} for action, outcomes in entries.items()]
    return {"actions": actions, "unclear": list(contents.unread)}


def _outcome(rule: BookRule, closed: bool | None, **said: Any) -> dict[str, Any]:
    ends = {"low": rule.low, "high": rule.high, "low_included": True, "high_included": closed}
    shown = {"label": rule.label, "range": None if rule.label is not None else ends}
    return {**shown, "rules_out": [], "confirms": [], "unclear": [], **said}


def _without_slips(book: str) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """Return the book without the sentences that the template's grammar lacks, and what these say."""
    kept, slips, action = [], [], ""
    for line in book.split("\n"):
        if line.startswith("### "):
            action = line[4:]
        match = _SLIP.fullmatch(line)
        if match is None:
            kept.append(line)
        else:
            slips.append((action, _slip_outcome(line, match)))
    return "\n".join(kept), slips


def _slip_outcome(line: str, match: re.Match[str]) -> dict[str, Any]:
    low, high = (float(match[end]) if match[end] else None for end in ("low", "high"))
    rule = BookRule("", match["label"], low, high, frozenset())
    closed = match["end"] == "both ends included" if match["end"] else None
    if match["verb"] == _CONFIRMS:
        return _outcome(rule, closed, confirms=[match["name"]])
    return _outcome(rule, closed, unclear=[{"passage": line[2:], "names": [match["name"]]}])

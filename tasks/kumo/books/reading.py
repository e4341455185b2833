"""Read a knowledge book's rules out of its text alone: no configuration, no template.

A book is Markdown: a title and free paragraphs, a `##` section that lists the truths (`- **Name**: note`),
a `##` section of actions, each under its `###` heading with one free paragraph and then one list item per
outcome. Every line that fits none of this is handed back as unread, so that nothing is skipped.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from schemas.kumo.things import Rule


@dataclass(frozen=True, slots=True)
class BookContents:
    """What a book says. `closed[i]` is whether the range of `rules[i]` includes its upper end (None: a
    label). `unread` are the lines that make no sense, each with its number.
    """

    truths: tuple[str, ...]
    actions: tuple[str, ...]
    rules: tuple[Rule, ...]
    closed: tuple[bool | None, ...]
    unread: tuple[str, ...]


class _Form(NamedTuple):
    """A sentence: opening, the outcome, joint, what is ruled out, one of the endings."""

    opening: str
    joint: str
    endings: tuple[str, ...]


_FORMS = (
    _Form("If the outcome is ", ", rule out ", (".",)),
    _Form("When ", " is observed, ", (" is ruled out.", " are ruled out.")),
    _Form("Observing ", " rules out ", (".",)),
    _Form("An outcome of ", " excludes ", (".",)),
)
_NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_RANGE = re.compile(
    rf"at least {_NUMBER} and (?:(at most)|less than) {_NUMBER}(?: (.+))?"
    rf"|a value from {_NUMBER} to {_NUMBER}(?: (.+))? "
    r"\((?:(both ends included)|lower end included, upper end excluded)\)",
    re.ASCII,
)
# A name ends at the first ** that something follows which can follow a name; `**A***` is the name `A*`.
_BOLD_NAME = re.compile(r"\*\*(.+?)\*\*(?:(?:, | and )(?=\*\*)|\Z)")
_NO_PARAGRAPH = ("#", "-", "* ", "+ ", ">", "|", " ", "\t")


class _Sentence(NamedTuple):
    label: str | None
    low: float | None
    high: float | None
    closed: bool | None
    unit: str | None
    rules_out: frozenset[str]


@dataclass(slots=True)
class _Reading:
    truths: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    closed: list[bool | None] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    titles: int = 0
    sections: int = 0
    paragraphs: int = 0
    items: int = 0
    unit: str | None = None

    def open_section(self) -> bool:
        self.sections += 1
        self.paragraphs = self.items = 0
        return self.sections <= 2

    def open_action(self, name: str) -> bool:
        self.actions.append(name)
        self.paragraphs = self.items = 0
        self.unit = None
        return self.sections == 2

    def take(self, line: str) -> bool:
        """Take one line that is not empty; return whether it made sense where it stands."""
        if line.startswith("### "):
            return self.open_action(line[4:])
        if line.startswith("## "):
            return self.open_section()
        if line.startswith("# "):
            self.titles += 1
            return self.titles == 1 and self.sections == self.paragraphs == 0
        if line.startswith("- "):
            self.items += 1
            return self._take_item(line[2:])
        return self._take_paragraph(line)

    def _take_item(self, text: str) -> bool:
        if self.sections == 1:
            return self._take_truth(text)
        if self.sections != 2 or not self.actions:
            return False
        sentence = _read_sentence(text)
        return sentence is not None and self._take_rule(sentence)

    def _take_truth(self, text: str) -> bool:
        name, colon, _ = text[2:].partition("**: ")
        if not text.startswith("**") or not colon:
            return False
        self.truths.append(name)
        return True

    def _take_rule(self, sentence: _Sentence) -> bool:
        unit = sentence.unit if sentence.unit is not None else self.unit
        if self.unit is not None and unit != self.unit:
            return False  # two units under one action: words stand where a unit should be
        self.unit = unit
        self.rules.append(
            Rule(self.actions[-1], sentence.label, sentence.low, sentence.high, sentence.rules_out)
        )
        self.closed.append(sentence.closed)
        return True

    def _take_paragraph(self, line: str) -> bool:
        """Free text: any before the first section, one paragraph under each heading, before its list."""
        self.paragraphs += 1
        if line.startswith(_NO_PARAGRAPH):
            return False
        is_note = self.sections == 2 and bool(self.actions)
        if not is_note and _read_sentence(line) is not None:
            return False  # a rule where no rule belongs
        return self.sections == 0 or (self.paragraphs == 1 and self.items == 0)


def read_book(text: str) -> BookContents:
    """Return what the text says of truths, actions and rules, and the lines that make no sense.

    Works on any text, in time proportional to its length. Notes are skipped by where they stand,
    whatever they say: behind a truth's name, and in the one paragraph under an action's heading.
    """
    reading = _Reading()
    for number, line in _lines(text):
        if not reading.take(line):
            reading.unread.append(f"line {number}: {line}")
    return BookContents(
        truths=tuple(reading.truths),
        actions=tuple(reading.actions),
        rules=tuple(reading.rules),
        closed=tuple(reading.closed),
        unread=tuple(reading.unread),
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            yield number, line


def _read_sentence(text: str) -> _Sentence | None:
    """Return what one sentence says, or None where it is no sentence of a known form."""
    for form in _FORMS:
        ending = next((ending for ending in form.endings if text.endswith(ending)), None)
        if ending is None or not text.startswith(form.opening):
            continue
        # The last joint: labels are sentences more often than names of truths are.
        outcome, joint, excluded = text[len(form.opening) : -len(ending)].rpartition(form.joint)
        names = _read_names(excluded)
        if joint and names is not None:
            return _read_outcome(outcome, names)
    return None


def _read_names(text: str) -> frozenset[str] | None:
    if text == "nothing":
        return frozenset()
    names: list[str] = []
    place = 0
    while place < len(text):
        match = _BOLD_NAME.match(text, place)
        if match is None:
            return None
        names.append(match[1])
        place = match.end()
    distinct = frozenset(names)
    return distinct if names and len(distinct) == len(names) else None


def _read_outcome(text: str, rules_out: frozenset[str]) -> _Sentence | None:
    if len(text) >= 2 and text.startswith('"') and text.endswith('"'):
        return _Sentence(text[1:-1], None, None, None, None, rules_out)
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    low, closed, high, unit = match[1], match[2], match[3], match[4]
    if low is None:
        low, high, unit, closed = match[5], match[6], match[7], match[8]
    return _Sentence(None, float(low), float(high), closed is not None, unit or "", rules_out)

"""Read a knowledge book's rules out of its text alone: no configuration, no template.

A book is Markdown: a title and free paragraphs, a `##` section that lists the truths (`- **Name**: note`),
a `##` section of actions, each under its `###` heading with one free paragraph and then its outcomes: as
list items, as one paragraph of sentences, or as a table. A third section may say the rules by truth, or
action by action in any order. Every line that fits none of this is handed back as unread, so that nothing
is skipped; so is a sentence that refers to what was not said, or claims what the rules contradict.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from perennial.prompts.wording import plural, singular
from perennial.schemas.kumo.things import Rule
from perennial.tasks.kumo.books.sentences import (
    Claim,
    Count,
    Exclusion,
    Shown,
    read_named_rule,
    read_outcome,
    read_row,
    read_sentences,
    read_statement,
    read_truth_sources,
)


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


_NO_PARAGRAPH = ("#", "-", "* ", "+ ", ">", "|", " ", "\t")
_TABLE_RULE = "| --- | --- |"
_Key = tuple[str, tuple[str | None, float | None, float | None]]


@dataclass(slots=True)
class _Said:
    """An outcome of an action, and what it was said to rule out so far."""

    action: str
    shown: Shown
    names: set[str]


@dataclass(slots=True)
class _Reading:
    truths: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    said: list[_Said] = field(default_factory=list)
    claims: list[tuple[str, str, Claim | Count]] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    line: str = ""
    titles: int = 0
    sections: int = 0
    paragraphs: int = 0
    items: int = 0
    rows: int = 0

    def _open(self) -> None:
        self.paragraphs = self.items = self.rows = 0

    def open_section(self) -> bool:
        self.sections += 1
        self._open()
        return self.sections <= 3

    def open_action(self, name: str) -> bool:
        self.actions.append(name)
        self._open()
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
        if line.startswith("| "):
            self.rows += 1
            return self._take_row(line)
        return self._take_paragraph(line)

    def _take_item(self, text: str) -> bool:
        if self.sections == 1:
            return self._take_truth(text)
        if self.sections == 3:
            return self._take_elsewhere(text)
        if self.sections != 2 or not self.actions or self.rows:
            return False
        action = self.actions[-1]
        statement = read_statement(text)
        if statement is None:
            shown = read_outcome(text)
            return shown is not None and self._say(action, Exclusion(shown, frozenset()))
        if isinstance(statement, Exclusion):
            return self._say(action, statement)
        self.claims.append((self.line, action, statement))
        return True

    def _take_truth(self, text: str) -> bool:
        name, colon, _ = text[2:].partition("**: ")
        if not text.startswith("**") or not colon:
            return False
        self.truths.append(name)
        return True

    def _take_elsewhere(self, text: str) -> bool:
        """Take an item of the third section: a truth with the outcomes that rule it out, or a rule."""
        of_truth = read_truth_sources(text)
        if of_truth is None:
            named = read_named_rule(text)
            return named is not None and named[0] in self.actions and self._say(*named)
        truth, sources = of_truth
        found = [self._find(action, shown) for shown, action in sources]
        if truth not in self.truths or any(said is None or truth in said.names for said in found):
            return False
        for said in found:
            if said is not None:
                said.names.add(truth)
        return True

    def _take_row(self, line: str) -> bool:
        if self.sections != 2 or not self.actions or self.items:
            return False
        if self.rows == 1:
            return read_row(line) is None and line.count("|") == 3
        if self.rows == 2:
            return line == _TABLE_RULE
        rule = read_row(line)
        return rule is not None and self._say(self.actions[-1], rule)

    def _take_paragraph(self, line: str) -> bool:
        """Free text: any before the first section, one under each heading; then an action's rules."""
        self.paragraphs += 1
        if line.startswith(_NO_PARAGRAPH):
            return False
        under_action = self.sections == 2 and bool(self.actions)
        rules = read_sentences(line)
        if under_action and self.paragraphs == 2 and self.items == self.rows == 0:
            return rules is not None and all(self._say(self.actions[-1], rule) for rule, _ in rules)
        if not under_action and (rules is not None or read_statement(line) is not None):
            return False  # a rule where no rule belongs
        return self.sections == 0 or (self.paragraphs == 1 and self.items == self.rows == 0)

    def _say(self, action: str, said: Exclusion) -> bool:
        unit = said.shown.unit
        # Two units under one action: words stand where a unit should be.
        if unit is not None:
            known = self.units.setdefault(action, unit)
            if unit != known and known not in (singular(unit), plural(unit)):
                return False
        names = set(said.names)
        if said.base is not None:
            base = self._find(said.base[1], said.base[0])
            if (
                base is None
                or (said.adds and names & base.names)
                or (not said.adds and not names <= base.names)
            ):
                return False
            names = base.names | names if said.adds else base.names - names
        self.said.append(_Said(action, said.shown, names))
        return True

    def _find(self, action: str, shown: Shown) -> _Said | None:
        """Return the one outcome of an action that was named before, None where there is none or several."""
        found = [said for said in self.said if said.action == action and said.shown.key == shown.key]
        return found[0] if len(found) == 1 and found[0].shown.closed == shown.closed else None

    def refuse_false_claims(self) -> None:
        """Hand back each sentence that the rules contradict."""
        for line, action, claim in self.claims:
            said = [each for each in self.said if each.action == action]
            if isinstance(claim, Count):
                holds = claim.number == len(said)
            else:
                meant = [each for each in said if claim.shown is None or each.shown.key == claim.shown.key]
                holds = bool(meant) and claim.truth in self.truths
                holds = holds and not any(claim.truth in each.names for each in meant)
            if not holds:
                self.unread.append(line)


def read_book(text: str) -> BookContents:
    """Return what the text says of truths, actions and rules, and the lines that make no sense.

    Works on any text. Notes are skipped by where they stand, whatever they say: behind a truth's name, and
    in the first paragraph under an action's heading. Rules are in the order of the actions.
    """
    reading = _Reading()
    for number, line in _lines(text):
        reading.line = f"line {number}: {line}"
        if not reading.take(line):
            reading.unread.append(reading.line)
    reading.refuse_false_claims()
    places = {name: place for place, name in enumerate(reading.actions)}
    said = sorted(reading.said, key=lambda each: places[each.action])
    return BookContents(
        truths=tuple(reading.truths),
        actions=tuple(reading.actions),
        rules=tuple(
            Rule(each.action, each.shown.label, each.shown.low, each.shown.high, frozenset(each.names))
            for each in said
        ),
        closed=tuple(each.shown.closed for each in said),
        unread=tuple(reading.unread),
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            yield number, line


def quote_rule(text: str, rule: Rule) -> str:
    """Return the sentences of a book that say this rule, without their marks; "" where none is found."""
    wanted = (rule.label, rule.low, rule.high)
    action, quoted = "", []
    for _, line in _lines(text):
        if line.startswith("#"):
            action = line[4:] if line.startswith("### ") else ""
        elif action == rule.action:
            quoted += [sentence for said, sentence in _sentences(line) if said.shown.key == wanted]
        elif named := read_named_rule(line[2:]):
            quoted += [line[2:]] if (named[0], named[1].shown.key) == (rule.action, wanted) else []
        elif of_truth := read_truth_sources(line[2:]):
            sources = [(source, shown.key) for shown, source in of_truth[1]]
            quoted += [line[2:]] if of_truth[0] in rule.rules_out and (rule.action, wanted) in sources else []
    return " ".join(quoted).replace("**", "")


def _sentences(line: str) -> list[tuple[Exclusion, str]]:
    """Return the rules that a line under an action's heading says, each with its sentence."""
    if line.startswith("- "):
        said: object = read_statement(line[2:])
        return [(said, line[2:])] if isinstance(said, Exclusion) else []
    if line.startswith("| "):
        row = read_row(line)
        return [(row, line.strip("| ").replace(" | ", " rules out "))] if row else []
    return read_sentences(line) or []

"""Read a knowledge book's rules out of its text alone: no configuration, no template.

A book is Markdown: a title and free paragraphs, a `##` section that lists the truths (`- **Name**: note`),
a `##` section of actions, each under its `###` heading with one free paragraph and then its outcomes: as
list items, as one paragraph of sentences, or as a table. A third section may say the rules by truth, or
action by action in any order. Every line that fits none of this is handed back as unread, so that nothing
is skipped; so is a sentence that refers to what was not said, or claims what the rules contradict.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from perennial.prompts.wording import plural, singular
from perennial.schemas.kumo.things import BookRule

# Read single sentences of knowledge books: outcomes, series of names, rules, references, claims.
#
# A rule as a line of its own is read by its opening, its last joint and its ending, so that any name can
# stand in it. All other sentences are read by patterns in which no label holds a quote and no name two
# asterisks.


class NamedOutcome(NamedTuple):
    """An outcome as a book names it: a label, or a range with the unit that stands behind it."""

    label: str | None
    low: float | None
    high: float | None
    closed: bool | None
    unit: str | None

    @property
    def key(self) -> tuple[str | None, float | None, float | None]:
        """What tells it from the other outcomes of its action."""
        return self.label, self.low, self.high


class Exclusion(NamedTuple):
    """That an outcome rules out these names; beside them, or but for them, what another outcome does.

    `base` is that outcome with its action, and `adds` whether the names come to what it rules out.
    """

    state: NamedOutcome
    names: frozenset[str]
    base: tuple[NamedOutcome, str] | None = None
    adds: bool = True


class ExemptionClaim(NamedTuple):
    """That an outcome (None: each outcome of its action) does not rule out a truth."""

    state: NamedOutcome | None
    truth: str


class Count(NamedTuple):
    """That an action has so many outcomes."""

    number: int


class _SentenceForm(NamedTuple):
    opening: str
    joint: str
    endings: tuple[str, ...]


_FORMS = (
    _SentenceForm("If the outcome is ", ", rule out ", (".",)),
    _SentenceForm("When ", " is observed, ", (" is ruled out.", " are ruled out.")),
    _SentenceForm("Observing ", " rules out ", (".",)),
    _SentenceForm("An outcome of ", " excludes ", (".",)),
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

# The patterns below have no groups: they stand several times in one expression, where groups would shift
# the numbers of those that are read.
_PLAIN_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
# At most 61 characters, and as few as possible: a unit without a bound would be tried up to the end of the
# line from each range on, which takes quadratic time in a hostile book.
_UNIT = r"(?: [^\s,\"|*(][^,\"|*]{0,60}?)?"
_ENDS = r"\((?:both ends included|lower end included, upper end excluded)\)"
_OUTCOME = (
    rf'(?:"[^"\n]*"|at least {_PLAIN_NUMBER} and (?:at most|less than) {_PLAIN_NUMBER}{_UNIT}'
    rf"|a value from {_PLAIN_NUMBER} to {_PLAIN_NUMBER}{_UNIT} {_ENDS})"
)
# No ** lies within a name, so that each name has one end and a series one reading.
_NAME = r"\*\*(?:(?!\*\*).)+\*\*"
_SERIES = rf"(?:nothing|{_NAME}(?:, {_NAME})*(?: and {_NAME})?)"
_RULES = tuple(
    re.compile(
        re.escape(form.opening)
        + f"({_OUTCOME})"
        + re.escape(form.joint)
        + f"({_SERIES})(?:{'|'.join(map(re.escape, form.endings))})(?= |$)"
    )
    for form in _FORMS
)
# What it refers to stands above, so that one pass over the lines resolves it.
_REFERENCE = re.compile(
    rf"If the outcome is ({_OUTCOME}), "
    rf"rule out the same as with ({_NAME}) above when it shows ({_OUTCOME})"
    rf"(?:, and (?P<added>{_SERIES}) as well|, but not (?P<spared>{_SERIES}))?\."
)
_PASSIVES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<names>{_SERIES}) (?:is|are) ruled out when the outcome is (?P<shown>{_OUTCOME})\.",
        rf"(?P<names>{_SERIES}) (?:is|are) excluded by an outcome of (?P<shown>{_OUTCOME})\.",
    )
)
_STATE_CLAIM = re.compile(rf"An outcome of ({_OUTCOME}) says nothing about ({_NAME})\.")
_ACTION_CLAIM = re.compile(rf"No outcome of this [^*\n]+ rules out ({_NAME})\.")
_COUNT = re.compile(r"This [^*\n]+ has (\d+) possible outcomes?\.", re.ASCII)
_SOURCE = re.compile(rf"by ({_NAME}) showing ({_OUTCOME})")
_OF_TRUTH = re.compile(
    rf"({_NAME}) is ruled out (?:by nothing|{_SOURCE.pattern}"
    rf"(?:, {_SOURCE.pattern})*(?: and {_SOURCE.pattern})?)\."
)


def read_statement(text: str) -> Exclusion | ExemptionClaim | Count | None:
    """What one sentence says of the action that it stands under, None where it is of no known form."""
    rule = read_rule(text)
    if rule is not None:
        return rule
    if match := _REFERENCE.fullmatch(text):
        return _read_reference(match)
    for pattern in _PASSIVES:
        if match := pattern.fullmatch(text):
            # The series may begin the sentence, with a capital.
            names = read_names("nothing" if match["names"] == "Nothing" else match["names"])
            state = read_outcome(match["shown"])
            return Exclusion(state, names) if state and names is not None else None
    if match := _STATE_CLAIM.fullmatch(text):
        state = read_outcome(match[1])
        return ExemptionClaim(state, _bare(match[2])) if state else None
    if match := _ACTION_CLAIM.fullmatch(text):
        return ExemptionClaim(None, _bare(match[1]))
    match = _COUNT.fullmatch(text)
    return Count(int(match[1])) if match else None


def read_rule(text: str) -> Exclusion | None:
    """The rule that one sentence of an active form says, or None where it says none."""
    for form in _FORMS:
        ending = next((ending for ending in form.endings if text.endswith(ending)), None)
        if ending is None or not text.startswith(form.opening):
            continue
        # The last joint: labels are sentences more often than names of truths are.
        outcome, joint, excluded = text[len(form.opening) : -len(ending)].rpartition(form.joint)
        names, state = read_names(excluded), read_outcome(outcome)
        if joint and names is not None:
            return None if state is None else Exclusion(state, names)
    return None


def read_sentences(text: str) -> list[tuple[Exclusion, str]] | None:
    """The rules of a paragraph, each with its sentence; None where any of it says something else."""
    rules: list[tuple[Exclusion, str]] = []
    start = 0
    while start < len(text):
        match = next((match for pattern in _RULES if (match := pattern.match(text, start))), None)
        # All or nothing: where a paragraph is read in part, nobody sees which rule was passed over.
        if match is None:
            return None
        state, names = read_outcome(match[1]), read_names(match[2])
        if state is None or names is None:
            return None
        rules.append((Exclusion(state, names), match[0]))
        start = match.end() + 1
    return rules


def read_row(line: str) -> Exclusion | None:
    """The rule of a table's row with an outcome and the names that it rules out, or None."""
    cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    if len(cells) != 2 or not line.startswith("| ") or not line.endswith(" |"):
        return None
    state, names = read_outcome(cells[0]), read_names(cells[1])
    return None if state is None or names is None else Exclusion(state, names)


def read_truth_sources(text: str) -> tuple[str, list[tuple[NamedOutcome, str]]] | None:
    """A truth and the outcomes, each with its action, that a sentence rules it out by."""
    match = _OF_TRUTH.fullmatch(text)
    if match is None:
        return None
    sources = []
    for action, outcome in _SOURCE.findall(text[match.end(1) :]):
        state = read_outcome(outcome)
        if state is None:
            return None
        sources.append((state, _bare(action)))
    return _bare(match[1]), sources


def read_named_rule(text: str) -> tuple[str, Exclusion] | None:
    """The action that a line begins with, and the rule behind its colon; None where it is no such."""
    match = re.match(rf"({_NAME}): ", text)
    rule = read_rule(text[match.end() :]) if match else None
    return (_bare(match[1]), rule) if match and rule else None


def read_names(text: str) -> frozenset[str] | None:
    """The names of a series, none for `nothing`; None where it is no series or a name occurs twice."""
    if text == "nothing":
        return frozenset()
    names: list[str] = []
    start = 0
    while start < len(text):
        match = _BOLD_NAME.match(text, start)
        if match is None:
            return None
        names.append(match[1])
        start = match.end()
    return frozenset(names) if names and len(set(names)) == len(names) else None


def read_outcome(text: str) -> NamedOutcome | None:
    """The outcome that a text names: a label in quotes or a range; None where it is neither."""
    if len(text) >= 2 and text.startswith('"') and text.endswith('"'):
        return NamedOutcome(text[1:-1], None, None, None, None)
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    low, closed, high, unit = match[1], match[2], match[3], match[4]
    if low is None:
        low, high, unit, closed = match[5], match[6], match[7], match[8]
    return NamedOutcome(None, float(low), float(high), closed is not None, unit or "")


def _read_reference(match: re.Match[str]) -> Exclusion | None:
    state, base = read_outcome(match[1]), read_outcome(match[3])
    names = read_names(match["added"] or match["spared"] or "nothing")
    if state is None or base is None or names is None:
        return None
    return Exclusion(state, names, (base, _bare(match[2])), match["spared"] is None)


def _bare(name: str) -> str:
    return name[2:-2]


@dataclass(frozen=True, slots=True)
class BookContents:
    """What a book says. `closed[i]` is whether the range of `rules[i]` includes its upper end (None: a
    label). `unread` are the lines that make no sense, each with its number.
    """

    truths: tuple[str, ...]
    actions: tuple[str, ...]
    rules: tuple[BookRule, ...]
    closed: tuple[bool | None, ...]
    unread: tuple[str, ...]


_NO_PARAGRAPH = ("#", "-", "* ", "+ ", ">", "|", " ", "\t")
_TABLE_RULE = "| --- | --- |"
_Key = tuple[str, tuple[str | None, float | None, float | None]]


@dataclass(slots=True)
class _Outcome:
    """An outcome of an action, and what it was said to rule out so far."""

    action: str
    state: NamedOutcome
    names: set[str]


@dataclass(slots=True)
class _BookReading:
    truths: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    outcomes: list[_Outcome] = field(default_factory=list)
    claims: list[tuple[str, str, ExemptionClaim | Count]] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    line: str = ""
    titles: int = 0
    sections: int = 0
    paragraphs: int = 0
    items: int = 0
    rows: int = 0

    def take(self, line: str) -> bool:
        """Take one line that is not empty; return whether it made sense where it stands."""
        if line.startswith(("## ", "### ")):
            # What may stand on a line depends on what has stood since the last heading.
            self.paragraphs = self.items = self.rows = 0
        if line.startswith("### "):
            self.actions.append(line[4:])
            return self.sections == 2
        if line.startswith("## "):
            self.sections += 1
            return self.sections <= 3
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
        # Beside a table a list would say the outcomes twice, and no reader could tell which holds.
        if self.sections != 2 or not self.actions or self.rows:
            return False
        action = self.actions[-1]
        statement = read_statement(text)
        if statement is None:
            state = read_outcome(text)
            # An outcome alone rules out nothing. It is counted, as a book may say how many outcomes an
            # action has.
            return state is not None and self._say(action, Exclusion(state, frozenset()))
        if isinstance(statement, Exclusion):
            return self._say(action, statement)
        # Judged at the end: rules of the third section still come.
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
        outcomes = [self._find(action, state) for state, action in sources]
        # All are looked up before any is changed: a sentence that is handed back leaves no trace. A truth
        # that an outcome rules out already is none that a book says again: one of both sentences means
        # another outcome.
        if truth not in self.truths or any(outcome is None or truth in outcome.names for outcome in outcomes):
            return False
        for outcome in outcomes:
            if outcome is not None:
                outcome.names.add(truth)
        return True

    def _take_row(self, line: str) -> bool:
        if self.sections != 2 or not self.actions or self.items:
            return False
        # Markdown's heading and its ruler come first; a heading that reads as a rule would be taken for
        # none.
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
        # The first paragraph under an action describes it, whatever it says; the second may be its rules.
        if under_action and self.paragraphs == 2 and self.items == self.rows == 0:
            return rules is not None and all(self._say(self.actions[-1], rule) for rule, _ in rules)
        if not under_action and (rules is not None or read_statement(line) is not None):
            return False  # a rule where no rule belongs
        return self.sections == 0 or (self.paragraphs == 1 and self.items == self.rows == 0)

    def _say(self, action: str, rule: Exclusion) -> bool:
        unit = rule.state.unit
        # Two units under one action: words stand where a unit should be.
        if unit is not None:
            first_unit = self.units.setdefault(action, unit)
            if unit != first_unit and first_unit not in (singular(unit), plural(unit)):
                return False
        names = set(rule.names)
        if rule.base is not None:
            # An addition that is there already, or an exception that is not, shows that the writer meant
            # another outcome.
            base = self._find(rule.base[1], rule.base[0])
            if (
                base is None
                or (rule.adds and names & base.names)
                or (not rule.adds and not names <= base.names)
            ):
                return False
            names = base.names | names if rule.adds else base.names - names
        self.outcomes.append(_Outcome(action, rule.state, names))
        return True

    def _find(self, action: str, state: NamedOutcome) -> _Outcome | None:
        """The one outcome of an action that was named before, None where there is none or several."""
        # Two outcomes of one name, or an end that is open here and closed there, leave open which one is
        # meant.
        outcomes = [met for met in self.outcomes if met.action == action and met.state.key == state.key]
        return outcomes[0] if len(outcomes) == 1 and outcomes[0].state.closed == state.closed else None

    def refuse_false_claims(self) -> None:
        """Hand back each sentence that the rules contradict."""
        for line, action, claim in self.claims:
            outcomes = [outcome for outcome in self.outcomes if outcome.action == action]
            if isinstance(claim, Count):
                holds = claim.number == len(outcomes)
            else:
                # A claim about an outcome, or a truth, that does not exist is no true one.
                meant = [met for met in outcomes if claim.state is None or met.state.key == claim.state.key]
                holds = bool(meant) and claim.truth in self.truths
                holds = holds and not any(claim.truth in outcome.names for outcome in meant)
            if not holds:
                self.unread.append(line)


def read_book(text: str) -> BookContents:
    """What the text says of truths, actions and rules, and the lines that make no sense.

    Works on any text. Notes are skipped by where they stand, whatever they say: behind a truth's name, and
    in the first paragraph under an action's heading. Rules are in the order of the actions.
    """
    reading = _BookReading()
    for number, line in numbered_lines(text):
        reading.line = f"line {number}: {line}"
        if not reading.take(line):
            reading.unread.append(reading.line)
    reading.refuse_false_claims()
    places = {name: position for position, name in enumerate(reading.actions)}
    # Stable: an action's outcomes keep the order in which they were said.
    outcomes = sorted(reading.outcomes, key=lambda outcome: places[outcome.action])
    return BookContents(
        truths=tuple(reading.truths),
        actions=tuple(reading.actions),
        rules=tuple(
            BookRule(met.action, met.state.label, met.state.low, met.state.high, frozenset(met.names))
            for met in outcomes
        ),
        closed=tuple(outcome.state.closed for outcome in outcomes),
        unread=tuple(reading.unread),
    )


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, numbered from 1."""
    # Not `splitlines`: it breaks at form feeds and separators too, and a name or note that holds one would
    # become two lines of other numbers.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            yield number, line


def quote_rule(text: str, rule: BookRule) -> str:
    """The sentences of a book that say this rule, without their marks; "" where none is found."""
    # Read as `read_book` does, line by line, but for what earlier lines only refer to: the quote is of this
    # text.
    wanted = (rule.label, rule.low, rule.high)
    action, quoted = "", []
    for _, line in numbered_lines(text):
        if line.startswith("#"):
            action = line[4:] if line.startswith("### ") else ""
        elif action == rule.action:
            quoted += [sentence for rule, sentence in _sentences(line) if rule.state.key == wanted]
        elif named := read_named_rule(line[2:]):
            quoted += [line[2:]] if (named[0], named[1].state.key) == (rule.action, wanted) else []
        elif of_truth := read_truth_sources(line[2:]):
            sources = [(source, state.key) for state, source in of_truth[1]]
            quoted += [line[2:]] if of_truth[0] in rule.rules_out and (rule.action, wanted) in sources else []
    return " ".join(quoted).replace("**", "")


def _sentences(line: str) -> list[tuple[Exclusion, str]]:
    if line.startswith("- "):
        statement: object = read_statement(line[2:])
        return [(statement, line[2:])] if isinstance(statement, Exclusion) else []
    if line.startswith("| "):
        row = read_row(line)
        return [(row, line.strip("| ").replace(" | ", " rules out "))] if row else []
    return read_sentences(line) or []

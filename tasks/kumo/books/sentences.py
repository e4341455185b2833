"""Read single sentences of knowledge books: outcomes, series of names, rules, references, claims.

A rule as a line of its own is read by its opening, its last joint and its ending, so that any name can stand
in it. All other sentences are read by patterns in which no label holds a quote and no name two asterisks.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Shown(NamedTuple):
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

    shown: Shown
    names: frozenset[str]
    base: tuple[Shown, str] | None = None
    adds: bool = True


class Claim(NamedTuple):
    """That an outcome (None: each outcome of its action) does not rule out a truth."""

    shown: Shown | None
    truth: str


class Count(NamedTuple):
    """That an action has so many outcomes."""

    number: int


class _Form(NamedTuple):
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

_PLAIN_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_UNIT = r"(?: [^\s,\"|*(][^,\"|*]{0,60}?)?"
_ENDS = r"\((?:both ends included|lower end included, upper end excluded)\)"
_OUTCOME = (
    rf'(?:"[^"\n]*"|at least {_PLAIN_NUMBER} and (?:at most|less than) {_PLAIN_NUMBER}{_UNIT}'
    rf"|a value from {_PLAIN_NUMBER} to {_PLAIN_NUMBER}{_UNIT} {_ENDS})"
)
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


def read_statement(text: str) -> Exclusion | Claim | Count | None:
    """Return what one sentence says of the action that it stands under, None where it is of no known form."""
    found = read_rule(text)
    if found is not None:
        return found
    if match := _REFERENCE.fullmatch(text):
        return _read_reference(match)
    for pattern in _PASSIVES:
        if match := pattern.fullmatch(text):
            shown, names = read_outcome(match["shown"]), read_names(_uncapitalise(match["names"]))
            return Exclusion(shown, names) if shown and names is not None else None
    if match := _STATE_CLAIM.fullmatch(text):
        shown = read_outcome(match[1])
        return Claim(shown, _bare(match[2])) if shown else None
    if match := _ACTION_CLAIM.fullmatch(text):
        return Claim(None, _bare(match[1]))
    match = _COUNT.fullmatch(text)
    return Count(int(match[1])) if match else None


def read_rule(text: str) -> Exclusion | None:
    """Return the rule that one sentence of an active form says, or None where it says none."""
    for form in _FORMS:
        ending = next((ending for ending in form.endings if text.endswith(ending)), None)
        if ending is None or not text.startswith(form.opening):
            continue
        # The last joint: labels are sentences more often than names of truths are.
        outcome, joint, excluded = text[len(form.opening) : -len(ending)].rpartition(form.joint)
        names, shown = read_names(excluded), read_outcome(outcome)
        if joint and names is not None:
            return None if shown is None else Exclusion(shown, names)
    return None


def read_sentences(text: str) -> list[tuple[Exclusion, str]] | None:
    """Return the rules of a paragraph, each with its sentence; None where any of it says something else."""
    found: list[tuple[Exclusion, str]] = []
    place = 0
    while place < len(text):
        match = next((match for pattern in _RULES if (match := pattern.match(text, place))), None)
        if match is None:
            return None
        shown, names = read_outcome(match[1]), read_names(match[2])
        if shown is None or names is None:
            return None
        found.append((Exclusion(shown, names), match[0]))
        place = match.end() + 1
    return found


def read_row(line: str) -> Exclusion | None:
    """Return the rule of a table's row with an outcome and the names that it rules out, or None."""
    cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    if len(cells) != 2 or not line.startswith("| ") or not line.endswith(" |"):
        return None
    shown, names = read_outcome(cells[0]), read_names(cells[1])
    return None if shown is None or names is None else Exclusion(shown, names)


def read_truth_sources(text: str) -> tuple[str, list[tuple[Shown, str]]] | None:
    """Return a truth and the outcomes, each with its action, that a sentence rules it out by."""
    match = _OF_TRUTH.fullmatch(text)
    if match is None:
        return None
    sources = []
    for action, outcome in _SOURCE.findall(text[match.end(1) :]):
        shown = read_outcome(outcome)
        if shown is None:
            return None
        sources.append((shown, _bare(action)))
    return _bare(match[1]), sources


def read_named_rule(text: str) -> tuple[str, Exclusion] | None:
    """Return the action that a line begins with, and the rule behind its colon; None where it is no such."""
    match = re.match(rf"({_NAME}): ", text)
    rule = read_rule(text[match.end() :]) if match else None
    return (_bare(match[1]), rule) if match and rule else None


def read_names(text: str) -> frozenset[str] | None:
    """Return the names of a series, none for `nothing`; None where it is no series or a name occurs twice."""
    if text == "nothing":
        return frozenset()
    names = list(_names(text))
    distinct = frozenset(name for name in names if name is not None)
    return distinct if names and len(distinct) == len(names) else None


def _names(text: str) -> Iterator[str | None]:
    place = 0
    while place < len(text):
        match = _BOLD_NAME.match(text, place)
        if match is None:
            yield None
            yield None  # twice, so that it is no series
            return
        yield match[1]
        place = match.end()


def read_outcome(text: str) -> Shown | None:
    """Return the outcome that a text names: a label in quotes or a range; None where it is neither."""
    if len(text) >= 2 and text.startswith('"') and text.endswith('"'):
        return Shown(text[1:-1], None, None, None, None)
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    low, closed, high, unit = match[1], match[2], match[3], match[4]
    if low is None:
        low, high, unit, closed = match[5], match[6], match[7], match[8]
    return Shown(None, float(low), float(high), closed is not None, unit or "")


def _read_reference(match: re.Match[str]) -> Exclusion | None:
    shown, base = read_outcome(match[1]), read_outcome(match[3])
    names = read_names(match["added"] or match["spared"] or "nothing")
    if shown is None or base is None or names is None:
        return None
    return Exclusion(shown, names, (base, _bare(match[2])), match["spared"] is None)


def _bare(name: str) -> str:
    return name[2:-2]


def _uncapitalise(text: str) -> str:
    return "nothing" if text == "Nothing" else text

"""Knowledge books: writing them by template, reading them back, checking them rule by rule."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perennial.prompts.kumo.world_kinds import guidebook_words
from perennial.prompts.render import render
from perennial.prompts.wording import plural, singular
from perennial.schemas.errors import UnreadableInput, shorten
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import PLAIN, BookRule, BookStyle, BookVerdict, Instance, SeedConfig
from perennial.schemas.text import plain_text, without_accents
from perennial.tasks.kumo.book_reading import numbered_lines, read_book
from perennial.tasks.kumo.encoding import EncodedConfig

# What a knowledge book has to say of an instance: every outcome state, and what it rules out.


def rules_of(encoded: EncodedConfig, instance: Instance) -> tuple[BookRule, ...]:
    """One rule per outcome state of each action of the instance, in the instance's order.

    What a state rules out is restricted to the instance's truths; it may be nothing. Raises
    UnreadableInput where the instance names an action that the configuration lacks.
    """
    truths = frozenset(instance.truths)
    rules = []
    for action in instance.actions:
        index = encoded.action_index.get(action)
        if index is None:
            raise UnreadableInput(
                f"action {action!r} of the instance is not in domain {encoded.config.name!r}: "
                "use the configuration that the instance was drawn from"
            )
        rules += [
            BookRule(action, state.label, state.low, state.high, truths.intersection(state.rules_out))
            for state in encoded.outcomes[index].states
        ]
    return tuple(rules)


def closed_ends(rules: Sequence[BookRule]) -> tuple[bool | None, ...]:
    """For each rule whether its range includes its upper end; None for a label.

    A range is half-open exactly where another range of the same action holds that end, so that every
    value belongs to the state that `perennial.schemas.kumo.things.Outcome.state_of` gives it.
    """
    ranges: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for rule in rules:
        if rule.low is not None and rule.high is not None:
            ranges[rule.action].append((rule.low, rule.high))
    return tuple(
        None if rule.high is None else not any(low <= rule.high < high for low, high in ranges[rule.action])
        for rule in rules
    )


def describe_rule(rule: BookRule, closed: bool | None) -> str:
    """The rule in words, as verdicts show it; `closed` as `closed_ends` gives it."""
    if rule.label is not None:
        outcome = f'"{rule.label}"'
    else:
        outcome = f"{rule.low} (included) to {rule.high} ({'included' if closed else 'excluded'})"
    excluded = ", ".join(f'"{name}"' for name in sorted(rule.rules_out)) or "nothing"
    return f'action "{rule.action}": {outcome} rules out {excluded}'


# Check a knowledge book symbolically: what its text says against what its instance needs.


_Statement = tuple[str, str | BookRule, bool | None]


def check_book(text: str, instance: Instance, rules: Sequence[BookRule]) -> BookVerdict:
    """How the book's truths, actions and rules differ from the instance's.

    Whether a range includes its upper end is part of a rule. A rule said twice is extra once, and so is
    every line of the book that makes no sense.
    """
    contents = read_book(text)
    stated = Counter(_statements(contents.truths, contents.actions, contents.rules, contents.closed))
    wanted = Counter(_statements(instance.truths, instance.actions, rules, closed_ends(rules)))
    unread = (f"not understood, {shorten(line, 200)}" for line in contents.unread)
    return BookVerdict(
        missing=tuple(_in_words(statement) for statement in (wanted - stated).elements()),
        extra=(*(_in_words(statement) for statement in (stated - wanted).elements()), *unread),
    )


def _statements(
    truths: Sequence[str], actions: Sequence[str], rules: Sequence[BookRule], closed: Sequence[bool | None]
) -> Iterator[_Statement]:
    yield from (("truth", name, None) for name in truths)
    yield from (("action", name, None) for name in actions)
    yield from (("rule", rule, end) for rule, end in zip(rules, closed, strict=True))


def _in_words(statement: _Statement) -> str:
    kind, subject, closed = statement
    return describe_rule(subject, closed) if isinstance(subject, BookRule) else f'{kind} "{subject}"'


# What a model's book says beside its rules, definitions and headings. No check of rules reads it, but every
# player does.
#
# A sentence carries a rule, or says how the game works, if most of its words are those of guidebooks and of
# its domain. It carries a definition if it names a truth or an action, or follows a sentence that does.
# Definitions of one name are bounded in length, and none speaks to a player.


_LONGEST_DEFINITION = 400  # characters for a truth or an action, beside its note
_MOST_UNKNOWN = 12  # words of a sentence with an outcome
_HELD = "\ue000"  # where a name or an outcome stood
_SENTENCE_END = re.compile(r"(?<=[.!?;\u2026\u3002\uff01\uff1f\uff1b])[\"\u201d\u2019*_)]*\s+")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_EXCLUSION = re.compile(r"\b(?:rul(?:e|es|ed|ing)[ -]out|exclu\w+|eliminat\w+)", re.IGNORECASE)
_TWO_NUMBERS = re.compile(r"\d\D+\d")


def other_sentences(
    text: str, config: SeedConfig, instance: Instance, rules: Sequence[BookRule]
) -> tuple[str, ...]:
    """The sentences of a book that carry no rule, no definition and no heading of it, in order."""
    return tuple(_OtherText(config, instance, rules).read(plain_text(text)))


def count_characters(text: str) -> int:
    """The characters of the different lines: blanks and repeats make no room for other text."""
    return sum(map(len, {line.strip() for line in text.splitlines()}))


class _OtherText:
    """The names, outcomes and words of an instance, and how much of the book has defined each name."""

    def __init__(self, config: SeedConfig, instance: Instance, rules: Sequence[BookRule]) -> None:
        things = {name: config.truth_notes.get(name, "") for name in instance.truths}
        things |= {name: config.action_notes.get(name, "") for name in instance.actions}
        self._room = {
            short.casefold(): _LONGEST_DEFINITION + len(note)
            for name, note in things.items()
            for short in _short_names(plain_text(name))
        }
        labels = {plain_text(rule.label) for rule in rules if rule.label}
        listed = sorted(self._room.keys() | labels, key=len, reverse=True)
        pattern = "|".join(map(re.escape, listed))
        self._listed = re.compile(rf"(?<!\w)(?:{pattern})(?:e?s)?(?!\w)", re.IGNORECASE)
        nouns = (config.truth_noun, config.action_noun, config.goal, config.book_title)
        domain = _words(plain_text(" ".join((*nouns, *things, *things.values()))))
        self._domain = frozenset(form for word in domain for form in _forms(word))
        self._words = guidebook_words()

    def read(self, text: str) -> Iterator[str]:
        """The sentences that carry nothing."""
        subject: str | None = None
        for _, line in numbered_lines(text):
            is_heading = line.startswith("#")
            held = self._listed.findall(line)
            body = self._listed.sub(_HELD, line)
            subject = None if is_heading else subject
            for sentence in [body] if is_heading else _SENTENCE_END.split(body.strip()):
                count, whole = sentence.count(_HELD), sentence
                things, held = held[:count], held[count:]
                for thing in things:
                    whole = whole.replace(_HELD, thing, 1)
                named = [key for thing in things for key in _forms(thing) & self._room.keys()]
                subject = named[0] if named else subject
                if not self._carries(sentence, whole, subject, len(things) > len(named), is_heading):
                    yield whole

    def _carries(
        self, sentence: str, whole: str, subject: str | None, has_outcome: bool, is_heading: bool
    ) -> bool:
        words = _words(sentence)
        if not words:
            return True
        if any(word in self._words["addressing"] and word not in self._domain for word in words):
            return False
        unknown = [word for word in words if not self._knows(word)]
        n_unknown = len(unknown)
        if n_unknown * 3 <= len(words) or (is_heading and n_unknown <= 3):
            return True
        if _EXCLUSION.search(sentence) and n_unknown * 2 <= len(words):
            return True
        is_english = len(words) < 6 or not self._words["structure"].isdisjoint(words)
        if not is_english or not without_accents("".join(unknown)).isascii():
            return False
        if n_unknown <= _MOST_UNKNOWN and (has_outcome or _TWO_NUMBERS.search(sentence)):
            return True
        if subject is None or is_heading:
            return False
        self._room[subject] -= len(whole)
        return self._room[subject] >= 0

    def _knows(self, word: str) -> bool:
        forms = _forms(word)
        return any(forms & words for words in (self._words["structure"], self._words["game"], self._domain))


def _short_names(name: str) -> set[str]:
    """The name, and the two parts of one with an abbreviation in parentheses."""
    match = re.fullmatch(r"(.+?)\s*\(([^()]+)\)", name)
    return {name, match[1], match[2]} if match else {name}


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _forms(word: str) -> set[str]:
    folded = word.casefold()
    return {folded, folded.removesuffix("s"), folded.removesuffix("es")}


# Which outcomes of a book can be said by reference to one above: 'the same as for ..., and ... as well'.


MOST_CHANGES = 2
"""So many names may come to what the outcome above rules out, or be taken from it."""


def _add_references(listed: list[dict[str, Any]]) -> None:
    """Let outcomes refer to earlier ones, each to the first with the fewest changes.

    An outcome that rules out nothing neither refers nor is referred to; one whose names are fewer than the
    changes is said in full.
    """
    for index, outcome in enumerate(listed):
        names = set(outcome["rules_out"])
        earlier = [(len(names.symmetric_difference(other["rules_out"])), other) for other in listed[:index]]
        bases = [
            (changes, base)
            for changes, base in earlier
            # One of the two holds all of the other.
            if base["rules_out"] and changes == abs(len(names) - len(base["rules_out"])) <= MOST_CHANGES
        ]
        changes, base = min(bases, key=lambda reference: reference[0], default=(len(names), None))
        if base is not None and changes < len(names):
            outcome["base"] = base
            outcome["added"] = [name for name in outcome["rules_out"] if name not in base["rules_out"]]
            outcome["spared"] = [name for name in base["rules_out"] if name not in names]


# A long context: which books of other domains stand beside an instance's own, and its place among them.


@dataclass(frozen=True, slots=True)
class OtherBook:
    """A book that can stand beside those of other domains, and the truths that it lists, in lower case."""

    text: str
    truths: frozenset[str]


def choose_guidebooks(
    instance_id: str, book: str, truths: Sequence[str], others: Mapping[str, Sequence[OtherBook]], number: int
) -> tuple[str, ...] | None:
    """So many books in the order shown, the instance's own `book` at a place that is drawn.

    `others` are books of other domains by domain: one of each domain that is drawn, none of which lists a
    truth of the instance, so that its own book alone says what rules these out. None: too few domains have
    such a book. A smaller number leaves out the last ones drawn and exchanges none, so that numbers can be
    compared on an instance.
    """
    folded_truths = {truth.casefold() for truth in truths}
    # The instance's id takes the place of a seed: the edition's may be secret.
    rng = derive_rng(0, f"guidebooks beside {instance_id}", 0)
    domains = sorted(others)
    rng.shuffle(domains)
    chosen: list[str] = []
    for domain in domains:
        listed = rng.sample(others[domain], len(others[domain]))
        chosen += [other.text for other in listed if not folded_truths & other.truths][:1]
        if len(chosen) == number - 1:
            position = derive_rng(0, f"place among {number} of {instance_id}", 0).randrange(number)
            return (*chosen[:position], book, *chosen[position:])
    return None


# Write the knowledge book of an instance: template text that says every rule exactly once, in a style.
#
# The sentences are in `prompts/kumo/books/`; here the rules are put into the order and the numbers into the
# form in which the templates show them. `perennial.tasks.kumo.books` reads them back.


BOOK_TEMPLATE = "kumo/books/book.md.j2"


def write_book(
    config: SeedConfig,
    instance: Instance,
    rules: Sequence[BookRule],
    rng: random.Random,
    style: BookStyle = PLAIN,
) -> str:
    """The book's Markdown text; phrasings are drawn with `rng`, so that equal calls agree.

    Truths and actions are in the instance's order, the outcomes of an action in the order of `rules`; in any
    other style than the plain one truths, actions and outcomes are in an order that is drawn. Names with
    asterisks, bars or quotes may not be read back exactly in such a style: the check tells.
    """
    truths, actions = list(instance.truths), list(instance.actions)
    outcomes = _outcomes_by_action(config, instance, rules)
    if style != PLAIN:
        rng.shuffle(truths)
        rng.shuffle(actions)
        for name in actions:
            rng.shuffle(outcomes[name])
    listed = [outcome for name in actions for outcome in outcomes[name]]
    if style == "cross-references":
        _add_references(listed)
    text = render(
        BOOK_TEMPLATE,
        title=config.book_title.strip() or f"A guide to ruling out {plural(config.truth_noun)}",
        goal=config.goal.strip(),
        truth_noun=config.truth_noun,
        action_noun=config.action_noun,
        is_counterfactual=config.is_counterfactual,
        n_valid=len(instance.valid_truths),
        has_ranges=any(rule.label is None for rule in rules),
        style=style,
        truths=[
            {
                "name": name,
                "note": _note(config.truth_notes, name),
                "sources": [outcome for outcome in listed if name in outcome["rules_out"]],
            }
            for name in truths
        ],
        actions=[
            {
                "name": name,
                "note": _note(config.action_notes, name),
                "outcomes": outcomes[name],
                "claims": _claims(truths, outcomes[name], rng) if style == "distractors" else [],
            }
            for name in actions
        ],
        scattered=rng.sample(listed, len(listed)) if style == "scattered" else [],
        pick=rng.choice,
    )
    # Parts that a style leaves out leave their blank lines behind.
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


def _outcomes_by_action(
    config: SeedConfig, instance: Instance, rules: Sequence[BookRule]
) -> dict[str, list[dict[str, Any]]]:
    units = {outcome.action: outcome.unit for outcome in reversed(config.outcomes)}
    outcomes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for rule, closed in zip(rules, closed_ends(rules), strict=True):
        outcomes[rule.action].append(
            {
                "action": rule.action,
                "label": rule.label,
                "low": _number(rule.low),
                "high": _number(rule.high),
                "closed": closed,
                "unit": _unit(units.get(rule.action, ""), rule.high),
                # A set has no order of its own: the instance's keeps the text reproducible.
                "rules_out": [name for name in instance.truths if name in rule.rules_out],
                "base": None,
            }
        )
    return outcomes


def _claims(truths: Sequence[str], outcomes: Sequence[dict[str, Any]], rng: random.Random) -> list[Any]:
    """True sentences that rule nothing out, each with its place among outcomes: (place, kind, what).

    Of a truth that one outcome does not rule out, of one that none does, and of the number of outcomes.
    """
    claims: list[tuple[int, str, Any]] = []
    for outcome in outcomes:
        spared = [name for name in truths if name not in outcome["rules_out"]]
        if spared and rng.random() < 0.5:
            claims.append((rng.randrange(len(outcomes) + 1), "state", (outcome, rng.choice(spared))))
    touched = {name for outcome in outcomes for name in outcome["rules_out"]}
    untouched = [name for name in truths if name not in touched]
    if untouched and outcomes:
        claims.append((rng.randrange(len(outcomes) + 1), "action", rng.choice(untouched)))
    if rng.random() < 0.3:
        claims.append((0, "count", len(outcomes)))
    return claims


def _number(value: float | None) -> str:
    """The shortest text that reads back as the same float; whole numbers without `.0`."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def _unit(unit: str, high: float | None) -> str:
    """The unit as it stands behind the upper end: `less than 1 exhibition`, `... 2 exhibitions`."""
    text = " ".join(unit.split())
    return singular(text) if high == 1 else text


def _note(notes: dict[str, str], name: str) -> str:
    return notes.get(name, "").strip()

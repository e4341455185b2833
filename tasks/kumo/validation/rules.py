"""The rules of a seed configuration by name, and how a finding of one is worded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from perennial.schemas.errors import shorten
from perennial.schemas.kumo.things import Finding, OutcomeState, SeedConfig
from perennial.schemas.text import unfit_part


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """What a rule is: `unsafe` where breaking it makes an instance ambiguous or wrong."""

    severity: Literal["error", "warning"]
    unsafe: bool
    summary: str


def _unsafe(summary: str) -> RuleInfo:
    return RuleInfo("error", True, summary)


def _error(summary: str) -> RuleInfo:
    return RuleInfo("error", False, summary)


def _warning(summary: str) -> RuleInfo:
    return RuleInfo("warning", False, summary)


RULES: dict[str, RuleInfo] = {
    "blank-name": _unsafe("the domain, every truth, action and label has a name"),
    "control-character": _unsafe("names have no line breaks and no invisible characters"),
    "answer-tag": _unsafe(
        "no truth or action has <ANSWER> or </ANSWER> in its name: it would cut answers off"
    ),
    "unfit-text": _error(
        "no text has invisible characters, words of mixed alphabets, comments, or marks of the prompts"
    ),
    "long-name": _warning("names have 200 characters at most"),
    "long-text": _warning("notes, goal, nouns, title and units have 5,000 characters at most"),
    "untrimmed-name": _error("names neither begin nor end with a space"),
    "blank-noun": _error("truth_noun and action_noun, which fill the prompts, are not blank"),
    "duplicate-truth": _unsafe("a truth is listed once"),
    "duplicate-action": _unsafe("an action is listed once"),
    "similar-truth": _unsafe("two truths differ in more than case and spaces"),
    "similar-action": _unsafe("two actions differ in more than case and spaces"),
    "truth-action-collision": _unsafe("no name is both a truth and an action, case and spaces aside"),
    "unknown-note": _warning("a note belongs to a listed truth or action"),
    "missing-outcome": _unsafe("every action has an outcome entry"),
    "duplicate-outcome": _unsafe("no action has two outcome entries"),
    "unlisted-outcome": _error("every outcome entry belongs to a listed action"),
    "undeclared-type": _error("an outcome's type is str or float"),
    "missing-type": _error("both outcome types, str and float, occur"),
    "no-states": _unsafe("an outcome has states"),
    "too-few-states": _error("an outcome has two states at least"),
    "wrong-state-kind": _unsafe("a str outcome has labels only, a float outcome has ranges only"),
    "duplicate-label": _unsafe("a label occurs once in an action"),
    "similar-label": _unsafe("two labels of an action differ in more than case and spaces"),
    "non-finite-range": _unsafe("both bounds of a range are finite"),
    "inverted-range": _unsafe("a range's low bound is below its high bound"),
    "range-too-wide": _unsafe("a range's width, high - low, is finite"),
    "overlapping-ranges": _unsafe("ranges of an action do not overlap (they may share an end point)"),
    "range-gap": _warning("the ranges of an action leave no gap between them"),
    "unknown-truth": _unsafe("a rule-out set names listed truths only"),
    "repeated-rule-out": _warning("a rule-out set names a truth once"),
    "always-ruled-out": _unsafe("no truth is ruled out by every state of one action"),
    "never-ruled-out": _error("every truth is ruled out by some state"),
    "rules-out-nothing": _error("every action rules something out in some state"),
    "too-few-truths": _error("the domain has enough truths (12, which Hard draws, or --min-truths)"),
    "too-few-actions": _error("the domain has enough actions (16, which Hard draws, or --min-actions)"),
    "few-truths": _warning("the domain has 50 truths, as the paper asks for"),
    "few-actions": _warning("the domain has 30 actions, as the paper asks for"),
}

_NAME_WIDTH = 80
_PARTS_LISTED = 10


class Breach(NamedTuple):
    """That a configuration breaks a rule: how, and in which action and state."""

    rule: str
    text: str
    action: str | None = None
    state: str | None = None

    def describe(self, config: SeedConfig) -> Finding:
        """The finding; its message is one line that starts with the place."""
        source = f"domain {quote(config.name)}"
        if self.action is not None:
            source += f", action {quote(self.action)}"
        if self.state is not None:
            source += f", state {quote(self.state)}"
        severity, message = RULES[self.rule].severity, f"{source}: {self.text}"
        return Finding(self.rule, severity, config.name, message, self.action, self.state)


def state_text(state: OutcomeState) -> str:
    """The state in words, also where it has neither label nor range, or half of one."""
    if state.label is not None or state.is_range:
        return state.text
    return f"{state.low}..{state.high}"


def quote(name: str) -> str:
    """The name in quotes, on one line and shortened."""
    return repr(shorten(name, _NAME_WIDTH))


def join(parts: list[str]) -> str:
    """The parts separated by commas: the first ten and a count of the others."""
    listed = ", ".join(parts[:_PARTS_LISTED])
    more = len(parts) - _PARTS_LISTED
    return listed if more <= 0 else f"{listed} and {more} more"


# Rules on what a text holds: tags of the prompts, lengths, control characters of notes and the like.


MAX_NAME = 200
MAX_TEXT = 5_000
# What `perennial.tasks.kumo.answers` takes for the begin or the end of an answer.
_ANSWER_TAG = re.compile(r"</?answer>", re.IGNORECASE | re.ASCII)
# What stands between these tags where prompts show the form of a reply: never a move, and no name.
PLACEHOLDER = "..."


def text_breaches(config: SeedConfig) -> Iterator[Breach]:
    """What is wrong with the texts that are no names: goal, nouns, title, units and notes."""
    for source, text, action in _texts(config):
        if len(text) > MAX_TEXT:
            problem = f"{source} has {len(text):,} characters, expected {MAX_TEXT:,} at most; shorten it"
            yield Breach("long-text", problem, action)
        if (unfit := unfit_part(text)) is not None:
            yield Breach("unfit-text", f"{source} holds {unfit}; write it without", action)


def unfit_part_of_name(what: str, name: str) -> tuple[str, str] | None:
    """The rule that the name breaks by what it holds, and that part; None for a fit name.

    What players answer is a truth or an action: a tag of the answer in its name would cut the answer off, and
    the prompts' placeholder for a name is none.
    """
    is_answer = what in ("truth", "action")
    if is_answer and name.strip() == PLACEHOLDER:
        return "answer-tag", quote(PLACEHOLDER)
    answer = _ANSWER_TAG.search(name) if is_answer else None
    if answer is not None:
        return "answer-tag", quote(answer[0])
    unfit = unfit_part(name)
    return None if unfit is None else ("unfit-text", unfit)


def _texts(config: SeedConfig) -> Iterator[tuple[str, str, str | None]]:
    """(what it is, text, action that it belongs to)."""
    for key in ("goal", "category", "truth_noun", "action_noun", "book_title"):
        yield key, getattr(config, key), None
    for outcome in config.outcomes:
        yield f"unit {quote(outcome.unit)}", outcome.unit, outcome.action
    for what, notes in (("truth", config.truth_notes), ("action", config.action_notes)):
        for name, note in notes.items():
            yield f"the note for {what} {quote(name)}", note, None

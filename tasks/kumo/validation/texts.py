"""Rules on what a text holds: tags of the prompts, lengths, control characters of notes and the like."""

import re
from collections.abc import Iterator

from perennial.schemas.kumo.things import Finding, SeedConfig
from perennial.schemas.text.hidden_characters import hidden_character
from perennial.tasks.kumo.validation.rules import finding, quote

MAX_NAME = 200
MAX_TEXT = 5_000
_LINES = str.maketrans("", "", "\n\r\t")
# What `perennial.tasks.kumo.answers` takes for the begin or the end of an answer.
_ANSWER_TAG = re.compile(r"</?answer>", re.IGNORECASE | re.ASCII)
# What stands between these tags where prompts show the form of a reply: never a move, and no name.
PLACEHOLDER = "..."
# What stands around answers, books and mappings in the prompts, as a model might read it.
_PROMPT_TAG = re.compile(r"<\s?/?\s?(?:answer|book|rule_outs|probability)\s?>", re.IGNORECASE | re.ASCII)


def text_findings(config: SeedConfig) -> Iterator[Finding]:
    """Yield what is wrong with the texts that are no names: goal, nouns, title, units and notes."""
    for place, text, action in _texts(config):
        if len(text) > MAX_TEXT:
            problem = f"{place} has {len(text):,} characters, expected {MAX_TEXT:,} at most; shorten it"
            yield finding(config, "long-text", problem, action=action)
        hidden = hidden_character(text.translate(_LINES))
        if hidden is not None:
            problem = f"{place} holds the invisible character U+{ord(hidden):04X}; remove it"
            yield finding(config, "control-in-text", problem, action=action)
        tag = _PROMPT_TAG.search(text)
        if tag is not None:
            problem = f"{place} holds {quote(tag[0])}, a tag of the prompts; write it without"
            yield finding(config, "prompt-tag", problem, action=action)


def tag_in_name(what: str, name: str) -> tuple[str, str] | None:
    """Return the rule that the name breaks by a tag in it, and that tag; None for a name without one.

    What players answer is a truth or an action: a tag of the answer in its name would cut the answer off, and
    the prompts' placeholder for a name is none.
    """
    is_answer = what in ("truth", "action")
    if is_answer and name.strip() == PLACEHOLDER:
        return "answer-tag", PLACEHOLDER
    answer = _ANSWER_TAG.search(name) if is_answer else None
    if answer is not None:
        return "answer-tag", answer[0]
    tag = _PROMPT_TAG.search(name)
    return None if tag is None else ("prompt-tag", tag[0])


def _texts(config: SeedConfig) -> Iterator[tuple[str, str, str | None]]:
    """Yield (what it is, text, action that it belongs to)."""
    for key in ("goal", "category", "truth_noun", "action_noun", "book_title"):
        yield key, getattr(config, key), None
    for outcome in config.outcomes:
        yield f"unit {quote(outcome.unit)}", outcome.unit, outcome.action
    for what, notes in (("truth", config.truth_notes), ("action", config.action_notes)):
        for name, note in notes.items():
            yield f"the note for {what} {quote(name)}", note, None

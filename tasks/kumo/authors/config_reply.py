"""Read a seed configuration out of a model's reply: its form, and all that the validator finds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from perennial.schemas.errors import UnreadableInput, count
from perennial.schemas.kumo.things import MIN_ACTIONS, MIN_TRUTHS, Finding, Proposal, SeedConfig
from perennial.tasks.kumo.configuration import parse_json, read_config
from perennial.tasks.kumo.validation import validate_config
from perennial.tasks.llm.json_replies import json_text
from perennial.tasks.llm.structured import JsonSchema, object_schema

_SOURCE = "the configuration"
# The largest of the bundled domains has less than half of this.
_MOST_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class Accepted:
    """A configuration without an error, and the validator's warnings."""

    config: SeedConfig
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a version of a configuration is refused: in one line, and (rule, message) of each finding."""

    problem: str
    findings: tuple[tuple[str, str], ...]

    def quote(self, count: int) -> list[str]:
        """Return the messages of `count` findings at most, so that every rule has its turn."""
        seen: Counter[str] = Counter()
        turns = []
        for rule, text in self.findings:
            turns.append((seen[rule], text))
            seen[rule] += 1
        return [text for _, text in sorted(turns, key=lambda turn: turn[0])[:count]]


def read_configuration(
    content: str, proposal: Proposal, *, min_truths: int = MIN_TRUTHS, min_actions: int = MIN_ACTIONS
) -> Accepted | Refused:
    """Return the configuration that the reply holds, or why it is refused: for its form or its findings.

    Name, category, goal, nouns and book title are the proposal's: they are perennial's own data by now, and
    the model need not write them. Where it does, the proposal's count. All else stays as it was written.
    """
    try:
        config = _parse(content, proposal)
    except UnreadableInput as error:
        return Refused(str(error), (("unreadable", str(error)),))
    findings = validate_config(config, min_truths=min_truths, min_actions=min_actions)
    errors = [found for found in findings if found.severity == "error"]
    if errors:
        return _refuse(errors)
    return Accepted(config, tuple(found.message for found in findings))


def config_schema() -> JsonSchema:
    """Return the JSON schema of a reply: the keys of `config_form` that a model has to write."""
    texts = {"type": "array", "items": {"type": "string"}}
    bounds = {"type": "array", "items": {"type": "number"}, "description": "low and high of a float state"}
    state = object_schema(
        label={"type": ["string", "null"], "description": "the outcome of a str state"},
        range={"anyOf": [bounds, {"type": "null"}]},
        rules_out={**texts, "description": "the truths that are impossible after this outcome"},
    )
    outcome = object_schema(
        action={"type": "string"},
        type={"type": "string", "enum": ["str", "float"]},
        unit={"type": "string", "description": "the unit of the number, or empty"},
        step={"type": ["number", "null"], "description": "of which a float outcome's numbers are multiples"},
        states={"type": "array", "items": state},
    )
    return object_schema(truths=texts, actions=texts, outcomes={"type": "array", "items": outcome})


def _parse(content: str, proposal: Proposal) -> SeedConfig:
    if len(content) > _MOST_CHARACTERS:
        raise UnreadableInput(
            f"the reply has {len(content):,} characters, at most {_MOST_CHARACTERS:,} are read; give one "
            "JSON object and nothing else"
        )
    value = parse_json(json_text(content), _SOURCE)
    if not isinstance(value, dict):
        return read_config(value, _SOURCE)
    ours = {
        "name": proposal.name,
        "category": proposal.category,
        "goal": proposal.goal,
        "truth_noun": proposal.truth_noun,
        "action_noun": proposal.action_noun,
        "book_title": proposal.book_title,
    }
    return read_config({**value, **ours}, _SOURCE)


def _refuse(errors: Sequence[Finding]) -> Refused:
    counts = Counter(found.rule for found in errors)
    rules = ", ".join(f"{rule} ({count})" for rule, count in counts.items())
    problem = f"{count(len(errors), 'error')} found, by rule: {rules}"
    return Refused(problem, tuple((found.rule, found.message) for found in errors))

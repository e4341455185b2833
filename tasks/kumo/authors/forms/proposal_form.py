"""The JSON form of proposed domains, as a model writes them."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from perennial.schemas.errors import UnreadableInput, shorten
from perennial.tasks.authors.reply import describe_problems
from perennial.tasks.kumo.configuration import parse_json
from perennial.tasks.kumo.validation.names import fold_name
from perennial.tasks.llm.json_replies import json_text
from perennial.tasks.llm.structured import JsonSchema, object_schema

LONGEST_NAME = 60
LONGEST_NOUN = 40
LONGEST_TITLE = 100
LONGEST_PHRASE = 300

_MOST_ENTRIES = 1000
_PROBLEMS_SHOWN = 8
_JOINERS = "\u200c\u200d"  # part of correct spelling in several scripts
_ABOUT = {
    "name": "the domain's name, such as Mineral Identification",
    "category": "the category that it belongs to",
    "goal": "one sentence: what a player wants to find out",
    "truths": "a phrase: what its truths are, the possible answers",
    "actions": "a phrase: what its actions are, by which answers are ruled out",
    "truth_noun": "what one truth is called, in the singular",
    "action_noun": "what one action is called, in the singular",
    "book_title": "the title of a guidebook to it",
}


class NotTheForm(UnreadableInput):
    """A value that is JSON but not of the form asked for."""


def _one_line(value: object) -> object:
    if isinstance(value, str):
        if not value.strip():
            raise ValueError("expected some text, got a blank")
        if value != value.strip():
            raise ValueError("expected no spaces around it")
        if not all(c.isprintable() or c in _JOINERS for c in value):
            raise ValueError("expected one visible line, got a line break or an invisible character")
    return value


_OneLine = BeforeValidator(_one_line)
Name = Annotated[str, Field(strict=True, max_length=LONGEST_NAME), _OneLine]
Noun = Annotated[str, Field(strict=True, max_length=LONGEST_NOUN), _OneLine]
Title = Annotated[str, Field(strict=True, max_length=LONGEST_TITLE), _OneLine]
Phrase = Annotated[str, Field(strict=True, max_length=LONGEST_PHRASE), _OneLine]


class ProposalForm(BaseModel):
    """One proposed domain: all keys are there, none is blank, each is one line of limited length."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    category: Name
    goal: Phrase
    truths: Phrase
    actions: Phrase
    truth_noun: Noun
    action_noun: Noun
    book_title: Title

    @model_validator(mode="after")
    def _two_nouns(self) -> "ProposalForm":
        if fold_name(self.truth_noun) == fold_name(self.action_noun):
            raise ValueError(f"truth_noun and action_noun are both {self.truth_noun!r}, expected two words")
        return self


def proposals_schema() -> JsonSchema:
    """Return the JSON schema of a reply: an object with the list `domains`."""
    texts = {key: {"type": "string", "description": about} for key, about in _ABOUT.items()}
    return object_schema(domains={"type": "array", "items": object_schema(**texts)})


def proposal_entries(content: str) -> list[Any]:
    """Return the entries of the list `domains` in a reply, each still to be read by `read_entry`.

    Raises UnreadableInput where the reply holds no JSON, NotTheForm where it is no such list.
    """
    value = parse_json(json_text(content), "the reply")
    entries = value.get("domains") if isinstance(value, dict) else None
    if not isinstance(entries, list) or set(value) != {"domains"}:
        raise NotTheForm('expected an object with the one key "domains" and a list under it')
    if not 0 < len(entries) <= _MOST_ENTRIES:
        raise NotTheForm(f"expected a list of one domain or more under domains, got {len(entries)}")
    return entries


def read_entry(entry: object) -> ProposalForm:
    """Return the form of one entry; raise NotTheForm, naming each wrong key, where it is not of that form."""
    try:
        return ProposalForm.model_validate(entry)
    except ValidationError as error:
        raise NotTheForm(describe_problems(error, _PROBLEMS_SHOWN)) from None


def entry_name(entry: object) -> str:
    """Return what an entry that may be of any form calls itself, shortened, or `unnamed`."""
    name = entry.get("name") if isinstance(entry, dict) else None
    return " ".join(shorten(name).split()) if isinstance(name, str) and name.strip() else "unnamed"

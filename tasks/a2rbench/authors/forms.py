"""The JSON forms of what designer, architect and judge reply; whatever they supply is bounded in size."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.model_calls.calls import Reply
from perennial.tasks.a2rbench.catalogue.rule import Dimension, Value
from perennial.tasks.a2rbench.inputs import EXAMPLES
from perennial.tasks.authors.reply import Unusable, describe_problems, unusable_status
from perennial.tasks.llm.json_replies import json_text
from perennial.tasks.llm.structured import JsonSchema, object_schema
from perennial.tasks.sandbox.limits import LIMITS

LONGEST_DESCRIPTION = 2_000
_LONGEST_REASONING = 50_000
# A reply with six inputs of the largest size has some 40,000.
_MOST_CHARACTERS = 200_000
_PROBLEMS_SHOWN = 5
_TEXT: JsonSchema = {"type": "string"}

Reasoning = Annotated[str, Field(strict=True, max_length=_LONGEST_REASONING)]
Description = Annotated[str, Field(strict=True, min_length=1, max_length=LONGEST_DESCRIPTION)]


class RuleForm(BaseModel):
    """A rule and its inverse in words."""

    model_config = ConfigDict(extra="forbid")

    reasoning: Reasoning
    rule_description: Description
    inverse_rule_description: Description

    @field_validator("rule_description", "inverse_rule_description")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("expected some words, got a blank")
        return value.strip()


class CodeForm(BaseModel):
    """A rule as a script, with inputs that are still to be tested."""

    model_config = ConfigDict(extra="forbid")

    reasoning: Reasoning
    python_code: Annotated[str, Field(strict=True, min_length=1, max_length=LIMITS.source_bytes)]
    examples: Annotated[list[Any], Field(min_length=EXAMPLES, max_length=EXAMPLES)]
    query: Any

    @property
    def inputs(self) -> list[Value]:
        """The inputs of the examples, and the query last."""
        return [*self.examples, self.query]


class VerdictForm(BaseModel):
    """What a judge decides."""

    model_config = ConfigDict(extra="forbid")

    reasoning: Reasoning
    is_valid: Annotated[bool, Field(strict=True)]


Form = TypeVar("Form", bound=BaseModel)


def rule_schema() -> JsonSchema:
    """Return the JSON schema of a designer's reply."""
    return object_schema(reasoning=_TEXT, rule_description=_TEXT, inverse_rule_description=_TEXT)


def code_schema(dimension: Dimension) -> JsonSchema:
    """Return the JSON schema of an architect's reply."""
    value = _TEXT
    for _ in range(dimension):
        value = {"type": "array", "items": value}
    examples = {"type": "array", "items": value}
    return object_schema(reasoning=_TEXT, python_code=_TEXT, examples=examples, query=value)


def verdict_schema() -> JsonSchema:
    """Return the JSON schema of a judge's reply."""
    return object_schema(reasoning=_TEXT, is_valid={"type": "boolean"})


def read_reply(reply: Reply, form: type[Form]) -> Form | Unusable:
    """Return what a reply says in this form, or why it cannot be used.

    The rules are the reply's status, `too_long`, `not_json` and `not_the_form`. Raises EndpointFailed where
    the call failed without an answer.
    """
    problem = unusable_status(reply)
    if problem is not None:
        return problem
    if len(reply.content) > _MOST_CHARACTERS:
        return Unusable(
            "too_long",
            f"the reply has {len(reply.content):,} characters, at most {_MOST_CHARACTERS:,} are read; "
            "give one JSON object and nothing else",
        )
    try:
        text = json_text(reply.content)
        text.encode()
    except UnreadableInput as error:
        return Unusable("not_json", str(error))
    except UnicodeEncodeError:
        return Unusable("not_json", "the reply holds half of a character; write the whole one")
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        broken = any(problem["type"] == "json_invalid" for problem in error.errors())
        return Unusable("not_json" if broken else "not_the_form", describe_problems(error, _PROBLEMS_SHOWN))

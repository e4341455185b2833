"""The calls for inputs of a variation, and for the judgement of them."""

import json
from collections.abc import Mapping, Sequence

from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest
from perennial.tasks.a2rbench.catalogue.rule import Dimension, Value
from perennial.tasks.a2rbench.coded_rule import CodedRule
from perennial.tasks.a2rbench.inputs import EXAMPLES, VARIATION_NAMES
from perennial.tasks.a2rbench.items import Shown
from perennial.tasks.a2rbench.readers.excerpt import mark_of
from perennial.tasks.a2rbench.values import LONGEST_TOKEN, MOST_TOKENS
from perennial.tasks.authors.request import author_request
from perennial.tasks.llm.structured import JsonSchema, object_schema

EXPAND_TEMPLATE = "a2rbench/expander/expand.md.j2"
EXPAND_SYSTEM_TEMPLATE = "a2rbench/expander/expand_system.md.j2"
JUDGE_TEMPLATE = "a2rbench/expander/judge_inputs.md.j2"
JUDGE_SYSTEM_TEMPLATE = "a2rbench/expander/judge_inputs_system.md.j2"
CONTINUE, SKIPPED = "CONTINUE", "SKIPPED_LOW_ENTROPY"


def expansion_request(
    expander: ModelChoice,
    rule: CodedRule,
    history: Mapping[int, Sequence[Value]],
    variation: int,
    problem: str | None = None,
    refused: Sequence[Value] = (),
    repeat: int = 0,
) -> ModelRequest:
    """Return the call for the inputs of a variation.

    `history` holds the inputs by variation, the query last. `problem` is what was wrong with the reply
    before, and `refused` the inputs that it held.
    """
    return author_request(
        "expander",
        expander,
        EXPAND_SYSTEM_TEMPLATE,
        EXPAND_TEMPLATE,
        repeat,
        description=rule.description,
        code=rule.code.strip("\n"),
        dimension=rule.dimension,
        longest_token=LONGEST_TOKEN,
        most_tokens=MOST_TOKENS,
        history=[(each, list(map(_line, history[each]))) for each in sorted(history)],
        variation=variation,
        kind=VARIATION_NAMES[variation],
        number=EXAMPLES,
        problem=problem,
        refused=list(map(_line, refused)),
    )


def judgement_request(
    judge: ModelChoice,
    rule: CodedRule,
    variation: int,
    shown: Shown,
    problem: str | None = None,
    repeat: int = 0,
) -> ModelRequest:
    """Return the call that asks whether these inputs are valid; `problem` is what the reply before lacked."""
    return author_request(
        "judge",
        judge,
        JUDGE_SYSTEM_TEMPLATE,
        JUDGE_TEMPLATE,
        repeat,
        mark=mark_of(rule.description),
        description=rule.description,
        examples=[(_line(given), _line(wanted)) for given, wanted in shown.examples],
        query=_line(shown.query),
        answer=_line(shown.answer),
        kind=VARIATION_NAMES[variation],
        problem=problem,
    )


def expansion_schema(dimension: Dimension) -> JsonSchema:
    """Return the JSON schema of an expander's reply."""
    value: JsonSchema = {"type": "string"}
    for _ in range(dimension):
        value = {"type": "array", "items": value}
    return object_schema(
        reasoning={"type": "string"},
        variation_type={"type": "string"},
        new_input=object_schema(examples={"type": "array", "items": value}, query=value),
        status={"type": "string", "enum": [CONTINUE, SKIPPED]},
    )


def _line(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)

"""Read the replies of the expander and of the judge of its inputs: bounded, and nothing in them repaired."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from perennial.schemas.errors import in_one_line, shorten
from perennial.schemas.model_calls.calls import Reply
from perennial.tasks.a2rbench.authors.forms import Form, Reasoning, VerdictForm, read_reply
from perennial.tasks.a2rbench.catalogue.rule import Dimension, Value
from perennial.tasks.a2rbench.expansion.messages import SKIPPED
from perennial.tasks.a2rbench.inputs import EXAMPLES
from perennial.tasks.a2rbench.values import fault_of_input
from perennial.tasks.authors.reply import Unusable

_MESSAGE_CHARACTERS = 500


class _NewInput(BaseModel):
    examples: list[Any]
    query: Any


class _ExpansionForm(BaseModel):
    # A key that was not asked for does no harm: it is kept with the call and not read.
    model_config = ConfigDict(extra="ignore")

    reasoning: Reasoning = ""
    new_input: _NewInput | None = None
    status: Literal["CONTINUE", "SKIPPED_LOW_ENTROPY"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge decided, and why, in one line."""

    is_valid: bool
    reasoning: str


def read_expansion(
    reply: Reply, dimension: Dimension, history: Iterable[Sequence[Value]]
) -> list[Value] | Unusable:
    """Return the inputs of a reply, the query last, or why there are none.

    They must have the rule's shape and a bounded size; all differ; the query is in no list of `history`,
    and most of the examples are in none. The rule `skipped` says that the model sees no further inputs.
    Raises EndpointFailed where the call failed without an answer.
    """
    form = _read(reply, _ExpansionForm)
    if isinstance(form, Unusable):
        return form
    if form.status == SKIPPED:
        why = f"the expander sees no further inputs: {_line(form.reasoning)}"
        return Unusable("skipped", why, is_final=True)
    if form.new_input is None:
        return Unusable("not_the_form", "the key new_input is missing; give examples and a query")
    examples = form.new_input.examples
    if len(examples) != EXAMPLES:
        return Unusable(
            "wrong_number", f"there are {len(examples):,} examples; give exactly {EXAMPLES} and one query"
        )
    inputs = [*examples, form.new_input.query]
    for number, value in enumerate(inputs, 1):
        fault = fault_of_input(value, dimension)
        if fault:
            place = f"example {number}" if number <= EXAMPLES else "the query"
            return Unusable("bad_input", f"{place} is {fault}")
    return _fault_of_novelty(inputs, history) or inputs


def read_judgement(reply: Reply) -> Judgement | Unusable:
    """Return what the judge decided, or why that cannot be read; raise EndpointFailed as above."""
    form = _read(reply, VerdictForm)
    return form if isinstance(form, Unusable) else Judgement(form.is_valid, _line(form.reasoning))


def _fault_of_novelty(inputs: Sequence[Value], history: Iterable[Sequence[Value]]) -> Unusable | None:
    texts = [json.dumps(value) for value in inputs]
    if len(set(texts)) < len(texts):
        return Unusable("repeated", "two of the inputs are the same; give six that differ")
    known = {json.dumps(value) for values in history for value in values}
    if texts[-1] in known:
        return Unusable("not_new", "the query is an input of an earlier variation; give another one")
    recurring = sum(text in known for text in texts[:-1])
    if 2 * recurring > EXAMPLES:
        return Unusable(
            "not_new",
            f"{recurring} of the {EXAMPLES} examples are inputs of earlier variations; most must be new",
        )
    return None


def _read(reply: Reply, form: type[Form]) -> Form | Unusable:
    read = read_reply(reply, form)
    return replace(read, message=_line(read.message)) if isinstance(read, Unusable) else read


def _line(text: str) -> str:
    return shorten(in_one_line(text), _MESSAGE_CHARACTERS)

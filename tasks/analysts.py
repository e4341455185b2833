"""An analyst, a model, says why an answer is right or wrong, and how the player reasoned.

It is shown what its benchmark's template says: the question with what is right of it, and the player's reply.
A reply of its own that cannot be used, a category of the other outcome among them, is answered with what was
wrong; after three attempts the answer has no analysis.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from perennial.schemas.analysts import AnalysisForm, AnswerAnalysis
from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.ids import content_id
from perennial.schemas.json_text import UnreadableJson, read_json
from perennial.schemas.model_calls import Message, ModelChoice, ModelRequest, Reply
from perennial.schemas.text import unfit_part
from perennial.tasks.authors import (
    Asked,
    BadReply,
    Unusable,
    ask_until_read,
    conversation_request,
    message,
    unusable_status,
)
from perennial.tasks.llm.structured import JsonAsker, JsonSchema, json_text, object_schema

# A player's reply as a model that reads it is shown it: bounded, between marks that it cannot hold.


_HEAD, _TAIL = 4_000, 12_000


class Excerpt(NamedTuple):
    """What is shown of a reply, and the word in the marks before and after it."""

    text: str
    mark: str


def excerpt(reply: str) -> Excerpt:
    """Leave the middle of a long reply out: answers are at the end.

    The mark is derived from the reply, so that no reply can hold its own.
    """
    left_out = len(reply) - _HEAD - _TAIL
    if left_out > 0:
        reply = f"{reply[:_HEAD]}\n[... {left_out:,} characters are left out here ...]\n{reply[-_TAIL:]}"
    # Half of a surrogate pair cannot be sent.
    text = reply.encode(errors="replace").decode()
    return Excerpt(text, mark_of(text))


def mark_of(*texts: str) -> str:
    """The word in the marks around these texts, which none of them holds."""
    number, mark = 0, content_id("data", texts)
    while any(mark in text for text in texts):
        number += 1
        mark = content_id("data", texts, number)
    return mark


# The calls of an analyst. Its categories are those of the outcome that a program has settled, so that a reply
# cannot say that a wrong answer is right; the schema that servers are given says the same, but not every
# server keeps to one, and so each reply is read as if there were none.


SYSTEM, AGAIN = "analysts/system.md.j2", "analysts/again.md.j2"
ATTEMPTS = 3
_JUSTIFICATION, _SHOWN, _LAST_REPLY = 2_000, 25_000, 4_000


@dataclass(frozen=True, slots=True)
class Subject:
    """What an analyst is shown: what the template says of the question, the player's reply, what was read of
    it, and whether it is right.
    """

    values: dict[str, Any]
    reply: str
    answer: str | None
    success: bool


async def analyse(
    ask: JsonAsker, analyst: ModelChoice, form: AnalysisForm, subject: Subject
) -> Asked[AnswerAnalysis]:
    """What the analyst says; raise EndpointFailed where a call came to no answer."""
    categories, excerpted = form.categories(subject.success), excerpt(subject.reply)
    values = {
        name: _cut(value) if isinstance(value, str) else value for name, value in subject.values.items()
    }
    choices = {"categories": categories, "styles": form.styles}
    about = {
        "reply": excerpted.text,
        "mark": excerpted.mark,
        "read": subject.answer,
        "success": subject.success,
    }
    first = message("user", form.prompt, **values, **about, **choices)
    opening: list[Message] = [message("system", SYSTEM), first]

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        if bad is None:
            return conversation_request("analyst", analyst, opening, form.prompt, attempt)
        last: Message = {"role": "assistant", "content": bad.reply.content[:_LAST_REPLY] or "(no text)"}
        again = message("user", AGAIN, problem=bad.problem.message, **choices)
        # With the attempt's number, equal bad replies are not answered by the same stored reply again.
        return conversation_request("analyst", analyst, [*opening, last, again], AGAIN, attempt)

    async def read(reply: Reply) -> AnswerAnalysis | Unusable:
        return read_analysis(reply, categories, form.styles)

    name = "analysis_of_right" if subject.success else "analysis_of_wrong"
    asking = partial(ask, name=name, schema=_schema(categories, form.styles))
    return await ask_until_read(asking, make_request, read, ATTEMPTS)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\n[... {len(text) - _SHOWN:,} characters more]"


def _schema(categories: tuple[str, ...], styles: tuple[str, ...]) -> JsonSchema:
    style: JsonSchema = {"reasoning_style": {"type": "string", "enum": list(styles)}} if styles else {}
    return object_schema(
        justification={"type": "string"},
        outcome_category={"type": "string", "enum": list(categories)},
        **style,
    )


def read_analysis(
    reply: Reply, categories: tuple[str, ...], styles: tuple[str, ...]
) -> AnswerAnalysis | Unusable:
    """What an analyst's reply says, or why it cannot be used."""
    fault = unusable_status(reply)
    if fault is not None:
        return fault
    try:
        analysis = read_json(json_text(reply.content), any_number=True)
    except (UnreadableInput, UnreadableJson) as error:
        return Unusable("no_json", str(error))
    if not isinstance(analysis, dict):
        return Unusable("no_json", "the reply holds a list; expected one JSON object")
    expected = {"outcome_category": categories} | ({"reasoning_style": styles} if styles else {})
    for name, allowed in expected.items():
        if analysis.get(name) not in allowed:
            return Unusable(
                f"bad_{name}", f"{name} is {quote(analysis.get(name))}; expected one of {', '.join(allowed)}"
            )
    why = analysis.get("justification")
    if not isinstance(why, str) or not why.strip():
        return Unusable("no_justification", "justification is no text; expected one to three sentences")
    text = why.strip()[:_JUSTIFICATION]
    if (unfit := unfit_part(text)) is not None:
        return Unusable("unfit_text", f"justification holds {unfit}; expected plain text")
    return AnswerAnalysis(text, analysis["outcome_category"], analysis["reasoning_style"] if styles else "")

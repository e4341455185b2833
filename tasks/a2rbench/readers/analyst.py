"""The analyst: a model says why an answer is right or wrong, and how the player reasoned (section 3.4).

It is shown the item with its rule and code, the right answer, and the player's reply. A reply of its own that
cannot be used, a category of the other outcome among them, is answered with what was wrong; after three
attempts the answer has no analysis.
"""

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

from perennial.schemas.a2rbench.analysis import STYLES, Analysis, categories_of
from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.model_calls.calls import Message, ModelChoice, ModelRequest, Reply
from perennial.tasks.a2rbench.readers.excerpt import excerpt
from perennial.tasks.authors.attempts import Asked, BadReply, ask_until_read
from perennial.tasks.authors.reply import Unusable, unusable_status
from perennial.tasks.authors.request import conversation_request, message
from perennial.tasks.llm.json_replies import json_text
from perennial.tasks.llm.structured import JsonAsker, JsonSchema, object_schema

SYSTEM, TEMPLATE = "a2rbench/analyst/system.md.j2", "a2rbench/analyst/analyse.md.j2"
AGAIN = "a2rbench/analyst/again.md.j2"
ATTEMPTS = 3
_JUSTIFICATION, _CODE, _LAST_REPLY = 2_000, 20_000, 4_000


@dataclass(frozen=True, slots=True)
class Subject:
    """What an analyst is shown: columns of the item, the player's reply, what was read of it, and whether it
    is right.
    """

    item: dict[str, Any]
    reply: str
    answer: str | None
    success: bool


async def analyse(ask: JsonAsker, analyst: ModelChoice, subject: Subject) -> Asked[Analysis]:
    """Return what the analyst says; raise EndpointFailed where a call came to no answer."""
    shown, mark = excerpt(subject.reply)
    values = {**subject.item, "code": _cut(subject.item["code"]), "reply": shown, "mark": mark}
    categories = categories_of(subject.success)
    first = message(
        "user",
        TEMPLATE,
        **values,
        read=subject.answer,
        success=subject.success,
        categories=categories,
        styles=STYLES,
    )
    opening: list[Message] = [message("system", SYSTEM), first]

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        if bad is None:
            return conversation_request("analyst", analyst, opening, TEMPLATE, attempt)
        said: Message = {"role": "assistant", "content": bad.reply.content[:_LAST_REPLY] or "(no text)"}
        again = message("user", AGAIN, problem=bad.problem.message, categories=categories, styles=STYLES)
        # With the attempt's number, equal bad replies are not answered by the same stored reply again.
        return conversation_request("analyst", analyst, [*opening, said, again], AGAIN, attempt)

    async def read(reply: Reply) -> Analysis | Unusable:
        return read_analysis(reply, categories)

    name = "analysis_of_right" if subject.success else "analysis_of_wrong"
    asking = partial(ask, name=name, schema=_schema(categories))
    return await ask_until_read(asking, make_request, read, ATTEMPTS)


def _cut(code: str) -> str:
    return code if len(code) <= _CODE else f"{code[:_CODE]}\n# ... {len(code) - _CODE:,} characters more"


def _schema(categories: tuple[str, ...]) -> JsonSchema:
    return object_schema(
        justification={"type": "string"},
        outcome_category={"type": "string", "enum": list(categories)},
        reasoning_style={"type": "string", "enum": list(STYLES)},
    )


def read_analysis(reply: Reply, categories: tuple[str, ...]) -> Analysis | Unusable:
    """Return what an analyst's reply says, or why it cannot be used."""
    fault = unusable_status(reply)
    if fault is not None:
        return fault
    try:
        said = json.loads(json_text(reply.content))
    except UnreadableInput as error:
        return Unusable("no_json", str(error))
    if not isinstance(said, dict):
        return Unusable("no_json", "the reply holds a list; expected one JSON object")
    expected = {"outcome_category": categories, "reasoning_style": STYLES}
    for name, allowed in expected.items():
        if said.get(name) not in allowed:
            return Unusable(
                f"bad_{name}", f"{name} is {quote(said.get(name))}; expected one of {', '.join(allowed)}"
            )
    why = said.get("justification")
    if not isinstance(why, str) or not why.strip():
        return Unusable("no_justification", "justification is no text; expected one to three sentences")
    # Half of a surrogate pair cannot be stored.
    text = why.strip()[:_JUSTIFICATION].encode(errors="replace").decode()
    return Analysis(text, said["outcome_category"], said["reasoning_style"])

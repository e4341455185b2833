"""Models that read answers: a judge that quotes what the program did not find, analysts that classify."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from perennial.schemas.a2rbench.things import SHAPES, STYLES, AnswerAnalysis, categories_of
from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.ids import content_id
from perennial.schemas.json_text import UnreadableJson, read_json
from perennial.schemas.model_calls import Message, ModelChoice, ModelRequest, Reply
from perennial.schemas.text import unfit_part
from perennial.tasks.a2rbench.catalogue.rule import Value
from perennial.tasks.a2rbench.item_text import OutputForm, form_of
from perennial.tasks.a2rbench.players import ItemGame
from perennial.tasks.a2rbench.replies import has_answer, read_answer
from perennial.tasks.a2rbench.values import tokens_of
from perennial.tasks.authors import (
    Asked,
    BadReply,
    Unusable,
    ask_until_read,
    author_request,
    conversation_request,
    message,
    unusable_status,
)
from perennial.tasks.llm.structured import Ask, JsonAsker, JsonSchema, json_text, object_schema
from perennial.tasks.play import SecondReader

# A player's reply as a model that reads it is shown it: bounded, between marks that it cannot hold.


_HEAD, _TAIL = 4_000, 12_000


class Excerpt(NamedTuple):
    """What is shown of a reply, and the word in the marks before and after it."""

    text: str
    mark: str


def excerpt(reply: str) -> Excerpt:
    """Return a reply with its middle left out where it is long: answers are at the end.

    The mark is derived from the reply, so that no reply can hold its own.
    """
    left_out = len(reply) - _HEAD - _TAIL
    if left_out > 0:
        reply = f"{reply[:_HEAD]}\n[... {left_out:,} characters are left out here ...]\n{reply[-_TAIL:]}"
    # Half of a surrogate pair cannot be sent.
    text = reply.encode(errors="replace").decode()
    return Excerpt(text, mark_of(text))


def mark_of(*texts: str) -> str:
    """Return the word in the marks around these texts, which none of them holds."""
    number, mark = 0, content_id("data", texts)
    while any(mark in text for text in texts):
        number += 1
        mark = content_id("data", texts, number)
    return mark


# The analyst: a model says why an answer is right or wrong, and how the player reasoned (section 3.4).
#
# It is shown the item with its rule and code, the right answer, and the player's reply. A reply of its own
# that cannot be used, a category of the other outcome among them, is answered with what was wrong; after
# three attempts the answer has no analysis.


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


async def analyse(ask: JsonAsker, analyst: ModelChoice, subject: Subject) -> Asked[AnswerAnalysis]:
    """Return what the analyst says; raise EndpointFailed where a call came to no answer."""
    excerpt_text, mark = excerpt(subject.reply)
    values = {**subject.item, "code": _cut(subject.item["code"]), "reply": excerpt_text, "mark": mark}
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
        last: Message = {"role": "assistant", "content": bad.reply.content[:_LAST_REPLY] or "(no text)"}
        again = message("user", AGAIN, problem=bad.problem.message, categories=categories, styles=STYLES)
        # With the attempt's number, equal bad replies are not answered by the same stored reply again.
        return conversation_request("analyst", analyst, [*opening, last, again], AGAIN, attempt)

    async def read(reply: Reply) -> AnswerAnalysis | Unusable:
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


def read_analysis(reply: Reply, categories: tuple[str, ...]) -> AnswerAnalysis | Unusable:
    """Return what an analyst's reply says, or why it cannot be used."""
    fault = unusable_status(reply)
    if fault is not None:
        return fault
    try:
        analysis = read_json(json_text(reply.content), any_number=True)
    except (UnreadableInput, UnreadableJson) as error:
        return Unusable("no_json", str(error))
    if not isinstance(analysis, dict):
        return Unusable("no_json", "the reply holds a list; expected one JSON object")
    expected = {"outcome_category": categories, "reasoning_style": STYLES}
    for name, allowed in expected.items():
        if analysis.get(name) not in allowed:
            return Unusable(
                f"bad_{name}", f"{name} is {quote(analysis.get(name))}; expected one of {', '.join(allowed)}"
            )
    why = analysis.get("justification")
    if not isinstance(why, str) or not why.strip():
        return Unusable("no_justification", "justification is no text; expected one to three sentences")
    # Half of a surrogate pair cannot be stored.
    text = why.strip()[:_JUSTIFICATION].encode(errors="replace").decode()
    if (unfit := unfit_part(text)) is not None:
        return Unusable("unfit_text", f"justification holds {unfit}; expected plain text")
    return AnswerAnalysis(text, analysis["outcome_category"], analysis["reasoning_style"])


# Whether an answer that a model says it has read is one piece of the reply, and not its own solution.
#
# A piece is a run of words with nothing but brackets, quotation marks, commas, bars and blanks between them.


_MARKS = ",;|[](){}\"'“”‘’`*_&\\\\"
_WORD = re.compile(rf"[^\s{re.escape(_MARKS)}]+")
# At the end of a sentence, and before what "the output:" names.
_ENDS = ".:!?="
_OPENING, _CLOSING = re.compile(r"[\[({]|```|\n\s*\n"), re.compile(r"[\])}]|```|\n\s*\n")

# Short words that lead to an answer or on from it; no part of it unless they are its tokens.
_LINKS = {
    *("and", "are", "as", "be", "by", "for", "get", "in", "is", "it"),
    *("of", "or", "so", "that", "the", "then", "to", "was", "we"),
}


def is_quoted(answer: str, reply: str, form: OutputForm | None = None) -> bool:
    """Return whether the answer (JSON) is one contiguous piece of the reply, which states nothing longer.

    Its tokens stand there in order, one by one, or the tokens of a row, or all of them, as one word. What is
    no longer than a token and goes on beside the piece belongs to it: `A B` is no quotation of `[A, B, C]`.
    What the form's prompt shows is the puzzle, and no answer. An answer without tokens must stand there as
    JSON, as one whose tokens are marks or hold blanks.
    """
    value = json.loads(answer)
    if form is not None and form.is_shown(value):
        return False
    tokens = list(_list_tokens(value))
    if not tokens or any(_WORD.fullmatch(token) is None or token[-1] in _ENDS for token in tokens):
        return answer in "".join(reply.split())
    words = list(_WORD.finditer(reply))
    longest = max(map(len, tokens))
    spellings = {tuple(tokens), tuple(_join_rows(value)), ("".join(tokens),)}
    return any(_has_run(reply, words, spelling, longest) for spelling in spellings)


def _list_tokens(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for part in value:
            yield from _list_tokens(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (key, *_list_tokens(part))
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def _join_rows(value: Value) -> Iterator[str]:
    """Yield each innermost list as one word."""
    if isinstance(value, list) and any(isinstance(part, list) for part in value):
        for part in value:
            yield from _join_rows(part)
    else:
        yield "".join(map(str, tokens_of(value)))


def _has_run(reply: str, words: Sequence[re.Match[str]], run: tuple[str, ...], longest: int) -> bool:
    """Return whether the reply's words hold the run, and the run does not go on before or after."""
    plain = [word[0].rstrip(_ENDS) for word in words]
    text, wanted = "\0" + "\0".join(plain) + "\0", "\0" + "\0".join(run) + "\0"
    longest = max(longest, *map(len, run))
    position, first, counted = text.find(wanted), 0, 0
    while position >= 0:
        # Words before this place: each has a mark before it.
        first += text.count("\0", counted, position)
        counted = position
        last = first + len(run) - 1
        inside = all(word[0][-1] not in _ENDS for word in words[first:last])
        before = first > 0 and _goes_on(reply, words[first - 1], words[first], longest, 0)
        after = last + 1 < len(words) and _goes_on(reply, words[last], words[last + 1], longest, 1)
        if inside and not before and not after:
            return True
        position = text.find(wanted, position + 1)
    return False


def _goes_on(reply: str, left: re.Match[str], right: re.Match[str], longest: int, beside: int) -> bool:
    """Return whether the word beside a run, the left (0) or the right one (1), may belong to it."""
    gap = reply[left.end() : right.start()]
    word = (left, right)[beside][0].rstrip(_ENDS)
    if len(word) > longest or word in _LINKS or left[0][-1] in _ENDS:
        return False
    # A bracket that opens before the run, or closes behind it, with none that does the opposite.
    if beside == 0:
        return _OPENING.search(gap) is None or re.search(r"[\])}]", gap) is not None
    return _CLOSING.search(gap) is None or re.search(r"[\[({]", gap) is not None


# The judge: a model quotes the final answer of a reply in which the program found none.
#
# It is shown the reply alone, neither the item nor its answer. What it quotes is compared by the program, and
# refused where it is not one piece of the reply, or where the puzzle shows it. It is asked once for each
# reply.


JUDGE_SYSTEM, JUDGE_TEMPLATE = "a2rbench/answer_judge/system.md.j2", "a2rbench/answer_judge/quote.md.j2"
_LONGEST = 200


def judge_by(judge: ModelChoice) -> SecondReader[ItemGame]:
    """Return what asks this judge to quote a reply's answer, and gives the game what it quotes.

    It raises EndpointFailed where the call came to no answer. Players who say that they have no answer
    (`null`) are taken at their word.
    """

    async def read(ask: Ask, game: ItemGame, reply: str) -> None:
        form = form_of(game.prompt)
        if has_answer(reply, form):
            return
        excerpt_text, mark = excerpt(reply)
        shape = ("text", *SHAPES)[min(_measure_depth(json.loads(game.right)), len(SHAPES))]
        request = author_request(
            "judge", judge, JUDGE_SYSTEM, JUDGE_TEMPLATE, 0, form=shape, reply=excerpt_text, mark=mark
        )
        judge_reply = await ask(request)
        fault = unusable_status(judge_reply)
        if fault is not None:
            game.refuse_quote(fault, judge_reply.call_id)
            return
        quoted = read_answer(judge_reply.content, form)
        if quoted is not None and not is_quoted(quoted.answer, excerpt_text, form):
            text = quoted.answer if len(quoted.answer) <= _LONGEST else f"{quoted.answer[:_LONGEST]}..."
            message = (
                f"the quoted answer {text} is no one piece of the reply that states it; expected one, or null"
            )
            game.refuse_quote(Unusable("not_quoted", message), judge_reply.call_id)
        elif quoted is None and not has_answer(judge_reply.content, form):
            message = "the judge's reply holds no JSON object with final_answer; expected one"
            game.refuse_quote(Unusable("no_quote", message), judge_reply.call_id)
        else:
            game.take_quote(None if quoted is None else quoted.answer, judge_reply.call_id)

    return read


def _measure_depth(value: Value) -> int:
    """Return how deep lists are nested in a value; 0: it is a text."""
    return 1 + max(map(_measure_depth, value), default=0) if isinstance(value, list) else 0

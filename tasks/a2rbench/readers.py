"""A model that reads answers: a judge that quotes what the program did not find."""

import json
import re
from collections.abc import Iterator, Sequence

from perennial.schemas.a2rbench.things import SHAPES
from perennial.schemas.model_calls import ModelChoice
from perennial.tasks.a2rbench.catalogue import Value
from perennial.tasks.a2rbench.item_text import OutputForm, form_of
from perennial.tasks.a2rbench.players import ItemGame
from perennial.tasks.a2rbench.replies import has_answer, read_answer
from perennial.tasks.a2rbench.values import tokens_of
from perennial.tasks.analysts import excerpt
from perennial.tasks.authors import Unusable, author_request, unusable_status
from perennial.tasks.llm.structured import Ask
from perennial.tasks.play import SecondReader

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
    tokens = list(_walk_tokens(value))
    if not tokens or any(_WORD.fullmatch(token) is None or token[-1] in _ENDS for token in tokens):
        return answer in "".join(reply.split())
    words = list(_WORD.finditer(reply))
    longest = max(map(len, tokens))
    spellings = {tuple(tokens), tuple(_join_rows(value)), ("".join(tokens),)}
    return any(_has_run(reply, words, spelling, longest) for spelling in spellings)


def _walk_tokens(value: object) -> Iterator[str]:
    """The keys and leaves of a JSON value in their order; what is no text as JSON."""
    if isinstance(value, list):
        for part in value:
            yield from _walk_tokens(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (key, *_walk_tokens(part))
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

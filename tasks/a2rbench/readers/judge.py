"""The judge: a model quotes the final answer of a reply in which the program found none.

It is shown the reply alone, neither the item nor its answer. What it quotes is compared by the program, and
refused where it is not one piece of the reply, or where the puzzle shows it. It is asked once for each reply.
"""

import json

from perennial.schemas.a2rbench.item import SHAPES
from perennial.schemas.model_calls.calls import ModelChoice
from perennial.tasks.a2rbench.catalogue.rule import Value
from perennial.tasks.a2rbench.game import ItemGame
from perennial.tasks.a2rbench.readers.excerpt import excerpt
from perennial.tasks.a2rbench.readers.quotes import is_quoted
from perennial.tasks.a2rbench.replies.answers import has_answer, read_answer
from perennial.tasks.a2rbench.replies.form import form_of
from perennial.tasks.authors.reply import Unusable, unusable_status
from perennial.tasks.authors.request import author_request
from perennial.tasks.llm.asking import Ask
from perennial.tasks.play.model_player import SecondReader

SYSTEM, TEMPLATE = "a2rbench/answer_judge/system.md.j2", "a2rbench/answer_judge/quote.md.j2"
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
        shown, mark = excerpt(reply)
        shape = ("text", *SHAPES)[min(_measure_depth(json.loads(game.right)), len(SHAPES))]
        request = author_request("judge", judge, SYSTEM, TEMPLATE, 0, form=shape, reply=shown, mark=mark)
        said = await ask(request)
        fault = unusable_status(said)
        if fault is not None:
            game.refuse_quote(fault, said.call_id)
            return
        quoted = read_answer(said.content, form)
        if quoted is not None and not is_quoted(quoted.answer, shown, form):
            text = quoted.answer if len(quoted.answer) <= _LONGEST else f"{quoted.answer[:_LONGEST]}..."
            message = (
                f"the quoted answer {text} is no one piece of the reply that states it; expected one, or null"
            )
            game.refuse_quote(Unusable("not_quoted", message), said.call_id)
        elif quoted is None and not has_answer(said.content, form):
            message = "the judge's reply holds no JSON object with final_answer; expected one"
            game.refuse_quote(Unusable("no_quote", message), said.call_id)
        else:
            game.take_quote(None if quoted is None else quoted.answer, said.call_id)

    return read


def _measure_depth(value: Value) -> int:
    """Return how deep lists are nested in a value; 0: it is a text."""
    return 1 + max(map(_measure_depth, value), default=0) if isinstance(value, list) else 0

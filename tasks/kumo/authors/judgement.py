"""Have a model judge a book against its rules, as the reviser of the paper judges every book (figure 11).

Unlike the model that reads a book back, the judge sees the rules. What it says is kept beside the check and
decides nothing.
"""

from collections.abc import Sequence

from perennial.schemas.kumo.things import Instance, Judgement, Rule, SeedConfig
from perennial.schemas.model_calls.calls import ModelChoice, ModelRequest, Reply
from perennial.tasks.authors.attempts import BadReply, ask_until_read
from perennial.tasks.authors.reply import Unusable, unusable_status
from perennial.tasks.authors.request import author_request
from perennial.tasks.kumo.authors.book_replies import read_judgement
from perennial.tasks.kumo.authors.book_request import rule_values
from perennial.tasks.llm.asking import Ask

JUDGE_TEMPLATE = "kumo/authors/judge_book.md.j2"
JUDGE_SYSTEM_TEMPLATE = "kumo/authors/judge_book_system.md.j2"
JUDGE_ATTEMPTS = 3


async def judge_book(
    ask: Ask,
    judge: ModelChoice,
    config: SeedConfig,
    instance: Instance,
    rules: Sequence[Rule],
    book: str,
) -> Judgement:
    """Return what a model judges of a book that was written from these rules.

    A reply without a judgement is asked for again, with the reason, up to JUDGE_ATTEMPTS calls in all; a
    request that the endpoint rejects is not. Raises EndpointFailed where a call failed without an answer.
    """

    def make_request(attempt: int, bad: BadReply | None) -> ModelRequest:
        return author_request(
            "judge",
            judge,
            JUDGE_SYSTEM_TEMPLATE,
            JUDGE_TEMPLATE,
            attempt,
            **rule_values(config, instance, rules),
            book=book.strip("\n"),
            problem=bad.problem.message if bad else None,
        )

    asked = await ask_until_read(ask, make_request, _read, JUDGE_ATTEMPTS)
    return Judgement(judge.model, asked.value, asked.call_ids)


async def _read(reply: Reply) -> bool | Unusable:
    if problem := unusable_status(reply):
        return problem
    said = read_judgement(reply.content)
    if said is None:
        return Unusable(
            "no_judgement", "the reply has neither <ANSWER>True</ANSWER> nor <ANSWER>False</ANSWER>"
        )
    return said

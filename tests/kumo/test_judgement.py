"""The judge of books: asked until it says what it holds of a book."""

import asyncio

import pytest

from perennial.tasks.kumo.authors.books import judge_book
from tests.kumo.test_books import CLINIC
from tests.kumo.test_model_books import REVISER, ScriptedAsk, history_of


@pytest.mark.parametrize(
    ("faults", "is_right", "n_calls"),
    [([], True, 1), (["no_tags", "truncated"], True, 3), (["no_tags*"], None, 3), (["rejected*"], None, 1)],
)
def test_a_judge_is_asked_again_until_it_says_so(
    faults: list[str | None], is_right: bool | None, n_calls: int
) -> None:
    book = history_of(ScriptedAsk()).versions[0].text
    ask = ScriptedAsk({"judge": faults})
    judging = judge_book(ask, REVISER, CLINIC.config, CLINIC.instance, CLINIC.rules, book)
    found = asyncio.run(judging)
    assert (found.judge, found.is_right, len(set(found.call_ids))) == (REVISER.model, is_right, n_calls)
    repeated = ["The last answer could not be used: the" in prompt for prompt in ask.prompts("judge")]
    assert repeated == [False, True, True][:n_calls]

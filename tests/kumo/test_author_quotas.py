"""Quotas of categories: how many domains of each may be proposed, what prompts say, what is refused."""

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import InvalidOption
from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.kumo.things import Quota, parse_quotas
from perennial.tasks.kumo.authors.proposal import (
    TRUTHS_THRESHOLD,
    CategoryQuotas,
    Proposed,
    propose_domains,
    refuse_same_truths,
)
from tests.kumo.author_ask import MODEL, AuthorAsk, rules
from tests.kumo.test_author_proposal import GOOD, says

NAMES = st.lists(st.sampled_from("ABCDEFGH"), min_size=1, max_size=8, unique=True)


def propose(ask: AuthorAsk, n: int, *quotas: Quota, rounds: int = 5) -> Proposed:
    return asyncio.run(propose_domains(ask, MODEL, n, quotas, (), rounds))


@pytest.mark.slow
@given(names=NAMES, wanted=st.integers(1, 40), data=st.data())
def test_even_shares_are_filled_in_any_order_and_differ_by_one_at_most(
    names: list[str], wanted: int, data: st.DataObject
) -> None:
    quotas = CategoryQuotas(wanted, tuple((name, None) for name in names))
    accepted: list[str] = []
    for _ in range(wanted):
        open_ones = [name for name, most in quotas.room(accepted).items() if most]
        accepted.append(data.draw(st.sampled_from(open_ones)))
    assert not any(quotas.room(accepted).values())
    counts = Counter(dict.fromkeys(names, 0))
    counts.update(accepted)
    assert max(counts.values()) - min(counts.values()) <= 1


@given(numbers=st.lists(st.integers(1, 5), min_size=1, max_size=4), more=st.integers(0, 9))
def test_a_number_of_its_own_is_kept_and_the_others_share_the_rest(numbers: list[int], more: int) -> None:
    fixed: list[Quota] = [(f"F{place}", number) for place, number in enumerate(numbers)]
    sharing: list[Quota] = [("S", None), ("T", None)]
    room = CategoryQuotas(sum(numbers) + more, (*fixed, *sharing)).room([])
    assert [room[name] for name, _ in fixed] == numbers
    assert (room["S"], room["T"]) == (-(-more // 2), -(-more // 2))


def test_a_full_category_is_refused_with_those_that_are_not() -> None:
    second = {**GOOD, "name": "Sails", "goal": "Which sail tears first?", "truth_noun": "sail"}
    proposed = propose(AuthorAsk(damages={0: says(GOOD, second)}), 3, ("Nature", 1), ("Crafts", 2), rounds=1)
    assert [proposal.name for proposal in proposed.proposals] == ["Knots"]
    assert rules(proposed) == ["full_category"]
    assert proposed.rejections[0].message == (
        "category 'Nature' has as many domains as were asked for; propose one of 'Crafts'"
    )


def test_later_rounds_ask_for_what_is_missing_alone() -> None:
    ask = AuthorAsk(damages={0: says(GOOD)})
    proposed = propose(ask, 3, ("Nature", 1), ("Crafts", None), ("Trades", None))
    assert Counter(proposal.category for proposal in proposed.proposals) == {
        "Nature": 1,
        "Crafts": 1,
        "Trades": 1,
    }
    first, second = (request.messages[-1]["content"] for request in ask.requests)
    assert "- Nature: 1\n- Crafts: 1\n- Trades: 1\n" in first
    assert "- Crafts: 1\n- Trades: 1\n" in second
    assert "- Nature" not in second


def test_quotas_are_read_from_settings() -> None:
    assert parse_quotas(["Nature=2", " Crafts "]) == (("Nature", 2), ("Crafts", None))
    settings = KumoSettings(author="m", categories=["Nature=2", "Crafts=1"])
    assert settings.authoring(has_domains=True).proposals == 3
    assert KumoSettings(author="m", categories=["a=5", "b"]).authoring(has_domains=False).proposals == 5


@pytest.mark.parametrize("value", ["Nature=0", "Nature=two", "=3", "Nature=1001", "Nature=-1", "Nature="])
def test_a_wrong_quota_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match=r"is not a category; expected a name, or name=number"):
        parse_quotas([value])


def test_a_category_counts_once_in_any_case() -> None:
    with pytest.raises(ValueError, match="'medicine' occurs twice"):
        parse_quotas(["all", "medicine"])


@pytest.mark.parametrize(("propose", "categories"), [(1, ["a=2"]), (4, ["a=2", "b=1"]), (1, ["a=2", "b"])])
def test_numbers_that_do_not_add_up_are_refused(propose: int, categories: list[str]) -> None:
    settings = KumoSettings(author="m", propose=propose, categories=categories)
    with pytest.raises(InvalidOption, match=f"--propose {propose}: the numbers of --categories make"):
        settings.authoring(has_domains=False)


def test_a_domain_with_the_truths_of_another_is_no_new_one() -> None:
    known = {"Trees": ["Oak", "Elm", "Ash", "Fir"], "Birds": ["Wren", "Robin"]}
    assert refuse_same_truths(["the Oaks", "ELM", "Yew"], known) is None  # 2 of 5
    problem = refuse_same_truths(["the Oaks", "ELM", "ash", "Yew"], known)  # 3 of 5
    assert problem is not None
    assert problem.startswith("it shares 60% of its truths with 'Trees', the limit is 50%")
    assert TRUTHS_THRESHOLD == 0.5
    assert json.dumps(problem)

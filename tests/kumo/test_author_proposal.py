"""Proposals of new domains: accepted, refused with the reason, asked for again; quotas, and twins."""

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import EndpointFailed, InvalidOption
from perennial.schemas.kumo.settings import KumoSettings
from perennial.schemas.kumo.things import Proposal, Quota, parse_quotas
from perennial.tasks.kumo.authors.proposal import (
    TRUTHS_THRESHOLD,
    CategoryQuotas,
    KnownDomain,
    Proposed,
    nearest_twin,
    normalise_text,
    propose_domains,
    refuse_same_truths,
)
from tests.kumo.author_ask import MODEL, AuthorAsk, Damage, cut, rules, status

CATEGORIES = ("Nature", "Crafts and Trades")
GOOD = {
    "name": "Knots",
    "category": "Nature",
    "goal": "Find out which knot holds.",
    "truths": "knots",
    "actions": "pulls",
    "truth_noun": "knot",
    "action_noun": "pull",
    "book_title": "The Book of Knots",
}


def propose(
    ask: AuthorAsk,
    n: int = 4,
    quotas: tuple[Quota, ...] = tuple((name, None) for name in CATEGORIES),
    known: tuple[KnownDomain, ...] = (),
    rounds: int = 5,
) -> Proposed:
    return asyncio.run(propose_domains(ask, MODEL, n, quotas, known, rounds))


def says(*domains: object) -> Damage:
    return lambda text: json.dumps({"domains": list(domains)})


def test_one_call_gives_all_proposals_in_the_asked_categories() -> None:
    ask = AuthorAsk()
    proposed = propose(ask)
    assert len(proposed.proposals) == 4
    assert {proposal.category for proposal in proposed.proposals} == set(CATEGORIES)
    assert proposed.rejections == ()
    assert proposed.shortfall is None
    assert proposed.call_ids == (ask.requests[0].call_id,)
    assert {proposal.call_id for proposal in proposed.proposals} == {ask.requests[0].call_id}
    assert len({proposal.name for proposal in proposed.proposals}) == 4


def test_the_call_says_what_it_asks_for_and_where_its_wording_is_from() -> None:
    ask = AuthorAsk()
    propose(ask, 2, known=(KnownDomain("Medical Diagnosis", ""),))
    request = ask.requests[0]
    assert (request.role, request.model, request.repeat) == ("proposer", MODEL.model, 0)
    assert request.params.keys() == {"temperature", "response_format"}
    assert request.template == "kumo/authors/propose.md.j2"
    assert request.template_hash.startswith("tpl_")
    text = request.messages[-1]["content"]
    for expected in (
        "Propose 2 new domains",
        "- Nature: 1\n",
        "- Crafts and Trades: 1\n",
        "- Medical Diagnosis\n",
    ):
        assert expected in text


def test_without_categories_any_subject_will_do() -> None:
    proposed = propose(AuthorAsk(), 3, quotas=())
    assert len({proposal.category for proposal in proposed.proposals}) == 3
    assert proposed.rejections == ()


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("near_duplicate", "near_duplicate"),
        ("wrong_form", "not_the_form"),
        ("not_json", "not_json"),
        ("other_category", "other_category"),
        ("fewer", None),
    ],
)
def test_what_a_fault_costs_is_asked_for_again(fault: str, rule: str | None) -> None:
    ask = AuthorAsk(faults={0: fault})
    proposed = propose(ask, known=(KnownDomain("Medical Diagnosis", "Find the disease."),))
    assert len(proposed.proposals) == 4
    assert set(rules(proposed)) == ({rule} if rule else set())
    assert len(ask.requests) == 2
    missing = 4 - sum(proposal.call_id == proposed.call_ids[0] for proposal in proposed.proposals)
    text = ask.requests[1].messages[-1]["content"]
    assert f"Propose {missing} new domain" in text
    assert all(f"- {proposal.name}\n" in text for proposal in proposed.proposals[: 4 - missing])
    for rejection in proposed.rejections:
        assert rejection.stage == "proposal"
        assert rejection.call_id == proposed.call_ids[0]
        assert rejection.message in text


def test_proposals_of_one_reply_are_compared_with_each_other() -> None:
    twin = {**GOOD, "name": "The Knot", "goal": "Whatever it may be."}
    proposed = propose(AuthorAsk(damages={0: says(GOOD, twin)}), 2, rounds=1)
    assert [proposal.name for proposal in proposed.proposals] == ["Knots"]
    assert rules(proposed) == ["near_duplicate"]
    assert "'Knots'" in proposed.rejections[0].message


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        (status("truncated", '{"domains": ['), "truncated"),
        (status("empty"), "empty"),
        (status("refused", "I would rather not."), "refused"),
        (cut(0.6, "ok"), "not_json"),
        (lambda text: "__import__('os').system('touch owned')", "not_json"),
        (lambda text: '{"domains": [], "domains": []}', "not_json"),
        (lambda text: text[len('{"domains": ') : -1], "not_the_form"),
        (lambda text: '{"domains": {}}', "not_the_form"),
        (lambda text: '{"domains": []}', "not_the_form"),
        (lambda text: text[:-1] + ', "note": "done"}', "not_the_form"),
    ],
)
def test_an_unusable_reply_is_refused_as_a_whole_and_asked_for_anew(reply: Damage, rule: str) -> None:
    ask = AuthorAsk(damages={0: reply})
    proposed = propose(ask)
    assert rules(proposed) == [rule]
    # Nobody knows how many proposals it held; a proposal of that name is counted.
    assert (proposed.rejections[0].subject, proposed.rejections[0].amount) == ("reply 1", None)
    assert len(proposed.proposals) == 4
    assert len({request.call_id for request in ask.requests}) == 2
    assert proposed.rejections[0].message in ask.requests[1].messages[-1]["content"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": " "}, "name: expected some text, got a blank"),
        ({"name": "K\u200bnots"}, "invisible character"),
        ({"goal": "two\nlines"}, "one visible line"),
        ({"name": " Knots"}, "no spaces around it"),
        ({"name": "K" * 61}, "at most 60 characters"),
        ({"goal": 5}, "goal: input should be a valid string"),
        ({"truth_noun": "Pull"}, "expected two words"),
        ({"rating": 5}, "rating: extra inputs"),
        ({"goal": None, "name": ""}, "name: expected some text, got a blank; goal: "),
    ],
)
def test_an_entry_of_another_form_is_refused_alone(change: dict[str, object], message: str) -> None:
    proposed = propose(AuthorAsk(damages={0: says({**GOOD, **change}, GOOD)}), 1, rounds=1)
    assert proposed.proposals == (Proposal(**GOOD, call_id=proposed.call_ids[0]),)
    (rejection,) = proposed.rejections
    assert rejection.rule == "not_the_form"
    assert message in rejection.message
    assert "\n" not in rejection.subject + rejection.message


def test_entries_that_are_no_objects_are_refused() -> None:
    proposed = propose(AuthorAsk(damages={0: says("Knots", None, GOOD)}), 1, rounds=1)
    assert rules(proposed) == ["not_the_form", "not_the_form"]
    assert [rejection.subject for rejection in proposed.rejections] == ["unnamed", "unnamed"]
    assert len(proposed.proposals) == 1


def test_more_than_asked_for_is_refused() -> None:
    other = {**GOOD, "name": "Sails", "goal": "Find out which sail tears."}
    proposed = propose(AuthorAsk(damages={0: says(GOOD, other)}), 1)
    assert [proposal.name for proposal in proposed.proposals] == ["Knots"]
    assert rules(proposed) == ["surplus"]


def test_a_category_counts_in_any_case_and_is_kept_as_asked_for() -> None:
    proposed = propose(AuthorAsk(damages={0: says({**GOOD, "category": "CRAFTS and  trades"})}), 1)
    assert proposed.proposals[0].category == "Crafts and Trades"


def test_after_the_last_round_there_are_fewer_and_the_reason() -> None:
    ask = AuthorAsk(faults=dict.fromkeys(range(9), "not_json"))
    proposed = propose(ask, rounds=3)
    assert proposed.proposals == ()
    assert rules(proposed) == ["not_json"] * 3
    assert len(set(proposed.call_ids)) == 3
    assert proposed.shortfall is not None
    assert proposed.shortfall.startswith("0 of 4 domains proposed after 3 calls, 3 refused: 3 x no JSON")
    assert "\n" not in proposed.shortfall


def test_a_rejected_call_ends_the_rounds() -> None:
    ask = AuthorAsk(damages=dict.fromkeys(range(9), status("rejected", error="HTTP 400: too long")))
    proposed = propose(ask)
    assert rules(proposed) == ["rejected"]
    assert "HTTP 400: too long" in proposed.rejections[0].message
    assert len(ask.requests) == 2  # with and without a schema


@pytest.mark.parametrize("name", ["unavailable", "html_body", "invalid_body"])
def test_a_call_that_failed_is_for_the_operator(name: str) -> None:
    ask = AuthorAsk(damages={0: status(name, error="HTTP 503: come back later")})
    with pytest.raises(EndpointFailed, match="HTTP 503: come back later"):
        propose(ask)


def test_of_many_known_domains_the_last_are_named_and_all_are_compared() -> None:
    known = tuple(KnownDomain(f"Subject {i} {chr(97 + i % 26) * 5}", "") for i in range(450))
    first = {**GOOD, "name": known[0].name}
    ask = AuthorAsk(damages={0: says(first)})
    proposed = propose(ask, 1, known=known, rounds=1)
    text = ask.requests[0].messages[-1]["content"]
    assert "(and 50 more)" in text
    assert f"- {known[49].name}\n" not in text
    assert f"- {known[50].name}\n" in text
    assert rules(proposed) == ["near_duplicate"]


# Quotas of categories: how many domains of each may be proposed, what prompts say, what is refused.


NAMES = st.lists(st.sampled_from("ABCDEFGH"), min_size=1, max_size=8, unique=True)


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
    quotas = (("Nature", 1), ("Crafts", 2))
    proposed = propose(AuthorAsk(damages={0: says(GOOD, second)}), 3, quotas, rounds=1)
    assert [proposal.name for proposal in proposed.proposals] == ["Knots"]
    assert rules(proposed) == ["full_category"]
    assert proposed.rejections[0].message == (
        "category 'Nature' has as many domains as were asked for; propose one of 'Crafts'"
    )


def test_later_rounds_ask_for_what_is_missing_alone() -> None:
    ask = AuthorAsk(damages={0: says(GOOD)})
    proposed = propose(ask, 3, (("Nature", 1), ("Crafts", None), ("Trades", None)))
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


# Which domains are too much like each other, and which are not.


MINERALS = KnownDomain(
    "Mineral Identification", "Identify the mineral of a hand specimen by field, optical and chemical tests."
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("MineralIdentificationEnv", "mineral"),
        ("The MINERALS' environment", "mineral"),
        ("Identify the boxes, berries and glasses!", "berry box glass"),
        ("DNA-Analysis of Species", "analysis dna specy"),
        ("The Game of Finding", "finding game of the"),
        ("ﬁsh", "fish"),
        ("!!!", ""),
    ],
)
def test_the_compared_form_holds_the_telling_words(text: str, form: str) -> None:
    assert normalise_text(text) == form


@pytest.mark.parametrize(
    ("name", "goal", "by"),
    [
        ("mineral identification", "", "name"),
        ("The Minerals Environment", "Something else entirely.", "name"),
        ("MineralEnv", "", "name"),
        ("Mineralls", "", "name"),
        ("Stones", MINERALS.goal.upper(), "goal"),
        ("Rocks", "Find the minerals of a hand specimen by optical, chemical and field tests", "goal"),
        (
            "Mineral Specimens",
            "Determine the mineral of hand specimens by field and optical and lab tests.",
            "name and goal",
        ),
    ],
)
def test_a_near_duplicate_is_told(name: str, goal: str, by: str) -> None:
    twin = nearest_twin(name, goal, [KnownDomain("Harbour Knots", "Find the knot."), MINERALS])
    assert twin is not None
    assert (twin.domain, twin.by) == (MINERALS, by)
    assert twin.score >= twin.threshold
    assert f"{twin.score:.0f} of 100" in twin.message
    assert "'Mineral Identification'" in twin.message


@pytest.mark.parametrize(
    ("name", "goal"),
    [
        ("Meteorite Identification", "Identify the meteorite of a museum's drawer by its crust and metal."),
        ("Moon Minerals", "Find out which regolith glitters on the crater rim."),
        ("Mushroom Identification", "Identify the mushroom of a hand specimen by field and chemical tests."),
        ("Funerals", ""),
    ],
)
def test_another_subject_is_no_duplicate(name: str, goal: str) -> None:
    assert nearest_twin(name, goal, [MINERALS]) is None


def test_goals_of_common_words_alone_are_no_reason() -> None:
    assert nearest_twin("Owls", "Identify it.", [KnownDomain("Harbour Knots", "Identify it.")]) is None
    assert nearest_twin("Owls", "", [KnownDomain("Harbour Knots", "")]) is None


def test_the_likest_of_several_is_named() -> None:
    known = [KnownDomain("Minerals A", ""), KnownDomain("Mineral", ""), KnownDomain("Miners", "")]
    twin = nearest_twin("The Minerals", "", known)
    assert twin is not None
    assert twin.domain.name in ("Minerals A", "Mineral")
    assert twin.score == 100.0

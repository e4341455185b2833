"""A rule gets its variations from a scripted expander and judge, or a reason why one is missing."""

import json
from dataclasses import replace

import pytest

from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls import Reply
from perennial.tasks.a2rbench.items import PREFIX, instance_id
from tests.a2rbench.authored_rules import LINES, SQUARES, SWAP
from tests.a2rbench.expansion.expanding import Asking, Damage, expand, steps

pytestmark = pytest.mark.slow

GOOD = [("inputs", 1, None), ("inputs_run", 1, None), ("inputs_judged", 1, None)]


def test_each_variation_has_new_inputs_that_the_code_was_run_on() -> None:
    asking = Asking()
    result = expand(asking, SWAP, (0, 1, 4, 7))
    assert sorted(result.drawn) == [0, 1, 4, 7]
    assert result.rejected == []
    assert steps(result) == GOOD * 3
    assert result.drawn[0].puzzle.inputs == LINES
    assert result.drawn[0].puzzle.examples[0] == (list("PLANET"), list("PALNTE"))
    assert len({instance_id(drawn.puzzle) for drawn in result.drawn.values()}) == 4
    calls = [request.call_id for request in asking.requests]
    assert [attempt.call_id for attempt in result.attempts if attempt.call_id] == calls
    assert [request.role for request in asking.requests] == ["expander", "judge"] * 3


def test_the_expander_is_shown_code_history_and_what_kind_is_wanted() -> None:
    asking = Asking()
    result = expand(asking, SWAP, (0, 1, 4, 7))
    asked = [request.messages[-1]["content"] for request in asking.requests if request.role == "expander"]
    for number, text in enumerate(asked):
        assert SWAP.code.strip() in text
        shown = [0, 1, 4][: number + 1]
        assert [f"V{each}:\n" in text for each in (0, 1, 4)] == [each in shown for each in (0, 1, 4)]
        for each in shown:
            assert json.dumps(result.drawn[each].puzzle.query) in text
    kinds = ("a standard variation", "an edge variation", "a complex variation")
    assert [[kind in text for kind in kinds].index(True) for text in asked] == [0, 1, 2]


def test_the_judge_sees_outputs_and_the_answer() -> None:
    asking = Asking()
    result = expand(asking, SQUARES)
    text = asking.requests[-1].messages[-1]["content"]
    shown = result.drawn[1].puzzle
    for value in (*shown.inputs, *shown.outputs):
        assert json.dumps(value) in text


def test_inputs_that_cannot_be_read_go_back_to_the_expander_with_what_was_wrong() -> None:
    asking = Asking({"expander 0": "wrong_depth", "expander 1": "in_prose"})
    result = expand(asking, SWAP)
    bad = [("inputs", 1, "bad_input"), ("inputs", 2, "not_json")]
    assert steps(result) == [*bad, ("inputs", 3, None), *GOOD[1:]]
    for attempt, request in zip(result.attempts, asking.requests[1:3], strict=False):
        assert (attempt.message or "?") in request.messages[-1]["content"]
    assert result.drawn[1].rejected == 2


def test_inputs_that_give_no_item_go_back_with_what_the_code_did() -> None:
    asking = Asking({"expander 0": "raises", "expander 1": "unclear"})
    result = expand(asking, SWAP)
    bad = [
        ("inputs", 1, None),
        ("inputs_run", 1, "raised"),
        ("inputs", 2, None),
        ("inputs_run", 2, "unchanged"),
    ]
    assert steps(result) == [*bad, ("inputs", 3, None), ("inputs_run", 3, None), ("inputs_judged", 1, None)]
    assert result.attempts[1].call_id is None
    asked = [request.messages[-1]["content"] for request in asking.requests]
    assert "no exclamation marks" in asked[1]
    assert '["!"]' in asked[1]
    assert "none of the examples" in asked[2]
    assert '["F"]' in asked[2]


def test_a_skipped_variation_is_missing_and_the_next_one_is_asked_for() -> None:
    asking = Asking({"expander 1": "skipped"})
    result = expand(asking, SWAP, range(4))
    assert sorted(result.drawn) == [0, 1, 3]
    assert [(rejection.variation, rejection.rule) for rejection in result.rejected] == [(2, "skipped")]
    assert [attempt.reason for attempt in result.attempts if attempt.variation == 2] == ["skipped"]
    assert "V2:\n" not in asking.requests[-1].messages[-1]["content"]


def test_what_the_judge_refuses_goes_back_with_its_reasons() -> None:
    asking = Asking({"judge 0": "refuses"})
    result = expand(asking, SWAP)
    assert ("inputs_judged", 1, "refused_by_judge") in steps(result)
    assert "the first example says nothing" in asking.requests[2].messages[-1]["content"]
    assert result.drawn[1].rejected == 1


def test_a_judge_who_cannot_be_read_is_asked_again_about_the_same_inputs() -> None:
    faults = {"judge 0": "in_prose", **{f"judge {number}": "verdict_in_words" for number in (2, 3, 4)}}
    asking = Asking(faults)
    result = expand(asking, SWAP, (0, 1, 2))
    assert [request.role for request in asking.requests] == ["expander", "judge", "judge"] + ["expander"] + [
        "judge"
    ] * 3
    assert [step.reason for step in result.attempts if step.variation == 1] == [None, None, "not_json", None]
    assert sorted(result.drawn) == [0, 1]
    assert [(rejection.variation, rejection.rule) for rejection in result.rejected] == [(2, "unjudged")]


def test_after_all_retries_the_variation_is_missing_for_the_last_reason() -> None:
    faults = {"expander 0": "in_prose", "expander 1": "few", "expander 2": "raises"}
    result = expand(Asking(faults), SWAP, (0, 1, 2))
    assert [(rejection.variation, rejection.rule) for rejection in result.rejected] == [(1, "raised")]
    assert sorted(result.drawn) == [0, 2]


def test_an_output_that_is_too_large_to_be_shown_is_refused() -> None:
    code = SWAP.code.replace("return tokens", "return [token for token in tokens for _ in range(30)]", 1)
    code = code.replace("return transform_grid(grid)", "return transform_grid(grid[::30])[::30]")
    result = expand(Asking(), replace(SWAP, code=code), (0, 1, 7), retries=0)
    assert [(rejection.variation, rejection.rule) for rejection in result.rejected] == [(7, "bad_shape")]
    assert sorted(result.drawn) == [0, 1]


def test_an_endpoint_that_refuses_the_request_is_not_asked_the_same_again() -> None:
    refuse: Damage = lambda _text: Reply("", "rejected", error="no such model")  # noqa: E731
    damages = {f"expander {number}": refuse for number in range(2)}  # with a schema, and without
    result = expand(Asking(damages=damages), SWAP)
    assert [(rejection.variation, rejection.rule) for rejection in result.rejected] == [(1, "rejected")]
    assert steps(result) == [("inputs", 1, "rejected")]


def test_a_call_without_an_answer_ends_the_work() -> None:
    fail: Damage = lambda _text: Reply("", "unavailable", error="no connection")  # noqa: E731
    with pytest.raises(EndpointFailed, match="no connection"):
        expand(Asking(damages={"judge 0": fail}), SWAP)


def test_inputs_of_an_earlier_edition_are_refused_and_a_seed_of_one_is_not_expanded() -> None:
    before = expand(Asking(), SWAP)
    seed, first = (instance_id(drawn.puzzle).removeprefix(f"{PREFIX}_") for drawn in before.drawn.values())
    result = expand(Asking(), SWAP, issued=frozenset([first]))
    assert steps(result)[1] == ("inputs_run", 1, "not_new")
    assert sorted(result.drawn) == [0, 1]
    asking = Asking()
    result = expand(asking, SWAP, issued=frozenset([seed]))
    assert [(rejection.variation, rejection.rule) for rejection in result.rejected] == [(0, "not_new")]
    assert (result.drawn, asking.requests) == ({}, [])

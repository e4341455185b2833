"""The estimate of the expander's and the judge's calls, against the calls that were made."""

from typing import Any

import pytest

from perennial.flows.a2rbench.stages import estimate_expansions
from perennial.schemas.a2rbench.things import A2RBenchPlan, RuleAuthoringPlan
from perennial.schemas.model_calls import Price
from tests.a2rbench.authored_rules import SWAP
from tests.a2rbench.expansion.expanding import Asking, expand


def plan(authors: tuple[str, ...], expander: str = "", variations: int = 9) -> A2RBenchPlan:
    names = [expander] if expander else [name for name in authors if name != "catalogue"]
    params: dict[str, dict[str, dict[str, Any]]] = {
        "expander": {name: {"max_tokens": 100} for name in names},
        "judge": {"j": {}},
    }
    return A2RBenchPlan(
        4, variations, True, "", "none", RuleAuthoringPlan(authors, "j", expander, 3, 2, params)
    )


def test_each_expander_and_the_judge_have_a_call_a_variation_or_one_with_all_retries() -> None:
    # Two of four seeds of each of six cells are of models, one each.
    found = estimate_expansions(plan(("catalogue", "a", "catalogue", "b")), {"a": Price(1.0, 2.0)})
    assert [(each.model, each.calls_low, each.calls_high) for each in found] == [
        ("a", 54, 162),
        ("b", 54, 162),
        ("j", 108, 972),
    ]
    assert [each.cost_low_usd is None for each in found] == [False, True, True]
    first = found[0]
    assert first.cost_low_usd == (first.prompt_tokens + 2 * first.completion_tokens) / 1e6
    assert (first.completion_tokens, first.completion_tokens_high) == (54 * 100, 162 * 100)
    (only, judge) = estimate_expansions(plan(("a", "b"), "e"), {})
    assert (only.model, only.calls_low, judge.calls_low) == ("e", 216, 216)


def test_there_is_none_without_models_or_without_variations() -> None:
    assert estimate_expansions(plan(("catalogue",)), {}) == []
    assert estimate_expansions(plan(("a",), variations=0), {}) == []


@pytest.mark.slow
def test_its_bounds_hold_where_all_goes_well_and_where_all_goes_wrong() -> None:
    (a, judge) = estimate_expansions(plan(("a",), variations=1), {})
    asking = Asking()
    expand(asking, SWAP)
    seeds = 4 * 6
    roles = [request.role for request in asking.requests]
    assert (roles.count("expander"), roles.count("judge")) == (a.calls_low / seeds, judge.calls_low / seeds)
    # The judge is read the third time, and refuses, of each of three choices of inputs.
    faults = {f"judge {number}": "refuses" if number % 3 == 2 else "in_prose" for number in range(9)}
    asking = Asking(faults)
    assert len(expand(asking, SWAP).drawn) == 1
    roles = [request.role for request in asking.requests]
    assert (roles.count("expander"), roles.count("judge")) == (a.calls_high / seeds, judge.calls_high / seeds)

"""Before and after rules are written: estimates, twins in a cell, a weak sandbox."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from perennial.flows.a2rbench import implementation
from perennial.flows.a2rbench.stages import estimate_authors, write_all
from perennial.flows.benchmark import find_benchmark
from perennial.schemas.a2rbench.settings import A2RBenchSettings
from perennial.schemas.a2rbench.things import A2RBenchPlan, RuleAuthoringPlan
from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import Price
from perennial.tasks.a2rbench.authored_code import EarlierCode
from perennial.tasks.a2rbench.rule_author import RuleRequest, RuleWork
from perennial.tasks.llm.structured import JsonAsker
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import find_protection
from perennial.warehouse.store.store import Store
from tests.a2rbench.authors.writing import PARAMS, ScriptedAsk
from tests.a2rbench.scripted_authors import MODEL

AUTHORING = RuleAuthoringPlan(("catalogue", MODEL), MODEL, "", 3, 2, PARAMS)


@pytest.mark.slow
def test_seeds_of_a_cell_get_rules_of_their_own() -> None:
    ask = ScriptedAsk()
    plan = replace(AUTHORING, candidates=12)
    with ThreadPoolExecutor(2) as pool:
        jail = find_protection().jail
        requests = [
            RuleRequest(1, "symbolic", n, MODEL, plan, 7, EarlierCode(), jail, pool) for n in range(3)
        ]
        works = [RuleWork(request) for request in requests]
        asyncio.run(write_all(JsonAsker(ask), works, pool))
    codes = [work.tested.rule.code for work in works if work.tested]
    assert len(set(codes)) == len(codes) == 3
    last = [row for work in works for row in work.attempts.rows if row.reason]
    assert {(row.step, row.reason) for row in last} == {("judged", "known_rule")}


def test_the_estimate_is_four_calls_a_seed_at_least_and_all_repeats_at_most() -> None:
    own = A2RBenchPlan(4, 0, False, "", "seccomp", AUTHORING)
    found = {each.stage: each for each in estimate_authors(own, {MODEL: Price(1.0, 2.0)})}
    seeds = 6 * 2
    assert [each.calls_low for each in found.values()] == [seeds, seeds, 2 * seeds]
    assert [each.calls_high for each in found.values()] == [9 * seeds, 9 * seeds, 36 * seeds]
    assert all((each.cost_low_usd or 0) < (each.cost_high_usd or 0) for each in found.values())
    assert estimate_authors(replace(own, authoring=RuleAuthoringPlan()), {}) == []


def test_on_the_weakest_sandbox_authors_are_refused_unless_it_is_accepted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    def require(*, accept_unprotected: bool) -> object:
        if not accept_unprotected:
            raise SandboxRefusal("weak_sandbox", "this machine has no seccomp")
        return find_protection()

    monkeypatch.setattr(implementation, "require_protection", require)
    settings, store = A2RBenchSettings(author=[MODEL]), Store(str(tmp_path))
    with pytest.raises(InvalidOption, match="accept-weak-sandbox"):
        find_benchmark("a2rbench").prepare(settings, store)
    accepted = find_benchmark("a2rbench").prepare(
        settings.model_copy(update={"accept_weak_sandbox": True}), store
    )
    assert {choice.model for choice in accepted.authors} == {MODEL}
    assert find_benchmark("a2rbench").prepare(A2RBenchSettings(), store).authors == ()

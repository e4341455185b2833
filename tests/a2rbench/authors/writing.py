"""Write a rule with the scripted roles in this process; calls of a role may have faults."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from perennial.schemas.a2rbench.things import RuleAuthoringPlan, RuleType
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.tasks.a2rbench.authored_code import EarlierCode
from perennial.tasks.a2rbench.catalogue import Dimension
from perennial.tasks.a2rbench.rule_author import RuleRequest, RuleWork, write_rule
from perennial.tasks.llm.structured import JsonAsker
from perennial.tasks.sandbox.tier import find_protection
from tests.a2rbench.scripted_authors import MODEL, scripts
from tests.server.script import Asked

PARAMS = {role: {MODEL: {"temperature": 0.5}} for role in ("designer", "architect", "judge", "expander")}
Damage = Callable[[Reply], Reply]


@dataclass
class ScriptedAsk:
    """Answers by role; `faults` names the fault of the nth call of a role, (role, n) from 1."""

    faults: Mapping[tuple[str, int], str] = field(default_factory=dict)
    damages: Mapping[tuple[str, int], Damage] = field(default_factory=dict)
    requests: list[ModelRequest] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    async def __call__(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        self.counts[request.role] += 1
        place = request.role, self.counts[request.role]
        asked = Asked(request.model, request.messages, request.params)
        script = next(script for script in scripts() if script.recognises(asked))
        assert script.role == request.role
        text = script.reply(asked, self.faults.get(place), derive_rng(1, request.call_id, 0))
        reply = Reply(request.call_id, "ok", text)
        return self.damages[place](reply) if place in self.damages else reply


def write(
    ask: ScriptedAsk,
    dimension: Dimension = 1,
    type_: RuleType = "symbolic",
    *,
    candidates: int = 2,
    retries: int = 1,
    known: EarlierCode | None = None,
) -> RuleWork:
    """Return the work on seed 0 of a cell when it is over."""
    plan = RuleAuthoringPlan((MODEL,), MODEL, "", candidates, retries, PARAMS)
    with ThreadPoolExecutor(2) as pool:
        jail = find_protection().jail
        work = RuleWork(RuleRequest(dimension, type_, 0, MODEL, plan, 7, known or EarlierCode(), jail, pool))
        asyncio.run(write_rule(JsonAsker(ask), work))
    return work


def steps(work: RuleWork) -> list[tuple[int, str, str | None]]:
    """Return candidate, step and reason of each attempt."""
    return [(row.candidate, row.step, row.reason) for row in work.attempts.rows]

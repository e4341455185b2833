"""Expand rules in memory: the scripted roles answer, well or badly as a test wants it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import ModelChoice, ModelRequest, Reply
from perennial.tasks.a2rbench.expansion import Expansion, ExpansionRequest, expand_rule
from perennial.tasks.a2rbench.growing import SeedRequest
from perennial.tasks.a2rbench.items import AuthoredRule
from perennial.tasks.llm.structured import JsonAsker
from perennial.tasks.sandbox.tier import find_protection
from tests.a2rbench.authored_rules import GRIDS, LINES
from tests.a2rbench.scripted_expander import scripts
from tests.server.script import Asked

EXPANDER = ModelChoice("m-expander", {"temperature": 0.5})
JUDGE = ModelChoice("m-judge", {"temperature": 0.1})
Damage = Callable[[str], Reply | str]


@dataclass
class Asking:
    """Answers the calls of a role, numbered from 0, with a fault or a damage where one is given.

    Names of faults and damages begin with the role's: `expander 0`.
    """

    faults: dict[str, str] = field(default_factory=dict)
    damages: dict[str, Damage] = field(default_factory=dict)
    requests: list[ModelRequest] = field(default_factory=list)

    async def __call__(self, request: ModelRequest) -> Reply:
        place = f"{request.role} {sum(each.role == request.role for each in self.requests)}"
        self.requests.append(request)
        asked = Asked(request.model, request.messages, request.params)
        (script,) = (script for script in scripts() if script.recognises(asked))
        assert script.role == request.role
        text = script.reply(asked, self.faults.get(place), derive_rng(1, request.call_id, 0))
        reply = self.damages.get(place, str)(text)
        if isinstance(reply, Reply):
            return Reply(request.call_id, reply.status, reply.content, error=reply.error)
        return Reply(request.call_id, "ok", reply)


def expand(
    asking: Asking,
    rule: AuthoredRule,
    variations: Sequence[int] = (0, 1),
    retries: int = 2,
    issued: frozenset[str] = frozenset(),
) -> Expansion:
    """Return the expansion of a rule."""
    jail = find_protection().jail
    seed = SeedRequest(rule, 0, variations, True, 3, jail, issued)
    inputs = LINES if rule.dimension == 1 else GRIDS
    request = ExpansionRequest(seed, inputs, EXPANDER, JUDGE, retries)

    async def run() -> Expansion:
        return await expand_rule(JsonAsker(asking), request, asyncio.Semaphore(2))

    return asyncio.run(run())


def steps(expansion: Expansion) -> list[tuple[str, int, str | None]]:
    """Return step, attempt and reason of every attempt."""
    return [(each.step, each.attempt, each.reason) for each in expansion.attempts]

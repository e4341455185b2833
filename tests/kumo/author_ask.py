"""A model client for authors, in memory: the scripted roles answer, well or badly as a test wants it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import Proposal, SeedConfig
from perennial.schemas.model_calls import CallStatus, ModelChoice, ModelRequest, Reply
from perennial.tasks.kumo.authors.configurations import Configured, configure_domain
from perennial.tasks.kumo.authors.proposal import Proposed
from tests.server.roles import configurer, proposer
from tests.server.script import Asked

MODEL = ModelChoice("author-1", {"temperature": 0.5})
PROPOSAL = Proposal(
    name="Lichens of Old Walls",
    category="Nature",
    goal="Find out which lichen covers the churchyard stones.",
    truths="lichens that grow on stone",
    actions="field tests and measurements",
    truth_noun="lichen",
    action_noun="test",
    book_title="The Stone Garden",
    call_id="call_of_the_proposal",
)
Damage = Callable[[str], Reply | str]

_SCRIPTS = (proposer.SCRIPT, configurer.SCRIPT)


@dataclass
class AuthorAsk:
    """Calls are numbered from 0. `faults` are the roles' own; a damage takes what the role said."""

    faults: dict[int, str] = field(default_factory=dict)
    damages: dict[int, Damage] = field(default_factory=dict)
    has_schemas: bool = True
    requests: list[ModelRequest] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    async def __call__(self, request: ModelRequest) -> Reply:
        number = len(self.requests)
        self.requests.append(request)
        reply = self._reply(request, number)
        self.replies.append(reply)
        return reply

    def _reply(self, request: ModelRequest, number: int) -> Reply:
        if not self.has_schemas and "response_format" in request.params:
            return Reply(request.call_id, "rejected", error="HTTP 400: response_format is not supported")
        asked = Asked(request.model, request.messages, request.params)
        script = next(script for script in _SCRIPTS if script.recognises(asked))
        text = script.reply(asked, self.faults.get(number), derive_rng(1, request.call_id, 0))
        damaged = self.damages.get(number, str)(text)
        if isinstance(damaged, str):
            return Reply(request.call_id, "ok", damaged)
        return Reply(request.call_id, damaged.status, damaged.content, error=damaged.error)


def status(name: CallStatus, content: str = "", error: str | None = None) -> Damage:
    """Give this status and content in place of what the role says."""
    return lambda text: Reply("", name, content, error=error)


def cut(share: float, name: CallStatus = "truncated") -> Damage:
    """Give the first share of what the role says."""
    return lambda text: Reply("", name, text[: int(len(text) * share)])


def configure(ask: AuthorAsk, **options: Any) -> Configured:
    return asyncio.run(configure_domain(ask, MODEL, PROPOSAL, **options))


def whole_config() -> SeedConfig:
    config = configure(AuthorAsk()).config
    assert config is not None
    return config


def rules(result: Configured | Proposed) -> list[str]:
    return [rejection.rule for rejection in result.rejections]

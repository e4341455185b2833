"""A role that plays by the true facts of chemistry alone, whatever its book says."""

import random
from functools import lru_cache

from perennial.flows.kumo.planning.domain_choice import load_bundled
from perennial.tasks.kumo.players import read_lists
from tests.server.roles.player import Case, PlayerScript, State, play_on
from tests.server.script import Asked


class KnowingScript(PlayerScript):
    """Eliminates by what it knows of the names."""

    def reply(self, asked: Asked, fault: str | None, rng: random.Random) -> str:
        return play_on(_recall_case(asked.messages[-1]["content"]), asked, fault, rng)


@lru_cache(maxsize=256)
def _recall_case(last: str) -> Case:
    truths, actions = read_lists(last)
    facts = {outcome.action: outcome for outcome in load_bundled("chemical_analysis").outcomes}
    states = [
        [
            State(state.label, state.low, state.high, False, _mask(truths, state.rules_out))
            for state in facts[action].states
        ]
        for action in actions
    ]
    return Case(truths, actions, states, [[state.mask for state in listed] for listed in states])


def _mask(truths: list[str], rules_out: tuple[str, ...]) -> int:
    return sum(1 << place for place, truth in enumerate(truths) if truth in rules_out)


def scripts() -> tuple[KnowingScript, ...]:
    """Return the roles of the scripted server."""
    return (KnowingScript(),)

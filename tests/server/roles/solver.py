"""The role of a solver of benchmarks that ask once: it solves the question, whichever of them asks."""

import random
from functools import lru_cache

from tests.server.script import Asked


class SolverScript:
    """Answers right what it can read as a question of BeyondBench, KnowLogic or A2RBench."""

    role = "solver"
    faults: tuple[str, ...] = ()

    def recognises(self, asked: Asked) -> bool:
        try:
            return bool(_solve(asked.messages[-1]["content"]))
        except (AssertionError, ValueError, LookupError):
            return False

    def reply(self, asked: Asked, _fault: str | None, _rng: random.Random) -> str:
        return _solve(asked.messages[-1]["content"])


@lru_cache(maxsize=1024)
def _solve(question: str) -> str:
    # Late: most servers of tests are asked nothing of the kind.
    from tests.profiles.scripted_models import solve_question

    return solve_question(question)[2]


SCRIPT = SolverScript()

"""The best play where outcomes are reported with a known reliability, by the exact probabilities."""

from collections.abc import Sequence

from schemas.kumo.things import Step
from tasks.kumo.players.seat import answer
from tasks.kumo.reliability.case import Reports
from tasks.kumo.reliability.stated import state_probability


class ReasonerPlayer:
    """Tests and answers as the best play does, and says how probable its answer is."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports

    def reply(self, steps: Sequence[Step]) -> str:
        """Return the next move, as an answer between tags; a truth with its probability."""
        # Imported here: numpy costs 100 ms, which other players should not pay.
        from tasks.kumo.reliability.belief import believe, plan_best_play

        case, told = self._reports.case, self._reports.told
        seen = self._reports.seen(steps)
        action, truth = plan_best_play(case).choose(seen)
        if action >= 0:
            return answer(told.actions[action])
        return answer(told.truths[truth]) + state_probability(believe(case, seen)[truth])

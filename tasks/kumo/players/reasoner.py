"""The best play where outcomes are reported with a known reliability, by the exact probabilities."""

from collections.abc import Sequence

from perennial.schemas.kumo.things import Step
from perennial.tasks.kumo.players.seat import Seat, answer
from perennial.tasks.kumo.reliability.case import Case, states_seen
from perennial.tasks.kumo.reliability.stated import state_probability


class ReasonerPlayer:
    """Tests and answers as the best play does, and says how probable its answer is."""

    def __init__(self, seat: Seat, case: Case) -> None:
        self._seat = seat
        self._case = case

    def reply(self, steps: Sequence[Step]) -> str:
        """Return the next move, as an answer between tags; a truth with its probability."""
        # Imported here: numpy costs 100 ms, which other players should not pay.
        from perennial.tasks.kumo.reliability.belief import believe, plan_best_play

        seen = states_seen(self._seat.actions, steps)
        action, truth = plan_best_play(self._case).choose(seen)
        if action >= 0:
            return answer(self._seat.actions[action])
        return answer(self._seat.truths[truth]) + state_probability(believe(self._case, seen)[truth])

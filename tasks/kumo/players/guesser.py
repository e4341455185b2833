"""The guesser: an answer without any test, by the rules alone. Its rate is the floor of an edition."""

from collections.abc import Sequence

from perennial.schemas.kumo.things import Step
from perennial.tasks.kumo.guessing import count_striking_states
from perennial.tasks.kumo.players.seat import Seat, answer


class GuesserPlayer:
    """Names the truth that the fewest outcome states rule out, the first listed one of equals.

    Balanced instances leave it at chance; those of the paper's sampler do not.
    """

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def reply(self, steps: Sequence[Step]) -> str:
        """Return the guess, as an answer between tags."""
        struck = count_striking_states(self._seat.masks, len(self._seat.truths))
        return answer(self._seat.truths[struck.index(min(struck))])

"""Count of elements within a list that are greater than both neighbours (F.6.3 of the paper)."""

from itertools import pairwise

from tasks.beyondbench.easy.list_task import list_task
from tasks.beyondbench.easy.lists import Values, guess_count


def _count_peaks(values: Values) -> int:
    triples = zip(values, values[1:], values[2:], strict=False)
    return sum(before < value > after for before, value, after in triples)


def _count_turns(values: Values) -> int:
    """Return how often a step up is followed by a step down."""
    steps = [after - before for before, after in pairwise(values)]
    return sum(step > 0 > following for step, following in pairwise(steps))


TASK = list_task(__name__, "how many local maxima a list has", _count_peaks, _count_turns, guess=guess_count)

"""No parser of replies takes more than half a second of CPU for a megabyte, whatever it holds.

`python -m tests.benchmarks.parsing 1000000` prints the costliest texts for each.
"""

import pytest

from tests.hostile_replies import UNITS, hostile_replies
from tests.large_documents import large_documents
from tests.parsing_time import MOST_SECONDS, measure
from tests.reply_parsers import beyondbench_parsers, other_parsers, parsers

# Of a text of this length a parser whose time grows with the square of it needs far more than it may.
SHORT = 30_000
MEGABYTE = 1_000_000
# A text of a tenth that is read in a hundredth of the time is read in time though the square of it counted.
# So is one that is read in a twentieth, and in no more than six times what a quarter of it takes (16 by the
# square).
TENTH = MEGABYTE // 10
MOST_GROWTH = 6
# The same few functions read all of BeyondBench's forms of answers: each gets every sixth text, in turns.
# What hides keys in a reply searches for the same patterns in each: it gets every sixth, too.
TURNS = 6


@pytest.mark.parametrize("name", other_parsers())
def test_a_short_text_takes_no_longer_than_a_megabyte_may(name: str) -> None:
    parse = other_parsers()[name]
    for unit in UNITS[::9]:
        text = unit * (SHORT // len(unit))
        assert measure(parse, text) <= MOST_SECONDS, repr(unit)


@pytest.mark.slow
@pytest.mark.parametrize("name", parsers())
def test_a_megabyte_takes_half_a_second_of_cpu_at_most(name: str) -> None:
    parse = parsers()[name]
    forms = [*beyondbench_parsers(), "keys in a reply"]
    turn = forms.index(name) % TURNS if name in forms else None
    slow = []
    for texts in (large_documents, lambda size: hostile_replies(size, is_short=True)):
        sizes = (TENTH // 4, TENTH, MEGABYTE)
        for number, by_size in enumerate(zip(*map(texts, sizes), strict=True)):
            if turn is not None and number % TURNS != turn:
                continue
            (_, quarter), (kind, tenth), (_, whole) = by_size
            seconds = measure(parse, tenth)
            if seconds <= MOST_SECONDS / 100:
                continue
            is_linear = seconds <= MOST_GROWTH * measure(parse, quarter)
            if not (is_linear and seconds <= MOST_SECONDS / 20) and measure(parse, whole) > MOST_SECONDS:
                slow.append(kind)
    assert slow == []

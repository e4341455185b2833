"""No parser of replies takes more than half a second of CPU for a megabyte, whatever it holds."""

from itertools import islice

import pytest

from tests.hostile_replies import UNITS, hostile_replies
from tests.large_documents import large_documents
from tests.parsing_time import MOST_SECONDS, measure
from tests.reply_parsers import other_parsers, parsers

# Of a text of this length a parser whose time grows with the square of it needs far more than it may.
SHORT = 30_000
MEGABYTE = 1_000_000
# A text of a twentieth that is read in a 400th of the time is read in time though the square of it counted.
# So is one that is read in a 29th, and in no more than five times what a quarter of it takes (16 by the
# square). All others are measured whole.
PART = 20
MOST_GROWTH = 5
# Parsers share most of what they call: each gets every 24th text, in turns, and three of them get each text.
TURNS = 24


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
    turn = list(parsers()).index(name) % TURNS
    slow = []
    for texts in (large_documents, hostile_replies):
        sizes = (MEGABYTE // PART // 4, MEGABYTE // PART)
        for number, ((_, make_quarter), (kind, make_part)) in enumerate(zip(*map(texts, sizes), strict=True)):
            if number % TURNS != turn:
                continue
            seconds = measure(parse, make_part())
            if seconds <= MOST_SECONDS / PART**2:
                continue
            is_linear = seconds <= MOST_GROWTH * measure(parse, make_quarter())
            if is_linear and seconds <= 0.7 * MOST_SECONDS / PART:
                continue
            _, make_whole = next(islice(texts(MEGABYTE), number, None))
            if measure(parse, make_whole()) > MOST_SECONDS:
                slow.append(kind)
    assert slow == []

"""No parser of replies takes more than half a second of CPU for a megabyte, whatever it holds."""

from collections.abc import Callable, Iterable
from itertools import islice
from operator import itemgetter

import pytest

from tests.hostile_replies import UNITS, hostile_replies
from tests.large_documents import large_documents
from tests.parsing_time import MOST_SECONDS, measure
from tests.reply_parsers import other_parsers, parsers

# Of a text of this length a parser whose time grows with the square of it needs far more than it may.
SHORT = 30_000
MEGABYTE = 1_000_000
# A text of a 40th that is read in a 1600th of the time is read in time though the square of it counted. One
# that takes more than five times what a quarter of it takes (16 by the square) is measured whole; of the
# others, whose time grows linearly, a quarter of the two that take longest, in a quarter of the time.
PART = 40
MOST_GROWTH = 5
# Parsers share most of what they call: each gets every 36th text, in turns, and two of them get each text.
TURNS = 36
Texts = Callable[[int], Iterable[tuple[str, Callable[[], str]]]]


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
    growing: list[tuple[str, Texts, int, int]] = []
    linear: list[tuple[float, str, Texts, int, int]] = []
    kinds: tuple[Texts, ...] = (large_documents, hostile_replies)
    for texts in kinds:
        sizes = (MEGABYTE // PART // 4, MEGABYTE // PART)
        for number, ((_, make_quarter), (kind, make_part)) in enumerate(zip(*map(texts, sizes), strict=True)):
            if number % TURNS != turn:
                continue
            seconds = measure(parse, make_part())
            if seconds <= MOST_SECONDS / PART**2:
                continue
            if seconds > MOST_GROWTH * measure(parse, make_quarter()):
                growing.append((kind, texts, number, 1))
            else:
                linear.append((seconds, kind, texts, number, 4))
    longest = sorted(linear, key=itemgetter(0))[-2:]
    slow = []
    for kind, texts, number, share in (*growing, *(entry[1:] for entry in longest)):
        _, make_text = next(islice(texts(MEGABYTE // share), number, None))
        if measure(parse, make_text(), MOST_SECONDS / share) > MOST_SECONDS / share:
            slow.append(kind)
    assert slow == []

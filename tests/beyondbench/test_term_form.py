"""The form of a sequence's next term: integers and decimals, in any notation that a model writes."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.beyondbench.forms.numbers import TermForm, value_of, write_value

FORM = TermForm()


@given(st.integers(-(10**8), 10**8))
def test_what_is_written_is_read_back_in_the_required_format(hundredths):
    answer = write_value(Fraction(hundredths, 100))
    assert value_of(answer) == Fraction(hundredths, 100)
    assert isinstance(answer, int) == (hundredths % 100 == 0)
    assert FORM.read(FORM.write(answer)) == answer
    assert FORM.careless(answer) != answer
    assert value_of(FORM.careless(answer)) == Fraction(hundredths, 100) + 1
    changed = [other for _, other in FORM.mutations(answer, random.Random(1))]
    assert len({str(other) for other in changed}) >= 20
    assert all(value_of(other) is not None for other in changed)


@pytest.mark.parametrize("answer", ["-0", "1.50", "1.", ".5", "1e3", 1.5, True, None])
def test_other_notations_are_no_answers(answer):
    assert value_of(answer) is None

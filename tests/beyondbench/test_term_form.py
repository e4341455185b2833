"""The form of a sequence's next term: integers and decimals, in any notation that a model writes."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.beyondbench.forms.numbers import TermForm, value_of, write_value
from perennial.tasks.beyondbench.parse import parse_reply

FORM = TermForm()


@pytest.mark.parametrize(
    ("reply", "answer", "level"),
    [
        (r"\boxed{162}", 162, 1),
        (r"\boxed{-3.75}", "-3.75", 1),
        (r"\boxed{3.50}", "3.5", 1),
        (r"\boxed{12.00}", 12, 1),
        (r"\boxed{1} or rather \boxed{2.5}", "2.5", 1),
        (r"\boxed{1,234.5}", "1234.5", 2),
        (r"\boxed{1{,}234}", 1234, 2),
        (r"\boxed{\frac{15}{4}}", "3.75", 2),
        (r"\boxed{-15/4}", "-3.75", 2),
        (r"\boxed{a_7 = 3.5}", "3.5", 2),
        (r"\boxed{\text{3.5}}", "3.5", 2),
        (r"\boxed{$3.125$}", "3.125", 2),
        ("**The answer is 3.5.**", "3.5", 2),
        ("<answer>3.5</answer>", "3.5", 2),
        ("```\n3.5\n```", "3.5", 2),
        ("The terms go 1.5, 2.5 and 3.5", "3.5", 4),
        ("no number", None, 0),
        (r"\boxed{1/0}", None, 0),
    ],
)
def test_replies(reply, answer, level):
    parsed = parse_reply(reply, FORM)
    assert (parsed.answer, parsed.level) == (answer, level)


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

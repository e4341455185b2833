"""The kinds of Easy answers: their form, and how they are graded (Table 8 of the paper)."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.forms.lists.integer_list import IntegerListForm
from perennial.tasks.beyondbench.forms.lists.integer_set import IntegerSetForm
from perennial.tasks.beyondbench.forms.numbers.decimal import DecimalForm
from perennial.tasks.beyondbench.forms.numbers.integer import IntegerForm
from perennial.tasks.beyondbench.forms.relation import RelationForm
from perennial.tasks.beyondbench.task import RIGHT


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answers.

    `grade(value, answer)` returns "" for a right answer, else a detail code; `as_answer` makes a value one.
    """

    form: Form
    grade: Callable[[Any, Answer], str]
    as_answer: Callable[[Any], Answer]


def is_integer(answer: Answer) -> bool:
    """Whether the answer is an integer; True and 1.0 are none."""
    return type(answer) is int


def _grade_integer(value: int, answer: Answer) -> str:
    if not is_integer(answer):
        return "not_an_integer"
    return RIGHT if answer == value else "wrong_number"


def _grade_list(value: list[int], answer: Answer) -> str:
    if not isinstance(answer, list | tuple) or not all(map(is_integer, answer)):
        return "not_a_list_of_integers"
    if len(answer) != len(value):
        return "wrong_length"
    if Counter(answer) != Counter(value):
        return "wrong_elements"
    return RIGHT if list(answer) == list(value) else "wrong_order"


def _grade_set(value: list[int], answer: Answer) -> str:
    if not isinstance(answer, list | tuple) or not all(map(is_integer, answer)):
        return "not_a_list_of_integers"
    if len(set(answer)) != len(answer):
        return "repeated"
    if set(answer) == set(value):
        return RIGHT
    return "incomplete" if set(answer) < set(value) else "wrong_elements"


def _grade_relation(value: str, answer: Answer) -> str:
    return RIGHT if type(answer) is str and answer == value else "wrong_relation"


def decimal(tolerance: Fraction) -> Kind:
    """Return the kind of numbers that are right within a tolerance, compared exactly."""

    def grade(value: Fraction, answer: Answer) -> str:
        if not is_integer(answer) and not (type(answer) is float and math.isfinite(answer)):
            return "not_a_number"
        # The shortest decimal that gives a float is what was written: 0.1 is a tenth here.
        error = abs(Fraction(repr(answer) if type(answer) is float else answer) - value)
        return RIGHT if error <= tolerance else "wrong_number"

    return Kind(DecimalForm(float(tolerance)), grade, float)


INTEGER = Kind(IntegerForm(), _grade_integer, int)
INTEGER_LIST = Kind(IntegerListForm(), _grade_list, list)
INTEGER_SET = Kind(IntegerSetForm(), _grade_set, list)
RELATION = Kind(RelationForm(), _grade_relation, str)

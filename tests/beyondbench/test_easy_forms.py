"""Forms of Easy answers: what replies hold, through the parser; writing and reading are inverse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.beyondbench.forms.lists import IntegerListForm, IntegerSetForm
from perennial.tasks.beyondbench.forms.numbers import RELATIONS, DecimalForm, RelationForm
from perennial.tasks.beyondbench.parse import parse_reply

DECIMAL, LIST, SET, RELATION = DecimalForm(1e-6), IntegerListForm(), IntegerSetForm(), RelationForm()
ALL = [DECIMAL, LIST, SET, RELATION]


def read(text, form):
    found = parse_reply(text, form)
    return found.answer, found.level


def box(text):
    return f"\\boxed{{{text}}}"


@pytest.mark.parametrize(
    ("text", "answer", "level"),
    [
        (box("3.75"), 3.75, 1),
        (box("-3"), -3.0, 1),
        (box("+0.5"), 0.5, 1),
        (box(".5"), 0.5, 2),
        (box("3."), 3.0, 2),
        (box("1,234.5"), 1234.5, 2),
        (box("−3.75"), -3.75, 2),
        (box("15/4"), 3.75, 2),
        (box("-15/4"), -3.75, 2),
        (box("\\frac{15}{4}"), 3.75, 2),
        (box("-\\dfrac{15}{4}"), -3.75, 2),
        (box("3 3/4"), 3.75, 2),
        (box("3\\frac{3}{4}"), 3.75, 2),
        (box("3.75e2"), 375.0, 2),
        (box("3.75 \\times 10^{2}"), 375.0, 2),
        (box("3.75 × 10^2"), 375.0, 2),
        (box("\\approx 3.333"), 3.333, 2),
        (box("15/4 = 3.75"), 3.75, 2),
        (box("3.333..."), 3.333, 2),
        (box("3.75\\text{ units}"), 3.75, 4),
        ("The mean is 30/8. The answer is 15/4.", 3.75, 2),
        ("The mean is **3.75** of 8 numbers", 3.75, 3),
        ("30 by 8 makes 15/4", 3.75, 4),
        ("it makes -3.75", -3.75, 4),
        # no decimal comma, no division by zero, nothing infinite
        (box("3,75"), None, 0),
        (box("1.234,5"), None, 0),
        (box("1/0"), None, 0),
        (box("1e999"), None, 0),
        (box("9" * 400 + "/1"), None, 0),
        (box("9" * 400), None, 0),
        (box("nan"), None, 0),
        (box("inf"), None, 0),
        ("it is 3,75", None, 0),
    ],
)
def test_decimals(text, answer, level):
    assert read(text, DECIMAL) == (answer, level)


@pytest.mark.parametrize(
    ("text", "answer", "level"),
    [
        (box("[-1, 2, 3]"), [-1, 2, 3], 1),
        (box("[-1,2,3]"), [-1, 2, 3], 1),
        (box("[5]"), [5], 1),
        (box("-1, 2, 3"), [-1, 2, 3], 2),
        (box("(-1, 2, 3)"), [-1, 2, 3], 2),
        (box("\\{-1, 2, 3\\}"), [-1, 2, 3], 2),
        (box("\\left[-1, 2, 3\\right]").replace("\\left[", "\\left[ "), [-1, 2, 3], 2),
        (box("−1 < 2 < 3"), [-1, 2, 3], 2),
        (box("-1 2 3"), [-1, 2, 3], 2),
        (box("-1\\quad 2\\quad 3"), [-1, 2, 3], 2),
        (box("\\text{Sorted list} = [-1, 2, 3]"), [-1, 2, 3], 2),
        ("```python\n[-1, 2, 3]\n```", [-1, 2, 3], 2),
        ("**Sorted list:** x\n\nThe answer is [-1, 2, 3].", [-1, 2, 3], 2),
        ("Result:\n-1\n2\n3", [-1, 2, 3], 2),
        ("First [3, 2, -1], at last [-1, 2, 3] (3 numbers)", [-1, 2, 3], 3),
        ("sorted this is -1, 2, 3.", [-1, 2, 3], 3),
        (box("my list [-1, 2, 3]"), [-1, 2, 3], 3),
        (box("5"), None, 0),
        (box("1.5, 2"), None, 0),
        (box("1, 2, ..."), [1, 2], 3),
        (box("[1, 2"), [1, 2], 3),
        ("only 5", None, 0),
    ],
)
def test_lists(text, answer, level):
    assert read(text, LIST) == (answer, level)


@pytest.mark.parametrize(
    ("text", "answer", "level"),
    [
        (box("5"), [5], 1),
        (box("5, -7"), [5, -7], 1),
        (box("5,-7"), [5, -7], 1),
        (box("[5, -7]"), [5, -7], 2),
        (box("\\{5, -7\\}"), [5, -7], 2),
        (box("5 \\text{ and } -7"), [5, -7], 2),
        (box("5, -7 and 9"), [5, -7, 9], 2),
        (box("5; -7"), [5, -7], 2),
        (box("\\text{mode} = 5"), [5], 2),
        ("The answer is 5 and 7.", [5, 7], 2),
        ("Answer: 5", [5], 2),
        ("5 appears 3 times, so the modes are 5 and 7", [5, 7], 2),
        ("of these (8 numbers) all agree on 5 and 7", [5, 7], 3),
        ("the mode must be 5", [5], 3),
        (box("5.5"), None, 0),
        (box("\\text{no mode}"), None, 0),
    ],
)
def test_sets(text, answer, level):
    assert read(text, SET) == (answer, level)


@pytest.mark.parametrize(
    ("text", "answer", "level"),
    [
        (box("less than"), "less than", 1),
        (box("\\text{greater than}"), "greater than", 2),
        (box("'equal to'"), "equal to", 2),
        (box("Greater than"), "greater than", 2),
        (box(">"), "greater than", 2),
        (box("="), "equal to", 2),
        (box("<"), "less than", 2),
        (box("-5 < 3"), "less than", 2),
        (box("5 > 1,000"), "greater than", 2),
        (box("Number 1 is greater than Number 2"), "greater than", 2),
        (box("smaller"), "less than", 2),
        ("The answer is: less than", "less than", 2),
        ("The relation is **greater than**.", "greater than", 3),
        ("Is it less than, equal to or greater than? Number 1 is greater than Number 2.", "greater than", 3),
        ("It is not less than Number 2, it is equal to it.", "equal to", 3),
        (box("greater than or equal to"), None, 0),
        (box("not less than"), None, 0),
        (box("≥"), None, 0),
        (box("unknown"), None, 0),
        ("less than, equal to or greater than", None, 0),
        ("It may be less than or greater than it.", None, 0),
    ],
)
def test_relations(text, answer, level):
    assert read(text, RELATION) == (answer, level)


INTEGERS = st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=30)


@given(value=st.floats(-1e9, 1e9, allow_nan=False), items=INTEGERS, relation=st.sampled_from(RELATIONS))
def test_what_a_form_writes_it_reads_at_level_1(value, items, relation):
    for form, answer in zip(ALL, (value, items, items, relation), strict=True):
        assert read(box(form.write(answer)), form) == (answer, 1)
        careless = form.careless(answer)
        assert careless != answer or form is LIST
        assert read(box(form.write(careless)), form) == (careless, 1)


@given(st.text(alphabet="0123456789 ,.;-+[](){}<>=/eabdnlsthr\n\\", max_size=60), st.sampled_from(ALL))
def test_reading_raises_nothing(text, form):
    for found in (form.read(text), form.read_loosely(text), form.find_last(text)):
        assert found is None or isinstance(found, float | list | str)

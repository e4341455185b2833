"""Forms of Easy answers: what replies hold, through the parser; writing and reading are inverse."""

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

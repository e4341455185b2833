"""Replies as models write them: what is read of each, and at which level (App. B of the paper)."""

import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.beyondbench.forms.form import GridForm
from perennial.tasks.beyondbench.forms.lists import (
    ChosenIdsForm,
    IntegerListForm,
    IntegerSetForm,
    PositionsForm,
)
from perennial.tasks.beyondbench.forms.mappings import (
    AssignmentForm,
    AssignmentTableForm,
    ColoringForm,
    LettersForm,
)
from perennial.tasks.beyondbench.forms.numbers import (
    DecimalForm,
    IntegerForm,
    NamedIntegerForm,
    RelationForm,
    TermForm,
)
from perennial.tasks.beyondbench.parse import parse_reply, strip_markup
from perennial.tasks.llm.reasoning import split_reasoning

BOXED, TAGGED = IntegerForm(), IntegerForm("answer")
BOX = "\\boxed"


FORMS = {
    "integer": BOXED,
    "tagged integer": TAGGED,
    "named integer": NamedIntegerForm(),
    "decimal": DecimalForm(1e-6),
    "term": TermForm(),
    "relation": RelationForm(),
    "integer list": IntegerListForm(),
    "integer set": IntegerSetForm(),
    "chosen ids": ChosenIdsForm(5),
    "positions": PositionsForm(4, 4),
    "grid": GridForm(4),
    "letters": LettersForm(("A", "B", "C")),
    "assignment": AssignmentForm(4),
    "coloring": ColoringForm(8),
    "table": AssignmentTableForm(
        ("Anna", "Boris", "Clara"), (("pet", ("cat", "dog", "rabbit")), ("age", ("20", "30", "40")))
    ),
}
LEVELS = ("nothing", "level_1", "level_2", "level_3", "level_4")


REPLIES = tomllib.loads(Path(__file__).with_name("replies.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_read_of_a_reply_and_at_which_level(form):
    for level, name in enumerate(LEVELS):
        for entry in REPLIES[form].get(name, []):
            text, answer = (entry, REPLIES[form]["answer"]) if isinstance(entry, str) else entry
            assert read(text, FORMS[form]) == (answer if level else None, level), text


def test_every_form_has_replies():
    assert REPLIES.keys() == FORMS.keys()


def read(text, form=BOXED):
    found = parse_reply(text, form)
    return found.answer, found.level


@pytest.mark.parametrize("form", [BOXED, TAGGED])
@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("1,234,567", 1_234_567),
        ("1{,}234{,}567", 1_234_567),
        ("1\\,234\\,567", 1_234_567),
        ("1 234 567", 1_234_567),
        ("1\u202f234\u202f567", 1_234_567),
        ("1_234_567", 1_234_567),
        ("−42", -42),
        ("–42", -42),
        ("-1,234.00", -1_234),
        ("x = −42", -42),
    ],
)
def test_separators_of_thousands_and_signs(form, number, value):
    inside = f"{BOX}{{{number}}}" if form is BOXED else f"<answer>{number}</answer>"
    assert read(inside, form) == (value, 2)
    assert read(f"The answer is {number}.", form) == (value, 2)


def test_tagged_answers_are_read_the_same_way():
    assert read("<answer>5</answer>", TAGGED) == (5, 1)
    assert read("<answer>\n 5 \n</answer> of 8", TAGGED) == (5, 1)
    assert read("<answer>4</answer><answer>5</answer>", TAGGED) == (5, 1)
    assert read("put it in <answer> tags: <answer>5</answer>", TAGGED) == (5, 1)
    assert read("<answer>5</answer> and <answer>", TAGGED) == (5, 1)
    assert read("<answer>\\boxed{5}</answer>", TAGGED) == (5, 2)
    assert read("<answer>```json\n5\n```</answer>", TAGGED) == (5, 2)
    assert read("<answer>The answer is 5.</answer>", TAGGED) == (5, 2)
    assert read("<answer>after 8: 5</answer> 9", TAGGED) == (None, 0)
    assert read("\\boxed{5}", TAGGED) == (5, 2)
    assert read("<answer>5", TAGGED) == (5, 2)
    assert read("<final_answer>5</final_answer>", TAGGED) == (5, 1)


def test_what_a_container_holds_is_meant_whatever_stands_around_it():
    assert read("The answer is 7. \\boxed{\\text{unknown}} The answer is 8.") == (None, 0)
    assert read("\\boxed{5} The answer is 8.") == (5, 1)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**a**", "a"),
        ("\\text{a} and \\mathbf{\\text{b}}", "a and b"),
        ("\\{1, 2\\}", "{1, 2}"),
        ('{"1": True}', '{"1": True}'),
        ("\\frac{3}{4}", "3/4"),
        ("-\\dfrac{3}{4}", "-3/4"),
        ("2\\frac{3}{4}", "2 3/4"),
        ("'less than'", "less than"),
        ("'a': 'b'", "'a': 'b'"),
        ("“a”", "a"),
        ("1, 2, 3.", "1, 2, 3"),
        ("1, 2, ...", "1, 2, .."),
        ("1\\quad 2\\ 3", "1  2 3"),
        ("a<br>", "a"),
        ("5<|eot_id|>", "5"),
        ("\\(5\\)", "5"),
        ("*", ""),
    ],
)
def test_markup_is_stripped(text, plain):
    assert strip_markup(text) == plain


# What takes quadratic time, so minutes, with expressions that backtrack or content that is copied each time.
PIECES = r"""<think> </think> <think></think> <answer> </answer> <answer>1 <answer>1</answer> \boxed{ \boxed{}
\boxed{1
\boxed boxed } { \ \text{ \frac{1}{ ``` ` ```a~ answer~ answer_ answer_is_ so_ so_is_ ** **a $ $a \[ \[a \(
1 1, 1. 1/ - 1e _ ~ = x= ' ≥ <|channel|> is :"""
PIECES = [piece.replace("_", " ").replace("~", "\n") for piece in PIECES.split()]


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["\\boxed{", "<answer>", "<think>", "answer is ", "a"])
def test_the_answer_after_1_mb_of_anything_is_read(piece):
    junk = piece * (1_000_000 // len(piece))
    assert read(split_reasoning(f"{junk}</think>{BOX}{{5}}")[0]) == (5, 1)
    assert read(split_reasoning(f"{junk}</think><answer>5</answer>")[0], TAGGED) == (5, 1)


def count_lines(call):
    """Return how many lines of Python `call` executes: no clock is needed."""
    lines = 0

    def trace(_frame, event, _arg):
        nonlocal lines
        lines += event == "line"
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    return lines


@pytest.mark.parametrize(
    "piece", ["\\boxed{", "\\boxed{}", "<answer>", "<answer>1</answer>", "<think></think>"]
)
def test_steps_grow_linearly_with_the_reply(piece):
    short, long = (count_lines(lambda n=n: parse_reply(piece * n + "}" * n, BOXED)) for n in (500, 4_000))
    assert long < 12 * short


@given(st.text(alphabet=st.sampled_from("0123456789 ,.-{}\\$*`\n<>/=abox"), max_size=200), st.integers())
def test_whatever_stands_before_the_last_box_is_what_it_is(junk, value):
    assert read(f"{junk}\n{BOX}{{{value}}}") == (value, 1)


@given(
    st.lists(st.sampled_from([*PIECES, "5", "answer", "\\boxed{5}", "<answer>5</answer>"]), max_size=30),
    st.sampled_from([BOXED, TAGGED]),
)
def test_any_mixture_of_marks_is_read_or_refused_without_an_error(pieces, form):
    found = parse_reply("".join(pieces), form)
    assert (found.answer is None) == (found.level == 0)
    assert found.answer is None or type(found.answer) is int

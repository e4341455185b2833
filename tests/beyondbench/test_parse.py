"""Replies as models write them: what is read of each, and at which level (App. B of the paper)."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.tasks.beyondbench.forms.numbers import IntegerForm
from perennial.tasks.beyondbench.parse import NOTHING, parse_reply, strip_markup
from perennial.tasks.llm.reasoning import split_reasoning

BOXED, TAGGED = IntegerForm(), IntegerForm("answer")
BOX = "\\boxed"


def read(text, form=BOXED):
    found = parse_reply(text, form)
    return found.answer, found.level


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{5}",
        "The sum of the numbers 1 and 4 is $\\boxed{5}$.",
        "**\\boxed{5}**",
        "\\[\n\\boxed{ 5 }\n\\]\nThere were 8 numbers.",
        "\\boxed {+5}",
        "First \\boxed{3}; no, \\boxed{4}; so \\boxed{5}. All 8 are used.",
        "```latex\n\\boxed{5}\n```",
        "```\n\\boxed{5}",
        "\\boxed{\\boxed{5}}",
        "{ unbalanced \\boxed{5}",
        "} unbalanced \\boxed{5} }}",
        "Give it as \\boxed{answer}. \\boxed{5} (as \\boxed{answer} demands)",
        "\\boxed{} hm, \\boxed{5}",
        "\\boxed{5} \\boxed{}",
        "\\boxed{5} \\boxed{...}",
        "<answer>4</answer> \\boxed{5}",
        "Answer: 4 \\boxed{5}",
    ],
)
def test_level_1_the_last_box_with_exactly_the_required_format(text):
    assert read(text) == (5, 1)


@pytest.mark.parametrize(
    "text",
    [
        # another notation in the box
        "\\boxed{\\text{5}}",
        "\\boxed{\\mathbf{\\text{5}}}",
        "\\boxed{$5$}",
        "\\boxed{**5**}",
        "\\boxed{`5`}",
        "\\boxed{x = 5}",
        "\\boxed{5.0}",
        "\\boxed{5.}",
        '\\boxed{"5"}',
        "\\boxed{\\,5\\;}",
        "\\boxed{```\n5\n```}",
        "\\boxed{5} is right and \\boxed{\\text{not known}} is not",
        # a box that is none, or not whole
        "\\boxed 5",
        "\\boxed\\{5\\}",
        "\\fbox{5}",
        "boxed{5}",
        "so $boxed{5}$",
        "\boxed{5}",
        "\\\\boxed{5}",
        "\\boxed{5",
        # the other container
        "<answer>5</answer>",
        "<answer>4</answer> no, <answer>\n5\n</answer>",
        "<ANSWER>5</ANSWER> of 8",
        "<final_answer>5</final_answer>",
        "<answer>5",
        "I put it in <answer> tags. <answer>5</answer>",
        # phrases
        "The answer is 5",
        "The answer is 5.",
        "the final answer is: $5$.",
        "**Answer:** 5",
        "**Answer**: 5",
        "**Answer: 5**",
        "### Final Answer\n\n5",
        "**Final Answer**\n5\n",
        "Final Answer: x = 5",
        "Answer:\n\n5",
        "Answer:\n\\[\n5\n\\]",
        "The answer is therefore 5",
        "The answer to this question is exactly **5**.",
        "The result of this sum = 5",
        "Result: 2 + 3 = 5",
        "The answer is 5 because there are 8 numbers.",
        "The answer is 5. I checked all 8 numbers.",
        "The answer is 5 (8 numbers in all).",
        "The answer is 4. Wait, the answer is 5! All 8 are used",
        'Here it is: {"answer": 5}',
        "The solution: adding all 8, the answer is 5",
        "Therefore, x = 5",
        "Thus the total is 5.",
        "So the sum of these 8 numbers is **5**.",
        "Answer: 5\n\nSo the first element is 3.",
        # fences
        "```\n5\n```",
        "```text\n4\n```\nthen\n```text\n5\n```\nfor 8 numbers",
        "```\nAnswer: 5\n```",
        # empty boxes and placeholders, then prose
        "\\boxed{} The answer is 5",
        "\\boxed{answer}: the answer is 5",
        "\\boxed{\\text{your answer}} Answer: 5",
    ],
)
def test_level_2_other_notation_other_container_or_a_phrase(text):
    assert read(text) == (5, 2)


@pytest.mark.parametrize(
    "text",
    [
        "I get **5** for these 8 numbers",
        "The total comes out at $5$ after 8 additions",
        "Adding: \\[ 2 + 3 = 5 \\] for 8 numbers",
        "first **4**, then **5**, of 8 numbers, **all** used",
    ],
)
def test_level_3_the_last_emphasised_number(text):
    assert read(text) == (5, 3)


@pytest.mark.parametrize(
    "text",
    [
        "5",
        "I count 3, then 4, then 5",
        "it makes 5.",
        "a - 5",
        "(5)",
        "`8` numbers give `5`",
        "\\boxed{5 \\text{ units}}",
        "\\boxed{5\\%}",
        "\\boxed{\\text{The answer is } 5}",
        "\\boxed{\\approx 5}",
        "7 apples, 5 pears, 3rd row x2",
    ],
)
def test_level_4_the_last_number(text):
    assert read(text) == (5, 4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "I do not know.",
        "\\boxed{}",
        "\\boxed{ }",
        "\\boxed{answer}",
        "\\boxed{unknown} though there are 8",
        "<answer></answer>",
        # French and European decimals are none of the forms that prompts ask for
        "\\boxed{3,14}",
        "\\boxed{1.234,56}",
        "The answer is 3,14",
        "it is 1.234,56",
        "\\boxed{1,2,3}",
        "\\boxed{5.5}",
        "\\boxed{5/8}",
        "it is 5/8",
        "\\boxed{12,34}",
    ],
)
def test_nothing_is_read_where_nothing_of_the_form_is_meant(text):
    assert parse_reply(text, BOXED) == NOTHING


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

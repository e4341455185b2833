"""What is read of a reply: the last brackets with letters, whatever stands around them."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perennial.schemas.knowlogic.things import LETTERS
from perennial.tasks.knowlogic.answers import (
    classify_error,
    letter_sets,
    read_answer,
    read_leniently,
    write_answer,
)

READ = [
    ("[A]", "A"),
    ("【BD】", "BD"),
    ("[DB]", "BD"),
    ("[A, C]", "AC"),
    ("【A、C】", "AC"),
    ("【 a，b ； d 】", "ABD"),
    ("[AA]", "A"),
    ("[bd]", "BD"),
    ("［ＡＣ］", "AC"),
    ("[\u0410, \u0421]", "AC"),  # Cyrillic
    ("[\u0391]", "A"),  # Greek
    ("[\U0001d400\u200b,\u00a0\U0001d402]", "AC"),
    ("[A&nbsp;&amp;&nbsp;C]", "AC"),
    ("【Ａ】", "A"),
    ("[A]\n...\n[B]", "B"),
    ("[A] 【C】", "AC"),
    ("[A][C]", "AC"),
    ("[A] and [C]", "AC"),
    ("**[A]**, **[C]**", "AC"),
    ("【A】【C】", "AC"),
    ("【A】和【C】", "AC"),
    ("\\boxed{AC}", "AC"),
    ("\\boxed{A}", "A"),
    ("\\[\\boxed{A}\\]", "A"),
    ("$\\boxed{A, C}$", "AC"),
    ("[A and C]", "AC"),
    ("[Answer: AC]", "AC"),
    ("【答案：AC】", "AC"),
    ("[A. David]", "A"),
    ("[A. C]", "AC"),
    ("【A．王伟】", "A"),
    ("【A. 王伟，C. 李娜】", "AC"),
    ("【最终答案：AC】", "AC"),
    ("【正确选项：A、C】", "AC"),
    ("[Options A and C]", "AC"),
    ("[Final answer: AC]", "AC"),
    ("\\boxed{\\text{A, C}}", "AC"),
    ("\\boxed{A \\text{ and } C}", "AC"),
    ("The final answer is [A][C].\nFinal answer: [AC]", "AC"),
    ("最终答案：【A】【C】\n最终答案：【CA】", "AC"),
    ("The answer is [A].\nI was wrong. The final answer is [C].", "C"),
    ("[A. David, C. Mary]", "AC"),
    ("[C], that is [C]", "C"),
    ("[A] does not hold, so the answer is [C].", "C"),
    ("The answer is [A].\nNo: [C]", "C"),
    ("[ABC] because of [1] and [see above]", "ABC"),
    ("[[AC]]", "AC"),
    ("【[AC]】", "AC"),
    ("**[A]**", "A"),
    ("[**A**, **B**]", "AB"),
    ("$[A]$", "A"),
    ("\\[ A, B \\]", "AB"),
    ("\\[\\boxed{A}\\]\nSo the answer is [C].", "C"),
    ("<think>[A]</think> [B", "A"),
    ("[A\nB]", "AB"),
]
UNREAD = [
    "",
    "A",
    "The answer is A and C.",
    "【C】, that is [A]",
    "[A] or [C]",
    "The answer is [A] or [C].",
    "The answer is [A]. The answer is [C].",
    "\\boxed{A} or \\boxed{C}",
    "The final answer is [A].\nThe final answer is [C].",
    "**Final Answer:** [A]\n\nFinal answer: \\boxed{AC}",
    "[Final answer: A]\n[Final answer: B]",
    "最终答案：【A】\n最终答案是【C】",
    "【最终答案：A】\n\n【最终答案：B】",
    "答案是【A】。答案是【C】。",
    "【A】或【C】",
    "[not A. David]",
    "[A or C]",
    "[not A]",
    "\\boxed{7}",
    "[]",
    "[ , ]",
    "【】",
    "[E]",
    "[AE]",
    "[A】",
    "(A)",
    "[A: the first]",
    "[none]",
    "[" * 5,
    "[A" + " " * 100 + "]",
]


@pytest.mark.parametrize(("reply", "letters"), READ)
def test_letters_are_read(reply: str, letters: str) -> None:
    answer = read_answer(reply)
    assert answer is not None
    assert answer.letters == letters


@pytest.mark.parametrize("reply", UNREAD)
def test_nothing_else_is_read(reply: str) -> None:
    assert read_answer(reply) is None


def test_letters_of_another_script_are_none_where_the_reply_is_written_in_it() -> None:
    assert read_answer("\u041e\u0442\u0432\u0435\u0442: [\u0412]") is None


def test_the_brackets_are_named() -> None:
    assert [read_answer(reply).brackets for reply in ("[A]", "【A】", "［A］")] == [  # type: ignore[union-attr]
        "square",
        "lenticular",
        "square",
    ]


@given(
    st.text("[]【】ABCDabcd, 、\\x{}［］Ａ\n", max_size=60),
    st.sets(st.sampled_from(LETTERS), min_size=1),
    st.sampled_from(["zh", "en"]),
    st.text("xyz .。\n", max_size=20),
)
@example("[" * 30, {"A"}, "en", "")
def test_what_is_written_last_is_read(before: str, letters: set[str], language: str, after: str) -> None:
    right = "".join(sorted(letters))
    answer = read_answer(f"{before}\n{write_answer(right, language)} {after}")
    assert answer is not None
    assert answer.letters == right
    assert answer.brackets == ("square" if language == "en" else "lenticular")


@pytest.mark.slow
@settings(max_examples=40)
@given(st.text(max_size=200))
def test_what_is_read_is_letters_in_order(reply: str) -> None:
    answer = read_answer(reply)
    assert answer is None or answer.letters in letter_sets()


@pytest.mark.parametrize(
    "part",
    [
        "[",
        "【",
        "]",
        "[A",
        "[[A] ",
        "A, ",
        "【A】",
        "ﷺ",
        "［",
        "\\boxed{",
        "\\boxed{A} ",
        "[A. x, ",
        "[" + "x" * 59,
    ],
)
def test_an_endless_reply_costs_no_more_than_it_is_long(part: str) -> None:
    reply = part * (200_000 // len(part))
    start = time.process_time()
    read_answer(reply)
    assert time.process_time() - start < 1


def test_there_are_15_sets_of_letters() -> None:
    assert len(set(letter_sets())) == 15


@pytest.mark.parametrize(
    ("letters", "right", "expected"),
    [
        ("A", "A", None),
        ("AB", "BA", None),
        ("A", "AB", "subset"),
        ("ABC", "AB", "superset"),
        ("AC", "AB", "overlap"),
        ("CD", "AB", "disjoint"),
    ],
)
def test_wrong_letters_have_a_class(letters: str, right: str, expected: str | None) -> None:
    assert classify_error(letters, right) == expected


LENIENT = [
    ("The correct answer is: C.", "C"),
    ("Answer: C", "C"),
    ("**C**", "C"),
    ("(C)", "C"),
    ("[C) Thomas is the husband]", "C"),
    ("A and C", "AC"),
    ("A, C", "AC"),
    ("\\boxed{C}", "C"),
    ("The answer is „C“.", "C"),
    ("答案：C", "C"),
    ("答案是 A、C", "AC"),
    ("答案是A和C。", "AC"),
    ("The answer is C, because A is false.", "C"),
    ("The correct answer is not C.", None),
    ("The answer is not A but B", None),
    ("The answer is A. The answer is C.", None),
    ("The answer is A. Final answer: C", "C"),
    ("The answer is A or C", None),
    ("A or C", None),
    ("C is the correct answer.", "C"),
    ("C is not correct", None),
    ("A. x\nB. y\nC. z\nD. w", None),
    ("The correct answers are A, B and D.", "ABD"),
    ("The correct options are: **A** and **C**", "AC"),
    ("Correct answer: (B)", "B"),
    ("option B", "B"),
    ("Options A and C", "AC"),
    ("ANSWER: BD", "BD"),
    ("The answer is AC", "AC"),
    ("A", "A"),
    ("C. Thomas is it", "C"),
    ("The correct answer is:\nC. Thomas\n\nThe correct answer is:\nD. B", None),
    ("The correct answer is:", None),
    ("I think A dog is here", None),
    ("The answer is A dog", None),
    ("A dog barks", None),
    ("故选B。", "B"),
    ("选C", "C"),
    ("最终答案是：BD", "BD"),
    ("正确答案不是C", None),
    ("The incorrect statements are A and D.", "AD"),
    ("It is not true that the answer is B.", None),
    ("The answer is B. That is wrong? no", "B"),
    ("I don't know", None),
    ("The answer is C?", None),
    ("The answer is C is wrong", None),
    ("答案：Ｃ", "C"),
    ("[A] [B]\n", "AB"),
    ("The answer is [C].", "C"),
    ("The final answer is $\\boxed{\\text{A, C}}$", "AC"),
    ("Both A and C are correct.", "AC"),
    ("Answer:\n\n**B, D**", "BD"),
    ("The answer is: B) Kevin", "B"),
    ("So the answer should be D.", "D"),
    ("Therefore, A and B.", None),
    ("Answer: None of the above", None),
    ("Answer: A (not C)", "A"),
    ("Answer: D. None of the above", "D"),
    ("My answer: A\nB\n", "A"),
]


@pytest.mark.parametrize(("reply", "letters"), LENIENT)
def test_the_lenient_reading_takes_what_a_careful_reader_takes(reply: str, letters: str | None) -> None:
    assert read_leniently(reply) == letters


@pytest.mark.parametrize(("reply", "letters"), READ)
def test_the_lenient_reading_takes_what_the_strict_one_takes(reply: str, letters: str) -> None:
    assert read_leniently(reply) == letters

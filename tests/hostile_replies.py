"""Texts made to exhaust parsers of replies: brackets, quotes, digits, blanks, and markers, repeated."""

from collections.abc import Callable, Iterator
from functools import partial

# What is repeated: single characters, then beginnings of answers that never end, then whole small answers.
UNITS = (
    *"[]{}()<>\"'`\\$*_-+=:;,.|/~#&0a \t\n\r\u2028",
    *("{}", "{},", "[]", "[1,", "1,", "1 ", "1, ", "1\n", " \n", "\n\n", "\r\n", "\\n", '\\"', "\\\\",
      "**", "* ", "- "),
    *("```", "```\n", "\n```\n", "```json\n", "\n``` ", "<think>", "</think>", "<think></think>",
      "[THINK]", "<|channel|>"),
    *("\\boxed", "\\boxed{", "\\boxed ", "\\boxed{}", "\\boxed{1}", "\\boxed{{", "boxed{", "\\fbox{a",
      "\\{", "\\}"),
    *("<answer>", "</answer>", "<answer></answer>", "<answer>1</answer>", "<answer>1", "<book>",
      "<ANSWER>${", "${"),
    *("final answer", "answer ", "answer is ", "answer: ", "The answer is 1. ", "answer\n", "therefore ",
      "so = ", "thus x is 1\n"),
    *("[A", "[A,", "[A]", "【", "【A", "[ ", "A, ", '{"a":', '"a":', '{"a":1},', '{"a":"', '{"a":[', '"{',
      '{"', "{'a'", "{ "),
    *("\\frac{", "\\frac{1}{2}", "\\text{", "\\text{\\text{", "\\text{a}", "{,}", "\\quad", "\\left",
      "\\[", "\\(a", "$a"),
    *("1/", "1 / ", "1e", ".1", "1.", "1.1,", "-1", "+", "1,000", "1_", "0.0", "x=1 ", "x =", "x",
      "x = 1,", "x = 1 + "),
    *("disk 1 ", "Move disk 1 from peg A to peg B\n", "1: A -> B\n", "[1, A, B],", "move the ",
      "step 1. ", "step"),
    *("A: 1\n", '"A": 1, ', "A is ", "A=1", "{A: 1", "1: True, ", "{1: True", '{1: "a"', "_ { 1",
      "vertex 1: red\n"),
    *("is ", " and ", "and ", "less than ", "not less than ", "number 1 is ", "it ", "project 1, ",
      "(1, ", "1 2 3 4\n"),
    *("| 1 ", "| 1 | 2 | 3 | 4 |\n", "1234\n", "[[1,2],", "[1, 2, 3, 4],", "a b ", "a\n", "Because ",
      "<a", "</p", "<br ", "<|a"),
    # Mixed nesting, pairs that are half closed, and the words that parsers look for.
    *("[{", "{[", "([", "[(", "]}", "}{", "][", "[}", '{"a":[{', "<answer>1</answer", "<answer><answer>",
      "</answer><answer>", "\\boxed{1", "\\boxed{\\boxed{", "\\boxed{1}}", "【A]", "[A】", "```json\n{",
      "```python\n", "x\n```y\n", "``````"),
    *('"final_answer":', '{"final_answer":1}', '{"final_answer":', "final_answer", '{"truths":[',
      '{"domains":[{', '"rules_out":[', '"is_valid":true,', "ANSWER", "</book><book>", "disk ",
      "from peg A to ", "True", "False, ", "peg", "variable 1 = "),
    # Digits, blanks, line ends and letters that are not ASCII.
    *("\u0661", "\u00b2", "\uff11", "\u00bd", "\u3000", "\u00a0", "\u2003", "\u0085", "\x0b", "\x0c", "\x1c"),
    *("\ufdfa", "\u0130", "\u00df", "\uff21", "\uff3b", "\u2028\u2029", "\u200b", "\u0301", "\U0001f600",
      "\x00"),
    *("\\\\\\", "\\ ", "\\n\n", "\\u0061", "\\ud800", "\\u", '\\"{', "//", "/*", "-1e", "1e9,", "- 1 ", "+-"),
)  # fmt: skip
_HEADS = (
    "",
    "\\boxed{",
    '{"final_answer":[',
    "<answer>",
    '{"a":' * 490,
    "[" * 490,
    "The answer is ",
    "```\n",
    '"',
    "{",
)
_ENDS = ("", "}", "</answer>", " 1", '"}')


def hostile_replies(size: int) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield what is repeated, and how to make the text, of about so many characters."""
    for number, unit in enumerate(UNITS):
        head, end = _HEADS[number % len(_HEADS)], _ENDS[number % len(_ENDS)]
        yield f"{head[:12]!r} {unit!r} {end!r}", partial(_repeat, unit, size, head, end)
    # Two units in alternation, then one half of each.
    for first, other in zip(UNITS, (*UNITS[1:], UNITS[0]), strict=True):
        yield f"{first!r} and {other!r}", partial(_repeat, first + other, size)
        yield f"{first!r} before {other!r}", partial(_halve, first, other, size // 2)
    # Nesting in blocks, each from depth 0.
    for opening, content in (
        ('{"a":', "{},"),
        ('{"a":', ""),
        ("[", "1,"),
        ('{"a":[', "{},"),
        ('{"a":1,"a":', "{}"),
    ):
        block = opening * 490 + content * 500
        yield f"490 {opening!r} and 500 {content!r}", partial(_repeat, block, size)
    nested, objects = size // 14, "[" + "{}," * (size // 3) + "1]"
    for kind, text in (
        ("one key twice, nested", '{"a":1,"a":' * nested + "1" + "}" * nested),
        ("an object in each of 900, with one key twice", '{"a":1,"a":' * 900 + objects + "}" * 900),
        ("half characters, nested", '{"a":"\\ud800","b":' * 900 + objects + "}" * 900),
    ):
        yield kind, partial(str, text)


def _repeat(unit: str, size: int, head: str = "", end: str = "") -> str:
    return head + unit * ((size - len(head) - len(end)) // len(unit) + 1) + end


def _halve(first: str, other: str, half: int) -> str:
    return first * (half // len(first) + 1) + other * (half // len(other) + 1)

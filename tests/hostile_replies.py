"""Texts made to exhaust parsers of replies: brackets, quotes, digits, blanks, and markers, repeated."""

from collections.abc import Iterator

# What is repeated: single characters, then beginnings of answers that never end, then whole small answers.
UNITS = (
    *"[]{}()<>\"'`\\$*_-+=:;,.|/~#&0a \t\n\r\u2028",
    *(
        "{}",
        "{},",
        "[]",
        "[1,",
        "1,",
        "1 ",
        "1, ",
        "1\n",
        " \n",
        "\n\n",
        "\r\n",
        "\\n",
        '\\"',
        "\\\\",
        "**",
        "* ",
        "- ",
    ),
    *(
        "```",
        "```\n",
        "\n```\n",
        "```json\n",
        "\n``` ",
        "<think>",
        "</think>",
        "<think></think>",
        "[THINK]",
        "<|channel|>",
    ),
    *(
        "\\boxed",
        "\\boxed{",
        "\\boxed ",
        "\\boxed{}",
        "\\boxed{1}",
        "\\boxed{{",
        "boxed{",
        "\\fbox{a",
        "\\{",
        "\\}",
    ),
    *(
        "<answer>",
        "</answer>",
        "<answer></answer>",
        "<answer>1</answer>",
        "<answer>1",
        "<book>",
        "<ANSWER>${",
        "${",
    ),
    *(
        "final answer",
        "answer ",
        "answer is ",
        "answer: ",
        "The answer is 1. ",
        "answer\n",
        "therefore ",
        "so = ",
        "thus x is 1\n",
    ),
    *(
        "[A",
        "[A,",
        "[A]",
        "【",
        "【A",
        "[ ",
        "A, ",
        '{"a":',
        '"a":',
        '{"a":1},',
        '{"a":"',
        '{"a":[',
        '"{',
        '{"',
        "{'a'",
        "{ ",
    ),
    *(
        "\\frac{",
        "\\frac{1}{2}",
        "\\text{",
        "\\text{\\text{",
        "\\text{a}",
        "{,}",
        "\\quad",
        "\\left",
        "\\[",
        "\\(a",
        "$a",
    ),
    *(
        "1/",
        "1 / ",
        "1e",
        ".1",
        "1.",
        "1.1,",
        "-1",
        "+",
        "1,000",
        "1_",
        "0.0",
        "x=1 ",
        "x =",
        "x",
        "x = 1,",
        "x = 1 + ",
    ),
    *(
        "disk 1 ",
        "Move disk 1 from peg A to peg B\n",
        "1: A -> B\n",
        "[1, A, B],",
        "move the ",
        "step 1. ",
        "step",
    ),
    *(
        "A: 1\n",
        '"A": 1, ',
        "A is ",
        "A=1",
        "{A: 1",
        "1: True, ",
        "{1: True",
        '{1: "a"',
        "_ { 1",
        "vertex 1: red\n",
    ),
    *(
        "is ",
        " and ",
        "and ",
        "less than ",
        "not less than ",
        "number 1 is ",
        "it ",
        "project 1, ",
        "(1, ",
        "1 2 3 4\n",
    ),
    *(
        "| 1 ",
        "| 1 | 2 | 3 | 4 |\n",
        "1234\n",
        "[[1,2],",
        "[1, 2, 3, 4],",
        "a b ",
        "a\n",
        "Because ",
        "<a",
        "</p",
        "<br ",
        "<|a",
    ),
    # Mixed nesting, pairs that are half closed, and the words that parsers look for.
    *(
        "[{",
        "{[",
        "([",
        "[(",
        "]}",
        "}{",
        "][",
        "[}",
        '{"a":[{',
        "<answer>1</answer",
        "<answer><answer>",
        "</answer><answer>",
        "\\boxed{1",
        "\\boxed{\\boxed{",
        "\\boxed{1}}",
        "【A]",
        "[A】",
        "```json\n{",
        "```python\n",
        "x\n```y\n",
        "``````",
    ),
    *(
        '"final_answer":',
        '{"final_answer":1}',
        '{"final_answer":',
        "final_answer",
        '{"truths":[',
        '{"domains":[{',
        '"rules_out":[',
        '"is_valid":true,',
        "ANSWER",
        "</book><book>",
        "disk ",
        "from peg A to ",
        "True",
        "False, ",
        "peg",
        "variable 1 = ",
    ),
    # Digits, blanks, line ends and letters that are not ASCII.
    *("\u0661", "\u00b2", "\uff11", "\u00bd", "\u3000", "\u00a0", "\u2003", "\u0085", "\x0b", "\x0c", "\x1c"),
    *(
        "\ufdfa",
        "\u0130",
        "\u00df",
        "\uff21",
        "\uff3b",
        "\u2028\u2029",
        "\u200b",
        "\u0301",
        "\U0001f600",
        "\x00",
    ),
    *("\\\\\\", "\\ ", "\\n\n", "\\u0061", "\\ud800", "\\u", '\\"{', "//", "/*", "-1e", "1e9,", "- 1 ", "+-"),
)
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


def hostile_replies(size: int, *, is_short: bool = False) -> Iterator[tuple[str, str]]:
    """Yield what is repeated with a text of about so many characters; `is_short`: every unit once."""
    for number, unit in enumerate(UNITS):
        frames = [("", "")] if is_short else [(head, end) for head in _HEADS for end in _ENDS[:2]]
        if is_short:
            frames = [(_HEADS[number % len(_HEADS)], _ENDS[number % len(_ENDS)])]
        for head, end in frames:
            body = unit * ((size - len(head) - len(end)) // len(unit) + 1)
            yield f"{head[:12]!r} {unit!r} {end!r}", head + body + end
    # Two units in alternation, then one half of each.
    for number, first in enumerate(UNITS):
        for step in (1,) if is_short else (1, 7, 31, 53):
            other = UNITS[(number + step) % len(UNITS)]
            yield f"{first!r} and {other!r}", (first + other) * (size // len(first + other) + 1)
            half = size // 2
            text = first * (half // len(first) + 1) + other * (half // len(other) + 1)
            yield f"{first!r} before {other!r}", text
    # Nesting in blocks, each from depth 0.
    for opening, content in (
        ('{"a":', "{},"),
        ('{"a":', ""),
        ("[", "1,"),
        ('{"a":[', "{},"),
        ('{"a":1,"a":', "{}"),
    ):
        block = opening * 490 + content * 500
        yield f"490 {opening!r} and 500 {content!r}", block * (size // len(block) + 1)
    nested = size // 14
    yield "one key twice, nested", '{"a":1,"a":' * nested + "1" + "}" * nested
    yield (
        "an object in each of 900, with one key twice",
        '{"a":1,"a":' * 900 + "[" + "{}," * (size // 3) + "1]" + "}" * 900,
    )
    yield (
        "half characters, nested",
        '{"a":"\\ud800","b":' * 900 + "[" + "{}," * (size // 3) + "1]" + "}" * 900,
    )

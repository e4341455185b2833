"""Replies with one right answer in forms that a careful reader takes, and those that state none or two."""

import json
from collections.abc import Sequence

import pytest

from perennial.tasks.a2rbench.catalogue import Dimension, Value
from perennial.tasks.a2rbench.item_text import fit, form_of, write_prompt
from perennial.tasks.a2rbench.players import ItemGame
from perennial.tasks.a2rbench.replies import read_answer

Pair = tuple[Value, Value]
GRID_PAIRS: Sequence[Pair] = [([["1", "2"], ["3", "4"]], [["2", "1"], ["4", "3"]])]
GRID = write_prompt(2, list(GRID_PAIRS), [["1", "3"], ["2", "4"]])
ELEMENTS = write_prompt(1, [(["Na", "C"], ["C", "Na"])], ["H", "O", "He"])
CUBE = write_prompt(
    3, [([[["a", "b"]], [["c", "d"]]], [[["c", "d"]], [["a", "b"]]])], [[["e", "f"]], [["g", "h"]]]
)
TEXT = write_prompt(1, [("ab c", "c ba")], "de f")  # type: ignore[list-item,arg-type]
RIGHT = '[["3","1"],["4","2"]]'
JSON = '[["3", "1"], ["4", "2"]]'

STATED = [
    (1, f'{{"final_answer": {JSON}}}'),
    (1, f'Thinking.\n```json\n{{"rule": "r", "reasoning": "x", "final_answer": {JSON}}}\n```'),
    (1, f'{{"final_answer": {JSON}}} So it is {{"final_answer": {RIGHT}}}'),
    (2, f'{{"reasoning": "first\nthen", "final_answer": {JSON}}}'),
    (2, rf'{{"reasoning": "\frac{{1}}{{2}} of \alpha", "final_answer": {JSON}}}'),
    (2, f'{{"reasoning": "the "mirror" rule", "final_answer": {JSON}}}'),
    (2, f'{{"final_answer": {JSON},}}'),
    (2, '{"final_answer": [["3", "1",], ["4", "2"],]}'),
    (2, "{'final_answer': [['3', '1'], ['4', '2']]}"),
    (2, "{“final_answer”: [[“3”, “1”], [“4”, “2”]]}"),
    (2, f'{{"final answer": {JSON}}}'),
    (2, f'{{"Final_Answer": {JSON}}}'),
    (2, f'{{"final-answer": {JSON}}}'),
    (2, f'{{"result": {{"final_answer": {JSON}}}}} }}'),
    (2, f'{{"rule": "r", "final_answer": {JSON}'),
    (2, f"final_answer: {JSON}"),
    (2, f'{{"final_answer": {JSON} // mirrored\n}}'),
    (3, f'{{"final_answer": {{"grid": {JSON}}}}}'),
    (3, '{"final_answer": "[[\\"3\\", \\"1\\"], [\\"4\\", \\"2\\"]]"}'),
    (3, '{"final_answer": [[3, 1], [4, 2]]}'),
    (3, '{"final_answer": ["3 1", "4 2"]}'),
    (3, '{"final_answer": ["31", "42"]}'),
    (3, '{"final_answer": ["3,1", "4,2"]}'),
    (3, '{"final_answer": "31\\n42"}'),
    (3, '{"final_answer": "3 1\\n4 2\\n"}'),
    (3, f"The final answer is {JSON}."),
    (3, f"The output is: {JSON}"),
    (3, f"**Final Answer:** {JSON}"),
    (3, "Final answer:\n```\n3 1\n4 2\n```"),
    (3, f"My answer: `{RIGHT}`"),
    (3, f"Answer: ${RIGHT}$"),
    (3, rf"So \boxed{{{RIGHT}}}."),
    (3, r"\boxed{\begin{matrix}3 & 1\\ 4 & 2\end{matrix}}"),
    (3, r"\[\boxed{\begin{array}{cc} 3 & 1 \\ 4 & 2 \end{array}}\]"),
    (3, "It mirrors each row:\n```\n31\n42\n```"),
    (3, f"```json\n{JSON}\n```"),
    (3, "```\n| 3 | 1 |\n| 4 | 2 |\n```"),
    (3, JSON),
    (3, "[[3,1],[4,2]]"),
    (3, "3 1\n4 2"),
]
NONE = [
    f'{{"final_answer": {JSON}}} or {{"final_answer": [["1", "3"], ["2", "4"]]}}',
    f"final_answer: {JSON}, or final_answer: [[1, 3], [2, 4]]",
    f"The final answer is {JSON} or the final answer is [[1, 3], [2, 4]].",
    rf"\boxed{{{RIGHT}}} \boxed{{[[1,3],[2,4]]}}",
    f"The answer is not {JSON}.",
    f"final_answer: {JSON} is wrong.",
    f"Final answer: {JSON} is not what I get.",
    f"```\n{JSON}\n```\n```\n[[3,3],[2,4]]\n```",
    f"The first row of {JSON} is mirrored.",
    '{"final_answer": null}',
    "{'final_answer': None}",
    "I give up.",
    "The answer is clear.",
    '{"final_answer": ',
    "final_answer: [[3, 1], [4, 2",
    "```python\nprint(rows[::-1])\n```",
    "",
]


@pytest.mark.parametrize(("level", "reply"), STATED)
def test_an_unambiguous_answer_is_read_with_the_level_of_its_form(level: int, reply: str) -> None:
    game = ItemGame(GRID, RIGHT)
    game.take(reply)
    result = game.result()
    assert result is not None
    assert (result.status, game.answer and game.answer.level) == ("solved", level)


@pytest.mark.parametrize("reply", NONE)
def test_two_answers_a_denied_one_or_none_are_no_answer(reply: str) -> None:
    game = ItemGame(GRID, RIGHT)
    game.take(reply)
    result = game.result()
    assert result is not None
    assert result.status == "unparsed"


@pytest.mark.parametrize(("level", "reply"), STATED)
def test_without_the_prompts_form_only_strict_json_counts(level: int, reply: str) -> None:
    """The paper's reading: what it takes, and nothing else, has level 1."""
    found = read_answer(reply)
    assert (found is not None and found.answer == RIGHT) == (level == 1)


@pytest.mark.parametrize(
    ("prompt", "reply", "answer"),
    [
        (ELEMENTS, '{"final_answer": "He O H"}', '["He","O","H"]'),
        (ELEMENTS, '{"final_answer": "HeOH"}', '"HeOH"'),  # H, e, O, H or He, O, H: not told apart
        (ELEMENTS, "Answer: He, O, H", '["He","O","H"]'),
        (ELEMENTS, '{"final_answer": ["He", "O", 1]}', '["He","O","1"]'),
        (ELEMENTS, '{"final_answer": [["He", "O"]]}', '[["He","O"]]'),
        (ELEMENTS, '{"final_answer": ["He", 1.5]}', '["He",1.5]'),
        (ELEMENTS, '{"final_answer": ["He", true]}', '["He",true]'),
        (CUBE, '{"final_answer": ["gh", "ef"]}', '[[["g","h"]],[["e","f"]]]'),
        (CUBE, "```\ng h\n\ne f\n```", '[[["g","h"]],[["e","f"]]]'),
        (TEXT, '{"final_answer": "f ed"}', '"f ed"'),
        (TEXT, '{"final_answer": ["f", " ", "e", "d"]}', '"f ed"'),
    ],
)
def test_values_are_brought_into_the_form_that_the_prompt_shows(prompt: str, reply: str, answer: str) -> None:
    found = read_answer(reply, form_of(prompt))
    assert found is not None
    assert found.answer == answer


def test_a_text_that_is_no_prompt_has_no_form() -> None:
    assert form_of("prompt") is None


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_form_of_outputs_is_that_of_the_prompts_values(dimension: Dimension) -> None:
    value: Value = ["a", "b"]
    for _ in range(dimension - 1):
        value = [value]
    form = form_of(write_prompt(dimension, [(value, value)], value))
    assert form is not None
    assert (form.dimension, form.single, form.texts) == (dimension, True, False)
    assert form.is_shown(value)
    assert fit(value, form) == (value, True)


SIGNS = write_prompt(1, [(["μ", "+", "a-b"], ["a-b", "+", "μ"])], ["a-b", "μ", "'"])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('["\u00b5", "\uff0b", "a\u2011b"]', '["\u03bc","+","a-b"]'),
        ('["&#956;", "&#43;", "a&#8209;b"]', '["\u03bc","+","a-b"]'),
        ('["\u2019", "\u200b+", "a\u00adb"]', '["\'","+","a\u00adb"]'),
        ('["\u00b2", "M", "A-B"]', '["\u00b2","M","A-B"]'),
    ],
)
def test_a_token_that_looks_like_one_shown_token_is_that_one(written: str, read: str) -> None:
    found = read_answer(f'{{"final_answer": {written}}}', form_of(SIGNS))
    assert found is not None
    assert found.answer == read
    assert found.level == (1 if json.loads(written) == json.loads(read) else 3)


def test_a_token_that_looks_like_two_shown_tokens_is_neither() -> None:
    prompt = write_prompt(1, [(["-", "\u2011"], ["\u2011", "-"])], ["-", "-"])
    found = read_answer('{"final_answer": ["\u2013", "-"]}', form_of(prompt))
    assert found is not None
    assert json.loads(found.answer) == ["\u2013", "-"]

"""Forty and more replies that hold the right content in another form, and as many that hold no one answer."""

import json
import re

import pytest

from perennial.tasks.a2rbench.catalogue import Dimension, Value
from perennial.tasks.a2rbench.item_text import fit, form_of, write_prompt
from perennial.tasks.a2rbench.players import ItemGame
from perennial.tasks.a2rbench.replies import read_answer

GRID: Value = [["a", "b", "c"], ["d", "2", "f"]]
DIGITS: Value = [["1", "0"], ["7", "2"]]
LINE: Value = ["H", "He", "Li"]
CUBE: Value = [[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]
TEXTS: Value = ["abc", "d2f"]
NUMBERS: Value = [1, 12, 3]


def _turn(value: Value) -> Value:
    return value[::-1]


def play(right: Value, dimension: Dimension, reply: str) -> tuple[str, int | None]:
    """Return how the reply to an item with this answer ended, and its format level."""
    given, longer = _turn(right), [*right, right[0]]
    examples = [(longer, _turn(longer)), ([right[-1]], [right[-1]])]
    game = ItemGame(write_prompt(dimension, examples, given), json.dumps(right, separators=(",", ":")))
    game.take(reply)
    result = game.result()
    assert result is not None
    return result.status, None if game.answer is None else game.answer.level


G = json.dumps(GRID)
RIGHT: list[tuple[Value, Dimension, str, int]] = [
    (GRID, 2, f'{{"rule": "r", "reasoning": "x", "final_answer": {G}}}', 1),
    (GRID, 2, f'Thinking {{x}}.\n```json\n{{"rule": "r", "final_answer": {G}}}\n```', 1),
    (GRID, 2, f'{{"final_answer": {G}}} and once more {{"final_answer": {G}}}', 1),
    (GRID, 2, f'{{"rule": "r",\n"reasoning": "first\nthen", "final_answer": {G}}}', 2),
    (GRID, 2, f'{{"reasoning": "use \\(x \\to y\\) and \\frac{{1}}{{2}}", "final_answer": {G}}}', 2),
    (GRID, 2, f'{{"reasoning": "row "abc" stays", "final_answer": {G}}}', 2),
    (GRID, 2, f'{{"rule": "r", "final_answer": {G},}}', 2),
    (GRID, 2, '{"final_answer": [["a", "b", "c",], ["d", "2", "f",],],}', 2),
    (GRID, 2, "{'rule': 'r', 'final_answer': [['a', 'b', 'c'], ['d', '2', 'f']]}", 2),
    (GRID, 2, "{“final_answer”: [[“a”, “b”, “c”], [“d”, “2”, “f”]]}", 2),
    (GRID, 2, "{‘final_answer’: [[‘a’, ‘b’, ‘c’], [‘d’, ‘2’, ‘f’]]}", 2),
    (GRID, 2, f'{{"final answer": {G}}}', 2),
    (GRID, 2, f'{{"Final_Answer": {G}}}', 2),
    (GRID, 2, f'{{"finalAnswer": {G}}}', 2),
    (GRID, 2, f'{{"rule": "r", "answer": {G}}}', 2),
    (GRID, 2, f'{{rule: "r", final_answer: {G}}}', 2),
    (GRID, 2, f'{{"result": {{"rule": "r", "final_answer": {G}}}}}', 2),
    (GRID, 2, f'{{"final_answer": {{"output": {G}}}}}', 3),
    (GRID, 2, f'{{"final_answer": {{"final_answer": {G}, "note": "x"}}}}', 3),
    (GRID, 2, f'{{"rule": "r" /* found */, "final_answer": {G}}}', 2),
    (GRID, 2, json.dumps({"final_answer": G}), 3),
    (GRID, 2, '{"final_answer": ["abc", "d2f"]}', 3),
    (GRID, 2, '{"final_answer": ["a b c", "d 2 f"]}', 3),
    (GRID, 2, '{"final_answer": "a b c\\nd 2 f"}', 3),
    (GRID, 2, '{"final_answer": [["a", "b", "c"], ["d", 2, "f"]]}', 3),
    (DIGITS, 2, '{"final_answer": [[1, 0], [7, 2]]}', 3),
    (DIGITS, 2, '{"final_answer": ["10", "72"]}', 3),
    (GRID, 2, f"The final answer is {G}.", 3),
    (GRID, 2, f"**Final answer:** `{G}`", 3),
    (GRID, 2, f"So the output of the query is {G}", 3),
    (GRID, 2, f"I get \\boxed{{{G}}}", 3),
    (GRID, 2, "Final answer: $\\boxed{\\text{[[a, b, c], [d, 2, f]]}}$", 3),
    (GRID, 2, f"The rule turns the rows.\n```json\n{G}\n```", 3),
    (GRID, 2, "The rule turns the rows.\n```\na b c\nd 2 f\n```\n", 3),
    (GRID, 2, "```\nabc\nd2f\n```", 3),
    (GRID, 2, "Final answer:\n\n| a | b | c |\n| d | 2 | f |", 3),
    (GRID, 2, "Final answer: [[a, b, c], [d, 2, f]]", 3),
    (GRID, 2, G, 3),
    (GRID, 2, f'The answer is not [["a"]]. The answer is {G}.', 3),
    (GRID, 2, f'{{"final-answer": {G}}}', 2),
    (GRID, 2, f'{{"result": {{"final_answer": {G}}}}} }}', 2),
    (GRID, 2, f'{{"rule": "r", "final_answer": {G}', 2),
    (GRID, 2, f"final_answer: {G}", 2),
    (GRID, 2, f'{{"final_answer": {G} // mirrored\n}}', 2),
    (GRID, 2, '{"final_answer": ["a,b,c", "d,2,f"]}', 3),
    (GRID, 2, '{"final_answer": "abc\\nd2f\\n"}', 3),
    (GRID, 2, f"My answer: `{G}`", 3),
    (GRID, 2, f"Answer: ${G}$", 3),
    (DIGITS, 2, r"\boxed{\begin{matrix}1 & 0\\ 7 & 2\end{matrix}}", 3),
    (DIGITS, 2, r"\[\boxed{\begin{array}{cc} 1 & 0 \\ 7 & 2 \end{array}}\]", 3),
    (GRID, 2, "```\n| a | b | c |\n| d | 2 | f |\n```", 3),
    (DIGITS, 2, "[[1,0],[7,2]]", 3),
    (GRID, 2, "a b c\nd 2 f", 3),
    (LINE, 1, '{"final_answer": "H He Li"}', 3),
    (LINE, 1, '{"final_answer": "H, He, Li"}', 3),
    (LINE, 1, "Final answer: H, He, Li.", 3),
    (LINE, 1, "\\boxed{H, He, Li}", 3),
    (LINE, 1, "The answer is [H, He, Li]", 3),
    (CUBE, 3, '{"final_answer": [["ab", "cd"], ["ef", "gh"]]}', 3),
    (CUBE, 3, "Final answer:\n```\na b\nc d\n\ne f\ng h\n```", 3),
    (CUBE, 3, "```\nLayer 1:\nab\ncd\nLayer 2:\nef\ngh\n```", 3),
    (TEXTS, 2, '{"final_answer": ["abc", "d2f"]}', 1),
    (TEXTS, 2, f'{{"final_answer": {G}}}', 3),
    (NUMBERS, 1, '{"final_answer": [1, 12, 3]}', 1),
    (NUMBERS, 1, '{"final_answer": ["1", "12", "3"]}', 3),
]


@pytest.mark.parametrize(("right", "dimension", "reply", "level"), RIGHT)
def test_what_a_careful_reader_would_accept_is_right(
    right: Value, dimension: Dimension, reply: str, level: int
) -> None:
    assert play(right, dimension, reply) == ("solved", level)


@pytest.mark.parametrize(
    ("right", "reply", "level"), [(right, reply, level) for right, _, reply, level in RIGHT]
)
def test_without_the_prompts_form_only_strict_json_counts(right: Value, reply: str, level: int) -> None:
    """The paper's reading: what it takes, and nothing else, has level 1."""
    reading = read_answer(reply)
    assert (reading is not None and json.loads(reading.answer) == right) == (level == 1)


OTHER = '[["a", "b", "c"], ["d", "2", "z"]]'


@pytest.mark.parametrize(
    ("right", "dimension", "reply"),
    [
        (GRID, 2, f'{{"final_answer": {G}}} or {{"final_answer": {OTHER}}}'),
        (GRID, 2, f'{{"final_answer": {OTHER}}} no, {{"final_answer": {G}}}'),
        (GRID, 2, f'{{"final_answer": {G} or {OTHER}}}'),
        (GRID, 2, f'{{"final_answer": {G}, "final_answer": {OTHER}}}'),
        (GRID, 2, f"{{'final_answer': {G}}} {{\"final_answer\": {OTHER}}}"),
        (GRID, 2, f'{{"final_answer": {G}}}\nActually, the final answer is {OTHER}.'),
        (GRID, 2, f'{{"final_answer": {G}}} {{"final_answer": null}}'),
        (GRID, 2, f'This is not the answer: {{"final_answer": {G}}}'),
        (GRID, 2, f'{{"final_answer": {G}}} is wrong.'),
        (GRID, 2, f'{{"final_answer": {G}}} is not the answer.'),
        (GRID, 2, f"The final answer is not {G}."),
        (GRID, 2, f"I do not think the final answer is {G}."),
        (GRID, 2, f"The final answer isn't {G}."),
        (GRID, 2, f"The final answer is {G} or {OTHER}."),
        (GRID, 2, f"The final answer is {G}. The final answer is {OTHER}."),
        (GRID, 2, f"\\boxed{{{G}}} or \\boxed{{{OTHER}}}"),
        (GRID, 2, f"The final answer is {G}. \\boxed{{{OTHER}}}"),
        (GRID, 2, f"```\n{G}\n```\n```\n{OTHER}\n```"),
        (GRID, 2, "```\na b c\nd 2 f\n```\nor\n```\na b c\nd 2 c\n```"),
        (GRID, 2, f"The output is {G}. The output is {OTHER}."),
        (LINE, 1, "Final answer: H, He or Li"),
        (LINE, 1, "Final answer: HHeLi"),
        (LINE, 1, "The answer is obvious."),
        (GRID, 2, '{"rule": "r", "final_answer": OUTPUT}'),
        (GRID, 2, f"final_answer: {G}, or final_answer: {OTHER}"),
        (GRID, 2, f"The first row of {G} is mirrored."),
        (GRID, 2, "{'final_answer': None}"),
        (GRID, 2, '{"final_answer": '),
        (GRID, 2, "final_answer: [[a, b, c], [d, 2"),
        (GRID, 2, "```python\nprint(rows[::-1])\n```"),
        (GRID, 2, "I give up."),
        (GRID, 2, ""),
    ],
)
def test_two_answers_and_denied_ones_are_none(right: Value, dimension: Dimension, reply: str) -> None:
    assert play(right, dimension, reply) == ("unparsed", None)


@pytest.mark.parametrize(
    ("right", "dimension", "reply"),
    [
        (GRID, 2, f'{{"final_answer": [{G}]}}'),
        (GRID, 2, '{"final_answer": ["a", "b", "c", "d", "2", "f"]}'),
        (GRID, 2, f'{{"final_answer": {OTHER}}}'),
        (GRID, 2, '{"final_answer": "abcd2f"}'),
        (LINE, 1, '{"final_answer": [["H", "He", "Li"]]}'),
        (LINE, 1, '{"final_answer": "HHeLi"}'),
        (LINE, 1, '{"final_answer": ["HHeLi"]}'),
        (NUMBERS, 1, '{"final_answer": [1.0, 12, 3]}'),
        (CUBE, 3, '{"final_answer": ["abcd", "efgh"]}'),
        (GRID, 2, '{"final_answer": ["ab c", "d2 f"]}'),
    ],
)
def test_structure_is_never_added_or_left_out(right: Value, dimension: Dimension, reply: str) -> None:
    status, _ = play(right, dimension, reply)
    assert status == "wrong"


def test_a_program_compares_alike_under_any_level() -> None:
    """A wrong grid is wrong in every form that the right one is read in."""
    for right, dimension, reply, _ in RIGHT:
        if right is GRID and dimension == 2:
            # The token f: within quotes, after the token 2, or bare.
            changed = re.sub(r"""(?<=["'“‘2,| ])f(?=\\*["'”’\],\n\\|`]|$| \|)""", "a", reply)
            assert changed != reply, reply
            assert play(right, dimension, changed)[0] == "wrong", changed


ELEMENTS = write_prompt(1, [(["Na", "C"], ["C", "Na"])], ["H", "O", "He"])
CUBE = write_prompt(
    3, [([[["a", "b"]], [["c", "d"]]], [[["c", "d"]], [["a", "b"]]])], [[["e", "f"]], [["g", "h"]]]
)
TEXT = write_prompt(1, [("ab c", "c ba")], "de f")  # type: ignore[list-item,arg-type]


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
    reading = read_answer(reply, form_of(prompt))
    assert reading is not None
    assert reading.answer == answer


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
    reading = read_answer(f'{{"final_answer": {written}}}', form_of(SIGNS))
    assert reading is not None
    assert reading.answer == read
    assert reading.level == (1 if json.loads(written) == json.loads(read) else 3)


def test_a_token_that_looks_like_two_shown_tokens_is_neither() -> None:
    prompt = write_prompt(1, [(["-", "\u2011"], ["\u2011", "-"])], ["-", "-"])
    reading = read_answer('{"final_answer": ["\u2013", "-"]}', form_of(prompt))
    assert reading is not None
    assert json.loads(reading.answer) == ["\u2013", "-"]

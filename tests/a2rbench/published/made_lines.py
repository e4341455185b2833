"""Lines of the authors' form, written by hand: a rule as code, inputs, and what the line says it gives."""

import json
from collections.abc import Sequence
from typing import Any

Line = dict[str, Any]

REVERSE = """
import json
def transform_grid(grid):
    return grid[::-1]
def inverse_transform_grid(grid):
    return grid[::-1]
print(json.dumps({"examples": []}))
"""
# Rows of a grid swap places in pairs, and each is turned by one: no rule of the catalogue, nor two.
ROWS = """
def transform_grid(grid):
    return [row[1:] + row[:1] for row in grid[1::2] + grid[0::2]]
def inverse_transform_grid(grid):
    half = len(grid) // 2
    back = [list(row[-1:] + row[:-1]) for row in grid]
    return [back[half + i // 2] if i % 2 == 0 else back[i // 2] for i in range(len(back))]
"""
# Capital letters go first: another order under other letters.
CAPITALS = """
def transform_grid(grid):
    marks = "".join("1" if sign in "ABCDEFGH" else "0" for sign in grid)
    return "".join(sorted(grid, key=lambda sign: sign not in "ABCDEFGH")) + "|" + marks
def inverse_transform_grid(grid):
    text, marks = grid.split("|")
    first, last = list(text[:marks.count("1")]), list(text[marks.count("1"):])
    return "".join(first.pop(0) if mark == "1" else last.pop(0) for mark in marks)
"""
NUMBERS = """
def transform_grid(grid):
    return [[row[:2][::-1] + row[2:] for row in layer] for layer in grid]
inverse_transform_grid = transform_grid
"""
MEMORY = """
SEEN = {}
def transform_grid(grid):
    SEEN[grid[::-1] + "."] = grid
    return grid[::-1] + "."
def inverse_transform_grid(grid):
    return SEEN.get(grid, "")
"""
CUBE = """
def transform_grid(grid):
    return [[row[2:] + row[:2] for row in layer[::-1]] for layer in grid]
def inverse_transform_grid(grid):
    return [[row[-2:] + row[:-2] for row in layer[::-1]] for layer in grid]
"""


def run(code: str, value: Any) -> Any:
    """Return what code of this module gives."""
    names: dict[str, Any] = {}
    exec(code.replace("print(", "str("), names)
    return names["transform_grid"](value)


def line(
    name: str, code: str, inputs: Sequence[Any], dimension: int = 1, *, outputs: Any = None, **changes: Any
) -> Line:
    """Return a line whose query is the last input; its outputs are those of the code if none are given."""
    wanted = [run(code, value) for value in inputs] if outputs is None else outputs
    pairs = [{"input": x, "output": y} for x, y in zip(inputs[:-1], wanted[:-1], strict=True)]
    data = {"examples": pairs, "question_plaintext": inputs[-1], "answer_ciphertext": wanted[-1]}
    kind = "SemanticRule" if name.startswith("SEM") else "SymbolicRule"
    return {
        "question_id": name,
        "author_model": "Author_X",
        "task_type": kind,
        "dimensionality": dimension,
        "rule_description": "what it does",
        "inverse_rule_description": "and back",
        "python_code": code,
        "puzzle_data": data,
        "judgement_reasoning": "good",
    } | changes


def text_of(lines: Sequence[Line]) -> str:
    """Return the lines as a file has them."""
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in lines) + "\n"


TEXTS = ["Ab c", "xyz 12", "hello, you", "mn opq!"]
GRIDS = [["abc", "def", "ghi", "jkl"], ["12", "34"], ["mno", "pqr"], ["stu", "vwx"]]
CUBES = [[["abc", "def"]], [["ghi", "jkl"], ["mno", "pqr"]], [["stu", "vwx"]]]
COUNTS = [[[[1, 2, 3], [4, 5, 6]]], [[[7, 8, 9], [1, 3, 5]]], [[[2, 4, 6], [8, 1, 7]]]]
LONGER = ["first text", "another one", "and a third"]

# By what becomes of them: items, then what is left out, with the rule that says why.
ITEMS = (
    line("SYM_X_D1_000", REVERSE, TEXTS),
    line("SYM_X_D1_000_V3", REVERSE, LONGER),
    line("SYM_X_D2_000", ROWS, GRIDS, 2),
    line("SYM_X_D3_000", CUBE, CUBES, 3),
    line("SYM_X_D3_001", NUMBERS, COUNTS, 3),
    line("SEM_X_D1_001", CAPITALS, ["aBcD", "Axyb", "qwEr", "zzCfA"]),
    line("SYM_X_D1_002", CAPITALS, ["ABab", "xAyB", "pCqD", "EwFv"]),
)
_RAISES = REVERSE.replace("return", "return 1 // 0,", 1)
_HOSTILE = "import os\nos.system('touch hostile')\n" + REVERSE
_LAMBDA = "transform_grid = inverse_transform_grid = lambda grid: grid[::-1]"
_WRONG = [run(REVERSE, value) for value in TEXTS[:-1]] + ["something else"]
LEFT_OUT = {
    "SYM_W_D1_000": ("outputs_differ", line("SYM_W_D1_000", REVERSE, TEXTS, outputs=_WRONG)),
    "SYM_W_D1_001": ("raises", line("SYM_W_D1_001", _RAISES, TEXTS, outputs=_WRONG)),
    "SYM_W_D1_002": ("refused_by_sandbox", line("SYM_W_D1_002", _HOSTILE, TEXTS, outputs=_WRONG)),
    "SYM_W_D1_003": ("open_cycle", line("SYM_W_D1_003", MEMORY, TEXTS)),
    "SYM_W_D1_004": ("bad_shape", line("SYM_W_D1_004", REVERSE, [1.5, "b"], outputs=["c", "d"])),
    "SYM_W_D1_009": ("too_large", line("SYM_W_D1_009", REVERSE, ["ab" * 5_000, "abc"])),
    "SYM_W_D1_005": ("answer_shown", line("SYM_W_D1_005", REVERSE, ["abc", "de", "abc"])),
    "SYM_W_D1_006": ("unchanged", line("SYM_W_D1_006", REVERSE, ["aba", "x", "xyz"])),
    "SYM_W_D1_007": ("not_unique", line("SYM_W_D1_007", REVERSE, ["ab", "cd", "efg"])),
    "SYM_W_D1_008": ("no_function", line("SYM_W_D1_008", _LAMBDA, ["abcd", "efgh", "ijklm"])),
    # By the same examples and query as another line; a variation without its seed; code of another rule.
    "SYM_X_D1_003": ("not_new", line("SYM_X_D1_003", REVERSE, TEXTS)),
    "SYM_W_D1_000_V1": (
        "no_seed_item",
        line("SYM_W_D1_000_V1", REVERSE, ["a river", "stone 7", "wind, so", "quiet!"]),
    ),
    "SYM_X_D1_000_V4": (
        "another_rule",
        line("SYM_X_D1_000_V4", f"{REVERSE}#", ["one two", "abc12", "zyx, w!", "kettle"]),
    ),
}
ALL = (*ITEMS, *(each for _, each in LEFT_OUT.values()))

"""Players of BeyondBench that need no model."""

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from perennial.schemas.beyondbench.things import Answer
from perennial.schemas.game import Move, Program
from perennial.schemas.ids import canonical_json
from perennial.tasks.beyondbench.forms.form import Form, GridForm
from perennial.tasks.beyondbench.forms.lists import (
    ChosenIdsForm,
    IntegerListForm,
    IntegerSetForm,
    MovesForm,
    PositionsForm,
)
from perennial.tasks.beyondbench.forms.mappings import (
    AssignmentForm,
    AssignmentTableForm,
    ColoringForm,
    LettersForm,
)
from perennial.tasks.beyondbench.forms.numbers import RELATIONS, RelationForm
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.problem import write_answer

# Answers without the names of a problem: what a guesser learns of one problem and writes for another.
#
# A shape is a text: colours by the first vertex that has them, digits in the order of the letters, pegs,
# people and values by their places. Each form has a fixed answer too, for cells in which nothing was learned.


class _Shape(NamedTuple):
    """How answers of a form are made shapes, made of them again, and which one is given without learning."""

    describe: Callable[[Any, Answer], str]
    write: Callable[[Any, str], Answer]
    fixed: Callable[[Any, int], Answer]


def describe_shape(form: Form, answer: Answer) -> str:
    """The shape of an answer, from which `write_shape` makes an answer again."""
    return _shape_of(form).describe(form, answer)


def write_shape(form: Form, shape: str) -> Answer:
    """The answer of this shape, with the names of the form."""
    return _shape_of(form).write(form, shape)


def fixed_answer(form: Form, size: int) -> Answer:
    """The answer of the form that is given where nothing was learned."""
    return _shape_of(form).fixed(form, size)


def _shape_of(form: Form) -> _Shape:
    return _SHAPES.get(type(form), _NUMBER)


def _describe_moves(form: MovesForm, answer: Answer) -> str:
    return " ".join(f"{disk}{form.pegs.index(a)}{form.pegs.index(b)}" for disk, a, b in answer)


def _write_moves(form: MovesForm, shape: str) -> Answer:
    pegs = form.pegs
    return [[int(move[:-2]), pegs[int(move[-2])], pegs[int(move[-1])]] for move in shape.split()]


def _move_tower(form: MovesForm, _size: int) -> Answer:
    """The moves of a tower from the first peg to the last."""

    def move(disks: int, source: str, target: str, spare: str) -> list[Answer]:
        if not disks:
            return []
        above = move(disks - 1, source, spare, target), move(disks - 1, spare, target, source)
        return [*above[0], [disks, source, target], *above[1]]

    return move(form.disks, form.pegs[0], form.pegs[2], form.pegs[1])


def _describe_coloring(_form: ColoringForm, answer: Answer) -> str:
    numbers: dict[str, int] = {}
    for vertex in sorted(answer, key=int):
        numbers.setdefault(answer[vertex], len(numbers))
    return " ".join(str(numbers[answer[vertex]]) for vertex in sorted(answer, key=int))


def _write_coloring(_form: ColoringForm, shape: str) -> Answer:
    return {str(vertex): f"C{color}" for vertex, color in enumerate(shape.split())}


def _describe_table(form: AssignmentTableForm, answer: Answer) -> str:
    rows = (
        [values.index(answer[person][name]) for name, values in form.categories] for person in form.people
    )
    return " ".join("".join(map(str, row)) for row in rows)


def _write_table(form: AssignmentTableForm, shape: str) -> Answer:
    return {
        person: {name: values[int(digit)] for (name, values), digit in zip(form.categories, row, strict=True)}
        for person, row in zip(form.people, shape.split(), strict=True)
    }


def _fixed_table(form: AssignmentTableForm, _size: int) -> Answer:
    rows = (str(index) * len(form.categories) for index in range(len(form.people)))
    return _write_table(form, " ".join(rows))


_NUMBER = _Shape(
    lambda _form, answer: canonical_json(answer),
    lambda _form, shape: json.loads(shape),
    lambda _form, _size: 0,
)
_SHAPES: dict[type, _Shape] = {
    RelationForm: _NUMBER._replace(fixed=lambda _form, _size: RELATIONS[0]),
    IntegerListForm: _NUMBER._replace(fixed=lambda _form, size: list(range(size))),
    IntegerSetForm: _NUMBER._replace(fixed=lambda _form, _size: [0]),
    ChosenIdsForm: _NUMBER._replace(fixed=lambda _form, _size: [1, 2]),
    PositionsForm: _NUMBER._replace(fixed=lambda form, _size: list(range(form.length))),
    GridForm: _Shape(
        lambda _form, answer: " ".join("".join(map(str, row)) for row in answer),
        lambda _form, shape: [list(map(int, row)) for row in shape.split()],
        lambda form, _size: [
            [(row + column) % form.n + 1 for column in range(form.n)] for row in range(form.n)
        ],
    ),
    MovesForm: _Shape(_describe_moves, _write_moves, _move_tower),
    AssignmentForm: _Shape(
        lambda form, answer: "".join("FT"[answer[str(1 + index)]] for index in range(form.variables)),
        lambda _form, shape: {str(index): value == "T" for index, value in enumerate(shape, 1)},
        lambda form, _size: {str(1 + index): index % 2 == 0 for index in range(form.variables)},
    ),
    ColoringForm: _Shape(
        _describe_coloring,
        _write_coloring,
        lambda form, _size: {str(vertex): f"C{vertex}" for vertex in range(form.vertices)},
    ),
    LettersForm: _Shape(
        lambda form, answer: "".join(str(answer[letter]) for letter in form.letters),
        lambda form, shape: {letter: int(digit) for letter, digit in zip(form.letters, shape, strict=True)},
        lambda form, _size: {letter: (1 + index) % 10 for index, letter in enumerate(form.letters)},
    ),
    AssignmentTableForm: _Shape(_describe_table, _write_table, _fixed_table),
}


# The answers that were right most often, by task, variation and size, as shapes.
#
# Learned from 366,700 problems that were drawn for it; only answers that were right at least twice among
# those of a size, and clearly more often than the fixed answer of their form. Written by
# `python -m tests.benchmarks.beyondbench_guesser --learn`.


USUAL: dict[str, str] = {
    "addition standard 64": "-1051",
    "division standard 2": "-0.2681543097041184",
    "alternating_sum standard 8": "-511",
    "alternating_sum standard 16": "158",
    "alternating_sum standard 64": "-1061",
    "sum_of_digits standard 8": "104",
    "sum_of_digits standard 16": "221",
    "sum_of_digits standard 32": "432",
    "sum_of_digits standard 64": "873",
    "even_count standard 8": "7",
    "even_count standard 64": "57",
    "count_negative standard 8": "3",
    "count_negative standard 16": "12",
    "count_negative standard 32": "25",
    "count_negative standard 64": "11",
    "count_unique standard 8": "4",
    "count_unique standard 16": "5",
    "count_unique standard 32": "7",
    "count_unique standard 64": "54",
    "count_palindromic standard 16": "9",
    "count_palindromic standard 64": "35",
    "count_greater_than_previous standard 16": "4",
    "count_greater_than_previous standard 64": "45",
    "find_maximum standard 8": "912",
    "find_maximum standard 16": "965",
    "find_maximum standard 32": "995",
    "find_maximum standard 64": "1000",
    "find_minimum standard 8": "-880",
    "find_minimum standard 16": "-971",
    "find_minimum standard 32": "-1000",
    "find_minimum standard 64": "-999",
    "second_maximum standard 8": "856",
    "second_maximum standard 16": "886",
    "second_maximum standard 32": "943",
    "second_maximum standard 64": "969",
    "range standard 8": "1631",
    "range standard 16": "1889",
    "range standard 32": "1864",
    "range standard 64": "1969",
    "index_of_maximum standard 8": "3",
    "index_of_maximum standard 64": "57",
    "sum_of_max_indices standard 8": "7",
    "sum_of_max_indices standard 16": "15",
    "sum_of_max_indices standard 32": "28",
    "sum_of_max_indices standard 64": "63",
    "max_adjacent_difference standard 8": "1223",
    "max_adjacent_difference standard 16": "1565",
    "max_adjacent_difference standard 32": "1645",
    "max_adjacent_difference standard 64": "1798",
    "lis_length standard 8": "8",
    "lis_length standard 16": "9",
    "lis_length standard 32": "32",
    "lis_length standard 64": "18",
    "mean standard 8": "-133.75",
    "mean standard 16": "-18.75",
    "mean standard 32": "-36.6875",
    "mean standard 64": "-1.21875",
    "median standard 8": "-207.0",
    "median standard 32": "7.5",
    "median standard 65": "-102.0",
    "mode standard 8": "[-411]",
    "mode standard 16": "[-151]",
    "mode standard 32": "[-740]",
    "mode standard 64": "[694]",
    "fibonacci_sequence fibonacci 6": "-10143",
    "fibonacci_sequence fibonacci 8": "1413",
    "fibonacci_sequence tribonacci 7": "-117",
    "fibonacci_sequence tribonacci 8": "-1396",
    "fibonacci_sequence tribonacci 10": "-3986",
    "fibonacci_sequence modified_recursive 6": "-1057",
    "fibonacci_sequence modified_recursive 7": "-188",
    "fibonacci_sequence alternating_fibonacci 8": "-10355",
    "fibonacci_sequence alternating_fibonacci 10": "37465",
    "fibonacci_sequence scaled_fibonacci 6": "-13104",
    "fibonacci_sequence scaled_fibonacci 8": "25080",
    "geometric_sequence squares 6": "37989",
    "geometric_sequence factorial 6": "939612",
    "geometric_sequence triangular 6": "-11559",
    "geometric_sequence triangular 8": "53564",
    "geometric_sequence triangular 10": "3302",
    "geometric_sequence pentagonal 6": "85744",
    "geometric_sequence pentagonal 8": "24265",
    "prime_sequence prime_gaps 8": "-134",
    "prime_sequence prime_gaps 10": "-153",
    "prime_sequence prime_gaps 12": "-195",
    "prime_sequence totient 8": "15061",
    "prime_sequence totient 12": "17029",
    "prime_sequence divisor_sum 8": "103707",
    "prime_sequence fibonacci_modulo 8": "16",
    "prime_sequence fibonacci_modulo 12": "7",
    "complex_pattern quadratic 6": "-89",
    "complex_pattern quadratic 8": "-10",
    "complex_pattern quadratic 10": "-1459",
    "complex_pattern cubic 7": "-1681",
    "complex_pattern cubic 10": "-1022",
    "complex_pattern interleaved 8": "-1310",
    "complex_pattern interleaved 9": "-1488",
    "complex_pattern interleaved 10": "-257",
    "complex_pattern conditional 9": "-115",
    "complex_pattern conditional 10": "-138",
    "complex_pattern conditional 12": "-238",
    "complex_pattern multi_recursive 8": "-18",
    "complex_pattern transformation 8": "-115707",
    "complex_pattern transformation 10": "-1481",
    "complex_pattern modular 8": "616",
    "complex_pattern modular 10": "-694",
    "complex_pattern modular 12": "112",
    "complex_pattern nested 8": "-11349",
    "complex_pattern nested 9": "-171",
    "complex_pattern nested 10": "-1192",
    "complex_pattern alternating_operations 8": "-57294",
    "complex_pattern layered_differences 8": "-129",
    "complex_pattern layered_differences 9": "-1564",
    "complex_pattern layered_differences 10": "1157",
    "complex_pattern position_dependent 9": "102",
    "complex_pattern position_dependent 10": "266",
    "complex_pattern position_dependent 12": "147",
    "complex_pattern spiral 10": "-526",
    "complex_pattern spiral 12": "-2397",
    "algebraic_sequence radical_recurrence 8": "27",
    "algebraic_sequence radical_recurrence 9": "31",
    "algebraic_sequence radical_recurrence 10": "34",
    "algebraic_sequence transcendental 8": "-367",
    "algebraic_sequence transcendental 9": "-3872",
    "algebraic_sequence transcendental 10": "10745",
    "algebraic_sequence nested_radical 8": "-6471",
    "algebraic_sequence nested_radical 10": "-3060",
    "algebraic_sequence nested_radical 12": "-3747",
    "algebraic_sequence continued_fraction 5": "-8554",
    "algebraic_sequence lambert 10": "5801",
    "algebraic_sequence lambert 12": "-1389",
    "algebraic_sequence algebraic_irrational 12": "1348",
    "algebraic_sequence algebraic_modular 8": "1",
    "algebraic_sequence hypergeometric_like 8": "2",
    "algebraic_sequence hypergeometric_like 10": "2",
    "tower_of_hanoi positions 3": "112 201 121 302 112",
    "tower_of_hanoi positions 4": "202 112 301 120 221 101 402 110 212 102 310 120",
    "tower_of_hanoi positions 5": (
        "102 201 121 302 110 212 102 510 121 220 110 321 102 201 121 420 110 212 102 310 121 220"
    ),
    "tower_of_hanoi positions 6": (
        "110 221 101 302 110 212 102 401 121 220 110 321 102 201 121 620 112 210 120 312 101 202 "
        "112 410 120 221 101 320 112 210 120 512 101 202 112 301 120 221 101 402 110 212 102 310 "
        "120 221 102"
    ),
    "n_queens empty 4": "[1,3,0,2]",
    "n_queens empty 5": "[0,2,4,1,3]",
    "n_queens empty 6": "[1,3,5,0,2,4]",
    "n_queens empty 8": "[0,4,7,5,2,6,1,3]",
    "n_queens queens_4 4": "[2,0,3,1]",
    "n_queens queens_5 5": "[0,3,1,4,2]",
    "n_queens queens_6 6": "[3,0,4,1,5,2]",
    "n_queens queens_8 8": "[1,5,0,6,3,7,2,4]",
    "n_queens large 7": "[2,6,1,3,5,0,4]",
    "n_queens large 9": "[4,1,3,0,6,8,2,5,7]",
    "n_queens large 10": "[4,2,5,8,1,3,6,9,7,0]",
    "n_queens large 11": "[5,1,6,4,10,8,3,9,7,2,0]",
    "n_queens large 12": "[2,5,10,1,9,0,3,7,11,8,6,4]",
    "n_queens large 13": "[0,4,6,1,9,11,5,2,10,3,7,12,8]",
    "n_queens large 14": "[1,4,11,3,10,7,13,2,12,8,6,0,9,5]",
    "n_queens diagonal 7": "[4,6,1,3,5,0,2]",
    "n_queens diagonal 8": "[0,6,4,7,1,3,5,2]",
    "n_queens diagonal 9": "[4,0,5,3,1,7,2,8,6]",
    "n_queens diagonal 10": "[1,5,2,9,7,4,8,3,0,6]",
    "n_queens diagonal 11": "[5,2,0,10,8,4,9,7,3,1,6]",
    "n_queens diagonal 12": "[0,3,8,6,11,9,5,1,4,10,7,2]",
    "n_queens diagonal 13": "[0,11,9,5,2,8,1,3,12,10,7,4,6]",
    "n_queens diagonal 14": "[5,8,1,9,12,6,2,7,11,4,0,13,3,10]",
    "n_queens toroidal 7": "[6,1,3,5,0,2,4]",
    "n_queens toroidal 11": "[10,6,2,9,5,1,8,4,0,7,3]",
    "n_queens toroidal 13": "[6,2,9,5,0,10,3,7,12,4,8,1,11]",
    "graph_coloring complete 8": "0 1 2 1 3 4 5 6",
    "graph_coloring complete 9": "0 1 2 3 4 5 6 6 7",
    "graph_coloring complete 12": "0 1 0 2 3 4 5 6 7 8 9 10",
    "graph_coloring complete 13": "0 1 2 3 4 5 6 7 8 5 9 10 11",
    "graph_coloring complete 16": "0 1 2 3 4 5 4 6 7 8 9 10 11 12 13 14",
    "graph_coloring complete 17": "0 1 2 3 4 5 6 6 7 8 9 10 11 12 13 14 15",
    "graph_coloring complete 20": "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 1 18",
    "graph_coloring complete 21": "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 11 18 19",
    "graph_coloring complete 24": "0 1 2 3 4 5 6 7 8 9 10 11 1 12 13 14 15 16 17 18 19 20 21 22",
    "graph_coloring complete 25": "0 1 2 3 4 5 6 7 8 9 10 11 12 13 8 14 15 16 17 18 19 20 21 22 23",
    "graph_coloring complete 28": "0 1 2 3 4 5 6 7 8 9 10 11 12 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26",
    "graph_coloring cycle 8": "0 1 1 1 0 0 0 1",
    "graph_coloring cycle 12": "0 0 1 1 0 1 1 0 1 0 1 0",
    "graph_coloring cycle 16": "0 0 1 1 1 0 0 1 0 1 0 0 1 0 1 1",
    "graph_coloring tree 8": "0 0 1 1 1 1 0 0",
    "graph_coloring tree 9": "0 0 1 1 0 1 0 0 1",
    "graph_coloring tree 12": "0 0 0 0 1 1 1 0 1 0 1 0",
    "graph_coloring tree 13": "0 0 0 0 0 1 1 0 1 1 0 1 1",
    "graph_coloring tree 16": "0 0 1 0 0 0 1 1 1 0 1 0 0 1 1 0",
    "graph_coloring tree 17": "0 1 0 0 0 1 0 0 1 1 0 0 1 1 1 1 1",
    "graph_coloring bipartite 8": "0 0 1 1 1 0 1 0",
    "graph_coloring bipartite 9": "0 0 1 1 0 0 0 1 1",
    "graph_coloring bipartite 12": "0 0 0 1 1 0 1 0 1 1 1 0",
    "graph_coloring bipartite 13": "0 1 1 0 0 0 0 0 1 1 1 1 0",
    "graph_coloring bipartite 16": "0 0 1 1 0 1 1 0 1 1 1 0 0 0 1 0",
    "graph_coloring planar 8": "0 1 2 2 0 0 1 2",
    "graph_coloring planar 9": "0 1 0 1 2 1 2 2 0",
    "graph_coloring planar 12": "0 1 0 2 0 0 1 1 2 2 2 1",
    "graph_coloring planar 13": "0 0 1 2 0 0 2 1 2 2 0 1 2",
    "graph_coloring planar 16": "0 0 1 0 2 1 2 2 1 1 0 0 1 2 1 1",
    "graph_coloring wheel 9": "0 1 1 0 1 1 2 0 0",
    "graph_coloring wheel 13": "0 1 0 2 1 0 1 0 1 1 0 1 0",
    "graph_coloring grid 12": "0 1 1 1 0 0 0 1 1 1 0 0",
    "graph_coloring grid 16": "0 0 1 0 1 1 1 0 1 0 0 1 0 1 1 0",
    "graph_coloring dense_random 8": "0 1 2 3 1 2 0 3",
    "graph_coloring dense_random 9": "0 0 1 2 3 3 0 1 2",
    "graph_coloring dense_random 12": "0 1 2 3 2 1 2 0 3 3 1 0",
    "graph_coloring petersen_variant 8": "0 1 1 1 1 0 0 0",
    "graph_coloring petersen_variant 10": "0 1 0 0 0 1 1 2 2 2",
    "graph_coloring petersen_variant 12": "0 0 1 1 0 2 2 1 0 2 1 2",
    "graph_coloring petersen_variant 14": "0 0 0 1 1 1 2 2 2 1 0 0 1 2",
    "graph_coloring petersen_variant 16": "0 0 1 0 1 0 1 1 0 0 1 0 1 1 0 1",
    "graph_coloring ramsey 8": "0 1 1 2 2 3 0 3",
    "graph_coloring ramsey 9": "0 1 1 2 1 2 0 2 0",
    "graph_coloring ramsey 12": "0 1 1 1 0 0 2 3 2 2 3 3",
    "graph_coloring ramsey 13": "0 0 1 0 1 2 0 1 1 1 2 0 2",
    "boolean_sat horn 4": "TFFF",
    "boolean_sat horn 6": "FFFFTF",
    "boolean_sat horn 8": "FFFTTTFF",
    "boolean_sat horn 10": "FFFTFFFFTF",
    "boolean_sat horn 12": "FFFFFFFTFTFF",
    "boolean_sat xor 6": "TFTFTT",
    "boolean_sat xor 12": "FFFFFTFFFFFF",
    "boolean_sat mixed 8": "TFFTFFTF",
    "boolean_sat mixed 10": "TTFFTFFFFT",
    "boolean_sat mixed 12": "TTFFTTTFTTFT",
    "boolean_sat graph_based 10": "FFTTFFTFFT",
    "sudoku standard_4 6": "1342 4231 3124 2413",
    "sudoku standard_4 9": "1234 3421 2143 4312",
    "sudoku standard_4 11": "1324 2413 3241 4132",
    "sudoku diagonal_4 6": "4321 1234 3412 2143",
    "sudoku diagonal_4 9": "2341 1432 3214 4123",
    "sudoku diagonal_4 11": "1234 4321 2143 3412",
    "sudoku diagonal_6 14": "236541 514326 145632 623415 351264 462153",
    "sudoku diagonal_6 20": "164532 523461 436125 215346 641253 352614",
    "sudoku diagonal_6 26": "245163 361542 134625 652314 413256 526431",
    "cryptarithmetic addition_medium 4": "072981",
    "cryptarithmetic multiplication_hard 6": "645128",
    "cryptarithmetic division_medium 5": "84962",
    "matrix_chain random 3": "147000",
    "matrix_chain random 5": "120474",
    "matrix_chain random 11": "721446",
    "matrix_chain increasing 3": "33480",
    "matrix_chain increasing 11": "109236",
    "matrix_chain decreasing 3": "153000",
    "matrix_chain decreasing 5": "127848",
    "matrix_chain sparse 3": "264",
    "matrix_chain sparse 14": "83874",
    "matrix_chain sparse 17": "81868",
    "matrix_chain sparse 20": "38790",
    "matrix_chain mixed 3": "770",
    "matrix_chain mixed 5": "1452",
    "matrix_chain mixed 8": "2457",
    "matrix_chain mixed 11": "4109",
    "matrix_chain mixed 14": "25485",
    "matrix_chain mixed 17": "23326",
    "matrix_chain mixed 20": "30751",
    "modular_systems basic 3": "1177",
    "modular_systems prime 3": "50053",
    "modular_systems range 3": "267719",
    "modular_systems divisible 3": "3034241",
    "constraint_optimization basic 6": "[1,3,6]",
    "constraint_optimization basic 7": "[1,4,7]",
    "constraint_optimization basic 8": "[2,5,6,7]",
    "constraint_optimization quality 6": "[1,4,5]",
    "constraint_optimization quality 7": "[1,2,3]",
    "constraint_optimization quality 8": "[1,3,5,6]",
    "constraint_optimization dependency 6": "[1,2,3]",
    "constraint_optimization dependency 7": "[1,2,3]",
    "constraint_optimization dependency 8": "[1,2,3,4]",
    "constraint_optimization risk 6": "[1,4,5]",
    "constraint_optimization risk 7": "[1,4,7]",
    "constraint_optimization risk 8": "[3,4,5,6]",
    "constraint_optimization mixed 6": "[1,2,3]",
    "constraint_optimization mixed 7": "[1,2,3]",
    "constraint_optimization mixed 8": "[1,2,3,4]",
    "logic_grid easy_3 3": "020 101 212",
    "logic_grid hard_3 3": "121 210 002",
}


# The guesser: an answer by the cell, the size and the form of a problem alone. Its rate is the floor.


def guess(task: str, variation: str, size: int, form: Form) -> Answer:
    """The answer that was right most often in problems of this variation and size.

    Where none was right twice among those that it was learned from, it is a fixed answer of the form.
    """
    shape = USUAL.get(f"{task} {variation} {size}")
    if shape is None:
        return fixed_answer(form, size)
    try:
        return write_shape(form, shape)
    except ValueError:  # words of another length than those that were usual
        return fixed_answer(form, size)


# The players of BeyondBench that need no model, by name.


def _exact(game: TaskGame, _rng: random.Random) -> Move:
    """Solve what the text of our prompt says, whatever models are asked, and nothing else of the game."""
    task = game.problem.task
    params = task.read(game.problem.prompt)
    return lambda: write_answer(task, params, task.solve(params).reference)


def _careless(game: TaskGame, _rng: random.Random) -> Move:
    problem = game.problem
    wrong = problem.task.form(problem.params).careless(problem.solutions.reference)
    return lambda: problem.write_answer(wrong)


def _random(game: TaskGame, rng: random.Random) -> Move:
    problem = game.problem
    return lambda: problem.write_answer(problem.task.guess(problem.params, rng))


def _guesser(game: TaskGame, _rng: random.Random) -> Move:
    """Answer by the cell, the size and the form of answers; nothing that the prompt states is read."""
    problem = game.problem
    form = problem.task.form(problem.params)
    return lambda: problem.write_answer(guess(problem.task.name, problem.variation, problem.size, form))


def _heuristic(game: TaskGame, rng: random.Random) -> Move:
    """Answer by the task's heuristic from the prompt's text; as the guesser where the task has none."""
    task = game.problem.task
    if task.heuristic is None:
        return _guesser(game, rng)
    answer = task.heuristic(task.read(game.problem.prompt))
    return lambda: game.problem.write_answer(answer)


PLAYERS: dict[str, Program[TaskGame]] = {
    program.name: program
    for program in (
        Program("exact", False, "solves the problem that the prompt's text alone states", _exact),
        Program("careless", False, "gives a wrong answer of the right form, by the form's rule", _careless),
        Program("random", True, "draws an answer of the right form", _random),
        Program("heuristic", False, "colors greedily, adds the last two terms and the like", _heuristic),
        Program("guesser", False, "gives what was right most often in such problems, unread", _guesser),
    )
}

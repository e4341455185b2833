"""Rules on a grid that move its tokens, whatever they are."""

from perennial.tasks.a2rbench.catalogue.rule import Rule, Value


def transpose(x: Value) -> Value:
    return [list(column) for column in zip(*x)]


def turn_right(x: Value) -> Value:
    return [list(column) for column in zip(*x[::-1])]


def turn_left(x: Value) -> Value:
    return [list(column) for column in zip(*x)][::-1]


def turn_half(x: Value) -> Value:
    return [row[::-1] for row in x[::-1]]


def flip_left_right(x: Value) -> Value:
    return [row[::-1] for row in x]


def flip_up_down(x: Value) -> Value:
    return x[::-1]


def shear_rows(x: Value) -> Value:
    return [[row[(j - i) % len(row)] for j in range(len(row))] for i, row in enumerate(x)]


def unshear_rows(x: Value) -> Value:
    return [[row[(j + i) % len(row)] for j in range(len(row))] for i, row in enumerate(x)]


def shear_columns(x: Value) -> Value:
    return [[x[(i - j) % len(x)][j] for j in range(len(x[0]))] for i in range(len(x))]


def unshear_columns(x: Value) -> Value:
    return [[x[(i + j) % len(x)][j] for j in range(len(x[0]))] for i in range(len(x))]


def snake(x: Value) -> Value:
    return [row[::-1] if i % 2 else row[:] for i, row in enumerate(x)]


def flip_other_diagonal(x: Value) -> Value:
    return [list(column)[::-1] for column in zip(*x)][::-1]


def interleave_rows(x: Value) -> Value:
    h = (len(x) + 1) // 2
    y = []
    for i in range(h):
        y.append(x[i])
        if h + i < len(x):
            y.append(x[h + i])
    return y


def deinterleave_rows(x: Value) -> Value:
    return x[::2] + x[1::2]


def unroll_spiral(x: Value) -> Value:
    rows, columns = len(x), len(x[0])
    rest = [row[:] for row in x]
    path = []
    while rest:
        path.extend(rest.pop(0))
        rest = [list(column) for column in zip(*rest)][::-1]
    return [path[i * columns : (i + 1) * columns] for i in range(rows)]


def roll_spiral(x: Value) -> Value:
    rows, columns = len(x), len(x[0])
    path = [token for row in x for token in row]
    places = [[(i, j) for j in range(columns)] for i in range(rows)]
    order = []
    while places:
        order.extend(places.pop(0))
        places = [list(column) for column in zip(*places)][::-1]
    y = [[""] * columns for _ in range(rows)]
    for token, (i, j) in zip(path, order):
        y[i][j] = token
    return y


def swap_edges(x: Value) -> Value:
    return [row[-1:] + row[1:-1] + row[:1] if len(row) > 1 else row[:] for row in x]


def _rule(name: str, words: str, back: str, forward: object, inverse: object) -> Rule:
    return Rule(name, 2, "symbolic", words, back, forward, inverse)  # type: ignore[arg-type]


RULES = (
    _rule("grid_transpose", "Make rows of the columns.", "Make columns of the rows.", transpose, transpose),
    _rule(
        "grid_turn_right",
        "Turn the grid a quarter clockwise.",
        "Turn the grid a quarter counter-clockwise.",
        turn_right,
        turn_left,
    ),
    _rule("grid_turn_half", "Turn the grid by half.", "Turn the grid by half again.", turn_half, turn_half),
    _rule(
        "grid_flip_left_right",
        "Reverse each row.",
        "Reverse each row again.",
        flip_left_right,
        flip_left_right,
    ),
    _rule(
        "grid_flip_up_down",
        "Reverse the order of the rows.",
        "Reverse the order of the rows again.",
        flip_up_down,
        flip_up_down,
    ),
    _rule(
        "grid_shear_rows",
        "Move each row to the right, around the end, by its number, the first by none.",
        "Move each row to the left by its number.",
        shear_rows,
        unshear_rows,
    ),
    _rule(
        "grid_shear_columns",
        "Move each column down, around the end, by its number, the first by none.",
        "Move each column up by its number.",
        shear_columns,
        unshear_columns,
    ),
    _rule(
        "grid_snake",
        "Reverse every second row, beginning with the second.",
        "Reverse every second row again.",
        snake,
        snake,
    ),
    _rule(
        "grid_flip_other_diagonal",
        "Mirror the grid in the diagonal from the lower left to the upper right.",
        "Mirror the grid in that diagonal again.",
        flip_other_diagonal,
        flip_other_diagonal,
    ),
    _rule(
        "grid_interleave_rows",
        "Interleave the rows of the upper half (the longer one) with those of the lower half.",
        "Write the rows at odd places, then those at even places.",
        interleave_rows,
        deinterleave_rows,
    ),
    _rule(
        "grid_unroll_spiral",
        "Read the grid in a clockwise spiral from the upper left, and write what was read row by row.",
        "Read the grid row by row, and write it in a clockwise spiral from the upper left.",
        unroll_spiral,
        roll_spiral,
    ),
    _rule(
        "grid_swap_edges",
        "Swap the first and the last token of each row.",
        "Swap the first and the last token of each row again.",
        swap_edges,
        swap_edges,
    ),
)

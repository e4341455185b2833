"""Rules on a cube (a list of layers, each a grid) that move its tokens, whatever they are."""

from perennial.tasks.a2rbench.catalogue.rule import Rule, Value


def reverse_layers(x: Value) -> Value:
    return x[::-1]


def transpose_layers(x: Value) -> Value:
    return [[list(column) for column in zip(*layer)] for layer in x]


def turn_layers(x: Value) -> Value:
    return [[list(column) for column in zip(*layer[::-1])] for layer in x]


def unturn_layers(x: Value) -> Value:
    return [[list(column) for column in zip(*layer)][::-1] for layer in x]


def flip_all_axes(x: Value) -> Value:
    return [[row[::-1] for row in layer[::-1]] for layer in x[::-1]]


def cycle_axes(x: Value) -> Value:
    return [[[x[i][j][k] for i in range(len(x))] for k in range(len(x[0][0]))] for j in range(len(x[0]))]


def uncycle_axes(x: Value) -> Value:
    return [[[x[j][k][i] for k in range(len(x[0]))] for j in range(len(x))] for i in range(len(x[0][0]))]


def shear_layers(x: Value) -> Value:
    return [
        [[row[(k - i) % len(row)] for k in range(len(row))] for row in layer] for i, layer in enumerate(x)
    ]


def unshear_layers(x: Value) -> Value:
    return [
        [[row[(k + i) % len(row)] for k in range(len(row))] for row in layer] for i, layer in enumerate(x)
    ]


def roll_rows(x: Value) -> Value:
    return [[layer[(j - i) % len(layer)] for j in range(len(layer))] for i, layer in enumerate(x)]


def unroll_rows(x: Value) -> Value:
    return [[layer[(j + i) % len(layer)] for j in range(len(layer))] for i, layer in enumerate(x)]


def layers_to_front(x: Value) -> Value:
    return [[layer[j] for layer in x] for j in range(len(x[0]))]


def interleave_layers(x: Value) -> Value:
    h = (len(x) + 1) // 2
    y = []
    for i in range(h):
        y.append(x[i])
        if h + i < len(x):
            y.append(x[h + i])
    return y


def deinterleave_layers(x: Value) -> Value:
    return x[::2] + x[1::2]


def flip_odd_layers(x: Value) -> Value:
    return [layer[::-1] if i % 2 else layer for i, layer in enumerate(x)]


def swap_halves_of_rows(x: Value) -> Value:
    y = []
    for layer in x:
        z = []
        for row in layer:
            h = len(row) // 2
            z.append(row[len(row) - h :] + row[h : len(row) - h] + row[:h])
        y.append(z)
    return y


def snake_layers(x: Value) -> Value:
    return [
        [row[::-1] if (i + j) % 2 else row[:] for j, row in enumerate(layer)] for i, layer in enumerate(x)
    ]


def _rule(name: str, words: str, back: str, forward: object, inverse: object) -> Rule:
    return Rule(name, 3, "symbolic", words, back, forward, inverse)  # type: ignore[arg-type]


RULES = (
    _rule(
        "cube_reverse_layers",
        "Reverse the order of the layers.",
        "Reverse the order of the layers again.",
        reverse_layers,
        reverse_layers,
    ),
    _rule(
        "cube_transpose_layers",
        "Make rows of the columns in each layer.",
        "Make columns of the rows in each layer.",
        transpose_layers,
        transpose_layers,
    ),
    _rule(
        "cube_turn_layers",
        "Turn each layer a quarter clockwise.",
        "Turn each layer a quarter counter-clockwise.",
        turn_layers,
        unturn_layers,
    ),
    _rule(
        "cube_flip_all_axes",
        "Reverse layers, rows and tokens.",
        "Reverse layers, rows and tokens again.",
        flip_all_axes,
        flip_all_axes,
    ),
    _rule(
        "cube_cycle_axes",
        "Make layers of the rows, rows of the columns and columns of the layers.",
        "Make rows of the layers, columns of the rows and layers of the columns.",
        cycle_axes,
        uncycle_axes,
    ),
    _rule(
        "cube_shear_layers",
        "Move the rows of each layer to the right, around the end, by the layer's number, the first by none.",
        "Move the rows of each layer to the left by the layer's number.",
        shear_layers,
        unshear_layers,
    ),
    _rule(
        "cube_roll_rows",
        "Move the rows of each layer down, around the end, by the layer's number, the first by none.",
        "Move the rows of each layer up by the layer's number.",
        roll_rows,
        unroll_rows,
    ),
    _rule(
        "cube_layers_to_front",
        "Make a layer of all first rows, one of all second rows, and so on.",
        "Make a layer of all first rows again, and so on.",
        layers_to_front,
        layers_to_front,
    ),
    _rule(
        "cube_interleave_layers",
        "Interleave the first half of the layers (the longer one) with the second.",
        "Write the layers at odd places, then those at even places.",
        interleave_layers,
        deinterleave_layers,
    ),
    _rule(
        "cube_flip_odd_layers",
        "Reverse the order of the rows in every second layer, beginning with the second.",
        "Reverse the order of the rows in every second layer again.",
        flip_odd_layers,
        flip_odd_layers,
    ),
    _rule(
        "cube_swap_halves_of_rows",
        "Swap the first and the last half of each row; a middle token stays.",
        "Swap the halves of each row again.",
        swap_halves_of_rows,
        swap_halves_of_rows,
    ),
    _rule(
        "cube_snake_layers",
        "Reverse the rows for which the numbers of layer and row, added, are odd.",
        "Reverse those rows again.",
        snake_layers,
        snake_layers,
    ),
)

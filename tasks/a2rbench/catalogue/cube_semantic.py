"""Rules on a cube that need to know what the tokens are."""

from perennial.tasks.a2rbench.catalogue.rule import Alphabet, Rule, Value


def caesar_by_layer(x: Value) -> Value:
    return [
        [[chr((ord(c) - 65 + i + 1) % 26 + 65) for c in row] for row in layer] for i, layer in enumerate(x)
    ]


def uncaesar_by_layer(x: Value) -> Value:
    return [
        [[chr((ord(c) - 65 - i - 1) % 26 + 65) for c in row] for row in layer] for i, layer in enumerate(x)
    ]


def atbash_even_layers(x: Value) -> Value:
    return [[[c if i % 2 else chr(155 - ord(c)) for c in row] for row in layer] for i, layer in enumerate(x)]


def add_place_of_three(x: Value) -> Value:
    return [
        [[str((int(c) + i + j + k) % 10) for k, c in enumerate(row)] for j, row in enumerate(layer)]
        for i, layer in enumerate(x)
    ]


def subtract_place_of_three(x: Value) -> Value:
    return [
        [[str((int(c) - i - j - k) % 10) for k, c in enumerate(row)] for j, row in enumerate(layer)]
        for i, layer in enumerate(x)
    ]


def sum_through(x: Value) -> Value:
    y: Value = []
    for i, layer in enumerate(x):
        y.append(
            [
                [str((int(c) + (int(y[i - 1][j][k]) if i else 0)) % 10) for k, c in enumerate(row)]
                for j, row in enumerate(layer)
            ]
        )
    return y


def difference_through(x: Value) -> Value:
    return [
        [
            [str((int(c) - (int(x[i - 1][j][k]) if i else 0)) % 10) for k, c in enumerate(row)]
            for j, row in enumerate(layer)
        ]
        for i, layer in enumerate(x)
    ]


def parity_through(x: Value) -> Value:
    y: Value = []
    for i, layer in enumerate(x):
        y.append(
            [
                [str(int(c) ^ (int(y[i - 1][j][k]) if i else 0)) for k, c in enumerate(row)]
                for j, row in enumerate(layer)
            ]
        )
    return y


def changes_through(x: Value) -> Value:
    return [
        [
            [str(int(c) ^ (int(x[i - 1][j][k]) if i else 0)) for k, c in enumerate(row)]
            for j, row in enumerate(layer)
        ]
        for i, layer in enumerate(x)
    ]


def nines_complement_rows(x: Value) -> Value:
    return [[[c if j % 2 else str(9 - int(c)) for c in row] for j, row in enumerate(layer)] for layer in x]


def times_seven_cube(x: Value) -> Value:
    return [[[str(int(c) * 7 % 10) for c in row] for row in layer] for layer in x]


def times_three_cube(x: Value) -> Value:
    return [[[str(int(c) * 3 % 10) for c in row] for row in layer] for layer in x]


def element_by_layer(x: Value) -> Value:
    table = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca".split()
    return [
        [[table[(table.index(c) + i + 1) % 20] for c in row] for row in layer] for i, layer in enumerate(x)
    ]


def unelement_by_layer(x: Value) -> Value:
    table = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca".split()
    return [
        [[table[(table.index(c) - i - 1) % 20] for c in row] for row in layer] for i, layer in enumerate(x)
    ]


def day_by_row_and_layer(x: Value) -> Value:
    days = "Mon Tue Wed Thu Fri Sat Sun".split()
    return [
        [[days[(days.index(c) + i + j) % 7] for c in row] for j, row in enumerate(layer)]
        for i, layer in enumerate(x)
    ]


def unday_by_row_and_layer(x: Value) -> Value:
    days = "Mon Tue Wed Thu Fri Sat Sun".split()
    return [
        [[days[(days.index(c) - i - j) % 7] for c in row] for j, row in enumerate(layer)]
        for i, layer in enumerate(x)
    ]


def negate_odd_places(x: Value) -> Value:
    return [
        [
            [str(1 - int(c)) if (i + j + k) % 2 else c for k, c in enumerate(row)]
            for j, row in enumerate(layer)
        ]
        for i, layer in enumerate(x)
    ]


def shift_by_column(x: Value) -> Value:
    return [
        [[chr((ord(c) - 65 + 2 * k + 1) % 26 + 65) for k, c in enumerate(row)] for row in layer]
        for layer in x
    ]


def unshift_by_column(x: Value) -> Value:
    return [
        [[chr((ord(c) - 65 - 2 * k - 1) % 26 + 65) for k, c in enumerate(row)] for row in layer]
        for layer in x
    ]


def _rule(name: str, words: str, back: str, forward: object, inverse: object, alphabet: Alphabet) -> Rule:
    return Rule(name, 3, "semantic", words, back, forward, inverse, alphabet)  # type: ignore[arg-type]


RULES = (
    _rule(
        "cube_caesar_by_layer",
        "Move the letters of each layer forward in the alphabet by the layer's number, the first by one.",
        "Move the letters of each layer back by the layer's number.",
        caesar_by_layer,
        uncaesar_by_layer,
        "letters",
    ),
    _rule(
        "cube_atbash_even_layers",
        "In layers one, three, five ..., replace each letter by the one as far from the alphabet's end.",
        "Replace the letters of these layers in the same way again.",
        atbash_even_layers,
        atbash_even_layers,
        "letters",
    ),
    _rule(
        "cube_add_place",
        "Add to each digit the numbers of its layer, row and column, counted from zero, modulo 10.",
        "Subtract from each digit the numbers of its layer, row and column, modulo 10.",
        add_place_of_three,
        subtract_place_of_three,
        "digits",
    ),
    _rule(
        "cube_sum_through",
        "Replace each digit by the last digit of the sum of the digits at its place in all layers up to it.",
        "Replace each digit by its difference from the digit at its place in the layer before, modulo 10.",
        sum_through,
        difference_through,
        "digits",
    ),
    _rule(
        "cube_parity_through",
        "Replace each bit by the parity of the bits at its place in all layers up to it.",
        "Replace each bit by whether it differs from the bit at its place in the layer before.",
        parity_through,
        changes_through,
        "bits",
    ),
    _rule(
        "cube_nines_complement_rows",
        "In the first, third, fifth ... row of each layer, replace each digit by nine minus it.",
        "Replace the digits of these rows by nine minus them again.",
        nines_complement_rows,
        nines_complement_rows,
        "digits",
    ),
    _rule(
        "cube_times_seven",
        "Replace each digit by the last digit of seven times it.",
        "Replace each digit by the last digit of three times it.",
        times_seven_cube,
        times_three_cube,
        "digits",
    ),
    _rule(
        "cube_element_by_layer",
        "Move each chemical element forward by its layer's number, the first by one, hydrogen after calcium.",
        "Move each chemical element back by its layer's number.",
        element_by_layer,
        unelement_by_layer,
        "elements",
    ),
    _rule(
        "cube_day_by_row_and_layer",
        "Move each day of the week forward by the numbers of its layer and row, counted from zero.",
        "Move each day of the week back by the numbers of its layer and row.",
        day_by_row_and_layer,
        unday_by_row_and_layer,
        "days",
    ),
    _rule(
        "cube_negate_odd_places",
        "Negate each bit for which the numbers of layer, row and column, added, are odd.",
        "Negate these bits again.",
        negate_odd_places,
        negate_odd_places,
        "bits",
    ),
    _rule(
        "cube_shift_by_column",
        "Move the letters of the first column forward by one, of the second by three, and so on.",
        "Move the letters of the columns back by one, three, five ...",
        shift_by_column,
        unshift_by_column,
        "letters",
    ),
)
